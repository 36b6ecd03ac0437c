// SPDX-License-Identifier: Apache-2.0

/// An entry in the journal, for machines: a message id, which has an entry in the catalog (systemd/locationd.catalog), and fields.
///
/// `journalctl MESSAGE_ID=…` finds all of a kind, `journalctl LOCATIOND_APP=…` all about an app. No field has a position.
package enum JournalEvent: Sendable, Hashable {
    /// gpsd answers.
    case gpsdConnected(address: String)
    /// gpsd does not answer, or no longer.
    case gpsdLost(address: String, reason: String)
    /// A receiver is there.
    case receiverFound(path: String)
    /// A receiver is gone.
    case receiverLost(path: String)
    /// Somebody has to decide about an app.
    case consentRequested(app: String, level: String, request: UInt64)
    /// A decision about an app was made, or forgotten.
    case consentChanged(app: String, consent: String, decider: String)
    /// Location services were switched on or off for everyone.
    case servicesSwitched(areEnabled: Bool, decider: String)
    /// An app has begun to use the location.
    case useStarted(app: String)
    /// An app no longer uses the location.
    case useEnded(app: String)
    /// A connection was closed by the daemon.
    case clientClosed(pid: Int32, uid: UInt32, reason: String)
    /// A connection was refused.
    case clientRefused(pid: Int32, uid: UInt32, reason: String)
    /// A user asks for more than its share of the daemon's time: its requests wait.
    case userHeldBack(uid: UInt32, connections: Int)
    /// Events wait for an app that is not there: its unit is started.
    case appWoken(app: String)
    /// The state directory cannot be written or read.
    case storeFailed(reason: String)
    /// Damaged files of the state directory were set aside, or the directory can be written again.
    case storeRepaired
    /// The configuration was read again.
    case configurationReloaded
    /// The configuration cannot be used; the old one stays.
    case configurationRefused(reason: String)
    /// The daemon cannot begin yet; clients are told so.
    case serviceRefused(reason: String)

    /// Names the kind of event for ever: 128 bits in hexadecimal, as `journalctl --new-id128` makes them.
    package var messageID: String {
        switch self {
        case .gpsdConnected: "08da6e310a5544b79dbd915fc52a612f"
        case .gpsdLost: "69463ecabf1546c09c73cfdf7824d5b0"
        case .receiverFound: "dccd78d1b5b1456b96aa2ee4b41c854c"
        case .receiverLost: "613a6085ab5948d28696f9b990511fa7"
        case .consentRequested: "1b7a85dd06ac47dc9ef648dceb9389f9"
        case .consentChanged: "34fc78bbf93140d4b3892543b50d391a"
        case .servicesSwitched: "4f1d903367144b0d9f6274d6d2bff34a"
        case .useStarted: "bc5641265df74ed291e00bb86c92d0bc"
        case .useEnded: "9df21c53770b46058ef3061c17e07e49"
        case .clientClosed: "f18b9b64a78e4f9ebd0b3d30af7ed541"
        case .clientRefused: "4d24d002a22a4ee4962b11b9f55b31ad"
        case .userHeldBack: "b754e14842e34bc190efaecbce74859a"
        case .appWoken: "7a5bcd78f30849e1896fa6b1a6e72739"
        case .storeFailed: "7f6b3c47af8d49b7902b18b7549ce617"
        case .storeRepaired: "7428a0093f984adf90e4f5edb1f12075"
        case .configurationReloaded: "370486327cf74f51945bd05d3552e8f8"
        case .configurationRefused: "69a2939770ae4e819b0124af41bf4098"
        case .serviceRefused: "e9c02bc23f10cebe21b7efe6dbe70317"
        }
    }

    /// The fields beside the message, in the journal's capitals.
    package var fields: [(name: String, value: String)] {
        switch self {
        case .gpsdConnected(let address):
            [("LOCATIOND_GPSD", address)]
        case .gpsdLost(let address, let reason):
            [("LOCATIOND_GPSD", address), ("LOCATIOND_REASON", reason)]
        case .receiverFound(let path):
            [("LOCATIOND_RECEIVER", path)]
        case .receiverLost(let path):
            [("LOCATIOND_RECEIVER", path)]
        case .consentRequested(let app, let level, let request):
            [("LOCATIOND_APP", app), ("LOCATIOND_LEVEL", level), ("LOCATIOND_REQUEST", "\(request)")]
        case .consentChanged(let app, let consent, let decider):
            [("LOCATIOND_APP", app), ("LOCATIOND_CONSENT", consent), ("LOCATIOND_DECIDER", decider)]
        case .servicesSwitched(let areEnabled, let decider):
            [("LOCATIOND_SERVICES", areEnabled ? "on" : "off"), ("LOCATIOND_DECIDER", decider)]
        case .useStarted(let app):
            [("LOCATIOND_APP", app)]
        case .useEnded(let app):
            [("LOCATIOND_APP", app)]
        case .clientClosed(let pid, let uid, let reason), .clientRefused(let pid, let uid, let reason):
            [("LOCATIOND_CLIENT_PID", "\(pid)"), ("LOCATIOND_CLIENT_UID", "\(uid)"), ("LOCATIOND_REASON", reason)]
        case .userHeldBack(let uid, let connections):
            [("LOCATIOND_CLIENT_UID", "\(uid)"), ("LOCATIOND_CONNECTIONS", "\(connections)")]
        case .appWoken(let app):
            [("LOCATIOND_APP", app)]
        case .storeFailed(let reason):
            [("LOCATIOND_REASON", reason)]
        case .configurationRefused(let reason), .serviceRefused(let reason):
            [("LOCATIOND_REASON", reason)]
        case .storeRepaired, .configurationReloaded: []
        }
    }
}
