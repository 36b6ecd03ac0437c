// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Something that a `GPSDConnectionMachine` wants done; carried out in order.
package enum GPSDCommand: Sendable, Hashable {
    /// Begin to connect; tell the machine `connected` or `connectFailed`.
    case connect
    /// Close the socket, also one still connecting; the machine expects no word of it.
    case disconnect
    /// Write this in one piece: gpsd applies the first part of a command that comes in two.
    case send(GPSDRequest)
    /// An epoch of a receiver.
    case fix(Fix)
    /// A receiver reports that it has no fix; `satellites`: that one heard at once since none has one, the most.
    case noFix(satellites: Int)
    /// The direction a receiver faces.
    case attitude(AttitudeReport)
    /// A receiver is there: listed by gpsd or heard again.
    case receiverFound(ReceiverID)
    /// A receiver is gone, or gpsd with it.
    case receiverLost(ReceiverID)
    /// `GPSDConnectionMachine.status` changed.
    case stateChanged(GPSDConnectionState)
}

/// A command to gpsd.
package enum GPSDRequest: Sendable, Hashable, CaseIterable {
    /// Subscribe; opens the receivers.
    case watch
    /// Unsubscribe; gpsd closes the receivers a minute later if nobody else watches.
    case unwatch
    /// List the devices; also wakes gpsd up to look at them.
    case devices

    /// The bytes, with the line's end.
    package var text: String {
        switch self {
        case .watch: "?WATCH={\"enable\":true,\"json\":true};\n"
        case .unwatch: "?WATCH={\"enable\":false};\n"
        case .devices: "?DEVICES;\n"
        }
    }
}

/// Where the connection to gpsd stands.
package enum GPSDConnectionState: String, Sendable, Hashable, CaseIterable {
    /// Not connected, and nobody needs it.
    case disconnected
    /// A connection is being made.
    case connecting
    /// Connected, not subscribed: nobody needs fixes.
    case connected
    /// Subscribed, not confirmed yet.
    case subscribing
    /// Subscribed: gpsd reports.
    case watching
    /// Not connected; the next attempt is waiting for its time.
    case waiting
}

/// The connection to gpsd as people are told of it.
package struct GPSDConnectionStatus: Sendable, Hashable {
    /// Where gpsd is sought: `HOST:PORT` or a path.
    package var address: String
    /// Where the connection stands.
    package var state: GPSDConnectionState
    /// Since when.
    package var since: BootInstant
    /// The last failure, in words; nil once a subscription or connection works again.
    package var lastError: String?
    /// gpsd's release, such as `3.22`, while connected.
    package var release: String?
    /// The version of gpsd's protocol, for logs only: its numbers are not reliable.
    package var protocolVersion: String?
    /// Whether what is connected has spoken gpsd's protocol; else it may be anything.
    package var hasSpoken = false
}
