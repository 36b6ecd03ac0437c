// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationTestSupport
import Testing

@Suite("Dates")
struct WallTimeTests {
    @Test(
        "a date has one text and comes back from it",
        arguments: [
            "1970-01-01T00:00:00.000Z", "2000-02-29T23:59:59.999Z", "2024-02-29T12:00:00.001Z",
            "2100-03-01T00:00:00.000Z",
            "2026-11-21T10:38:00.500Z", "0000-01-01T00:00:00.000Z", "0000-02-29T00:00:00.000Z",
            "1600-12-31T01:02:03.004Z",
            "9999-12-31T23:59:59.999Z", "1969-12-31T23:59:59.999Z",
        ])
    func roundTrip(text: String) throws {
        #expect(try #require(WallTime(rfc3339: text)).rfc3339 == text)
    }

    @Test("dates agree with the C library's calendar", .tellsSeed)
    func againstTimegm() throws {
        var random = SplitMix64()
        for _ in 0..<5000 {
            // The years 0 to 9999.
            let seconds = Int64.random(in: -62_167_219_200...253_402_300_799, using: &random)
            let millisecond = Int64.random(in: 0...999, using: &random)
            var parts = tm()
            var time = time_t(seconds)
            gmtime_r(&time, &parts)
            let date = WallTime(
                year: Int(parts.tm_year) + 1900, month: Int(parts.tm_mon) + 1, day: Int(parts.tm_mday),
                hour: Int(parts.tm_hour), minute: Int(parts.tm_min), second: Int(parts.tm_sec),
                millisecond: Int(millisecond))
            #expect(date.milliseconds == seconds * 1000 + millisecond)
            #expect(WallTime(rfc3339: date.rfc3339) == date)
        }
    }

    @Test(
        "each day follows the day before, through leap years of all kinds", arguments: [1899, 1999, 2023, 2099, 2399])
    func leapDays(year: Int) {
        var milliseconds = WallTime(year: year, month: 1, day: 1).milliseconds
        for current in year...year + 2 {
            let isLeap = current % 4 == 0 && (current % 100 != 0 || current % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (month, length) in lengths.enumerated() {
                for day in 1...length {
                    #expect(WallTime(year: current, month: month + 1, day: day).milliseconds == milliseconds)
                    milliseconds += 86_400_000
                }
            }
        }
    }

    @Test("dates beyond four-digit years are written as the nearest that has them")
    func farYears() {
        #expect(WallTime(milliseconds: .max).rfc3339 == "9999-12-31T23:59:59.999Z")
        #expect(WallTime(milliseconds: .min).rfc3339 == "0000-01-01T00:00:00.000Z")
        #expect(WallTime(year: 12000, month: 1, day: 1).rfc3339 == "9999-12-31T23:59:59.999Z")
    }

    @Test(
        "a fraction of any length is cut to milliseconds",
        arguments: [
            ("2025-03-03T08:00:00Z", 0), ("2025-03-03T08:00:00.5Z", 500), ("2025-03-03T08:00:00.25Z", 250),
            ("2025-03-03T08:00:00.0009Z", 0), ("2025-03-03T08:00:00.123456789Z", 123),
            ("2025-03-03T08:00:00.99999999999999999999999Z", 999),
        ])
    func fractions(text: String, milliseconds: Int64) throws {
        let whole = WallTime(year: 2025, month: 3, day: 3, hour: 8).milliseconds
        #expect(try #require(WallTime(rfc3339: text)).milliseconds == whole + milliseconds)
    }

    @Test("a leap second is the second after")
    func leapSecond() throws {
        #expect(WallTime(rfc3339: "2016-12-31T23:59:60Z") == WallTime(year: 2017, month: 1, day: 1))
    }

    @Test(
        "what is no date is refused",
        arguments: [
            "", "Z", "2025-03-03", "2025-03-03T08:00:00", "2025-03-03 08:00:00Z", "2025-03-03T08:00:00.Z",
            "2025-03-03T08:00:00+00:00", "2025-13-03T08:00:00Z", "2025-00-03T08:00:00Z", "2025-03-32T08:00:00Z",
            "2025-03-00T08:00:00Z", "2025-02-29T08:00:00Z", "2025-04-31T08:00:00Z", "2025-03-03T24:00:00Z",
            "2025-03-03T08:60:00Z", "2025-03-03T08:00:61Z",
            "2025-03-03T08:00:00.1xZ", "+025-03-03T08:00:00Z", "2025-03-03T08:00:00ZZ", "２０２５-03-03T08:00:00Z",
            "20250303T080000.000000Z",
        ])
    func refused(text: String) {
        #expect(WallTime(rfc3339: text) == nil)
    }
}
