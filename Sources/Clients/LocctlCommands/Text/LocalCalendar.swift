// SPDX-License-Identifier: Apache-2.0
import Glibc
package import LocationModel

/// Dates and times in this machine's time zone.
package struct LocalCalendar: Sendable {
    private let offset: @Sendable (WallTime) -> Int

    /// Clocks that are `offset` seconds ahead of UTC at a date.
    package init(offset: @escaping @Sendable (WallTime) -> Int) { self.offset = offset }

    /// Clocks that show UTC.
    package static let utc = LocalCalendar { _ in 0 }

    /// Clocks that show what the system's time zone says (`TZ`, /etc/localtime).
    package static let system: LocalCalendar = {
        tzset()
        return LocalCalendar { date in
            var seconds = time_t((Double(date.milliseconds) / 1000).rounded(.down))
            var fields = tm()
            guard localtime_r(&seconds, &fields) != nil else { return 0 }
            return Int(fields.tm_gmtoff)
        }
    }()

    /// `10:38:05`.
    func timeOfDay(_ date: WallTime) -> String { String(local(date).rfc3339.dropFirst(11).prefix(8)) }

    /// `2026-11-21 10:38:05`.
    func dateAndTime(_ date: WallTime) -> String { local(date).rfc3339.prefix(10) + " " + timeOfDay(date) }

    /// `10:38:05` on the day of `now`, else with the day.
    func moment(_ date: WallTime, now: WallTime) -> String {
        let isToday = local(date).rfc3339.prefix(10) == local(now).rfc3339.prefix(10)
        return isToday ? timeOfDay(date) : dateAndTime(date)
    }

    /// When clocks show `secondsOfDay` seconds past midnight the next time.
    func next(secondsOfDay: Int, after now: WallTime) -> WallTime {
        let shown = local(now).milliseconds
        let day: Int64 = 86_400_000
        let midnight = shown - ((shown % day) + day) % day
        var target = midnight + Int64(secondsOfDay) * 1000
        if target <= shown { target += day }
        // By the offset that is then in force, which a change of clocks may have made another one.
        let guess = WallTime(milliseconds: target - Int64(offset(now)) * 1000)
        return WallTime(milliseconds: target - Int64(offset(guess)) * 1000)
    }

    /// Milliseconds that clocks showed at the last midnight, counted as if they showed UTC.
    func shownMidnight(of date: WallTime) -> Int64 {
        let (shown, day) = (local(date).milliseconds, Int64(86_400_000))
        return shown - ((shown % day) + day) % day
    }

    /// When clocks show `shown`, counted as if they showed UTC. Of a time that they show twice the first, of one that they leave out one
    /// near it.
    func date(shown: Int64) -> WallTime {
        // By the offset that is in force some hours before, and then by that which follows.
        let guess = WallTime(milliseconds: shown - Int64(offset(WallTime(milliseconds: shown - 86_400_000))) * 1000)
        return WallTime(milliseconds: shown - Int64(offset(guess)) * 1000)
    }

    private func local(_ date: WallTime) -> WallTime {
        WallTime(milliseconds: date.milliseconds + Int64(offset(date)) * 1000)
    }
}
