// SPDX-License-Identifier: Apache-2.0
public import LocationModel

/// How long to wait between attempts to reach a daemon that is gone: short at first, since a restart takes a moment.
public struct ReconnectBackoff: Sendable, Hashable {
    /// The first wait.
    public static let shortest = TimeSpan.milliseconds(100)
    /// No wait is longer: well under the 30 s within which a manager can be taken back.
    public static let longest = TimeSpan.seconds(3)

    private var next = ReconnectBackoff.shortest

    /// Nothing has failed yet.
    public init() {}

    /// The wait before the next attempt; each is twice as long as the one before.
    public mutating func nextDelay() -> TimeSpan {
        let delay = next
        next = min(TimeSpan(nanoseconds: next.nanoseconds * 2), ReconnectBackoff.longest)
        return delay
    }
}
