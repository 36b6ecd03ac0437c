// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The end that `--until` names.
package enum EndTime: Sendable, Hashable {
    /// So long from now.
    case after(TimeSpan)
    /// When a clock on the wall shows this the next time, seconds from midnight.
    case timeOfDay(seconds: Int)
    /// At this date.
    case date(WallTime)

    // Milliseconds; a span in nanoseconds does not hold much more.
    private static let century: Int64 = 100 * 366 * 86_400_000

    /// How long that is from `now`; zero if it is over. `calendar` knows what clocks on the wall show.
    package func span(from now: WallTime, _ calendar: LocalCalendar) -> TimeSpan {
        switch self {
        case .after(let span): span
        case .date(let date): .milliseconds(min(max(0, date.milliseconds - now.milliseconds), EndTime.century))
        case .timeOfDay(let seconds):
            .milliseconds(calendar.next(secondsOfDay: seconds, after: now).milliseconds - now.milliseconds)
        }
    }
}
