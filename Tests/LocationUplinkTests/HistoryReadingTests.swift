// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationUplink
import Testing

/// Where what is late is read from: the history goes back farther, the log is nearer.
@Suite("What the uplink reads from the history and from the log")
struct HistoryReadingTests {
    private func desk(newest: UInt64) -> Desk {
        var desk = Desk { $0.readsHistory = true }
        desk.start(desk.kept(10), newest: desk.location(newest))
        desk.acknowledgeAll()
        desk.effects = []
        return desk
    }

    private func locations(_ desk: Desk, _ sequences: ClosedRange<UInt64>) -> [Location] {
        sequences.map { desk.location($0) }
    }

    private let unreadable = UplinkEvent.unreadableHistory(HistoryStatus(keepDays: 30))

    @Test func `what the history does not have is read from the log, up to where the history begins`() {
        var desk = desk(newest: 60)
        desk.tell(.page(locations(desk, 50...60), through: nil, hasGap: true))
        #expect(desk.reads == [10])
        desk.tell(.read(locations(desk, 11...55), hasGap: false))
        #expect(desk.effects.contains(.closeLog))
        #expect(desk.fetches == [.fetchPage(after: 49, limit: 256)])
        desk.tell(.page(locations(desk, 50...60), through: nil, hasGap: true))
        for _ in 0..<4 { desk.acknowledgeAll() }
        #expect(desk.machine.report.lost == 0)
        #expect(Set(desk.identifiers).count == 49)
    }

    @Test(arguments: [false, true])
    func `what neither has is lost once, and counted`(isLogEmpty: Bool) {
        var desk = desk(newest: 60)
        desk.tell(.page(locations(desk, 50...60), through: nil, hasGap: true))
        desk.tell(isLogEmpty ? .readToEnd : .read(locations(desk, 50...60), hasGap: true))
        #expect(desk.fetches == [.fetchPage(after: 10, limit: 256)])
        desk.tell(.page(locations(desk, 50...60), through: nil, hasGap: true))
        #expect(desk.machine.report.lost == 39)
        #expect(desk.reads == [10])
    }

    @Test func `a gap that is read once more after a cut is counted once`() {
        var desk = desk(newest: 60)
        for connection in 0..<3 {
            if connection > 0 {
                desk.tell(.brokerLost(BrokerTrouble("cannot go on: cut")))
                desk.pass(60)
                desk.effects = []
                desk.tell(.wake, .brokerConnected, .newest(desk.location(60)))
            }
            desk.tell(.page(locations(desk, 11...20), through: 20, hasGap: false))
            desk.tell(.page(locations(desk, 50...60), through: nil, hasGap: true), .readToEnd)
            desk.tell(.page(locations(desk, 50...60), through: nil, hasGap: true))
        }
        #expect(desk.machine.report.lost == 29)
    }

    @Test func `what was read from the log and not acknowledged is read from it again on the next connection`() {
        var desk = desk(newest: 60)
        desk.tell(.page(locations(desk, 50...60), through: nil, hasGap: true))
        desk.tell(.read(locations(desk, 11...55), hasGap: false))
        desk.tell(.brokerLost(BrokerTrouble("cannot go on: cut")))
        desk.pass(60)
        desk.effects = []
        desk.tell(.wake, .brokerConnected, .newest(desk.location(60)))
        #expect(desk.fetches == [.fetchPage(after: 10, limit: 256)])
        desk.tell(.page(locations(desk, 50...60), through: nil, hasGap: true))
        #expect(desk.reads == [10])
        #expect(desk.machine.report.lost == 0)
    }

    @Test func `a history that cannot be read is asked less and less often`() {
        var desk = desk(newest: 10)
        var waits: [Double] = []
        for _ in 0..<2 {
            desk.tell(unreadable)
            let before = desk.now
            while desk.fetches.isEmpty {
                desk.pass(0.5)
                desk.tell(.wake)
            }
            waits.append((desk.now - before).seconds)
            desk.effects = []
        }
        #expect(waits == [1, 2])
    }

    @Test func `what only a history has that cannot be read waits for it, while the rest goes out`() {
        var desk = desk(newest: 110)
        for _ in 0..<3 {
            desk.tell(unreadable)
            desk.pass(2)
            desk.tell(.wake)
        }
        #expect(desk.reads == [10])
        desk.tell(.read(locations(desk, 100...110), hasGap: true), .readToEnd)
        for _ in 0..<2 { desk.acknowledgeAll() }
        #expect(Set(desk.identifiers) == Set((100...109).map { "u/d-\($0)" }))
        #expect(desk.machine.report.lost == 0)
        #expect(desk.machine.report.waiting == 89)
        desk.live(111)
        #expect(desk.identifiers.last == "u/d-111", "live ones do not wait for the history")
        desk.acknowledgeAll()
        desk.effects = []
        desk.pass(10)
        desk.tell(.wake)
        #expect(desk.fetches == [.fetchPage(after: 10, limit: 256)])
        desk.tell(.page(locations(desk, 11...111), through: nil, hasGap: false))
        for _ in 0..<6 { desk.acknowledgeAll() }
        #expect(Set(desk.identifiers).isSuperset(of: (11...99).map { "u/d-\($0)" }))
        #expect(desk.machine.report.waiting == 0)
    }

    @Test func `what waits for a history that is switched off then is lost, and counted`() {
        var desk = desk(newest: 110)
        for _ in 0..<3 {
            desk.tell(unreadable)
            desk.pass(2)
            desk.tell(.wake)
        }
        desk.tell(.read(locations(desk, 100...110), hasGap: true), .readToEnd)
        for _ in 0..<2 { desk.acknowledgeAll() }
        desk.pass(10)
        desk.tell(.wake, .unreadableHistory(nil))
        #expect(desk.reads == [10, 10])
        desk.tell(.read(locations(desk, 100...110), hasGap: true), .readToEnd)
        #expect(desk.machine.report.lost == 89)
        #expect(desk.machine.report.waiting == 0)
    }

    @Test func `each reason of one trouble is said once, however many attempts fail`() {
        var desk = desk(newest: 10)
        for attempt in 0..<6 {
            desk.tell(.brokerLost(BrokerTrouble(attempt % 2 == 0 ? "cannot connect: A" : "cannot connect: B")))
            desk.pass(200)
            desk.tell(.wake)
        }
        #expect(desk.sentences == ["cannot connect: A", "cannot connect: B"])
    }
}
