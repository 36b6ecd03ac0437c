// SPDX-License-Identifier: Apache-2.0
internal import LocationModel

/// The habits of a receiver within an epoch, learned from the last few epochs with a position.
struct EpochHabits {
    /// The time from one epoch to the next; nil until two were heard.
    private(set) var cycle: TimeSpan?

    private static let remembered = 4
    // The newest in the lowest byte; 0: none yet. More reports than that in one epoch are not waited for anyway.
    private var counts: UInt32 = 0
    private var estimates: UInt8 = 0
    private var possibleCycle: TimeSpan?

    /// Reports (TPV) to wait for; nil before the first epoch was complete.
    var expectedReports: Int? {
        guard counts != 0 else { return nil }
        var most = 0
        for place in 0..<Self.remembered { most = max(most, Int(counts >> (8 * place) & 0xFF)) }
        return most
    }

    /// Whether a GST belongs to an epoch.
    var expectsGST: Bool { estimates != 0 }

    /// The cycle for all that depends on it; a second until it is known.
    var assumedCycle: TimeSpan { cycle ?? .seconds(1) }

    /// How long an epoch may be held back for what is still to come, so that it cannot run into the next.
    var gatheringTime: TimeSpan { TimeSpan(nanoseconds: assumedCycle.nanoseconds / 4) }

    /// How long after the first report of an epoch one that tells no time still belongs to it: a cycle, less the jitter
    /// with which the next one may come early.
    var joiningTime: TimeSpan { TimeSpan(nanoseconds: assumedCycle.nanoseconds / 4 * 3) }

    /// The same if the epoch has no time either and nothing but arrival tells epochs apart.
    var anonymousJoiningTime: TimeSpan { TimeSpan(nanoseconds: assumedCycle.nanoseconds / 2) }

    /// An epoch with a position is over: it took `reports` TPVs and, or not, a GST.
    mutating func closed(reports: Int, hadGST: Bool) {
        counts = counts << 8 | UInt32(min(max(reports, 1), 255))
        estimates = (estimates << 1 | (hadGST ? 1 : 0)) & 0xF
    }

    /// Two epochs in succession were `interval` apart. One that differs must come twice: an epoch may have been lost.
    mutating func observe(interval: TimeSpan) {
        guard interval >= .milliseconds(10), interval <= .seconds(60) else { return }
        guard let current = cycle else { return cycle = interval }
        if Self.isNear(interval, current) {
            cycle = TimeSpan(nanoseconds: current.nanoseconds + (interval.nanoseconds - current.nanoseconds) / 8)
            possibleCycle = nil
        } else if let possible = possibleCycle, Self.isNear(interval, possible) {
            cycle = interval
            possibleCycle = nil
        } else {
            possibleCycle = interval
        }
    }

    private static func isNear(_ left: TimeSpan, _ right: TimeSpan) -> Bool {
        abs(left.nanoseconds - right.nanoseconds) <= right.nanoseconds / 4
    }
}
