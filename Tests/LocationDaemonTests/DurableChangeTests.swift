// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("Durable changes", .blocking, .needsOtherUsers)
struct DurableChangeTests {
    private static let rules = awake + "[Authorization]\nAlwaysUsers=root 12001 12002\n"

    @Test("of a user beyond those of a second wait, in order, and nobody else does")
    func allowance() throws {
        let daemon = try DaemonFixture(
            "[Limits]\nChangesPerSecond=2\nChangeBurst=1\n" + DurableChangeTests.rules, manifests: [:])
        let (greedy, other) = (try daemon.connect(uid: 12001), try daemon.connect(uid: 12002))
        let sibling = try daemon.connect(uid: 12001)
        var last = 0
        for number in 1...5 { last = try greedy.send("startMonitoring", DaemonFixture.region("r\(number)")) }
        let read = try greedy.send("getProperties")
        // What is no change is answered, also to the same user.
        try sibling.settle()
        try other.call("startMonitoring", DaemonFixture.region("r"))
        let seen = try sibling.call("monitoredRegions").array?.count ?? 0
        #expect(seen < 5, "all five were made at once")
        _ = try greedy.reply(to: last)
        _ = try greedy.reply(to: read)
        #expect(greedy.trace().filter { $0.hasPrefix("->") }.last == "-> getProperties")
        #expect(try sibling.call("monitoredRegions").array?.count == 5)
    }

    @Test("that a client sent whole before it went are made, beyond the allowance too")
    func farewell() throws {
        let daemon = try DaemonFixture(
            "[Limits]\nChangesPerSecond=10\nChangeBurst=10\n" + DurableChangeTests.rules, manifests: [:])
        let leaving = try daemon.connect(uid: 12001)
        let names = (1...19).map { "r\($0)" }
        for name in names { try leaving.call("startMonitoring", DaemonFixture.region(name)) }
        let farewell = names.map { leaving.request("stopMonitoring", #"{"identifier":"\#($0)"}"#).line }
        try leaving.connection.send(farewell.joined(separator: "\n"))
        leaving.close()
        let sibling = try daemon.connect(uid: 12001)
        try waitUntil("all it sent is carried out") { try sibling.call("monitoredRegions").array?.isEmpty == true }
    }

    @Test(
        "are refused with -32007 while the disk is full, which status says; what else is asked goes on, and it recovers"
    )
    func fullDisk() throws {
        let daemon = try DaemonFixture(
            "[Limits]\nChangesPerSecond=1000\n[Regions]\nRegionsPerApp=10000\n" + DurableChangeTests.rules, step: 1000,
            manifests: [:], stateKilobytes: 512)
        let app = try daemon.connect(uid: 12001, #","events":true"#)
        try app.call("startMonitoring", DaemonFixture.region("home"))
        let filler = daemon.directory.file("state/filler")
        let fd = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        let page = [UInt8](repeating: 1, count: 4096)
        while write(fd, page, page.count) > 0 {}
        close(fd)
        var kept = ["home"]
        var problem = ""
        while problem.isEmpty, kept.count < 5000 {
            let name = "r\(kept.count)"
            let reply = try app.reply(to: try app.send("startMonitoring", DaemonFixture.region(name, at: 5000)))
            if let error = reply["error"] {
                #expect(error["code"]?.int == -32007)
                problem = error["message"]?.string ?? ""
            } else {
                kept.append(name)
            }
        }
        #expect(problem.contains("full") && problem.contains("'r\(kept.count)'"), "\(problem)")
        #expect((try daemon.status()["daemon"]?["stateProblems"]?.array ?? []).isEmpty == false)
        #expect(try app.call("monitoredRegions").array?.count == kept.count)
        try app.call("startUpdatingLocation")
        try daemon.stay(at: 0)
        try app.waitForStandard(60)
        try daemon.walk(from: 0, to: 400)
        unlink(filler)
        try app.call("startMonitoring", DaemonFixture.region("after"))
        // An event is on the disk before it is told.
        try app.hear("didExitRegion")
        try waitUntil("nothing is wrong any more") {
            try daemon.fix(at: 400)
            return try daemon.status()["daemon"]?["stateProblems"] == nil
        }
        try daemon.restart()
        let back = try daemon.connect(uid: 12001, #","events":true"#)
        let names = try back.call("monitoredRegions").array?.compactMap { $0["identifier"]?.string } ?? []
        #expect(Set(names) == Set(kept + ["after"]))
        try back.settle()
        #expect(back.heard("didExitRegion").count == 1, "an event that waited for the disk is lost")
    }

    @Test("survive a damaged database as far as it can be read, which is set aside and said")
    func damaged() throws {
        let daemon = try DaemonFixture(
            "[Limits]\nChangesPerSecond=1000\n" + DurableChangeTests.rules, manifests: [:])
        let app = try daemon.connect(uid: 12001)
        for number in 1...15 { try app.call("startMonitoring", DaemonFixture.region("r\(number)")) }
        try daemon.authorize("uid:12005", "denied")
        try daemon.stop(SIGTERM)
        let state = daemon.directory.file("state")
        let name = try #require(DurableChangeTests.files(state).first { $0.hasSuffix(".db") || $0.contains("sqlite") })
        let fd = open("\(state)/\(name)", O_WRONLY | O_CLOEXEC)
        pwrite(fd, "no database at all, as far as anybody can tell by looking here", 60, 0)
        close(fd)
        try daemon.start()
        #expect(daemon.journal.contains(name))
        #expect(DurableChangeTests.files(state).contains { $0.hasPrefix(name) && $0.count > name.count + 4 })
        let back = try daemon.connect(uid: 12001)
        try back.call("startMonitoring", DaemonFixture.region("new"))
        try daemon.restart()
        let names = try daemon.connect(uid: 12001).call("monitoredRegions").array?.count
        #expect(names != nil && names != 0)
    }

    private static func files(_ path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) { field in
                    field.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names.sorted()
    }
}
