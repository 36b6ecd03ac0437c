// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationTestSupport
import Testing

@Suite("History", .blocking)
struct HistoryTests {
    static let keeping = awake + "[History]\nKeep=36500\nSync=0\n"

    /// All that is kept, page by page of so many.
    static func all(
        _ client: DaemonClient, _ members: String = "", pageSize: Int = 1000
    ) throws -> (locations: [JSON], gaps: Int) {
        var (locations, gaps, after): ([JSON], Int, String) = ([], 0, "")
        while true {
            let page = try client.call("history", #"{"limit":\#(pageSize)\#(after)\#(members)}"#)
            locations += page["locations"]?.array ?? []
            gaps += page["gap"]?.bool == true ? 1 : 0
            guard let next = page["next"]?.int else { return (locations, gaps) }
            after = #","after":\#(next)"#
        }
    }

    static func sequences(_ client: DaemonClient, _ members: String = "", pageSize: Int = 1000) throws -> [Int] {
        try all(client, members, pageSize: pageSize).locations.compactMap { $0["sequence"]?.int }
    }

    @Test("tells every accepted fix as the client was told it, in pages of any size")
    func everything() throws {
        let daemon = try DaemonFixture(HistoryTests.keeping)
        let client = try daemon.startUpdating()
        try daemon.walk(from: 0, to: 900)
        try daemon.waitUntilAccepted()
        let told = client.notifications.filter { $0["method"]?.string == "didUpdateLocations" }
            .flatMap { $0["params"]?["locations"]?.array ?? [] }
        let newest = try daemon.newestSequence()
        for size in [1000, 7, 1] {
            let kept = try HistoryTests.all(daemon.connect(), pageSize: size)
            #expect(kept.locations.count == newest && kept.gaps == 0)
            #expect(kept.locations.suffix(told.count) == told[...], "of pages of \(size)")
        }
    }

    @Test("is off unless it is switched on: nothing is written, and who asks is told so")
    func off() throws {
        let daemon = try DaemonFixture(awake)
        let updating = try daemon.startUpdating()
        defer { updating.close() }
        try daemon.fixes(count: 5)
        try daemon.waitUntilAccepted()
        let refusal = try daemon.connect().refusal("history")
        #expect(refusal.name == "unavailable" && refusal.message.contains("Keep=0"))
        #expect(try daemon.status()["history"] == nil)
        #expect(access(daemon.directory.file("state/history.sqlite"), F_OK) != 0)
    }

    @Test("is switched on and off by a reload, and keeps nothing from before it was wanted")
    func reloads() throws {
        let daemon = try DaemonFixture(awake)
        let updating = try daemon.startUpdating()
        defer { updating.close() }
        try daemon.fixes(count: 3)
        try daemon.waitUntilAccepted()
        try daemon.reload(HistoryTests.keeping)
        try daemon.fixes(count: 2)
        try daemon.waitUntilAccepted()
        let kept = try HistoryTests.sequences(daemon.connect())
        #expect(kept == Array((try daemon.newestSequence() - 1)...(try daemon.newestSequence())))
        try daemon.reload(awake)
        #expect(try daemon.connect().refusal("history").name == "unavailable")
        try daemon.fixes(count: 2)
        try daemon.waitUntilAccepted()
        try daemon.reload(HistoryTests.keeping)
        #expect(try HistoryTests.sequences(daemon.connect()) == kept)
    }

    @Test("has every fix once after kills at any moment", arguments: 1...3)
    func kills(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let sync = Int.random(in: 0...2, using: &random)
        let daemon = try DaemonFixture(awake + "[History]\nKeep=36500\nSync=\(sync)\n")
        for _ in 0..<4 {
            let client = try daemon.startUpdating()
            try daemon.fixes(count: Int.random(in: 1...40, using: &random))
            try daemon.waitUntilAccepted()
            client.close()
            try daemon.restart()
        }
        let kept = try HistoryTests.all(daemon.connect(), pageSize: 11)
        let newest = try #require(kept.locations.last?["sequence"]?.int)
        #expect(kept.locations.compactMap { $0["sequence"]?.int } == Array(1...newest) && kept.gaps == 0)
    }

    @Test("costs what waited when the power is cut, which is a gap, and nothing else")
    func powerCut() throws {
        let daemon = try DaemonFixture(awake + "[History]\nKeep=36500\nSync=1h\n")
        var client = try daemon.startUpdating()
        try daemon.fixes(count: 10)
        try daemon.waitUntilAccepted()
        // An orderly stop writes all that waits.
        client.close()
        try daemon.restart(kill: SIGTERM)
        client = try daemon.startUpdating()
        let stored = try daemon.newestSequence()
        try daemon.fixes(count: 10)
        try daemon.waitUntilAccepted()
        client.close()
        try daemon.stop()
        for name in ["fixes", "managers"] { unlink(daemon.directory.file("run/\(name)")) }
        try daemon.start()
        client = try daemon.startUpdating()
        try daemon.fixes(count: 3)
        try daemon.waitUntilAccepted()
        let kept = try HistoryTests.sequences(daemon.connect())
        #expect(Array(kept.prefix(stored)) == Array(1...stored))
        #expect(kept.count == stored + 3)
        let page = try daemon.asAdministrator("history", #"{"after":\#(stored)}"#)
        #expect(page["gap"]?.bool == true && page["locations"]?.array?.count == 3)
    }

    @Test("forgets a time and everything, from the answer and from the disk, for administrators alone")
    func forgetting() throws {
        let daemon = try DaemonFixture(HistoryTests.keeping, step: 1000)
        let updating = try daemon.startUpdating()
        defer { updating.close() }
        try daemon.fixes(count: 20)
        try daemon.waitUntilAccepted()
        let kept = try HistoryTests.all(daemon.connect()).locations
        let (from, to) = (kept[5]["timestamp"]?.string ?? "", kept[9]["timestamp"]?.string ?? "")
        let forgotten = try daemon.asAdministrator("forgetHistory", #"{"from":"\#(from)","to":"\#(to)"}"#)
        #expect(forgotten["locations"]?.int == 4 && forgotten["more"] == nil)
        #expect(try HistoryTests.all(daemon.connect()).locations == Array(kept[..<5] + kept[9...]))
        try daemon.asAdministrator("forgetHistory")
        #expect(try HistoryTests.sequences(daemon.connect()) == [])
        try daemon.fixes(count: 2)
        try daemon.waitUntilAccepted()
        #expect(try HistoryTests.sequences(daemon.connect()).count == 2)
        #expect(daemon.journal.contains("history is forgotten, says uid:0"))
    }

    @Test("refuses a time that ends before it begins", arguments: ["history", "historyEvents", "forgetHistory"])
    func reversedRange(_ method: String) throws {
        let daemon = try DaemonFixture(HistoryTests.keeping)
        let (early, late) = ("2026-11-21T10:00:00.000Z", "2026-11-21T11:00:00.000Z")
        for from in [early, late] {
            let refusal = try daemon.connect().refusal(method, #"{"from":"\#(from)","to":"\#(early)"}"#)
            #expect(refusal.name == "invalidParams")
            #expect(refusal.message == "cannot take to: given \(early), allowed is a time after from, \(from)")
        }
    }

    @Test("that was switched off is forgotten with all that was set aside, and counts what it held")
    func forgettingWhenOff() throws {
        let daemon = try DaemonFixture(HistoryTests.keeping, step: 1000)
        let updating = try daemon.startUpdating()
        defer { updating.close() }
        try daemon.fixes(count: 5)
        try daemon.waitUntilAccepted()
        try daemon.reload(awake)
        try daemon.fixes(count: 3)
        try daemon.waitUntilAccepted()
        let damaged = ["state/history.sqlite.corrupt-2", "state/history.sqlite.corrupt-2-wal"]
        for name in damaged { try daemon.directory.write("somebody's way\n", to: name) }
        #expect(try daemon.asAdministrator("forgetHistory")["locations"]?.int == 5)
        for name in damaged + ["state/history.sqlite"] {
            #expect(access(daemon.directory.file(name), F_OK) != 0, "\(name)")
        }
    }

    @Test("tells the events behind one that cannot be read")
    func unreadableEvent() throws {
        let daemon = try DaemonFixture(HistoryTests.keeping, step: 1000)
        let client = try daemon.connect()
        try client.call("startMonitoring", DaemonFixture.region("home"))
        try client.call("startUpdatingLocation")
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 2000)
        try daemon.stay(at: 2000)
        try client.hear("didExitRegion")
        try daemon.walk(from: 2000, to: 0)
        try daemon.stay(at: 0)
        try client.hear("didEnterRegion")
        try daemon.stop(SIGTERM)
        let damage = """
            import sqlite3, sys
            with sqlite3.connect(sys.argv[1]) as c:
                c.execute("UPDATE events SET kind = 'torn' WHERE record = (SELECT min(record) FROM events)")
            """
        let damaging = try ChildProcess(
            "/usr/bin/python3", ["-c", damage, daemon.directory.file("state/history.sqlite")])
        #expect(try damaging.waitForExit() == .exited(0), "\(damaging.standardError)")
        try daemon.start()
        let first = try daemon.asAdministrator("historyEvents", #"{"limit":1}"#)
        #expect(first["events"]?.array?.count == 0)
        let next = try #require(first["next"]?.int)
        let second = try daemon.asAdministrator("historyEvents", #"{"limit":1,"after":\#(next)}"#)
        #expect(second["events"]?.array?.map { $0["method"]?.string } == ["didEnterRegion"])
    }

    @Test("tells in status what is kept, and what waits")
    func status() throws {
        let daemon = try DaemonFixture(HistoryTests.keeping, step: 1000)
        let updating = try daemon.startUpdating()
        defer { updating.close() }
        try daemon.fixes(count: 5)
        try daemon.waitUntilAccepted()
        let kept = try HistoryTests.all(daemon.connect()).locations
        let status = try #require(try daemon.status()["history"])
        #expect(status["keepDays"]?.int == 36_500 && status["problem"] == nil && status["lost"]?.int == 0)
        #expect((status["fixes"]?.int ?? 0) + (status["waiting"]?.int ?? 0) == kept.count)
        #expect(status["newest"]?.string == kept.last?["timestamp"]?.string)
    }
}

@Suite("Who may read the history", .blocking, .needsOtherUsers)
struct HistoryConsentTests {
    private static let manifests = [
        "logger": "[App]\nUser=12001\nHistory=yes\n", "other": "[App]\nUser=12002\n",
    ]

    private static func daemon() throws -> DaemonFixture {
        try DaemonFixture(HistoryTests.keeping, step: 1000, manifests: manifests)
    }

    @Test("is an app whose manifest says so, while it is authorized always")
    func consent() throws {
        let daemon = try HistoryConsentTests.daemon()
        let client = try daemon.connect(uid: 12001)
        #expect(try client.refusal("history").message.contains("not authorized always"))
        try daemon.authorize("logger uid:12001", "authorizedWhenInUse")
        #expect(try client.refusal("history").name == "notPermitted")
        try daemon.authorize("logger uid:12001", "authorizedAlways")
        try client.call("startUpdatingLocation")
        try daemon.fixes(count: 4)
        try daemon.waitUntilAccepted()
        #expect(try HistoryTests.sequences(client).count == 4)
        try daemon.authorize("logger uid:12001", "denied")
        #expect(try client.refusal("history").name == "notPermitted")
        #expect(try client.refusal("historyEvents").name == "notPermitted")
    }

    @Test("is nobody without a word in a manifest, and nobody but administrators forgets")
    func others() throws {
        let daemon = try HistoryConsentTests.daemon()
        let client = try daemon.connect(uid: 12002)
        try daemon.authorize("other uid:12002", "authorizedAlways")
        #expect(try client.refusal("history").message.contains("History=yes"))
        #expect(try client.refusal("forgetHistory").name == "notPermitted")
        let stranger = try daemon.connect(uid: 12003)
        #expect(try stranger.refusal("history").name == "notPermitted")
        let reader = try daemon.connect(uid: 12001)
        try daemon.authorize("logger uid:12001", "authorizedAlways")
        #expect(try reader.refusal("historyEvents", #"{"app":"uid:0"}"#).message.contains("another app"))
        #expect(try reader.refusal("forgetHistory").name == "notPermitted")
    }

    @Test("with reduced accuracy gets the views that were in force, and nothing finer")
    func reduced() throws {
        let daemon = try HistoryConsentTests.daemon()
        try daemon.authorize("logger uid:12001", "authorizedAlways", "reduced")
        let client = try daemon.connect(uid: 12001)
        try client.call("startUpdatingLocation")
        let updating = try daemon.startUpdating()
        defer { updating.close() }
        try daemon.fixes(count: 50)
        try daemon.waitUntilAccepted()
        try client.settle()
        let told = client.notifications.filter { $0["method"]?.string == "didUpdateLocations" }
            .flatMap { $0["params"]?["locations"]?.array ?? [] }
        let kept = try HistoryTests.all(client).locations
        #expect(!told.isEmpty && kept == told)
        #expect(kept.allSatisfy { ($0["horizontalAccuracy"]?.double ?? 0) >= 1000 && $0["speed"] == nil })
        #expect(try HistoryTests.sequences(daemon.connect()).count == 50)
    }

    @Test("with reduced accuracy gets no event that tells an exact place, and has it again with full accuracy")
    func reducedEvents() throws {
        let daemon = try HistoryConsentTests.daemon()
        try daemon.authorize("logger uid:12001", "authorizedAlways")
        let client = try daemon.connect(uid: 12001, #","events":true"#)
        try client.call("startMonitoring", DaemonFixture.region("home"))
        try client.call("startUpdatingLocation")
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 2000)
        try daemon.stay(at: 2000)
        try client.hear("didExitRegion")
        try daemon.authorize("logger uid:12001", "authorizedAlways", "reduced")
        #expect(try client.call("historyEvents")["events"]?.array?.count == 0)
        try daemon.authorize("logger uid:12001", "authorizedAlways", "full")
        #expect(
            try client.call("historyEvents")["events"]?.array?.map { $0["method"]?.string } == ["didExitRegion"])
    }

    @Test("has its own visits and crossings, and no other app has them; who is forgotten leaves none")
    func events() throws {
        let daemon = try HistoryConsentTests.daemon()
        try daemon.authorize("logger uid:12001", "authorizedAlways")
        let client = try daemon.connect(uid: 12001, #","events":true"#)
        try client.call("startMonitoring", DaemonFixture.region("home"))
        try client.call("startUpdatingLocation")
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 2000)
        try daemon.stay(at: 2000)
        let exit = try client.hear("didExitRegion")
        try client.call("acknowledge", #"{"event":\#(exit["event"]?.int ?? 0)}"#)
        let events = try client.call("historyEvents")["events"]?.array ?? []
        #expect(events.map { $0["method"]?.string } == ["didExitRegion"])
        #expect(events.first?["params"]?["region"]?["identifier"]?.string == "home")
        #expect(try daemon.asAdministrator("historyEvents")["events"]?.array?.count == 0)
        let asked = try daemon.asAdministrator("historyEvents", #"{"app":"logger uid:12001"}"#)
        #expect(asked["events"]?.array == events)
        try daemon.restart()
        #expect(
            try daemon.asAdministrator("historyEvents", #"{"app":"logger uid:12001"}"#)["events"]?.array == events)
        try daemon.asAdministrator("forgetApp", #"{"app":"logger uid:12001"}"#)
        let left = try daemon.asAdministrator("historyEvents", #"{"app":"logger uid:12001"}"#)
        #expect(left["events"]?.array?.count == 0)
    }
}

@Suite("A history that cannot be written", .blocking, .needsOtherUsers)
struct HistoryFaultTests {
    @Test("is said, keeps nobody from locations, and goes on when there is room, without a gap")
    func fullDisk() throws {
        let rules = awake + "[Limits]\nLogRecords=4096\n[History]\nKeep=36500\nSync=0\n"
        let daemon = try DaemonFixture(rules, step: 1000, manifests: [:], stateKilobytes: 700)
        let client = try daemon.startUpdating()
        try daemon.fixes(count: 20)
        try daemon.waitUntilAccepted()
        let filler = daemon.directory.file("state/filler")
        let fd = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let page = [UInt8](repeating: 1, count: 4096)
        while write(fd, page, page.count) > 0 {}
        close(fd)
        for _ in 0..<200 where try daemon.status()["history"]?["problem"] == nil {
            try daemon.fixes(count: 20)
            try daemon.waitUntilAccepted()
        }
        let problem = try #require(try daemon.status()["history"]?["problem"]?.string)
        #expect(
            problem.hasPrefix("cannot use ")
                && problem.hasSuffix("what is accepted meanwhile is not in the history yet"))
        #expect(daemon.journal.ranges(of: problem).count == 1, "once")
        #expect(try daemon.status()["daemon"]?["stateProblems"]?.array?.contains { $0.string == problem } == true)
        let before = client.transcript.count
        try daemon.fixes(count: 5)
        try daemon.waitUntilAccepted()
        try client.settle()
        #expect(client.transcript.count >= before + 5)
        unlink(filler)
        try waitUntil("history is kept again") {
            try daemon.fixes(count: 1)
            return try daemon.status()["history"]?["problem"] == nil
        }
        #expect(daemon.journal.contains("history is kept again"))
        let kept = try HistoryTests.all(daemon.connect())
        #expect(kept.locations.compactMap { $0["sequence"]?.int } == Array(1...kept.locations.count) && kept.gaps == 0)
    }

    @Test("counts what the log overwrote meanwhile, and tells the gap")
    func overrun() throws {
        let rules = awake + "[Limits]\nLogRecords=64\n[History]\nKeep=36500\nSync=0\n"
        let daemon = try DaemonFixture(rules, step: 1000)
        // A directory in its place is no file, whatever the rights of root are.
        let path = daemon.directory.file("state/history.sqlite")
        let first = try daemon.startUpdating()
        try daemon.fixes(count: 10)
        try daemon.waitUntilAccepted()
        try daemon.asAdministrator("forgetHistory")
        first.close()
        try daemon.stop(SIGTERM)
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        mkdir(path, 0o700)
        try daemon.start()
        let updating = try daemon.startUpdating()
        defer { updating.close() }
        try daemon.fixes(count: 300)
        try daemon.waitUntilAccepted()
        let status = try #require(try daemon.status()["history"])
        #expect((status["lost"]?.int ?? 0) >= 100 && status["problem"]?.string?.contains("history.sqlite") == true)
        rmdir(path)
        try waitUntil("history is kept again") {
            try daemon.fixes(count: 1)
            return try daemon.status()["history"]?["problem"] == nil
        }
        let page = try daemon.asAdministrator("history", #"{"after":11}"#)
        #expect(page["gap"]?.bool == true)
    }
}
