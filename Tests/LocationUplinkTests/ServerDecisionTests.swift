// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationTestSupport
import LocationUplink
import Testing

@Suite("What the uplink makes of a server's answers")
struct ServerDecisionTests {
    private func answer(_ status: Int, _ retryAfter: Int64 = 0) -> ServerAnswer {
        ServerAnswer(status: status, retryAfter: retryAfter, from: "https://h/p")
    }

    private func isRefusal(_ answer: ServerAnswer) -> Bool? {
        if case .trouble(let trouble) = answer { trouble.isRefusal } else { nil }
    }

    private func desk(_ mode: UplinkMode = .significant) -> Desk {
        Desk {
            $0.carrier = .server
            $0.mode = mode
        }
    }

    // MARK: One answer

    @Test func `only a status of success says that the server has it`() {
        #expect([200, 201, 202, 204].allSatisfy { answer($0) == .taken })
        #expect([100, 301, 400, 404, 500].allSatisfy { answer($0) != .taken })
    }

    @Test func `what the settings are to blame for is tried seldom, what passes is tried soon`() {
        #expect([301, 308, 401, 403, 404, 405, 410].allSatisfy { isRefusal(answer($0)) == true })
        #expect([408, 425, 429, 500, 502, 503, 507].allSatisfy { isRefusal(answer($0)) == false })
        #expect([400, 406, 411, 413, 415, 422].allSatisfy { isRefusal(answer($0)) == nil })
    }

    @Test(arguments: [(0, 1.0), (40, 40), (100_000, 3600), (-5, 1)] as [(Int64, Double)])
    func `a server that asks to wait is granted an hour at the most`(asked: Int64, longest: Double) throws {
        guard case .trouble(let trouble) = answer(503, asked) else { throw TestFailure("503 is no trouble") }
        var desk = desk()
        desk.start(desk.kept(10))
        desk.tell(.brokerLost(trouble))
        desk.effects = []
        desk.pass(longest * 0.7 - 0.1)
        desk.tell(.wake)
        #expect(desk.effects.isEmpty)
        desk.pass(longest * 0.3 + 0.2)
        desk.tell(.wake)
        #expect(desk.effects.contains(.connectBroker(attempt: 2)))
    }

    // MARK: Messages that it does not take

    @Test func `a message that the server does not take while it takes others is left out, counted and said`() throws {
        var desk = desk()
        desk.start(nil)
        desk.live(10, .significantChange, event: 1)
        desk.live(11, .significantChange, event: 2)
        #expect(desk.published.count == 1, "one at a time")
        desk.tell(.unwanted(token: 1, reason: "the server answers 422"))
        #expect(desk.machine.report.waitingEvents == 2, "it is not known yet whose fault it is")
        #expect(!desk.effects.contains(.acknowledge(event: 1)))
        desk.tell(.published(token: 2, refusal: nil))
        #expect(desk.effects.contains(.acknowledge(event: 1)) && desk.effects.contains(.acknowledge(event: 2)))
        #expect(desk.machine.report.refused == 1 && desk.machine.report.sent == 1)
        #expect(desk.machine.report.waitingEvents == 0)
        #expect(desk.sentences.count == 1 && desk.sentences[0].contains("422"))
        desk.tell(.stop)
        #expect(try #require(desk.saved.last).refused == 1)
    }

    /// The server takes none of these messages.
    private func refuse(_ tokens: ClosedRange<UInt64>, _ desk: inout Desk) {
        for token in tokens { desk.tell(.unwanted(token: token, reason: "the server answers 400")) }
    }

    private func flood(_ desk: inout Desk) {
        for event in 1...30 as ClosedRange<UInt64> { desk.live(event, .significantChange, event: event) }
    }

    @Test func `a server that takes none is set up wrong, and all of them wait`() throws {
        var desk = desk()
        desk.tell(.started(nil), .daemonConnected(.authorizedAlways, .full, newest: nil))
        flood(&desk)
        desk.tell(.brokerConnected)
        let first = desk.identifiers
        #expect(first == ["u/d-1"])
        refuse(1...19, &desk)
        #expect(!desk.effects.contains(.disconnectBroker))
        refuse(20...20, &desk)
        #expect(desk.effects.contains(.disconnectBroker))
        #expect(desk.machine.report.refused == nil && desk.machine.report.waitingEvents == 30)
        #expect(desk.machine.report.lastError == "cannot send: the server answers 400, to 20 messages in a row")
        desk.pass(31)
        desk.effects = []
        desk.tell(.wake, .brokerConnected)
        #expect(desk.identifiers == first, "in the order of before")
    }

    @Test func `a row of messages that are not taken does not block for ever a server that takes the newest`() {
        var desk = desk()
        desk.tell(.started(nil), .daemonConnected(.authorizedAlways, .full, newest: nil))
        flood(&desk)
        desk.tell(.brokerConnected)
        refuse(1...20, &desk)
        desk.pass(31)
        desk.tell(.wake, .brokerConnected)
        desk.effects = []
        // The first one is taken now, and the next twenty are not.
        desk.tell(.published(token: 21, refusal: nil))
        refuse(22...41, &desk)
        #expect(!desk.effects.contains(.disconnectBroker))
        #expect(desk.machine.report.refused == 20)
    }

    @Test func `events that the server never takes do not keep locations from it`() {
        var desk = desk(.move)
        desk.tell(.started(desk.kept(10)), .daemonConnected(.authorizedAlways, .full, newest: desk.location(50)))
        flood(&desk)
        desk.tell(.brokerConnected)
        refuse(1...20, &desk)
        #expect(desk.effects.contains(.disconnectBroker))
        desk.pass(31)
        desk.effects = []
        desk.tell(.wake, .brokerConnected, .newest(desk.location(50)))
        refuse(21...21, &desk)
        #expect(desk.identifiers.last == "u/d-50")
    }

    @Test func `a message in doubt outlives the program`() throws {
        var desk = desk()
        desk.start(nil)
        desk.live(10, .significantChange)
        desk.tell(.unwanted(token: 1, reason: "the server answers 422"), .stop)
        let state = try #require(desk.saved.last)
        #expect(state.messages?.count == 1)
        var successor = self.desk()
        successor.start(state)
        #expect(successor.identifiers == ["u/d-10"])
    }

    @Test func `a location in doubt stays behind the cursor`() throws {
        var desk = desk(.move)
        desk.start(desk.kept(10), newest: desk.location(12))
        desk.tell(
            .unwanted(token: 1, reason: "the server answers 413"), .read([desk.location(11)], hasGap: false), .stop)
        #expect(try #require(desk.saved.last).settled.contains(12) == false)
        desk.tell(.published(token: 2, refusal: nil), .stop)
        #expect(try #require(desk.saved.last).cursor == 12)
    }

    // MARK: Without a broker

    @Test func `attempts of which none succeeds come less and less often, though each begins at once`() {
        var desk = desk()
        desk.start(nil)
        desk.live(10, .significantChange)
        var waits: [Int] = []
        var sentences: [String] = []
        for _ in 0..<9 {
            desk.tell(.brokerLost(BrokerTrouble("cannot send to https://h/p: Connection refused")))
            sentences += desk.sentences
            desk.effects = []
            var wait = 0
            while !desk.effects.contains(where: { if case .connectBroker = $0 { true } else { false } }) {
                desk.pass(1)
                wait += 1
                desk.tell(.wake)
            }
            waits.append(wait)
            desk.tell(.brokerConnected)
            #expect(desk.machine.report.link == .connecting && desk.machine.report.lastError != nil)
        }
        for (wait, longest) in zip(waits, [1, 2, 4, 8, 16, 32, 64, 120, 120]) {
            #expect((longest * 3 / 4...longest).contains(wait), "\(waits)")
        }
        #expect(sentences.count == 1, "the journal is told of the first alone")
        desk.acknowledgeAll()
        #expect(desk.machine.report.link == .connected && desk.machine.report.lastError == nil)
    }

    @Test func `a server that says nothing is given up`() {
        var desk = desk()
        desk.start(nil)
        desk.live(10, .significantChange)
        desk.pass(31)
        desk.tell(.wake)
        #expect(desk.effects.contains(.disconnectBroker))
        #expect(desk.machine.report.lastError == "cannot go on with the server: it acknowledged nothing for 30 s")
    }

    @Test func `a server retains nothing, so nothing is cleared when consent is withdrawn`() throws {
        var desk = desk()
        var kept = desk.kept(10)
        kept.announced = ["homeassistant/old"]
        desk.start(kept)
        #expect(desk.sentences == ["what a broker retains of former settings stays there"])
        desk.live(11, .significantChange, event: 1)
        desk.acknowledgeAll()
        desk.effects = []
        desk.tell(.authorization(.denied, nil))
        #expect(desk.published.isEmpty && desk.effects.contains(.disconnectBroker))
        #expect(desk.machine.report.link == .off)
        #expect(try #require(desk.saved.last).owesClearing == false)
    }

    @Test func `what is sent to a server names its topic`() throws {
        let message = Message(topic: "owntracks/u/d", payload: Array(#"{"_type":"location","tst":1}"#.utf8))
        #expect(
            String(decoding: OwnTracks.withTopic(message), as: UTF8.self)
                == #"{"topic":"owntracks/u/d","_type":"location","tst":1}"#)
    }

    @Test func `the status tells of a server`() {
        var report = UplinkReport(
            link: .connected, mode: "move", hasDaemon: true, waiting: 0, waitingEvents: 0, sent: 0)
        report.carrier = "server"
        #expect(report.sentence == "Nothing sent yet; nothing waits.")
        report.connectedSince = 1
        #expect(report.sentence == "The server takes messages; nothing waits.")
    }
}
