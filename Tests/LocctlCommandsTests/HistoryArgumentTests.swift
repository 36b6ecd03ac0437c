// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocctlCommands
import Testing

@Suite("Command lines about the history", .serialized)
struct HistoryArgumentTests {
    private static let now = WallTime(year: 2026, month: 3, day: 29, hour: 10)
    /// Clocks that were put from UTC+1 to UTC+2 at one in the morning of the day, in UTC.
    private static let berlin = LocalCalendar { date in
        date < WallTime(year: 2026, month: 3, day: 29, hour: 1) ? 3600 : 7200
    }

    private func action(_ line: String) throws -> Invocation.Action {
        let words = line.split(separator: " ").map { String($0).replacing("_", with: " ") }
        return try Invocation(["locctl"] + words).action
    }

    private func dates(_ options: String) throws -> [String?] {
        guard case .history(let range, _) = try action("history " + options) else {
            throw LocctlError("cannot see a range", .usage)
        }
        let (from, to) = try range.dates(now: HistoryArgumentTests.now, HistoryArgumentTests.berlin)
        return [from?.rfc3339, to?.rfc3339]
    }

    @Test(
        "a day is one of the clocks here, also one that is an hour short",
        arguments: [
            ("--day today", ["2026-03-28T23:00:00.000Z", "2026-03-29T22:00:00.000Z"]),
            ("--day yesterday", ["2026-03-27T23:00:00.000Z", "2026-03-28T23:00:00.000Z"]),
            ("--day 2026-03-30", ["2026-03-29T22:00:00.000Z", "2026-03-30T22:00:00.000Z"]),
            ("--day=2026-01-01", ["2025-12-31T23:00:00.000Z", "2026-01-01T23:00:00.000Z"]),
        ])
    func days(_ line: String, expected: [String?]) throws { #expect(try dates(line) == expected) }

    @Test(
        "a time is written as people write it",
        arguments: [
            ("--from 2h", ["2026-03-29T08:00:00.000Z", nil]),
            ("--from yesterday --to today", ["2026-03-27T23:00:00.000Z", "2026-03-28T23:00:00.000Z"]),
            ("--to 09:30", [nil, "2026-03-29T07:30:00.000Z"]),
            ("--from 01:30", ["2026-03-29T00:30:00.000Z", nil]),
            ("--from 2026-03-20T18:30", ["2026-03-20T17:30:00.000Z", nil]),
            ("--from 2026-03-20_18:30:15", ["2026-03-20T17:30:15.000Z", nil]),
            ("--from 2026-03-20T18:30:00Z", ["2026-03-20T18:30:00.000Z", nil]),
            ("--from 2026-03-20T18:30:00+05:30", ["2026-03-20T13:00:00.000Z", nil]),
            ("", [nil, nil]),
        ])
    func times(_ line: String, expected: [String?]) throws { #expect(try dates(line) == expected) }

    @Test(
        "a range that ends before it begins is refused, with both times",
        arguments: ["--from 09:30 --to 09:00", "--from today --to today", "--from 1h --to 2h"])
    func reversed(_ line: String) throws {
        let error = #expect(throws: LocctlError.self) { try dates(line) }
        #expect(error?.exitCode == .usage)
        #expect(
            error?.description.hasPrefix("cannot use --from 2026-03-29 ") == true
                && error?.description.hasSuffix(": allowed is a later --to") == true)
    }

    @Test(
        "what cannot be meant is refused, with what is allowed",
        arguments: [
            ("history --day 2026-02-30", "allowed is today, yesterday, or a day such as 2026-11-21"),
            ("history --day today --from 2h", "cannot use --day with --from or --to"),
            ("history --from soon", "a time ago such as 2h"),
            ("history forget", "allowed is --all, --day, --from, --to"),
            ("history forget --all --day today", "cannot use --all with"),
            ("history forget --all --count 3", "cannot use --count with forget"),
            ("history --all", "cannot use --all without forget"),
            ("history remember", "allowed is forget"),
            ("export --format pdf", "allowed is gpx, geojson, kml, csv"),
            ("export --split week", "allowed is gap, day"),
            ("export --simplify 0", "a distance over 0, such as 5m"),
            ("export --output=", "the path of a file"),
            ("report --day soon", "allowed is today, yesterday, or a day such as 2026-11-21"),
            ("report --from 2h", "cannot understand --from"),
            ("report --json", "cannot understand --json"), ("export --json", "cannot understand --json"),
            ("--json export", "cannot use --json with export: --format geojson is JSON for maps"),
            ("get -o x", "cannot understand -o"),
        ])
    func refusals(_ line: String, says: String) throws {
        let error = #expect(throws: LocctlError.self) { try action(line) }
        #expect(error?.description.contains(says) == true, "\(error?.description ?? "")")
    }

    @Test func `a report takes a day, today unless said, a file and an app`() throws {
        var options = ReportOptions()
        #expect(try action("report") == .report(options))
        (options.day, options.file, options.app) = (.before(1), "day.html", "maps")
        #expect(try action("report --day yesterday --of maps -o day.html") == .report(options))
    }

    @Test("an export takes its options, the file also by -o")
    func export() throws {
        var options = ExportOptions()
        #expect(try action("export") == .export(options))
        options.format = .kml
        options.split = .day
        options.tolerance = 5
        options.file = "x.kml"
        options.app = "maps"
        #expect(try action("export --format kml --split day --simplify 5m --of maps -o x.kml") == .export(options))
        #expect(try action("export --format=kml --split=day --simplify=5m --of=maps -ox.kml") == .export(options))
    }
}
