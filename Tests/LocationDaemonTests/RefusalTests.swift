// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("A refusal holds", .blocking, .needsOtherUsers)
struct RefusalTests {
    private static let rules =
        awake + noRejoin + "[Limits]\nChangesPerSecond=10000\n[Regions]\nRegionsPerApp=10000\n"
        + "[Authorization]\nAlwaysUsers=root 12001 12002 12003\n"
    private static let deny = #"{"app":"uid:12001","authorizationStatus":"denied"}"#

    private static func problems(_ daemon: DaemonFixture) throws -> [String] {
        try daemon.status()["daemon"]?["stateProblems"]?.array?.compactMap(\.string) ?? []
    }

    private static func remount(_ daemon: DaemonFixture, _ flags: Int) throws {
        let result = mount("locationd-test", daemon.directory.file("state"), "tmpfs", UInt(MS_REMOUNT | flags), nil)
        try #require(result == 0)
    }

    @Test("at once although the disk is full, over a kill, and is on the disk when that has room")
    func fullDisk() throws {
        let daemon = try DaemonFixture(RefusalTests.rules, step: 1000, manifests: [:], stateKilobytes: 512)
        let app = try daemon.connect(uid: 12001)
        try app.call("startUpdatingLocation")
        try FullDiskTests.fill(daemon)
        let result = try daemon.asAdministrator("authorize", RefusalTests.deny)
        #expect(result["stored"]?.bool == false)
        #expect(result["problem"]?.string?.hasPrefix("cannot ") == true, "\(result)")
        try app.wait(for: "fail 1 standard")
        #expect(try daemon.app("uid:12001")?["authorizationStatus"]?.string == "denied")
        #expect(try RefusalTests.problems(daemon).contains { $0.hasPrefix("1 decision is in force that") })
        let permission = #"{"app":"uid:12001","authorizationStatus":"authorizedAlways"}"#
        let refusal = try daemon.connect().refusal("authorize", permission)
        #expect(refusal.code == -32007)
        try daemon.restart()
        #expect(try daemon.connect(uid: 12001).call("startUpdatingLocation")["state"]?.string == "denied")
        #expect(try RefusalTests.problems(daemon).contains { $0.hasPrefix("1 decision is in force that") })
        FullDiskTests.empty(daemon)
        let other = try daemon.connect(uid: 12002)
        try other.call("startMonitoring", DaemonFixture.region("home", at: 9000))
        #expect(try !RefusalTests.problems(daemon).contains { $0.contains("in force") })
        try daemon.stop()
        #expect(access(daemon.directory.file("run/decisions.owed"), F_OK) != 0)
        try daemon.start()
        #expect(try daemon.connect(uid: 12001).call("startUpdatingLocation")["state"]?.string == "denied")
    }

    @Test("of all services at once although the disk is full, and is written without anybody's doing")
    func services() throws {
        let daemon = try DaemonFixture(RefusalTests.rules, step: 1000, manifests: [:], stateKilobytes: 512)
        let app = try daemon.connect(uid: 12001)
        try app.call("startUpdatingLocation")
        try FullDiskTests.fill(daemon)
        let result = try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":false}"#)
        #expect(result["stored"]?.bool == false)
        try app.wait(for: "fail 1 standard")
        FullDiskTests.empty(daemon)
        try waitUntil("the disk has it") { access(daemon.directory.file("run/decisions.owed"), F_OK) != 0 }
        #expect(try RefusalTests.problems(daemon).isEmpty)
        #expect(try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":true}"#)["stored"]?.bool == true)
        try app.wait(for: "authorization authorizedAlways full")
    }

    @Test("on a disk that cannot be written, and is written when that can be")
    func readOnly() throws {
        let daemon = try DaemonFixture(RefusalTests.rules, manifests: [:], stateKilobytes: 512)
        try daemon.stop()
        try RefusalTests.remount(daemon, Int(MS_RDONLY))
        try daemon.start()
        #expect(try daemon.asAdministrator("authorize", RefusalTests.deny)["stored"]?.bool == false)
        #expect(try daemon.connect(uid: 12001).call("startUpdatingLocation")["state"]?.string == "denied")
        try RefusalTests.remount(daemon, 0)
        let more = #"{"app":"uid:12002","authorizationStatus":"denied"}"#
        #expect(try daemon.asAdministrator("authorize", more)["stored"]?.bool == true)
        unlink(daemon.directory.file("run/decisions.owed"))
        try daemon.restart()
        for uid: UInt32 in [12001, 12002] {
            #expect(try daemon.connect(uid: uid).call("startUpdatingLocation")["state"]?.string == "denied")
        }
    }

    @Test("where nobody can read what was decided: no rule allows anything until it can be read, or somebody says so")
    func unreadable() throws {
        let daemon = try DaemonFixture(RefusalTests.rules, manifests: [:])
        try daemon.authorize("uid:12001", "denied")
        try daemon.stop()
        let state = daemon.directory.file("state/locationd.sqlite")
        // What a process cannot read that has no power over the file: here, because it is something else.
        for name in [state, state + ".decisions"] {
            rename(name, name + ".away")
            mkdir(name, 0o700)
        }
        try daemon.start()
        for uid: UInt32 in [12001, 12002] {
            let result = try daemon.connect(uid: uid).call("startUpdatingLocation")
            #expect(result["state"]?.string == "waitingForAuthorization")
        }
        let problems = try RefusalTests.problems(daemon)
        #expect(problems.count == 1 && problems[0].hasPrefix("cannot tell what people decided ("), "\(problems)")
        #expect(!daemon.journal.contains("Error(") && daemon.journal.contains("cannot tell what people decided"))
        // A person's word counts, as long as the daemon runs.
        let permission = #"{"app":"uid:12003","authorizationStatus":"authorizedAlways"}"#
        #expect(try daemon.asAdministrator("authorize", permission)["stored"]?.bool == false)
        #expect(try daemon.connect(uid: 12003).call("startUpdatingLocation")["state"]?.string == "running")
        #expect(try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":true}"#)["stored"]?.bool == false)
        #expect(try daemon.connect(uid: 12002).call("startUpdatingLocation")["state"]?.string == "running")
        try waitUntil("the journal has whose word it was") {
            daemon.journal.contains("rules count again, on the word of uid:0")
        }
        // On the disk, which nobody can read now, there is a denial.
        let other = #"{"app":"uid:12001","authorizationStatus":"authorizedAlways"}"#
        #expect(try daemon.asAdministrator("authorize", other)["stored"]?.bool == false)
        try daemon.stop()
        for name in [state, state + ".decisions"] {
            rmdir(name)
            rename(name + ".away", name)
        }
        try daemon.start()
        #expect(try daemon.connect(uid: 12001).call("startUpdatingLocation")["state"]?.string == "denied")
        #expect(try daemon.connect(uid: 12002).call("startUpdatingLocation")["state"]?.string == "running")
        #expect(try RefusalTests.problems(daemon).isEmpty)
    }

    @Test("where nobody can read what was decided, and systemd's line says so to those who look at the service")
    func statusLine() throws {
        let daemon = try DaemonFixture(RefusalTests.rules, manifests: [:], isManaged: true)
        try daemon.stop(SIGTERM)
        let state = daemon.directory.file("state/locationd.sqlite")
        for name in [state, state + ".decisions"] {
            rename(name, name + ".away")
            mkdir(name, 0o700)
        }
        let before = daemon.manager?.heard.count ?? 0
        try daemon.start()
        func lines() -> [String] { daemon.manager?.heard.dropFirst(before).filter { $0.contains("STATUS=") } ?? [] }
        try waitUntil("the line has it: \(lines())") {
            lines().contains { $0.contains("; cannot tell what people decided (") }
        }
        try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":true}"#)
        // Nobody is told that rules allow nobody when they count again.
        try waitUntil("the line says what is left of it: \(lines())") {
            lines().last?.contains("nothing that is stored is used until that can be read") == true
        }
        #expect(lines().last?.contains("rules allow nobody") == false)
        #expect(try RefusalTests.problems(daemon).allSatisfy { !$0.contains("rules allow nobody") })
    }

    @Test("where the database is gone and the second file cannot be read, which stays as it is")
    func unreadableSecondFile() throws {
        let daemon = try DaemonFixture(RefusalTests.rules, manifests: [:])
        try daemon.authorize("uid:12001", "denied")
        try daemon.stop()
        let state = daemon.directory.file("state/locationd.sqlite")
        for suffix in ["", "-wal", "-shm"] { unlink(state + suffix) }
        rename(state + ".decisions", state + ".away")
        mkfifo(state + ".decisions", 0o600)
        try daemon.start()
        #expect(
            try daemon.connect(uid: 12001).call("startUpdatingLocation")["state"]?.string == "waitingForAuthorization")
        #expect(try RefusalTests.problems(daemon).contains { $0.hasPrefix("cannot tell what people decided (") })
        try daemon.stop()
        rename(state + ".away", state + ".decisions")
        try daemon.start()
        #expect(try daemon.connect(uid: 12001).call("startUpdatingLocation")["state"]?.string == "denied")
    }

    @Test("where both files with what was decided are damaged, over restarts, until an administrator says so")
    func damaged() throws {
        let daemon = try DaemonFixture(RefusalTests.rules, manifests: [:])
        try daemon.authorize("uid:12001", "denied")
        try daemon.stop()
        let state = "state/locationd.sqlite"
        for suffix in ["-wal", "-shm"] { unlink(daemon.directory.file(state + suffix)) }
        for name in [state, state + ".decisions"] {
            try daemon.directory.write([UInt8](repeating: 0xA5, count: 40_960), to: name)
        }
        try daemon.start()
        try daemon.restart()
        let result = try daemon.connect(uid: 12001).call("startUpdatingLocation")
        #expect(result["state"]?.string == "waitingForAuthorization")
        try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":true}"#)
        try daemon.restart()
        #expect(try daemon.connect(uid: 12001).call("startUpdatingLocation")["state"]?.string == "running")
        #expect(try RefusalTests.problems(daemon).isEmpty)
    }
}
