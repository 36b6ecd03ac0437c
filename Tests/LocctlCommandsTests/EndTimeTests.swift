// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocctlCommands
import Testing

@Suite("When --until is")
struct EndTimeTests {
    private let east = LocalCalendar { _ in 2 * 3600 }

    @Test("a time of day is the next one that clocks here show")
    func timeOfDay() {
        // Clocks in UTC show 10:42:17.250 now.
        #expect(EndTime.timeOfDay(seconds: 11 * 3600).span(from: lookedAt, .utc) == .milliseconds(1_062_750))
        #expect(EndTime.timeOfDay(seconds: 10 * 3600).span(from: lookedAt, .utc) == .milliseconds(83_862_750))
        #expect(EndTime.timeOfDay(seconds: 13 * 3600).span(from: lookedAt, east) == .milliseconds(1_062_750))
    }

    @Test("a day on which clocks are changed is as long as it is")
    func changedClocks() {
        let change = WallTime(milliseconds: lookedAt.milliseconds + 3_600_000)
        let calendar = LocalCalendar { $0 < change ? 0 : 3600 }
        #expect(EndTime.timeOfDay(seconds: 18 * 3600).span(from: lookedAt, calendar) == .milliseconds(22_662_750))
    }

    @Test("a date that is over is now")
    func dates() {
        let later = WallTime(milliseconds: lookedAt.milliseconds + 5000)
        #expect(EndTime.date(later).span(from: lookedAt, .utc) == .seconds(5))
        #expect(EndTime.date(lookedAt).span(from: later, .utc) == .zero)
        let last = WallTime(year: 9999, month: 12, day: 31)
        #expect(EndTime.date(last).span(from: lookedAt, .utc) > .seconds(86_400 * 365 * 99))
        #expect(EndTime.after(.seconds(3)).span(from: lookedAt, .utc) == .seconds(3))
    }
}
