// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// When a daemon that systemd started for its first client may end: nobody is connected or can come back, nobody needs the
/// receiver, for as long as the configuration says. The socket stays systemd's, and the next client starts the daemon again.
struct IdleExit {
    private var idleSince: BootInstant?

    /// Looks at the daemon after something happened.
    ///
    /// - Parameters:
    ///   - limit: How long it must be idle; zero: it never ends.
    ///   - isIdle: Whether it is idle now; asked for only if that matters.
    /// - Returns: When to look again, or `now` if it is time to end; nil: never.
    mutating func look(at now: BootInstant, limit: TimeSpan, isIdle: () -> Bool) -> BootInstant? {
        guard limit > .zero, isIdle() else {
            idleSince = nil
            return nil
        }
        let since = idleSince ?? now
        idleSince = since
        return max(now, since + limit)
    }
}
