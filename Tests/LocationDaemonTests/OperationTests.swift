// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("The command line", .blocking)
struct CommandLineTests {
    private static func run(_ arguments: [String]) throws -> (end: ProcessEnd, output: String, errors: String) {
        let process = try ChildProcess(try BuildProducts.program("locationd"), arguments)
        let end = try process.waitForExit()
        return (end, process.standardOutput, process.standardError)
    }

    @Test(
        "that is wrong is explained on standard error, with exit code 64",
        arguments: [
            ["--colour"], ["--socket"], ["extra"], ["--log-level", "loud"], ["--gpsd", "a:b:c"], ["-x"],
            ["--requests", "/dev/null"], ["--clock-speed", "0"], ["--clock-speed", "fast"],
            ["--clock-speed", "2", "--replay", "/dev/null"], ["--version=1"],
        ])
    func usage(arguments: [String]) throws {
        let result = try CommandLineTests.run(arguments)
        #expect(result.end == .exited(64))
        #expect(result.errors.contains("cannot"))
        #expect(result.errors.contains("Usage: locationd"))
        #expect(result.output.isEmpty)
    }

    @Test("--version and --help answer on standard output")
    func information() throws {
        let version = try CommandLineTests.run(["--version"])
        #expect(version.end == .exited(0))
        #expect(version.output.hasPrefix("locationd ") && version.output.hasSuffix("\n"))
        let help = try CommandLineTests.run(["--help"])
        #expect(help.end == .exited(0))
        for option in ["--config", "--socket", "--gpsd", "--state-directory", "--runtime-directory", "--replay"] {
            #expect(help.output.contains(option))
        }
        #expect(help.errors.isEmpty && version.errors.isEmpty)
    }

    @Test("directories and a socket that cannot be had are said, and what can be done without goes on")
    func missingDirectories() throws {
        let directory = try TemporaryDirectory()
        let process = try ChildProcess(
            try BuildProducts.program("locationd"),
            [
                "--config", try directory.write("", to: "c"), "--socket", directory.file("no/such/socket"), "--gpsd",
                "127.0.0.1:1",
            ])
        #expect(try process.waitForExit() == .exited(1))
        #expect(process.standardError.contains("cannot serve at \(directory.file("no/such/socket"))"))
        let bare = try ChildProcess(
            try BuildProducts.program("locationd"),
            [
                "--config", directory.file("c"), "--socket", directory.file("s"), "--gpsd", "127.0.0.1:1",
                "--state-directory",
                directory.file("no/state"), "--runtime-directory", directory.file("no/run"),
            ])
        let client = try JSONLineConnection(waitingFor: directory.file("s"))
        try client.send(#"{"jsonrpc":"2.0","id":1,"method":"status"}"#)
        let status = try JSON(parsing: try client.nextLine())["result"]
        #expect(status?["daemon"]?["stateProblems"]?.array?.isEmpty == false, "\(status ?? .null)")
        try waitUntil("it says so") { bare.standardError.contains(directory.file("no/")) }
    }

    @Test("a second daemon at the same socket refuses to run")
    func secondDaemon() throws {
        let daemon = try DaemonFixture()
        let second = try ChildProcess(
            try BuildProducts.program("locationd"),
            [
                "--config", daemon.directory.file("locationd.conf"), "--socket", daemon.socket, "--gpsd", "127.0.0.1:1",
                "--state-directory", "/nonexistent", "--runtime-directory", "/nonexistent",
            ])
        #expect(try second.waitForExit() == .exited(1))
        #expect(second.standardError.contains("another locationd"))
        #expect(try daemon.connect().call("location") == .null)
    }
}

@Suite("The configuration of a running daemon", .blocking)
struct ReloadTests {
    @Test("that is wrong at the start: file, line and what is allowed, and exit code 78")
    func wrongAtStart() throws {
        let directory = try TemporaryDirectory()
        let file = try directory.write("[Limits]\n# fine\nConnections=many\n[GPSD]\nAdress=x\n", to: "wrong.conf")
        let process = try ChildProcess(
            try BuildProducts.program("locationd"), ["--config", file, "--socket", directory.file("s")])
        #expect(try process.waitForExit() == .exited(78))
        #expect(process.standardError.contains("\(file):3: Connections=many"))
        #expect(process.standardError.contains("\(file):5: Adress"))
        let missing = try ChildProcess(
            try BuildProducts.program("locationd"), ["--config", directory.file("none.conf")])
        #expect(try missing.waitForExit() == .exited(78))
        #expect(missing.standardError.contains("none.conf"))
    }

    @Test("is read again on SIGHUP and put in force without dropping anybody")
    func hangUp() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        try daemon.fix()
        try client.waitForStandard(1)
        try daemon.reload("[Updates]\nCachedLocationSec=0\n")
        let late = try daemon.connect()
        try late.call("startUpdatingLocation")
        try late.settle()
        #expect(!late.transcript.contains("standard 1 cached"))
        try daemon.fix()
        try client.waitForStandard(2)
        #expect(!client.transcript.contains { $0.hasPrefix("fail") })
    }

    @Test("stays as it was if the new one is wrong")
    func wrongLater() throws {
        let daemon = try DaemonFixture("[Authorization]\nDefault=denied\n")
        try daemon.reload("[Authorization]\nDefault=authorizedAlways\nColour=red\n")
        #expect(daemon.journal.contains("locationd.conf:3"))
        #expect(try daemon.connect().refusal("location").code == -32001)
        let refusal = try daemon.connect().refusal("reload")
        #expect(refusal.code == -32007)
        #expect(refusal.message.contains("locationd.conf:3"))
        try daemon.reload("[Authorization]\nDefault=authorizedAlways\n")
        #expect(try daemon.connect().call("location") == .null)
    }

    @Test("tells each of its faults in a line of its own")
    func faultsInLines() throws {
        let daemon = try DaemonFixture()
        try daemon.reload("[Limits]\nConnections=many\nColour=red\n[GPSD]\nAdress=x\n")
        let message = try daemon.connect().refusal("reload").message
        let lines = message.split(separator: "\n")
        #expect(lines.count == 3, "\(message)")
        for (line, number) in zip(lines, [2, 3, 5]) { #expect(line.contains("locationd.conf:\(number): "), "\(line)") }
    }

    @Test("is read again by an administrator's request, whose reply says that it is done")
    func request() throws {
        let daemon = try DaemonFixture("[Authorization]\nDefault=denied\n")
        let client = try daemon.connect()
        try daemon.directory.write("", to: "locationd.conf")
        #expect(try client.call("reload") == .object([:]))
        #expect(try client.call("location") == .null)
    }

    @Test("is read again without that who asks for it becomes an app", .needsOtherUsers)
    func noApp() throws {
        let daemon = try DaemonFixture("[Authorization]\nAdminGroup=daemon\n", manifests: [:])
        let client = try DaemonClient(path: daemon.socket, uid: 1, gid: 1)
        #expect(try client.call("reload") == .object([:]))
        let names = { try daemon.connect().call("apps").array?.compactMap { $0["identity"]?.string } ?? [] }
        #expect(try !names().contains("uid:1"))
        try client.call("status")
        #expect(try !names().contains("uid:1"))
        try client.call("getProperties")
        #expect(try names().contains("uid:1"), "other requests are an app's")
    }

    @Test("says which keys need a restart")
    func needsRestart() throws {
        let daemon = try DaemonFixture()
        try daemon.reload("[Limits]\nLogRecords=64\n")
        try waitUntil("it says so") { daemon.journal.contains("LogRecords") }
    }
}

@Suite("A daemon that nobody asks for anything", .blocking)
struct IdleTests {
    private static func switches(_ pid: pid_t) throws -> Int {
        let text = String(decoding: try readFile("/proc/\(pid)/status"), as: UTF8.self)
        let counts = text.split(separator: "\n").filter { $0.contains("ctxt_switches") }
            .compactMap { $0.split(whereSeparator: \.isWhitespace).last.flatMap { Int($0) } }
        guard counts.count == 2 else { throw TestFailure("cannot count the context switches of \(pid)") }
        return counts.reduce(0, +)
    }

    /// Whether the process did nothing for three seconds.
    private static func expectSleep(_ daemon: DaemonFixture) throws {
        var before = -1
        try waitUntil("it has settled") {
            let now = try switches(daemon.pid)
            defer { before = now }
            let pause = Deadline.within(0.2)
            try waitUntil("a moment passes") { pause.hasPassed }
            return before == now
        }
        let end = Deadline.within(3)
        let start = try switches(daemon.pid)
        try waitUntil("three seconds pass") { end.hasPassed }
        #expect(try switches(daemon.pid) == start)
    }

    @Test("does not wake")
    func fresh() throws { try IdleTests.expectSleep(try DaemonFixture()) }

    @Test("does not wake after it was asked, with idle clients, and without gpsd either")
    func afterwards() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        let idle = try daemon.connectWithToken().client
        try daemon.fix()
        try client.waitForStandard(1)
        try client.call("stopUpdatingLocation")
        try daemon.waitForNoWatch()
        daemon.gpsd.shutDown()
        try waitUntil("it knows") { try daemon.status()["gpsd"]?["connected"]?.bool == false }
        try IdleTests.expectSleep(daemon)
        try idle.settle()
    }

    @Test("does not wake when the last client that was awaited is given up")
    func givenUp() throws {
        let daemon = try DaemonFixture("[Deferral]\nRejoinSec=1s\n")
        let (client, _) = try daemon.keptClient()
        client.close()
        try daemon.waitForAbsent()
        try daemon.waitForNoWatch()
        try IdleTests.expectSleep(daemon)
    }
}
