// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationUplink
import Testing

/// One machine, told what happens by hand.
@Suite("What the uplink decides")
struct DecisionTests {
    // MARK: Counting anew

    @Test func `an older newest location after a power cut is not taken for a daemon that counts anew`() {
        var desk = Desk()
        let old = desk.location(50)
        desk.pass(1000)
        let kept = desk.kept(150)
        desk.pass(60)
        desk.start(kept, newest: old)
        desk.tell(.stop)
        #expect((desk.saved.last ?? kept).generation == 0)
        #expect(desk.reads == [150])
        #expect(desk.published.isEmpty)
    }

    @Test(arguments: [false, true])
    func `a daemon that counts anew is found by a location that was taken since`(isLive: Bool) throws {
        var desk = Desk()
        let kept = desk.kept(150)
        desk.pass(60)
        desk.start(kept, newest: isLive ? nil : desk.location(3))
        if isLive { desk.live(3) }
        desk.pass(10)
        desk.tell(.wake)
        #expect(try #require(desk.saved.last).generation == 1)
        #expect(desk.reads.last == 0)
    }

    // MARK: The beginning

    @Test(arguments: [false, true])
    func `nothing from before the first live location is read, whatever the daemon knew`(knowsOne: Bool) throws {
        var desk = Desk { $0.readsHistory = true }
        desk.start(nil, newest: knowsOne ? desk.location(50) : nil)
        desk.acknowledgeAll()
        desk.pass(40)
        desk.tell(.wake)
        desk.live(151)
        desk.tell(.newest(desk.location(151)), .wake)
        #expect(desk.fetches.isEmpty && desk.reads.isEmpty)
        #expect(desk.identifiers.last == "u/d-151")
        #expect(try #require(desk.saved.last).cursor == 150)
    }

    @Test func `a newest location with the number 0 is no reason to fall`() {
        var desk = Desk()
        desk.start(nil, newest: desk.location(0))
        desk.live(0)
        #expect(desk.reads.isEmpty)
    }

    @Test(arguments: [false, true])
    func `the log is left as soon as it has all that came live, however fast they come`(isLiveFirst: Bool) {
        var desk = Desk()
        desk.start(desk.kept(10), newest: desk.location(20))
        if isLiveFirst { desk.live(22) }
        desk.tell(.read((11...21).map { desk.location($0) }, hasGap: false))
        #expect(!desk.effects.contains(.closeLog))
        if isLiveFirst { desk.tell(.read([desk.location(22)], hasGap: false)) } else { desk.live(22) }
        #expect(desk.effects.contains(.closeLog))
        desk.live(23)
        for _ in 0..<2 { desk.acknowledgeAll() }
        #expect(Set(desk.identifiers).count == 13)
    }

    @Test func `a broker that is back when nothing is late has nothing read`() {
        var desk = Desk()
        desk.start(desk.kept(10), newest: desk.location(10))
        desk.tell(.readToEnd)
        desk.live(11)
        desk.acknowledgeAll()
        desk.tell(.brokerLost(BrokerTrouble("cannot go on: cut")))
        desk.pass(60)
        desk.effects = []
        desk.tell(.wake, .brokerConnected, .newest(desk.location(11)))
        #expect(desk.reads == [] && desk.published.isEmpty)
        desk.live(12)
        #expect(desk.identifiers == ["u/d-12"])
    }

    @Test(arguments: [0, 3])
    func `what was read before the daemon told of it is sent, though the broker was lost meanwhile`(taken: Int) {
        var desk = Desk()
        desk.start(desk.kept(10), newest: desk.location(12))
        desk.live(12)
        desk.tell(.read((11...20).map { desk.location($0) }, hasGap: false))
        for token in desk.tokens.prefix(taken) { desk.tell(.published(token: token, refusal: nil)) }
        let owed = Set((11...21).map { "u/d-\($0)" }).subtracting(desk.identifiers.prefix(taken))
        desk.tell(.brokerLost(BrokerTrouble("cannot go on: cut")))
        desk.pass(60)
        desk.effects = []
        desk.tell(.wake, .brokerConnected, .newest(desk.location(20)))
        // The log is left as soon as it has all that the daemon told of, and that is less than was read before.
        desk.tell(.read((11...17).map { desk.location($0) }, hasGap: false))
        let update = LocationUpdate(locations: (13...21).map { desk.location($0) }, source: .standard)
        desk.tell(.locations(update))
        for _ in 0..<20 { desk.acknowledgeAll() }
        #expect(Set(desk.identifiers) == owed)
        #expect(desk.machine.report.waiting == 0)
    }

    @Test func `what was accepted while the daemon was left is read, though it came back at once`() {
        var desk = Desk()
        desk.start(desk.kept(10), newest: desk.location(10))
        desk.tell(.readToEnd, .daemonConnected(.authorizedAlways, .full, newest: desk.location(15)))
        desk.live(16)
        desk.acknowledgeAll()
        #expect(desk.reads == [10, 10])
        #expect(!desk.identifiers.contains("u/d-16"))
    }

    // MARK: Events

    @Test func `a significant change that is told again is not acknowledged before the broker has it`() {
        var desk = Desk { $0.mode = .significant }
        desk.tell(.started(nil), .daemonConnected(.authorizedAlways, .full, newest: nil))
        desk.live(10, .significantChange, event: 1)
        desk.tell(.daemonLost(reason: "restart"), .daemonConnected(.authorizedAlways, .full, newest: nil))
        desk.live(10, .significantChange, event: 1)
        #expect(!desk.effects.contains(.acknowledge(event: 1)))
        desk.tell(.brokerConnected)
        desk.live(10, .significantChange, event: 1)
        #expect(!desk.effects.contains(.acknowledge(event: 1)))
        #expect(desk.published.count == 1)
        desk.acknowledgeAll()
        #expect(desk.effects.filter { $0 == .acknowledge(event: 1) }.count == 1)
    }

    @Test func `a significant change for which there is no room is told again, and sent`() {
        var desk = Desk { $0.mode = .significant }
        desk.tell(.started(nil), .daemonConnected(.authorizedAlways, .full, newest: nil))
        for event in 1...257 as ClosedRange<UInt64> { desk.live(event, .significantChange, event: event) }
        desk.live(257, .significantChange, event: 257)
        #expect(!desk.effects.contains(.acknowledge(event: 257)))
    }

    @Test func `a crossing that is told again while it is on its way is sent once`() {
        var desk = Desk()
        desk.start(nil)
        let region = Region(
            identifier: "home", shape: .circle(center: Coordinate(latitude: 1, longitude: 2), radius: 100))
        let crossing = RegionCrossing(region: region, location: desk.location(0), event: 1)
        desk.tell(.crossed(crossing, isInside: true), .crossed(crossing, isInside: true))
        #expect(desk.published.count == 1)
    }

    @Test func `an event that is older than the topic's location is sent and not retained`() throws {
        var desk = Desk { $0.mode = .significant }
        desk.start(desk.kept(20))
        desk.live(10, .significantChange, event: 1)
        #expect(try #require(desk.published.last).isRetained == false)
        desk.live(21, .significantChange, event: 2)
        #expect(try #require(desk.published.last).isRetained)
    }

    // MARK: Waiting

    @Test func `nothing wakes the uplink while locationd is away`() {
        var desk = Desk()
        desk.start(desk.kept(10), newest: desk.location(10))
        desk.tell(.readingFailed, .daemonLost(reason: "stopped"))
        desk.pass(10)
        desk.tell(.wake)
        desk.pass(31)
        desk.tell(.wake)
        #expect(desk.machine.nextWake == nil)
    }

    @Test(arguments: [UplinkMode.significant, .manual])
    func `nothing asks for the newest location where not every location is sent`(mode: UplinkMode) {
        var desk = Desk { $0.mode = mode }
        desk.start(desk.kept(10), newest: desk.location(10))
        for _ in 0..<3 {
            desk.pass(31)
            desk.tell(.wake)
        }
        #expect(!desk.effects.contains(.askNewest))
        #expect(desk.machine.nextWake == nil)
    }

    @Test func `a backlog that is not read yet keeps the uplink from ending`() {
        var desk = Desk { $0.exitWhenIdle = .seconds(10) }
        desk.tell(.started(desk.kept(10)), .daemonConnected(.authorizedAlways, .full, newest: nil))
        desk.live(11)
        for _ in 0..<3 {
            desk.pass(11)
            desk.tell(.wake)
        }
        #expect(!desk.effects.contains(.exit))
    }

    // MARK: What was sent and lost

    @Test func `a retained significant change on its way is cleared when consent is withdrawn`() throws {
        var desk = Desk { $0.mode = .significant }
        desk.start(nil)
        desk.live(10, .significantChange, event: 1)
        desk.tell(.authorization(.denied, nil))
        let last = try #require(desk.published.last { $0.topic == "owntracks/u/d" })
        #expect(last.payload.isEmpty && last.isRetained)
    }

    @Test func `the first location that the broker retains is noted on the disk at once`() throws {
        var desk = Desk { $0.mode = .significant }
        desk.start(nil)
        desk.tell(.authorization(.denied, nil), .authorization(.authorizedAlways, .full), .brokerConnected)
        #expect(!desk.saved.isEmpty)
        desk.effects = []
        desk.live(10, .significantChange, event: 1)
        desk.acknowledgeAll()
        #expect(try #require(desk.saved.last).retained == .full)
    }

    @Test func `a gap before an empty page is counted as lost`() {
        var desk = Desk { $0.readsHistory = true }
        desk.start(desk.kept(10), newest: desk.location(10))
        desk.tell(.page([], through: 110, hasGap: true), .readToEnd)
        desk.tell(.page([], through: 110, hasGap: true), .page([], through: nil, hasGap: false))
        #expect(desk.machine.report.lost == 100)
    }

    @Test func `a history that cannot be read now is asked again, and one that is off is not`() {
        var desk = Desk { $0.readsHistory = true }
        desk.start(desk.kept(10), newest: desk.location(10))
        desk.tell(.unreadableHistory(HistoryStatus(keepDays: 30)))
        desk.pass(2)
        desk.tell(.wake)
        #expect(desk.effects.filter { $0 == .fetchPage(after: 10, limit: 256) }.count == 2)
        #expect(desk.reads.isEmpty)
        desk.tell(.unreadableHistory(nil))
        #expect(desk.reads == [10])
    }

    @Test func `a withdrawal has the broker forget how the device is found, and leaves no oldest location`() throws {
        let config = Message(topic: "homeassistant/config", payload: [1], isRetained: true)
        var desk = Desk { $0.announcements = [config] }
        desk.start(desk.kept(10), newest: desk.location(10))
        desk.acknowledgeAll()
        desk.tell(.brokerLost(BrokerTrouble("cannot go on: cut")))
        desk.live(11)
        #expect(desk.machine.report.oldest != nil)
        desk.effects = []
        desk.tell(.authorization(.denied, nil))
        #expect(desk.machine.report.oldest == nil)
        desk.pass(60)
        desk.tell(.wake, .brokerConnected)
        #expect(desk.published.map(\.topic) == ["owntracks/u/d", config.topic, "owntracks/u/d/lwt"])
        #expect(desk.published.prefix(2).allSatisfy { $0.payload.isEmpty && $0.isRetained })
        desk.acknowledgeAll()
        desk.pass(10)
        desk.tell(.wake)
        #expect(try #require(desk.saved.last).announced == nil)
        #expect(desk.saved.last?.owesClearing == false)
    }

    @Test func `the broker forgets how the device was found by an earlier configuration`() {
        var desk = Desk()
        var state = desk.kept(10)
        state.announced = ["homeassistant/old"]
        desk.start(state)
        #expect(desk.published == [Message(topic: "homeassistant/old", payload: [], isRetained: true)])
    }

    @Test func `nothing waits only if no event waits either`() {
        var report = UplinkReport(
            link: .connected, mode: "move", hasDaemon: true, waiting: 0, waitingEvents: 2, sent: 0)
        #expect(report.sentence == "Connected to the broker; 2 events wait.")
        report.waiting = 3
        #expect(report.sentence == "Connected to the broker; 3 locations and 2 events wait.")
        (report.waiting, report.waitingEvents) = (0, 0)
        #expect(report.sentence == "Connected to the broker; nothing waits.")
    }
}
