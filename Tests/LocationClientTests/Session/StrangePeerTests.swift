// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("What answers at the daemon's address and is no daemon", .serialized)
struct StrangePeerTests {
    /// What it says to a hello of the number ID.
    private static let answers = [
        "HTTP/1.1 400 Bad Request\n", "{\"hello\":\"world\"}\n", "[1,2,3]\n",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":5}\n",
        "{\"jsonrpc\":\"2.0\",\"id\":ID,\"result\":{\"protocol\":1}}\n",
    ]

    private func session(at address: DaemonAddress, _ log: SessionLog) -> LocationSession {
        LocationSession(
            of: SessionApplication(name: nil, usageDescriptions: UsageDescriptions()),
            over: SocketTransport(to: address), handler: log.handler)
    }

    /// Takes three connections, gives each `answer`, and sees the session hang up and wait longer each time.
    private func talk(_ answer: (RequestID) -> [UInt8]) throws -> LocationClientError? {
        let server = try FakeDaemon(in: TemporaryDirectory())
        let log = SessionLog()
        let session = session(at: server.address, log)
        var refused: [BootInstant] = []
        for _ in 1...3 {
            let client = try server.accept()
            refused.append(LocationConnection.now)
            client.send(answer(try client.expect(.hello).id))
            #expect(try client.nextRequest() == nil, "it hangs up")
        }
        #expect(refused[1] - refused[0] >= ReconnectBackoff.shortest)
        #expect((refused[2] - refused[1]).nanoseconds >= 2 * ReconnectBackoff.shortest.nanoseconds)
        withExtendedLifetime(session) {}
        // That it waits may be told before, on a busy machine.
        return log.all.lazy.compactMap { if case .disconnected(let error) = $0 { error } else { nil } }.first
    }

    @Test("is left when it does not speak the protocol, and tried again ever less often", arguments: answers)
    func garbage(answer: String) throws {
        let error = try #require(talk { Array(answer.replacing("ID", with: $0.text).utf8) })
        #expect("\(error)".hasPrefix("cannot "))
    }

    @Test("is left when its line does not end")
    func endless() throws {
        let error = try #require(talk { _ in [UInt8](repeating: 0x78, count: 1 << 26 + 1) })
        #expect("\(error)".contains("a line of more than"))
    }

    @Test("is left when it is silent and something changes at the address, but not when it only takes a moment")
    func silent() throws {
        var run = MachineRun()
        run.input(.opened)
        run.wait(1)
        run.input(.daemonMayBeBack)
        #expect(run.closes == 0 && run.opens == 1)
        run.wait(10)
        #expect(run.words == ["unreachable"])
        #expect(run.closes == 0)
        run.input(.daemonMayBeBack)
        #expect(run.closes == 1 && run.opens == 2)
        try run.connect()
        #expect(run.words == ["unreachable", "disconnected", "connected"])
        run.wait(600)
        #expect(run.closes == 1 && run.opens == 2)
    }

    @Test("is named for its silence, and not for what was there before it")
    func reasonOfSilence() throws {
        var run = MachineRun()
        run.input(.closed(.cannotConnect(DaemonAddress(path: "/nowhere"), reason: "nobody is there")))
        run.wait(1)
        try #require(run.opens == 2)
        run.input(.opened)
        run.wait(20)
        let reasons = run.told.compactMap { event in
            switch event {
            case .waiting(let reason), .unreachable(let reason): "\(reason)"
            default: nil
            }
        }
        #expect(reasons.count == 2)
        #expect(reasons.allSatisfy { $0.contains("does not answer hello") }, "\(reasons)")
    }

    @Test("is left when it is silent for a minute, and tried again")
    func silentForLong() throws {
        var run = MachineRun(isWatched: false)
        run.input(.opened)
        run.wait(59)
        #expect(run.closes == 0 && run.opens == 1)
        run.wait(2)
        #expect(run.closes == 1 && run.opens == 2)
        try run.connect()
        #expect(run.words.last == "connected")
    }

    @Test(
        "is asked some times in the first half minute and then once a minute, whatever it does", arguments: [0, 1, 2])
    func attempts(kind: Int) throws {
        var run = MachineRun()
        let end = run.now + .seconds(630)
        var answered = 0
        while run.now < end {
            if run.opens > answered {
                answered = run.opens
                run.input(.opened)
                switch kind {
                case 0: run.hear("nothing that is JSON")
                case 1: try run.answer(["protocol": "none"])
                default: break
                }
            }
            run.wait(0.05)
        }
        // A silent one keeps each connection for a minute.
        #expect((kind == 2 ? 10...11 : 10...35).contains(run.opens), "\(run.opens)")
    }
}

extension RequestID {
    fileprivate var text: String {
        switch self {
        case .integer(let number): "\(number)"
        case .string(let text): text
        }
    }
}
