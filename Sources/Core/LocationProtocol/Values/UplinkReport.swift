// SPDX-License-Identifier: Apache-2.0
/// How locationd-uplink is: what `locctl uplink` shows. No place stands in it, so that everybody may read it.
package struct UplinkReport: Sendable, Hashable, Codable {
    /// Whether the broker is there, and if not, why.
    package enum Link: String, Sendable, Codable {
        /// Nobody may know where the device is, so there is nothing to connect for.
        case off
        /// Of a server: it took the last message, or was sent none yet.
        case connecting, connected
        /// Until the next attempt.
        case waiting
    }

    /// `connected` and its like.
    package var link: Link
    /// When the connection was made, milliseconds since 1970.
    package var connectedSince: Int64?
    /// `HOST:PORT`, or the URL of a server.
    package var broker = ""
    /// `server` for a server that takes messages by HTTP; else a broker.
    package var carrier: String?
    /// The kind of locations that the uplink sends: `significant`, `move` or `manual`.
    package var mode: String
    /// `full`, `reduced`, `none`; nil: the daemon has not said.
    package var consent: String?
    /// Whether locationd is there.
    package var hasDaemon: Bool
    /// At most so many locations wait.
    package var waiting: UInt64
    /// Events that wait.
    package var waitingEvents: Int
    /// The date of the oldest location that waits, milliseconds since 1970; nil: none waits, or it is not read yet.
    package var oldest: Int64?
    /// When the broker last acknowledged something, milliseconds since 1970.
    package var lastAcknowledgement: Int64?
    /// Acknowledged locations in all.
    package var sent: UInt64
    /// At most so many were lost before they could be sent, in all.
    package var lost: UInt64 = 0
    /// At most so many were left out since no backlog is wanted, in all.
    package var leftOut: UInt64 = 0
    /// Messages that the server did not take while it took others, in all.
    package var refused: UInt64?
    /// The last trouble with the broker, a sentence that begins with "cannot".
    package var lastError: String?
    /// The process.
    package var pid: Int32 = 0

    /// Where it is shown, unless `LOCATIOND_UPLINK_STATUS` of the environment says otherwise.
    package static let usualPath = "/run/locationd-uplink/status.json"

    /// With all that has no default.
    package init(link: Link, mode: String, hasDaemon: Bool, waiting: UInt64, waitingEvents: Int, sent: UInt64) {
        self.link = link
        self.mode = mode
        self.hasDaemon = hasDaemon
        self.waiting = waiting
        self.waitingEvents = waitingEvents
        self.sent = sent
    }
}
