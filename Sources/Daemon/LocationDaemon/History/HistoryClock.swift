// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The date by which the history ages, which must not be ahead of the true one: what is dropped is gone.
///
/// A fix is as true as its receiver, and time goes on since it came. The wall clock counts where it is trusted, because a network has set
/// it; else the earlier of both does.
struct HistoryClock {
    private var newest: WallTime?
    private var seenAt = BootInstant(nanoseconds: 0)

    /// GPS counts 1024 weeks: a receiver that has begun anew dates its fixes that long ago, and they are not old for it.
    private static let rollover = Int64(1000 * 7 * 86_400_000)

    /// The date at `now`; nil: nobody can tell.
    ///
    /// - Parameters:
    ///   - newest: The date of the newest fix; nil: there is none.
    ///   - wall: The wall clock.
    mutating func today(newest fix: WallTime?, wall: WallTime, isTrusted: Bool, at now: BootInstant) -> WallTime? {
        guard let fix else { return nil }
        if fix != newest { (newest, seenAt) = (fix, now) }
        let reckoned = WallTime(milliseconds: fix.milliseconds + (now - seenAt).nanoseconds / 1_000_000)
        guard isTrusted, wall.milliseconds - reckoned.milliseconds < HistoryClock.rollover else {
            return min(wall, reckoned)
        }
        return wall
    }
}
