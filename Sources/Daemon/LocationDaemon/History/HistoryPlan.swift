// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// When the fixes that wait in the log are written to the history: in batches, when the daemon is awake anyway.
///
/// A power cut costs no more than `sync` of them, although nothing wakes the daemon for it: before it sleeps longer than that, it
/// writes. What cannot be written is tried again, less and less often, and only when something else has woken the daemon.
struct HistoryPlan {
    /// How long a fix may wait.
    var sync: TimeSpan
    /// Fixes that may wait: as many are written before the log overwrites them.
    let room: UInt64
    /// Since when the oldest of those that wait does.
    private var oldest: BootInstant?
    private var retryAt: BootInstant?
    private var patience = HistoryPlan.firstPatience

    private static let firstPatience = TimeSpan.seconds(10)
    private static let lastPatience = TimeSpan.seconds(300)

    init(sync: TimeSpan, room: UInt64) {
        self.sync = sync
        self.room = room
    }

    /// Whether to write now.
    ///
    /// - Parameters:
    ///   - waiting: How many fixes wait, and events that the disk has not taken.
    ///   - nextWake: When the daemon will be awake again; nil: only somebody else will wake it.
    mutating func isDue(waiting: UInt64, at now: BootInstant, nextWake: BootInstant?) -> Bool {
        guard waiting > 0 else {
            oldest = nil
            return false
        }
        let since = oldest ?? now
        oldest = since
        if let retryAt, now < retryAt { return false }
        let deadline = since + sync
        guard waiting < room, now < deadline, let nextWake else { return true }
        return nextWake > deadline
    }

    /// The keeper has written fixes that waited. `remaining`: so many still wait.
    mutating func wrote(remaining: UInt64) {
        (retryAt, patience) = (nil, HistoryPlan.firstPatience)
        if remaining == 0 { oldest = nil }
    }

    /// It could not be written.
    mutating func failed(at now: BootInstant) {
        retryAt = now + patience
        patience = min(patience + patience, HistoryPlan.lastPatience)
    }
}
