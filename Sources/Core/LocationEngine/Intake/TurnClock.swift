// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The time of turns, which never goes back: deadlines are compared with it, and rates divided by it.
struct TurnClock: Sendable {
    /// The time of the turn that began last.
    private var latest: BootInstant
    /// Turns for which the caller told an earlier time than for the one before.
    private(set) var turnsBack: UInt64 = 0

    init(at now: BootInstant) { latest = now }

    /// The time of a turn that begins at `moment`: of one that would be in the past the time of the turn before.
    mutating func begin(at moment: BootInstant) -> BootInstant {
        if moment < latest { turnsBack += 1 }
        latest = max(latest, moment)
        return latest
    }
}
