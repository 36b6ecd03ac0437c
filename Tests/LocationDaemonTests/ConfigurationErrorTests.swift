// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
import Glibc
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("A configuration file with faults")
struct ConfigurationErrorTests {
    @Test("all faults are told, in order, with line, what was given and what is allowed")
    func all() {
        let text = """
            Early=1
            [Limits]
            Connections=many
            # fine
            Conections=5
            nonsense
            [Limit]
            X=1
            [Log]
            Level=loud
            [Limits
            Connections=7
            [Power] # sleep
            DutyCycle=maybe
            [Power]
            DutyCycle=maybe
            """
        let keys = ConfigurationKey.all.filter { $0.section == "Limits" }.map(\.name).joined(separator: ", ")
        #expect(
            configurationProblems(text) == [
                "cannot use test.conf:1: Early stands before the first [Section]",
                "cannot use test.conf:3: Connections=many is not a whole number from 16 to 65536",
                "cannot use test.conf:5: Conections is not a key of [Limits]; its keys are \(keys)",
                "cannot use test.conf:6: nonsense is neither a [Section], nor Key=Value, nor a comment",
                "cannot use test.conf:8: [Limit] is not a section; the sections are Service, Limits, GPSD, Providers, "
                    + "Updates, Deferral, SignificantChange, Power, Regions, Visits, Stationary, Events, History, Apps, Authorization, Log",
                "cannot use test.conf:10: Level=loud is not error, warning, info or debug",
                "cannot use test.conf:11: [Limits is not a [Section]",
                "cannot use test.conf:13: [Power] # sleep is not a [Section]",
                "cannot use test.conf:16: DutyCycle=maybe is not yes or no",
            ])
    }

    @Test("what inih would take otherwise than it was meant is refused")
    func traps() {
        func reason(_ line: String) -> String? {
            let found = configurationProblems("[Limits]\n\(line)\n")
            #expect(found.count == 1, "\(line)")
            return found.first
        }
        #expect(reason("Connections: 100")?.contains("is neither a [Section], nor Key=Value") == true)
        #expect(reason("=100")?.contains("is neither") == true)
        #expect(reason("Connections=100 ; words")?.contains("Connections=100 ; words is not a whole number") == true)
        #expect(reason("Connections=100 # words")?.contains("is not a whole number") == true)
        #expect(reason("Connections=\"100\"")?.contains("is not a whole number") == true)
        #expect(reason("Connections=100\\\n")?.contains("is not a whole number") == true)
        #expect(reason("[\(String(repeating: "x", count: 60))]")?.hasSuffix("is not a [Section]") == true)
        #expect(reason("[]")?.hasSuffix("is not a [Section]") == true)
        #expect(reason("\(String(repeating: "k", count: 120))=1")?.contains("kkk is not a key of [Limits]") == true)
        #expect(reason("connections=100")?.contains("connections is not a key") == true)
    }

    @Test("an indented line is a line of its own")
    func indented() throws {
        #expect(
            try configuration(of: "[Limits]\nConnections=100\n   ConnectionsPerUser=7\n").limits.connectionsPerUser == 7
        )
    }

    @Test("a line is taken whole or refused, whatever its length", arguments: 100...420)
    func lengths(length: Int) {
        // Cut anywhere, its rest would be a valid assignment.
        let line = "Connections=" + String(repeating: "Connections=100 ", count: 30)
        let found = configurationProblems("[Limits]\n\(line.prefix(length))x\n[Log]\nLevel=debug\n")
        #expect(found.count == 1)
        let expected =
            length + 1 > ConfigurationText.longestLine
            ? "cannot use test.conf:2: the line has \(length + 1) bytes; at most 190 are allowed"
            : "cannot use test.conf:2: \(line.prefix(length))x is not a whole number from 16 to 65536"
        #expect(found.first == expected)
    }

    @Test("zero bytes and bytes that are not UTF-8 are faults, in comments too")
    func bytes() {
        #expect(
            configurationProblems(Array("[Limits]\nConnections=100\0".utf8))
                == ["cannot use test.conf:2: the line contains a zero byte; it must be text"])
        #expect(configurationProblems(Array("# \0\n".utf8)).count == 1)
        #expect(configurationProblems([0x23, 0xFF, 0x0A]) == ["cannot use test.conf:1: the line is not UTF-8 text"])
        #expect(configurationProblems([0xEF, 0xBB, 0xBF] + Array("[Limits]\n".utf8)).count == 1)
    }

    @Test("keys that must fit each other are told where they were set")
    func together() {
        #expect(
            configurationProblems("[Limits]\nConnections=16\nReservedConnections=64")
                == ["cannot use test.conf:3: ReservedConnections=64 is not less than Connections=16"])
        #expect(
            configurationProblems("[Limits]\nOutputLimit=64K")
                == ["cannot use test.conf:2: OutputHighWater=256K is more than OutputLimit=64K"])
        #expect(
            configurationProblems("[GPSD]\nReconnectMinSec=40s")
                == ["cannot use test.conf:2: ReconnectMinSec=40s is longer than ReconnectMaxSec=30s"])
        #expect(
            configurationProblems("[Power]\nMaximumSleepSec=5")
                == ["cannot use test.conf:2: MinimumSleepSec=10s is longer than MaximumSleepSec=5s"])
    }

    @Test("whatever bytes a file has, reading ends with a configuration or with faults", .tellsSeed)
    func anyBytes() {
        var random = SplitMix64()
        let pieces = [
            "[", "]", "Limits", "Connections", "=", ":", "\n", "\r", " ", ";", "#", "100", "\0", "é", "\t", "\\",
        ]
        .map { Array($0.utf8) }
        for _ in 0..<500 {
            var bytes: [UInt8] = []
            for _ in 0..<random.next() % 200 {
                if random.chance(0.05) {
                    bytes.append(UInt8(truncatingIfNeeded: random.next()))
                } else {
                    bytes += pieces[Int(random.next() % UInt64(pieces.count))]
                }
            }
            for problem in configurationProblems(bytes) { #expect(problem.hasPrefix("cannot use test.conf:")) }
        }
    }
}

@Suite("The files of the configuration")
struct ConfigurationFilesTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.file("locationd.conf") }
    private var dropIns: String { directory.file("conf.d") }

    init() throws {
        directory = try TemporaryDirectory()
        mkdir(directory.file("conf.d"), 0o700)
    }

    @Test("no file means the defaults; a file that was named must exist")
    func missing() throws {
        rmdir(dropIns)
        #expect(try ConfigurationFile.load(path: path, mustExist: false, dropIns: dropIns) == Configuration())
        let error = #expect(throws: ConfigurationError.self) { try ConfigurationFile.load(named: path) }
        #expect(error?.description == "cannot use \(path): No such file or directory")
    }

    @Test("drop-ins follow the file in the order of their names; others are left alone")
    func dropInOrder() throws {
        try directory.write("[Limits]\nConnections=100\nConnectionsPerUser=1\nRequestsPerTurn=1", to: "locationd.conf")
        try directory.write("[Limits]\nConnectionsPerUser=20\nRequestsPerTurn=20", to: "conf.d/20-b.conf")
        try directory.write("[Limits]\nConnectionsPerUser=3\nRequestsPerTurn=3", to: "conf.d/3-a.conf")
        try directory.write("[Limits]\nRequestsPerTurn=10\nBacklogLocations=99", to: "conf.d/10.conf")
        for name in ["99.conf~", ".99.conf", "README", "99.conf.dpkg-old"] {
            try directory.write("nonsense", to: "conf.d/\(name)")
        }
        let limits = try ConfigurationFile.load(path: path, mustExist: true, dropIns: dropIns).limits
        #expect(limits.connections == 100 && limits.backlogLocations == 99)
        #expect(limits.connectionsPerUser == 3 && limits.requestsPerTurn == 3)
        #expect(try ConfigurationFile.load(named: path).limits.connectionsPerUser == 1)
    }

    @Test("faults of all files come together, and keys fit each other across files")
    func allFiles() throws {
        try directory.write("[Limits]\nConnections=x", to: "locationd.conf")
        try directory.write("[Power]\nMaximumSleepSec=5", to: "conf.d/a.conf")
        try directory.write("[Log]\nLevel=x\n", to: "conf.d/b.conf")
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationFile.load(path: path, mustExist: false, dropIns: dropIns)
        }
        #expect(
            error?.problems == [
                "cannot use \(path):2: Connections=x is not a whole number from 16 to 65536",
                "cannot use \(dropIns)/b.conf:2: Level=x is not error, warning, info or debug",
                "cannot use \(dropIns)/a.conf:2: MinimumSleepSec=10s is longer than MaximumSleepSec=5s",
            ])
    }

    @Test("a directory, a named pipe, a huge file and an unreadable file are refused")
    func otherKinds() throws {
        mkdir(directory.file("conf.d/a.conf"), 0o700)
        mkfifo(directory.file("conf.d/b.conf"), 0o600)
        try directory.write([UInt8](repeating: 0x0A, count: 1 << 20 + 1), to: "conf.d/c.conf")
        symlink("/nonexistent", directory.file("conf.d/d.conf"))
        let error = #expect(throws: ConfigurationError.self) {
            try ConfigurationFile.load(path: path, mustExist: false, dropIns: dropIns)
        }
        #expect(
            error?.problems == [
                "cannot use \(dropIns)/a.conf: it is not a file", "cannot use \(dropIns)/b.conf: it is not a file",
                "cannot use \(dropIns)/c.conf: it has more than 1048576 bytes",
                "cannot use \(dropIns)/d.conf: No such file or directory",
            ])
    }
}
