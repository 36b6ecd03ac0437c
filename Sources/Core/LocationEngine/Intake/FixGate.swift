// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Why a fix did not become a location.
package enum FixRejection: Int, Sendable, CaseIterable {
    /// A number is not finite or out of its range.
    case invalid
    /// The receiver repeated the time of the fix before.
    case repeatedTime
    /// Older than a location that was accepted already.
    case outOfOrder
    /// Another receiver is in use.
    case otherReceiver
}

/// Keeps nonsense out, and time in order.
///
/// Receivers' clocks step back. By less than the time between two fixes: the receiver corrected itself, and the fix is as good as any.
/// By a few fixes: a late report, refused, unless the next ones show that it is the clock's new time. By more: a new stretch of time
/// (week rollover, a second receiver), accepted, because refusing would lock the service up until the clock catches up. But at
/// one and the same moment of our clock no receiver's clock has been set: that is disorder.
struct FixGate: Sendable {
    /// Steps back up to this many milliseconds are taken for late reports.
    private static let lateReport: Int64 = 5_000
    /// As many late reports in a row, each newer than the one before, are the clock's new time after all.
    private static let persistentLateReports = 3

    private var last: (time: WallTime, isReceiverTime: Bool, at: BootInstant)?
    /// Milliseconds between fixes, by the receiver: the shortest of late, because fixes that were lost or refused make some longer.
    private var interval: Int64 = 1_000
    private var late: (count: Int, time: WallTime) = (0, WallTime(milliseconds: .min))

    /// Whether all numbers make sense, whatever came before.
    static func isValid(_ fix: Fix) -> Bool { fix.location.isPlausible && fix.mode >= 2 }

    /// Judges a valid fix by its time; nil: may pass.
    mutating func examine(_ fix: Fix, at now: BootInstant) -> FixRejection? {
        let time = fix.location.timestamp
        if let last, last.isReceiverTime == fix.hasReceiverTime, fix.hasReceiverTime, time <= last.time {
            if time == last.time { return .repeatedTime }
            if now == last.at { return .outOfOrder }
            let step = last.time.milliseconds - time.milliseconds
            if step * 4 >= interval * 3, step <= FixGate.lateReport {
                late = (late.count > 0 && time > late.time ? late.count + 1 : 1, time)
                guard late.count >= FixGate.persistentLateReports else { return .outOfOrder }
            }
        } else if let last, last.isReceiverTime, fix.hasReceiverTime {
            let newest = max(time.milliseconds - last.time.milliseconds, 20)
            interval = min(newest, interval + max(interval / 16, 1))
        }
        late.count = 0
        last = (time, fix.hasReceiverTime, now)
        return nil
    }
}
