// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A day as people name it.
package enum NamedDay: Sendable, Hashable {
    /// So many days before this one: 0 is today.
    case before(Int)
    /// Midnight of the day, as a clock on the wall and in UTC at once.
    case date(WallTime)

    /// `today`, `yesterday` or `2026-11-21`.
    init?(_ text: String) {
        switch text {
        case "today": self = .before(0)
        case "yesterday": self = .before(1)
        default:
            guard let midnight = WallTime(rfc3339: text + "T00:00:00Z"), text.utf8.count == 10 else { return nil }
            self = .date(midnight)
        }
    }

    /// When it begins where clocks show what `calendar` says, and when the next one does.
    package func span(now: WallTime, _ calendar: LocalCalendar) -> (from: WallTime, to: WallTime) {
        let day: Int64 = 86_400_000
        let midnight =
            switch self {
            case .before(let days): calendar.shownMidnight(of: now) - Int64(days) * day
            case .date(let date): date.milliseconds
            }
        return (calendar.date(shown: midnight), calendar.date(shown: midnight + day))
    }
}

/// A moment as people name it, mostly one that is over.
package enum PastTime: Sendable, Hashable {
    /// So long ago.
    case ago(TimeSpan)
    /// Today, when a clock on the wall shows this, seconds from midnight.
    case timeOfDay(seconds: Int)
    /// The beginning of a day.
    case day(NamedDay)
    /// When a clock on the wall shows this date and time.
    case shown(WallTime)
    /// At this date.
    case date(WallTime)

    /// The date, where clocks show what `calendar` says.
    package func date(now: WallTime, _ calendar: LocalCalendar) -> WallTime {
        switch self {
        case .ago(let span): WallTime(milliseconds: now.milliseconds - span.nanoseconds / 1_000_000)
        case .timeOfDay(let seconds):
            calendar.date(shown: calendar.shownMidnight(of: now) + Int64(seconds) * 1000)
        case .day(let day): day.span(now: now, calendar).from
        case .shown(let time): calendar.date(shown: time.milliseconds)
        case .date(let date): date
        }
    }
}

/// Which part of the history is meant.
package struct HistoryRange: Sendable, Hashable {
    /// The day; nil: from `from` to `to`.
    package var day: NamedDay?
    /// nil: from the beginning.
    package var from: PastTime?
    /// nil: to the end.
    package var to: PastTime?

    /// All of it.
    package init() {}

    /// Whether nothing was said.
    var isEverything: Bool { day == nil && from == nil && to == nil }

    /// The dates; a usage error where nothing can lie between them.
    package func dates(
        now: WallTime, _ calendar: LocalCalendar
    ) throws(LocctlError) -> (from: WallTime?, to: WallTime?) {
        if let day {
            let (from, to) = day.span(now: now, calendar)
            return (from, to)
        }
        let (start, end) = (from?.date(now: now, calendar), to?.date(now: now, calendar))
        if let start, let end, start >= end {
            throw .usage(
                "cannot use --from \(calendar.dateAndTime(start)) with --to \(calendar.dateAndTime(end)): allowed is a later --to"
            )
        }
        return (start, end)
    }
}
