// SPDX-License-Identifier: Apache-2.0

/// The result of `startBackgroundActivitySession` and `startServiceSession`.
public struct SessionResult: Sendable, Hashable, Codable {
    /// The session's number.
    public var session: UInt64

    /// The session `session`.
    public init(session: UInt64) { self.session = session }
}
