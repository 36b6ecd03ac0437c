// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationUplink
import Testing

/// What comes live and once, and is in no log: significant changes, and locations that a person asked for.
@Suite("What nobody but the uplink keeps")
struct KeptMessageTests {
    private func significant() -> Desk { Desk { $0.mode = .significant } }

    @Test func `a significant change outlives a kill, and comes under the same identifier`() throws {
        var desk = significant()
        desk.tell(.started(nil), .daemonConnected(.authorizedAlways, .full, newest: nil))
        desk.live(10, .significantChange)
        desk.live(20, .significantChange)
        var next = significant()
        next.start(desk.saved.last)
        #expect(next.identifiers == ["u/d-10", "u/d-20"])
        #expect(next.published.last?.isRetained == true)
    }

    @Test func `a location that a person asked for outlives a kill`() throws {
        var desk = Desk { $0.mode = .manual }
        desk.tell(.started(nil), .daemonConnected(.authorizedAlways, .full, newest: nil))
        desk.live(10, .request)
        var next = Desk { $0.mode = .manual }
        next.start(desk.saved.last)
        #expect(next.identifiers == ["u/d-10"])
    }

    @Test func `what was sent and not acknowledged is kept, and what was acknowledged is not`() throws {
        var desk = significant()
        desk.start(nil)
        desk.live(10, .significantChange)
        desk.acknowledgeAll()
        desk.live(20, .significantChange)
        var next = significant()
        next.start(desk.saved.last)
        #expect(next.identifiers == ["u/d-20"])
    }

    @Test func `it is on the disk before it is sent`() throws {
        var desk = significant()
        desk.start(nil)
        desk.effects = []
        desk.live(10, .significantChange)
        let kinds = desk.effects.compactMap { effect in
            switch effect {
            case .save: "save"
            case .publish: "publish"
            default: nil
            }
        }
        #expect(kinds.first == "save" && kinds.contains("publish"))
    }

    @Test func `what the daemon keeps is not kept twice`() throws {
        var desk = significant()
        desk.tell(.started(nil), .daemonConnected(.authorizedAlways, .full, newest: nil))
        desk.live(10, .significantChange, event: 1)
        desk.tell(.stop)
        #expect(desk.saved.allSatisfy { $0.messages == nil })
    }

    @Test func `of too many the oldest go, and are counted`() {
        var desk = significant()
        desk.tell(.started(nil), .daemonConnected(.authorizedAlways, .full, newest: nil))
        for sequence in 1...UInt64(EventBox.ownLimit) + 3 { desk.live(sequence, .significantChange) }
        #expect(desk.machine.report.lost == 3)
        #expect(desk.machine.report.waitingEvents == EventBox.ownLimit)
        #expect(desk.saved.last?.messages?.first?.sequence == 4)
    }

    @Test func `of too large ones the oldest go, and how many wait is said as it is`() throws {
        var desk = significant()
        let message = UplinkState.KeptMessage(
            isEvent: true, payload: String(repeating: " ", count: 384 << 10), sequence: nil)
        var state = UplinkState()
        state.messages = [message]
        desk.tell(.started(state), .daemonConnected(.authorizedAlways, .full, newest: nil))
        desk.live(1, .significantChange)
        #expect(desk.sentences == ["1 messages are lost: 1 wait already"])
    }

    @Test func `an older one that is taken up does not take the place of the newest at the broker`() throws {
        var desk = Desk()
        var state = desk.kept(20)
        state.messages = [.init(isEvent: false, payload: #"{"_id":"u/d-10"}"#, sequence: 10)]
        desk.start(state)
        #expect(desk.identifiers == ["u/d-10"])
        #expect(desk.published.last?.isRetained == false)
    }

    @Test func `withdrawn consent forgets them on the disk, those on their way, too`() throws {
        var desk = significant()
        desk.start(nil)
        desk.live(10, .significantChange)
        desk.tell(.authorization(.denied, nil))
        #expect(try #require(desk.saved.last).messages == nil)
        desk.tell(.brokerLost(BrokerTrouble("cannot go on: cut")))
        desk.tell(.authorization(.authorizedAlways, .full))
        desk.effects = []
        desk.pass(60)
        desk.tell(.wake, .brokerConnected)
        #expect(!desk.identifiers.contains("u/d-10"))
    }

    @Test func `withdrawn consent has the disk forget the state before it, once`() throws {
        var desk = significant()
        desk.start(nil)
        desk.live(10, .significantChange)
        desk.tell(.authorization(.denied, nil))
        desk.tell(.authorization(.authorizedAlways, .full))
        desk.live(20, .significantChange)
        let keepsFormer = desk.effects.compactMap { effect in
            if case .save(_, let keepsFormer) = effect { keepsFormer } else { nil }
        }
        #expect(keepsFormer.filter { !$0 }.count == 1)
        #expect(keepsFormer.first == true && keepsFormer.last == true)
    }

    @Test func `a state that the disk did not take is written again after a while, with nothing else to wake for`() {
        var desk = significant()
        desk.tell(.started(nil), .daemonConnected(.denied, nil, newest: nil))
        desk.effects = []
        desk.tell(.wake)
        #expect(desk.effects.isEmpty && desk.machine.nextWake == nil)
        for _ in 0..<2 {
            desk.tell(.saveFailed, .wake)
            #expect(desk.saved.isEmpty, "a disk that refuses is not asked at once")
            let due = desk.machine.nextWake?.earliest
            #expect(due == desk.now + .seconds(5))
            desk.pass(5)
            desk.tell(.wake)
            #expect(desk.saved.count == 1)
            #expect(desk.effects.contains { if case .save(_, keepsFormer: false) = $0 { true } else { false } })
            desk.effects = []
        }
        #expect(desk.machine.nextWake == nil)
    }

    @Test(arguments: [false, true])
    func `what is exact is not sent once consent is reduced, and neither what nobody noted`(isNoted: Bool) throws {
        var desk = significant()
        desk.tell(.started(nil), .daemonConnected(.authorizedAlways, .full, newest: nil))
        desk.live(10, .significantChange)
        var kept = try #require(desk.saved.last)
        #expect(kept.messages?.map(\.accuracy) == [.full] && kept.retained == nil)
        if !isNoted { kept.messages?[0].accuracy = nil }
        var next = significant()
        next.tell(.started(kept), .daemonConnected(.authorizedAlways, .reduced, newest: nil), .brokerConnected)
        #expect(!next.identifiers.contains("u/d-10"))
        #expect(try #require(next.saved.last).messages == nil)
        let cleared = try #require(next.published.first, "the former process may have sent it")
        #expect(cleared.topic == "owntracks/u/d" && cleared.payload.isEmpty && cleared.isRetained)
    }

    @Test func `what is reduced outlives a kill while consent stays reduced`() throws {
        var desk = significant()
        desk.tell(.started(nil), .daemonConnected(.authorizedAlways, .reduced, newest: nil))
        desk.live(10, .significantChange)
        var next = significant()
        next.tell(
            .started(desk.saved.last), .daemonConnected(.authorizedAlways, .reduced, newest: nil), .brokerConnected)
        #expect(next.identifiers == ["u/d-10"])
    }
}
