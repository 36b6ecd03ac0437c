// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("What a program asks for in the last moment before it ends", .serialized, .asynchronous)
struct LastMomentTests {
    private static func run(_ way: String, at address: DaemonAddress) throws -> ChildProcess {
        try ChildProcess(
            try BuildProducts.program("CoreLocationProbe"), ["last", way],
            environment: ["LOCATIOND_SOCKET": address.path, "LOCATIOND_APP": "last"])
    }

    private static func end(_ process: ChildProcess) async throws -> ProcessEnd {
        try await eventually("the program ends: \(process.standardError)") { !process.isRunning }
        return try process.waitForExit()
    }

    private static func app(in house: House) throws -> AppStatus? {
        try house.ask { connection throws(LocationClientError) in try connection.apps() }.first {
            $0.labels.contains("last")
        }
    }

    private static func regions(in house: House) throws -> Int {
        let connection = try LocationConnection(to: house.address)
        _ = try connection.hello(app: "last")
        return try connection.monitoredRegions().count
    }

    private static func conditions(in house: House) throws -> Int {
        let connection = try LocationConnection(to: house.address)
        _ = try connection.hello(app: "last")
        return try connection.openMonitor("last").identifiers.count
    }

    @Test(
        "is carried out, however the program ends",
        arguments: ["start", "thread", "handler", "source", "fork"])
    func regionsStarted(way: String) async throws {
        let house = try House()
        try await house.serving()
        let program = try LastMomentTests.run(way, at: house.address)
        if way == "source" {
            try await eventually("it listens") { program.outputLines.contains("ready") }
            // Again until it is heard: the source is there some time after the program says so.
            try await eventually("it ends") {
                if program.isRunning { program.terminate(SIGTERM) }
                return !program.isRunning
            }
        }
        #expect(try await LastMomentTests.end(program) == .exited(0), "\(program.standardError)")
        #expect(!program.standardError.contains("the program ends"))
        try await eventually("all regions are there") { try LastMomentTests.regions(in: house) == 20 }
        if way == "fork" { #expect(program.outputLines.contains("the child has ended: 7")) }
    }

    @Test("is carried out also where it takes back what an earlier run began")
    func takenBack() async throws {
        let house = try House()
        try await house.serving()
        for way in ["start", "stop", "visits", "no-visits"] {
            #expect(try await LastMomentTests.end(LastMomentTests.run(way, at: house.address)) == .exited(0))
            switch way {
            case "start": #expect(try LastMomentTests.regions(in: house) == 20)
            case "stop": #expect(try LastMomentTests.regions(in: house) == 0)
            default: #expect(try LastMomentTests.app(in: house)?.wantsVisits == (way == "visits"))
            }
        }
    }

    @Test("is carried out where it was awaited and waits behind other requests")
    func conditionsAdded() async throws {
        let house = try House()
        try await house.serving()
        let program = try LastMomentTests.run("condition", at: house.address)
        #expect(try await LastMomentTests.end(program) == .exited(0))
        try await eventually("all conditions are there") { try LastMomentTests.conditions(in: house) == 20 }
    }

    @Test("is carried out where the manager is let go of before it is connected, and the program goes on")
    func managerDropped() async throws {
        let house = try House()
        try await house.serving()
        let program = try LastMomentTests.run("dropped", at: house.address)
        try await eventually("all regions are there") { try LastMomentTests.regions(in: house) == 20 }
        program.terminate(SIGKILL)
    }

    @Test("is said to be lost where no daemon is there, and the program ends")
    func noDaemon() async throws {
        let directory = try TemporaryDirectory()
        let program = try LastMomentTests.run("start", at: DaemonAddress(path: directory.file("socket")))
        #expect(try await LastMomentTests.end(program) == .exited(0))
        let lines = program.standardError.split(separator: "\n").filter { $0.contains("the program ends") }
        #expect(lines.count == 1, "\(program.standardError)")
        #expect(
            lines.first?.hasPrefix(
                "CoreLocation: the program ends, and locationd has not answered startMonitoring and 19 other requests: "
                    + "cannot connect to") ?? false, "\(lines)")
    }

    @Test("is said to be unanswered where the daemon hangs, and the program ends")
    func hungDaemon() async throws {
        let directory = try TemporaryDirectory()
        let daemon = try FakeDaemon(in: directory)
        let program = try LastMomentTests.run("start", at: DaemonAddress(path: daemon.path))
        #expect(try await LastMomentTests.end(program) == .exited(0))
        #expect(
            program.standardError.contains(
                "has not answered startMonitoring and 19 other requests: it has been silent"),
            "\(program.standardError)")
    }

    @Test("is no reason to hold up the end of a program that asked for nothing lasting")
    func nothingLasting() async throws {
        let directory = try TemporaryDirectory()
        let program = try LastMomentTests.run("nothing", at: DaemonAddress(path: directory.file("socket")))
        #expect(try await LastMomentTests.end(program) == .exited(0))
        #expect(!program.standardError.contains("the program ends"))
    }
}
