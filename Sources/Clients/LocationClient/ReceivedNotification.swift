// SPDX-License-Identifier: Apache-2.0
public import LocationProtocol

/// A notification as it came.
public struct ReceivedNotification: Sendable, Hashable {
    /// Its content.
    public var notification: Notification
    /// Its number on this connection, from 1 without a gap.
    public var sequence: UInt64
    /// The line that the daemon wrote, without its end.
    public var line: [UInt8]

    /// The notification of `line`.
    public init(_ notification: Notification, sequence: UInt64, line: [UInt8]) {
        self.notification = notification
        self.sequence = sequence
        self.line = line
    }
}
