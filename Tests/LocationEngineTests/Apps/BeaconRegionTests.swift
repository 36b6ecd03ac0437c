// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import LocationEngine

@Suite("Regions that are beacons")
struct BeaconRegionTests {
    private var bench = EngineBench()
    private let client: ManagerID
    private let ear: ManagerID

    init() {
        client = bench.greet()
        bench.authorize(.always, app: 1)
        ear = bench.greet(app: 1)
        bench.ask(ear, .offerBeacons)
        _ = (bench.lines(client), bench.lines(ear))
    }

    private static func region(
        _ name: String = "desk", _ number: UInt32 = 0xA, major: UInt16? = nil, entry: Bool = true, exit: Bool = true
    ) -> Region {
        var beacons = BeaconIdentity.some(number)
        beacons.major = major
        return Region(identifier: name, shape: .beacon(beacons), notifyOnEntry: entry, notifyOnExit: exit)
    }

    private mutating func hear(_ minor: UInt16 = 1, major: UInt16 = 1, of number: UInt32 = 0xA, age: Double = 0) {
        let beacon = Beacon(uuid: BeaconIdentity.some(number).uuid, major: major, minor: minor)
        let sighting = BeaconSighting(beacon, rssi: -59, measuredPower: -59, age: age)
        bench.ask(ear, .reportBeacons([sighting]))
    }

    /// Monitors the region, and waits until it is known to be out of reach.
    private mutating func monitorFar(_ region: Region = BeaconRegionTests.region()) {
        bench.ask(client, .startMonitoring(region))
        bench.advance(by: 31)
        _ = (bench.lines(client), bench.lines(ear))
    }

    // MARK: Near and gone

    @Test("is entered when a beacon is first heard, and left after thirty seconds without it (H6)")
    mutating func crossings() {
        monitorFar()
        hear()
        #expect(bench.lines(client) == ["enter desk event 1", "desk is inside"])
        bench.advance(by: 20)
        hear()
        bench.advance(by: 29.9)
        #expect(bench.lines(client) == [])
        bench.advance(by: 1.2)
        #expect(bench.lines(client) == ["exit desk event 2", "desk is outside"])
        #expect(bench.engine.nextWake == nil && bench.violations == [])
    }

    @Test("says when, and no place, of a crossing")
    mutating func event() {
        monitorFar()
        bench.fix(at: 0)
        bench.handle(.dated(bench.wallTime))
        hear()
        let event = bench.engine.events(of: AppID(rawValue: 0)).first
        guard case .region(let region, .inside, let place)? = event?.content else {
            Issue.record("\(String(describing: event))")
            return
        }
        #expect(region == Self.region() && place == nil && event?.date == bench.wallTime)
    }

    @Test("is known once and says nothing when a beacon is near at the start (M4)")
    mutating func insideAtFirst() {
        bench.ask(client, .startMonitoring(Self.region()))
        bench.ask(client, .requestState(identifier: "desk"))
        #expect(bench.lines(client) == ["reply running", "desk started", "reply running", "desk is unknown"])
        hear()
        #expect(bench.lines(client) == ["desk is inside"])
        hear()
        bench.advance(by: 31)
        #expect(bench.lines(client) == ["exit desk event 1", "desk is outside"])
    }

    @Test("means the beacons of a UUID or of a major, and no other")
    mutating func meaning() {
        monitorFar(Self.region("group", major: 7))
        monitorFar(Self.region("all"))
        hear(of: 0xB)
        hear(major: 6)
        #expect(bench.lines(client) == ["enter all event 1", "all is inside"])
        hear(major: 7)
        #expect(bench.lines(client) == ["enter group event 2", "group is inside"])
    }

    @Test("counts silence from when a beacon was heard, not from when that was told")
    mutating func age() {
        monitorFar()
        hear(age: 10)
        bench.advance(by: 21)
        #expect(bench.lines(client).last == "desk is outside")
    }

    @Test("is not left because the device slept, when nobody could hear anything")
    mutating func sleep() {
        monitorFar()
        hear()
        _ = bench.lines(client)
        bench.oversleep(3600)
        bench.advance(by: 29)
        #expect(bench.lines(client) == [])
        bench.advance(by: 2.1)
        #expect(bench.lines(client) == ["exit desk event 2", "desk is outside"])
    }

    @Test(
        "counts no sleep of the device as silence, be that over just before it would be left", arguments: [5.0, 29, 31])
    mutating func shortSleep(span: Double) {
        monitorFar()
        hear()
        _ = bench.lines(client)
        bench.oversleep(span)
        bench.handle(.slept(.seconds(span)))
        bench.advance(by: 29.9)
        #expect(bench.lines(client) == [])
        bench.advance(by: 1.2)
        #expect(bench.lines(client) == ["exit desk event 2", "desk is outside"])
    }

    @Test("counts silence from when a beacon was heard behind a sleep, however long that was")
    mutating func sleepBefore() {
        monitorFar()
        hear()
        bench.oversleep(29)
        bench.handle(.slept(.seconds(3600)))
        hear()
        _ = bench.lines(client)
        bench.advance(by: 29.9)
        #expect(bench.lines(client) == [])
        bench.advance(by: 1.2)
        #expect(bench.lines(client) == ["exit desk event 2", "desk is outside"])
    }

    @Test("has its silence configured")
    mutating func patience() {
        var configuration = EngineConfiguration()
        configuration.regions.beaconExit = .seconds(60)
        bench.handle(.configurationChanged(configuration))
        monitorFar()
        bench.advance(by: 30)
        hear()
        bench.advance(by: 59)
        #expect(bench.lines(client) == ["enter desk event 1", "desk is inside"])
        bench.advance(by: 2.1)
        #expect(bench.lines(client).last == "desk is outside")
    }

    @Test(
        "tells only what is asked for, and the state all the same (M7)",
        arguments: [(true, false), (false, true), (false, false)])
    mutating func flags(entry: Bool, exit: Bool) {
        monitorFar(Self.region(entry: entry, exit: exit))
        hear()
        bench.advance(by: 31)
        var expected = entry ? ["enter desk event 1"] : []
        expected.append("desk is inside")
        if exit { expected.append("exit desk event \(entry ? 2 : 1)") }
        #expect(bench.lines(client) == expected + ["desk is outside"])
    }

    @Test("ends, with every deadline, when it is stopped")
    mutating func stop() {
        monitorFar()
        hear()
        bench.ask(client, .stopMonitoring(identifier: "desk"))
        _ = bench.lines(client)
        hear()
        bench.advance(by: 60)
        #expect(bench.lines(client) == [] && bench.engine.nextWake == nil)
        #expect(bench.lines(ear).filter { $0.hasPrefix("wanted") } == ["wanted"])
    }

    // MARK: Who hears

    @Test("is unknown and without a deadline while nobody hears, and then tells once what was crossed meanwhile (H7)")
    mutating func deaf() {
        monitorFar()
        hear()
        bench.ask(ear, .withdrawBeacons(reason: "Bluetooth is off"))
        bench.advance(by: 100)
        bench.ask(client, .requestState(identifier: "desk"))
        #expect(
            bench.lines(client) == ["enter desk event 1", "desk is inside", "reply running", "desk is unknown"])
        #expect(bench.engine.nextWake == nil)
        bench.ask(ear, .offerBeacons)
        bench.advance(by: 29)
        #expect(bench.lines(client) == [])
        bench.advance(by: 2.1)
        #expect(bench.lines(client) == ["exit desk event 2", "desk is outside"])
        bench.ask(ear, .withdrawBeacons(reason: nil))
        bench.ask(ear, .offerBeacons)
        hear()
        #expect(bench.lines(client) == ["enter desk event 3", "desk is inside"])
        #expect(bench.violations == [])
    }

    @Test("tells nothing when it is found again as it was, but to who asked meanwhile")
    mutating func sameAgain() {
        monitorFar()
        hear()
        let other = bench.greet()
        bench.ask(ear, .withdrawBeacons(reason: nil))
        bench.ask(other, .requestState(identifier: "desk"))
        _ = (bench.lines(client), bench.lines(other))
        bench.ask(ear, .offerBeacons)
        hear()
        #expect(bench.lines(client) == [] && bench.lines(other) == ["desk is inside"])
    }

    @Test("is not left because the program that hears lost its connection, and is when it is back and hears nothing")
    mutating func lostEar() {
        monitorFar()
        hear()
        bench.advance(by: 25)
        _ = bench.lines(client)
        bench.detach(ear)
        bench.advance(by: 20)
        #expect(bench.lines(client) == [])
        bench.attach(ear)
        bench.advance(by: 29)
        #expect(bench.lines(client) == [])
        bench.advance(by: 3)
        #expect(bench.lines(client) == ["exit desk event 2", "desk is outside"])
    }

    @Test("is wanted of those who hear, and so that seldom is enough while nobody ranges")
    mutating func wanted() {
        bench.ask(client, .startMonitoring(Self.region("b", 0xB)))
        bench.ask(client, .startRangingBeacons(.some(0xA)))
        bench.ask(client, .stopRangingBeacons(.some(0xA)))
        bench.ask(client, .stopMonitoring(identifier: "b"))
        #expect(bench.lines(ear) == ["wanted B monitored", "wanted A B", "wanted B monitored", "wanted"])
    }

    @Test("is a use of the location, and does not keep the receiver on")
    mutating func use() {
        bench.ask(client, .startMonitoring(Self.region()))
        #expect(bench.using == [IdentityID(rawValue: 0)] && !bench.isReceiverOn)
        #expect(bench.engine.receiverUsers == [.beacons(AppID(rawValue: 0))])
        bench.ask(client, .startMonitoring(.circle("home")))
        #expect(bench.isReceiverOn)
        #expect(bench.engine.receiverUsers == [.regions(AppID(rawValue: 0)), .beacons(AppID(rawValue: 0))])
        bench.ask(client, .stopMonitoring(identifier: "home"))
        bench.ask(client, .stopMonitoring(identifier: "desk"))
        #expect(bench.using == [] && !bench.isReceiverOn)
    }

    // MARK: The app's

    @Test("shares the app's twenty with areas (M1), and takes the place of an area of its name (M3)")
    mutating func limit() {
        for number in 1...19 { bench.ask(client, .startMonitoring(.circle("r\(number)"))) }
        bench.ask(client, .startMonitoring(Self.region("r20")))
        _ = bench.lines(client)
        bench.ask(client, .startMonitoring(Self.region("r21")))
        bench.ask(client, .startMonitoring(Self.region("r7")))
        bench.ask(client, .startMonitoring(.circle("r20")))
        #expect(bench.lines(client).filter { $0 != "reply running" } == ["r21 failed 5", "r7 started", "r20 started"])
        let shapes = bench.engine.monitoredRegions(of: AppID(rawValue: 0)).compactMap(\.shape.beacons)
        #expect(shapes == [.some(0xA)] && bench.engine.regionCount(of: AppID(rawValue: 0)) == 20)
    }

    @Test("is not watched without consent or with reduced accuracy, and begins anew with it (A9)")
    mutating func consent() {
        monitorFar()
        hear()
        for authorization in [Authorization.denied, .reduced] {
            bench.authorize(authorization)
            _ = (bench.lines(client), bench.lines(ear))
            hear()
            bench.advance(by: 60)
            #expect(bench.lines(client) == [] && bench.engine.nextWake == nil)
            bench.authorize(.always)
            _ = bench.lines(client)
            #expect(bench.lines(ear).last == "wanted A monitored")
            hear()
            #expect(bench.lines(client) == [], "near at the start")
        }
        #expect(bench.violations == [])
    }

    @Test("is the app's while nobody is there: wakes it, and stores what happens until that is acknowledged")
    mutating func absent() {
        monitorFar()
        bench.close(client)
        hear()
        #expect(bench.chores.contains { if case .wake(AppID(rawValue: 0)) = $0 { true } else { false } })
        let back = bench.greet(keepsEvents: true)
        #expect(bench.lines(back).contains("enter desk event 1"))
        bench.ask(back, .acknowledge(event: 1))
        #expect(bench.engine.events(of: AppID(rawValue: 0)).isEmpty && bench.violations == [])
    }

    @Test(
        "goes on in a new process from where it stood, after a crash and after a stop (M9)", arguments: [true, false])
    mutating func restart(isCrash: Bool) {
        monitorFar()
        hear()
        _ = bench.lines(client)
        var back = client
        if isCrash {
            bench.kill()
            bench.attach(ear)
            back = bench.greet()
        } else {
            bench.restart()
        }
        _ = (bench.lines(back), bench.lines(ear))
        hear()
        #expect(bench.lines(back) == [])
        bench.advance(by: 31)
        #expect(bench.lines(back) == ["exit desk event 2", "desk is outside"])
        #expect(bench.violations == [])
    }

    @Test("monitored again under its name it stands as it stood, and a return is told before silence could tell anew")
    mutating func again() {
        monitorFar()
        bench.ask(client, .startMonitoring(Self.region(entry: false)))
        bench.ask(client, .startMonitoring(Self.region()))
        _ = bench.lines(client)
        hear()
        #expect(bench.lines(client) == ["enter desk event 1", "desk is inside"])
        bench.ask(client, .startMonitoring(Self.region(major: 1)))
        _ = bench.lines(client)
        hear()
        #expect(bench.lines(client) == [], "other beacons begin anew (M4)")
        #expect(bench.violations == [])
    }

    // MARK: Conditions

    @Test("a condition is satisfied by the beacon that is heard, which is its refinement, and not when it is gone (H8)")
    mutating func condition() {
        bench.ask(client, .openMonitor(name: "m"))
        bench.ask(client, .add("desk", .beacon(.some(0xA)), assuming: .unsatisfied))
        _ = bench.lines(client)
        hear(9, major: 8)
        #expect(bench.lines(client) == ["m/desk satisfied event 1"])
        guard case .event(let event, _)? = bench.connections[client]?.lines.last?.line,
            case .monitor(_, _, let told) = event.content
        else { return #expect(Bool(false)) }
        let heard = RegionShape.beacon(BeaconIdentity(uuid: BeaconIdentity.some(0xA).uuid, major: 8, minor: 9))
        #expect(told.refinement == heard)
        bench.restart()
        _ = bench.lines(client)
        let taken = bench.engine.condition(taking: 1, of: AppID(rawValue: 0))
        #expect(taken?.lastEvent.refinement == heard)
        hear(9, major: 8)
        bench.ask(client, .acknowledge(event: 1))
        bench.advance(by: 31)
        #expect(bench.lines(client) == ["reply", "m/desk unsatisfied event 2"])
        #expect(bench.violations == [])
    }
}
