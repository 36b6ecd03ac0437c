// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("Limits on connections", .blocking)
struct LimitsTests {
    /// `LOCATIOND_CONNECTIONS` of the environment asks for more.
    static let count = getenv("LOCATIOND_CONNECTIONS").flatMap { Int(String(cString: $0)) } ?? 1000

    /// socat as another user, between its standard streams and the daemon's socket.
    private static func stranger(_ daemon: DaemonFixture, uid: Int) throws -> ChildProcess {
        try ChildProcess(
            try requireProgram("setpriv"),
            [
                "--reuid", "\(uid)", "--regid", "\(uid)", "--clear-groups", "--", try requireProgram("socat"), "-",
                "UNIX-CONNECT:\(daemon.socket)",
            ])
    }

    private static func letEverybodyIn(_ daemon: DaemonFixture) throws {
        guard chmod(daemon.directory.path, 0o711) == 0 else {
            throw TestFailure("cannot let others into \(daemon.directory.path)")
        }
    }

    private static let ask = Array("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"location\"}\n".utf8)

    @Test(
        "those over a user's own are refused with -32006 and closed; others may still come",
        .enabled(if: getuid() == 0, "only root can be somebody else"))
    func perUser() throws {
        let daemon = try DaemonFixture("[Limits]\nConnectionsPerUser=2\n[Authorization]\nDefault=authorizedAlways\n")
        try LimitsTests.letEverybodyIn(daemon)
        var strangers: [ChildProcess] = []
        for _ in 0..<2 {
            let stranger = try LimitsTests.stranger(daemon, uid: 12345)
            try stranger.write(LimitsTests.ask)
            #expect(try stranger.waitForOutput { $0.contains("\"id\":1") }.contains("result"))
            strangers.append(stranger)
        }
        let refused = try LimitsTests.stranger(daemon, uid: 12345)
        let line = try JSON(parsing: try refused.waitForOutput { _ in true })
        #expect(line["id"] == .null)
        #expect(line["error"]?["code"]?.int == -32006)
        #expect(line["error"]?["data"]?["name"]?.string == "tooManyConnections")
        try refused.waitForExit()
        let other = try LimitsTests.stranger(daemon, uid: 12346)
        try other.write(LimitsTests.ask)
        try other.waitForOutput { $0.contains("result") }
        for _ in 0..<5 { #expect(try daemon.connect().call("location") == .null) }
        strangers.removeFirst().closeInput()
        try waitUntil("there is room again") {
            let again = try LimitsTests.stranger(daemon, uid: 12345)
            try again.write(LimitsTests.ask)
            return try again.waitForOutput { _ in true }.contains("result")
        }
    }

    @Test(
        "some are kept for root, and over all even root is refused",
        .enabled(if: getuid() == 0, "only root has reserved ones"))
    func total() throws {
        let daemon = try DaemonFixture("[Limits]\nConnections=16\nReservedConnections=4\n")
        try LimitsTests.letEverybodyIn(daemon)
        var clients = try (0..<12).map { _ in try daemon.connect() }
        for client in clients { try client.call("location") }
        let refused = try LimitsTests.stranger(daemon, uid: 12345)
        #expect(try JSON(parsing: try refused.waitForOutput { _ in true })["error"]?["code"]?.int == -32006)
        try refused.waitForExit()
        for _ in 0..<4 {
            let client = try daemon.connect()
            try client.call("location")
            clients.append(client)
        }
        let late = try JSONLineConnection(path: daemon.socket)
        let lines = try late.remainingLines()
        #expect(lines.count == 1)
        #expect(try JSON(parsing: lines.first ?? "")["error"]?["code"]?.int == -32006)
        clients[3].close()
        try waitUntil("there is room again") {
            let client = try daemon.connect()
            try client.send("location")
            try client.receive()
            return client.transcript.first == "-> location"
        }
    }

    @Test(
        "another user's client is told who it is, is no administrator, and sees little of the rest",
        .enabled(if: getuid() == 0, "only root can be somebody else"))
    func stranger() throws {
        let daemon = try DaemonFixture()
        try LimitsTests.letEverybodyIn(daemon)
        let live = try daemon.startUpdating()
        try daemon.fix()
        try live.waitForStandard(1)
        let stranger = try LimitsTests.stranger(daemon, uid: 12345)
        func ask(_ id: Int, _ method: String, _ params: String) throws -> JSON {
            try stranger.write(
                Array(#"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#.utf8) + [10])
            return try JSON(
                parsing: try stranger.waitForOutput { $0.contains("\"id\":\(id),") || $0.contains("\"id\":\(id)}") })
        }
        #expect(try ask(1, "hello", #"{"protocol":1}"#)["result"]?["identity"]?.string == "uid:12345")
        #expect(try ask(2, "reload", "{}")["error"]?["code"]?.int == -32001)
        let status = try ask(3, "status", #"{"scope":"all"}"#)["result"] ?? .null
        #expect((status["managers"]?.array ?? []).allSatisfy { $0["uid"]?.int == 12345 })
        #expect(status["connections"]?["total"]?.int == 2)
        // As shipped, root may always know and everybody else is asked.
        #expect(try ask(4, "location", "{}")["error"]?["code"]?.int == -32001)
    }

    @Test("a thousand clients are served, each with every fix")
    func many() throws {
        let count = LimitsTests.count
        let daemon = try DaemonFixture("[Limits]\nConnections=\(min(count + 100, 65536))\n")
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        let clients = try (0..<count).map { _ in try daemon.connect() }
        for client in clients { try client.send("startUpdatingLocation") }
        for client in clients { try client.settle() }
        for round in 1...3 {
            try daemon.fix()
            for client in clients { try client.waitForStandard(round) }
        }
        let sequences = clients.first?.sequences
        #expect(clients.allSatisfy { $0.sequences == sequences })
        #expect(try daemon.status()["connections"]?["total"]?.int == count + 1)
        for client in clients { client.close() }
        try daemon.waitForNoWatch()
        #expect(try daemon.status()["connections"]?["total"]?.int == 1)
    }

    @Test("a reply longer than what may wait is no reason to close a client that reads it")
    func longReply() throws {
        let daemon = try DaemonFixture("[Limits]\nOutputHighWater=16K\nOutputLimit=64K\nConnections=1100\n")
        let clients = try (0..<1000).map { _ in try daemon.startUpdating() }
        let status = try daemon.status()
        #expect(status["managers"]?.array?.count == clients.count + 1)
        #expect(try daemon.status()["connections"]?["total"]?.int == clients.count + 1)
    }
}
