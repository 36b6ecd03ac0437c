// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("The connection of a client")
struct ConnectionTests {
    private let directory: TemporaryDirectory
    private let daemon: FakeDaemon

    init() throws {
        directory = try TemporaryDirectory()
        daemon = try FakeDaemon(in: directory)
    }

    private func connect() throws -> (LocationConnection, FakeDaemonClient) {
        let connection = try LocationConnection(to: DaemonAddress(path: daemon.path))
        return (connection, try daemon.accept())
    }

    private func soon() -> BootInstant { LocationConnection.now + .seconds(patience) }

    @Test("a reply is found between notifications, which wait in their order")
    func notificationsBeforeReply() throws {
        let (connection, client) = try connect()
        let lines = [client.update(1), client.update(2)]
        client.send(ReplyWriter.result(.integer(1), LocationResult(Sample.location(9))))
        client.update(3)
        #expect(try connection.location()?.sequence == 9)
        for sequence in 1...3 as ClosedRange<UInt64> {
            guard case .notification(let received) = try connection.nextNotification(by: soon()) else {
                throw TestFailure("cannot see notification \(sequence)")
            }
            #expect(received.sequence == sequence)
            if sequence <= 2 { #expect(String(decoding: received.line, as: UTF8.self) == lines[Int(sequence) - 1]) }
        }
        guard case .deadline = try connection.nextNotification(by: LocationConnection.now) else {
            throw TestFailure("cannot see the deadline")
        }
    }

    @Test("requests are numbered, and a reply to another one is passed over")
    func numbers() throws {
        let (connection, client) = try connect()
        for sequence in [7, 1, 2] as [Int64] {
            client.send(ReplyWriter.result(.integer(sequence), LocationResult(Sample.location(UInt64(sequence)))))
        }
        #expect(try connection.location()?.sequence == 1)
        #expect(try connection.location()?.sequence == 2)
        #expect(try client.expect(.location).id == .integer(1))
        #expect(try client.expect(.location).id == .integer(2))
    }

    @Test("a daemon that serves nobody is as good as none, and says why")
    func servesNobody() throws {
        let run = try LocctlRun()
        for command in ["status", "get", "watch", "reload"] {
            let process = try run.start(command)
            let client = try run.daemon.accept()
            client.send(ReplyWriter.refusal(nil, RPCError(.unavailable, "cannot serve: the configuration is wrong")))
            client.hangUp()
            #expect(try process.waitForExit() == .exited(3), "\(command)")
            #expect(
                process.standardError
                    == "locctl: cannot use locationd at \(run.daemon.path), which does not serve: the configuration is wrong\n"
            )
        }
    }

    @Test("a refusal is thrown, and the connection goes on")
    func refusal() throws {
        let (connection, client) = try connect()
        let error = RPCError(.notPermitted, "cannot tell")
        client.send(ReplyWriter.refusal(.integer(1), error))
        client.send(ReplyWriter.result(.integer(2), LocationResult(nil)))
        #expect(throws: LocationClientError.refused(error)) { try connection.location() }
        #expect(try connection.location() == nil)
    }

    @Test("what was said before the end is read before the end is told")
    func end() throws {
        let (connection, client) = try connect()
        client.update(1)
        client.hangUp()
        guard case .notification = try connection.nextNotification(by: soon()) else {
            throw TestFailure("cannot see the notification")
        }
        let end = LocationClientError.disconnected(connection.address, reason: "it closed the connection")
        #expect(throws: end) { try connection.nextNotification(by: soon()) }
        #expect(throws: end) { try connection.location() }
        #expect(end.isAboutTheConnection)
    }

    @Test("a daemon that does not reply is given up in time")
    func noReply() throws {
        let (connection, client) = try connect()
        connection.replyTimeout = .milliseconds(20)
        #expect(throws: LocationClientError.noReply(connection.address, method: "location", seconds: 0.02)) {
            try connection.location()
        }
        _ = try client.expect(.location)
    }

    @Test("a request is written to a daemon that is busy writing itself")
    func bothWrite() throws {
        let (connection, client) = try connect()
        // Neither line fits into a socket: the daemon reads on only when the client has read, which is writing then.
        var size: Int32 = 4096
        setsockopt(connection.fileDescriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let texts = (0..<200).map { ("key\($0)", String(repeating: "x", count: 250)) }
        let hello = HelloParameters(
            usageDescriptions: UsageDescriptions(temporaryFullAccuracy: Dictionary(uniqueKeysWithValues: texts)))
        let count: UInt64 = 3_000
        // A thread of its own: the pool's may all be held up by other tests, and this one waits for it.
        try startThread {
            for sequence in 1...count { client.update(sequence) }
            do { try client.greet(1) } catch { Issue.record(error) }
        }
        let result = try connection.send(.hello(hello)).result(HelloResult.self)
        #expect(result.version == "9.9")
        for sequence in 1...count {
            guard case .notification(let received) = try connection.nextNotification(by: soon()),
                received.sequence == sequence
            else { throw TestFailure("cannot see notification \(sequence)") }
        }
    }

    @Test("a wait ends when another descriptor becomes readable")
    func interruption() throws {
        let (connection, client) = try connect()
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        _ = write(ends[1], "!", 1)
        guard case .interruption = try connection.nextNotification(by: soon(), orUntilReadable: ends[0]) else {
            throw TestFailure("cannot see the interruption")
        }
        client.hangUp()
    }

    @Test("the error of a daemon that is not there says what to look at")
    func noDaemon() throws {
        daemon.stop()
        let address = DaemonAddress(path: daemon.path)
        #expect(throws: LocationClientError.cannotConnect(address, reason: "no such file; is locationd running?")) {
            try LocationConnection(to: address)
        }
        let long = DaemonAddress(path: "/" + String(repeating: "x", count: 200))
        #expect(
            throws: LocationClientError.cannotConnect(
                long, reason: "the path is too long for a socket, at most 107 bytes are allowed")
        ) { try LocationConnection(to: long) }
    }

    @Test("a result of another shape is an error and no crash")
    func strangeResult() throws {
        let (connection, client) = try connect()
        client.send(ReplyWriter.result(.integer(1), encoded: "[]".utf8))
        #expect(throws: LocationClientError.self) { try connection.status() }
    }

    @Test("the waits between attempts grow, and not beyond the time to come back in")
    func backoff() {
        var backoff = ReconnectBackoff()
        let delays = (1...8).map { _ in backoff.nextDelay() }
        #expect(delays.first == .milliseconds(100))
        #expect(delays == delays.sorted())
        #expect(delays.last == .seconds(3))
    }
}
