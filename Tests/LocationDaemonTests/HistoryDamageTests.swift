// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationStore
import LocationTestSupport
import Testing

@Suite("A damaged history", .blocking)
struct HistoryDamageTests {
    @Test(
        "goes on with a new file when the old one is found damaged, saves what it can, and says so once",
        arguments: [false, true])
    func damage(isRunning: Bool) throws {
        let daemon = try DaemonFixture(HistoryTests.keeping, step: 1000)
        var updating = try daemon.startUpdating()
        try daemon.fixes(count: 600)
        try daemon.waitUntilAccepted()
        let kept = try HistoryTests.sequences(daemon.connect())
        try daemon.stop(SIGTERM)
        let path = daemon.directory.file("state/history.sqlite")
        // The one is read at the start, and the other by who asks.
        let page = try rootPage(of: isRunning ? "events_by_app" : "blocks", in: path)
        if isRunning { try daemon.start() }
        try tear(page, of: path)
        if !isRunning { try daemon.start() }
        updating = try daemon.startUpdating()
        defer { updating.close() }
        for _ in 0..<3 { _ = try? daemon.asAdministrator("historyEvents") }
        try daemon.fixes(count: 50)
        try daemon.waitUntilAccepted()
        let status = try #require(try daemon.status()["history"])
        #expect(status["damage"]?.string?.isEmpty == false && status["problem"] == nil, "\(status)")
        let said = daemon.journal.split(separator: "\n").count { $0.contains("set \(path) aside") }
        #expect(said == 1, "\(daemon.journal.suffix(2000))")
        try waitUntil("it is saved") {
            try daemon.fixes(count: 1)
            return daemon.journal.contains("saved ")
        }
        #expect(access(path + ".corrupt-1", F_OK) != 0, "all of it is saved")
        #expect(try HistoryTests.sequences(daemon.connect()).starts(with: kept), "the fixes are whole")
    }

    @Test("is forgotten with what is still to be saved of it, though no more is kept")
    func forgettingWhenOff() throws {
        let daemon = try DaemonFixture(HistoryTests.keeping, step: 1000)
        let updating = try daemon.startUpdating()
        try daemon.fixes(count: 600)
        try daemon.waitUntilAccepted()
        updating.close()
        try daemon.reload(awake)
        try daemon.stop(SIGTERM)
        // As the daemon leaves it that is stopped before something is saved.
        let path = daemon.directory.file("state/history.sqlite")
        let cursor = try HistoryFile(path: path, startingAfter: 0).cursor
        let torn = StoreError("cannot use the history: torn", isDamage: true)
        #expect(try HistoryFile(path: path, startingAfter: cursor, damage: torn).pendingSalvage != nil)
        try daemon.start()
        let ask = #"{"from":"1970-01-02T00:00:00.000Z"}"#
        var forgotten = 0
        try waitUntil("all is forgotten") {
            let answer = try daemon.asAdministrator("forgetHistory", ask)
            forgotten += answer["locations"]?.int ?? 0
            return answer["more"] == nil
        }
        #expect(forgotten >= 600)
        #expect(access(path + ".corrupt-1", F_OK) != 0, "gone from the disk, too")
        try daemon.reload(HistoryTests.keeping)
        #expect(try HistoryTests.sequences(daemon.connect()) == [])
    }

    private func rootPage(of name: String, in path: String) throws -> Int {
        let script = """
            import sqlite3, sys
            with sqlite3.connect(sys.argv[1]) as c:
                c.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
                print(c.execute("SELECT rootpage FROM sqlite_schema WHERE name = ?", [sys.argv[2]]).fetchone()[0])
            """
        let reading = try ChildProcess("/usr/bin/python3", ["-c", script, path, name])
        #expect(try reading.waitForExit() == .exited(0), "\(reading.standardError)")
        return try #require(reading.outputLines.first.flatMap { Int($0) })
    }

    private func tear(_ page: Int, of path: String) throws {
        let fd = open(path, O_WRONLY)
        defer { close(fd) }
        let noise = [UInt8](repeating: 0xA5, count: 4096)
        #expect(pwrite(fd, noise, noise.count, off_t((page - 1) * noise.count)) == noise.count)
    }
}
