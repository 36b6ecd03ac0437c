// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("locctl and a history", .blocking)
struct HistoryExportTests {
    private func locctl(_ daemon: DaemonFixture, _ arguments: String...) throws -> (
        end: ProcessEnd, out: String, err: String
    ) {
        let process = try ChildProcess(
            try BuildProducts.program("locctl"), arguments,
            environment: ["LOCATIOND_SOCKET": daemon.socket, "TZ": "UTC", "NO_COLOR": "1"])
        let end = try process.waitForExit()
        return (end, process.standardOutput, process.standardError)
    }

    private func daemon(fixes: Int) throws -> DaemonFixture {
        let daemon = try DaemonFixture(HistoryTests.keeping, step: 1000)
        let updating = try daemon.startUpdating()
        defer { updating.close() }
        try daemon.fixes(count: fixes)
        try daemon.waitUntilAccepted()
        return daemon
    }

    @Test("an export has every kept fix, and takes the place of an older file as a whole")
    func export() throws {
        let daemon = try daemon(fixes: 450)
        let file = daemon.directory.file("track.csv")
        try daemon.directory.write("what was there\n", to: "track.csv")
        let (end, out, err) = try locctl(daemon, "export", "--format", "csv", "-o", file)
        #expect(end == .exited(0) && out == "" && err.contains("450 locations are exported"))
        let lines = try String(decoding: readFile(file), as: UTF8.self).split(separator: "\n")
        #expect(lines.count == 451 && lines[0].hasPrefix("time,latitude,longitude,"))
        let kept = try HistoryTests.all(daemon.connect()).locations
        #expect(lines.dropFirst().map { String($0.prefix(24)) } == kept.compactMap { $0["timestamp"]?.string })
        let same = try locctl(daemon, "export", "--format", "csv")
        #expect(try same.out == String(decoding: readFile(file), as: UTF8.self))
    }

    @Test("an export that fails leaves the older file as it was, and nothing beside it")
    func failing() throws {
        let daemon = try DaemonFixture(awake)
        let file = daemon.directory.file("track.gpx")
        try daemon.directory.write("what was there\n", to: "track.gpx")
        let (end, _, err) = try locctl(daemon, "export", "-o", file)
        #expect(end == .exited(1) && err.contains("Keep=0"))
        #expect(try String(decoding: readFile(file), as: UTF8.self) == "what was there\n")
        let missing = try locctl(daemon, "export", "-o", daemon.directory.file("no/where.gpx"))
        #expect(missing.end == .exited(1) && missing.err.contains("cannot write"))
        let left = try locctl(daemon, "export", "-o", "/dev/full")
        #expect(left.end == .exited(1))
    }

    @Test("an export keeps the mode of the file that it replaces", arguments: [0o600, 0o640, 0o666] as [mode_t])
    func mode(mode: mode_t) throws {
        let daemon = try daemon(fixes: 2)
        let file = daemon.directory.file("track.csv")
        try daemon.directory.write("what was there\n", to: "track.csv")
        #expect(chmod(file, mode) == 0)
        #expect(try locctl(daemon, "export", "--format", "csv", "-o", file).end == .exited(0))
        var status = stat()
        #expect(stat(file, &status) == 0 && status.st_size > 100 && status.st_mode & 0o7777 == mode)
    }

    @Test("an export fails when standard output takes nothing more, and a reader that is gone is no failure to tell")
    func standardOutput() throws {
        let daemon = try daemon(fixes: 5)
        func export(_ command: String) throws -> (end: ProcessEnd, err: String) {
            let process = try ChildProcess(
                "/bin/bash", ["-c", command, try BuildProducts.program("locctl")],
                environment: ["LOCATIOND_SOCKET": daemon.socket, "TZ": "UTC", "NO_COLOR": "1"])
            return (try process.waitForExit(), process.standardError)
        }
        let full = try export("exec \"$0\" export > /dev/full")
        #expect(full.end == .exited(1) && full.err.contains("cannot write standard output: No space left on device"))
        let gone = try export("trap '' PIPE; exec \"$0\" export > >(exec true)")
        #expect(!gone.err.contains("cannot write"))
    }

    @Test("history prints the day, and forget takes it away")
    func history() throws {
        let daemon = try daemon(fixes: 5)
        let kept = try HistoryTests.all(daemon.connect()).locations
        let day = String(kept[0]["timestamp"]?.string?.prefix(10) ?? "")
        let (end, out, _) = try locctl(daemon, "history", "--day", day)
        #expect(end == .exited(0) && out.split(separator: "\n").count == 6 && out.hasPrefix("\(day)\n"))
        let json = try locctl(daemon, "history", "--day", day, "--json", "--count", "2").out.split(separator: "\n")
        #expect(json.count == 2 && json[0].contains("\"sequence\":1,"))
        let forgotten = try locctl(daemon, "history", "forget", "--day", day)
        #expect(forgotten.out == "5 locations and 0 events are forgotten\n")
        #expect(try locctl(daemon, "history", "--day", day).out == "nothing is kept of that time\n")
    }

    @Test("visits and crossings are waypoints of the track", .needsOtherUsers)
    func waypoints() throws {
        let daemon = try DaemonFixture(HistoryTests.keeping, step: 1000)
        let client = try daemon.connect()
        try client.call("hello", #"{"protocol":1,"events":true}"#)
        try client.call("startMonitoring", DaemonFixture.region("home & garden"))
        try client.call("startMonitoringVisits")
        try client.call("startUpdatingLocation")
        for _ in 0..<8 { try daemon.stay(at: 0) }
        try daemon.walk(from: 0, to: 2000)
        for _ in 0..<3 { try daemon.stay(at: 2000) }
        try client.hear("didExitRegion")
        let (end, out, err) = try locctl(daemon, "export")
        #expect(end == .exited(0), "\(err)")
        #expect(out.contains("<name>Left home &amp; garden</name><type>left</type>"))
    }

    @Test(.needsOtherUsers) func `a report has the day's way and crossings, and what apps were told of them`() throws {
        let daemon = try DaemonFixture(HistoryTests.keeping, step: 1000)
        let client = try daemon.connect()
        try client.call("hello", #"{"protocol":1,"events":true}"#)
        try client.call("startMonitoring", DaemonFixture.region("home & garden"))
        try client.call("startUpdatingLocation")
        try daemon.walk(from: 0, to: 2000)
        try client.hear("didExitRegion")
        let newest = try HistoryTests.all(daemon.connect()).locations.last
        let day = String(newest?["timestamp"]?.string?.prefix(10) ?? "")
        let file = daemon.directory.file("day.html")
        let (end, out, err) = try locctl(daemon, "report", "--day", day, "-o", file)
        #expect(end == .exited(0) && out == "" && err.contains("locations are in the report"), "\(err)")
        let html = try String(decoding: readFile(file), as: UTF8.self)
        #expect(html.contains("<h1>") && html.contains("class=\"way\"") && html.hasSuffix("</html>\n"))
        #expect(html.contains("\u{25BD} left</td><td>home &amp; garden</td>"))
        let today = try locctl(daemon, "report")
        #expect(today.end == .exited(0) && today.out.contains("<h2>Who was told what</h2>\n<div class=\"scroll\">"))
    }

    @Test func `a report of a daemon without a history has what the log holds, and says so`() throws {
        let daemon = try DaemonFixture(awake, step: 1000)
        let client = try daemon.startUpdating()
        try daemon.walk(from: 0, to: 500)
        try client.waitForStandard(100)
        let newest = try HistoryTests.all(daemon.connect(), #","log":true"#).locations.last
        let day = String(newest?["timestamp"]?.string?.prefix(10) ?? "")
        let (end, out, err) = try locctl(daemon, "report", "--day", day)
        #expect(end == .exited(0) && out.contains("class=\"way\"") && out.contains("No history is kept"), "\(err)")
    }

    @Test func `a report that fails leaves the older file as it was`() throws {
        let daemon = try daemon(fixes: 2)
        try daemon.directory.write("what was there\n", to: "day.html")
        let file = daemon.directory.file("day.html")
        let refused = try locctl(daemon, "report", "--of", "no app", "-o", file)
        #expect(refused.end == .exited(1) && refused.err.contains("cannot find"))
        #expect(try String(decoding: readFile(file), as: UTF8.self) == "what was there\n")
    }
}
