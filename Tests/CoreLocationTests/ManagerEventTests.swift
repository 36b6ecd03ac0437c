// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("A location manager that is told of regions, visits, beacons and headings", .asynchronous)
struct ManagerEventTests {
    @Test("tells regions and visits, and why a region is not watched")
    func regionCallbacks() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        let uuid = UUID()
        app.session.connect()
        try app.use { manager in
            manager.startMonitoring(
                for: CLCircularRegion(
                    center: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: 3, identifier: "a"))
            manager.startMonitoring(
                for: CLCircularRegion(
                    center: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: .nan, identifier: "b"))
            manager.startMonitoring(for: CLRegion())
            manager.startMonitoring(for: CLBeaconRegion(uuid: uuid, major: 7, identifier: "c"))
        }
        let region = Region.named("home")
        let visit = Visit(
            coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 5, arrival: nil, departure: nil)
        app.session.tell(
            .didStartMonitoring(region), .didEnterRegion(RegionCrossing(region: region, location: nil)),
            .didDetermineState(region, .inside), .didExitRegion(RegionCrossing(region: region, location: nil)),
            .monitoringDidFail(region, LocationError(.regionMonitoringFailure)), .didVisit(visit, event: nil))
        await app.settle()
        #expect(
            Set(diary.all.prefix(3)) == ["authorization 3 0", "not monitoring b 5", "not monitoring  5"])
        #expect(
            Array(diary.all.dropFirst(3)) == [
                "monitoring home", "enter home", "state home 1", "exit home", "not monitoring home 5", "visit arrival",
            ])
        let beacons = BeaconIdentity(uuid: uuid.uuidString, major: 7)
        #expect(app.session.commands.count == 2)
        #expect(app.session.commands.last == .startMonitoring(Region(identifier: "c", shape: .beacon(beacons))))
    }

    @Test("says which region is not watched when its state is asked for, and what to do")
    func stateOfUnknown() async throws {
        let app = try ManagedApp(Diary())
        try app.use { $0.requestState(for: CLRegion.make(of: .named("harbour"))) }
        app.session.say(
            .refused(
                SessionCommand(.requestState(identifier: "harbour")),
                RPCError(.notFound, "cannot find the region 'harbour': there is none")))
        await app.settle()
        let line = try #require(app.log.all.last)
        #expect(line.contains("\"harbour\"") && line.contains("is not monitored"))
        #expect(line.contains("startMonitoring(for:)"))
    }

    @Test("acknowledges no stored event that its delegate has no method for")
    func untakenEvent() async throws {
        final class Silent: NSObject, CLLocationManagerDelegate {}
        let delegate = Silent()
        let app = try ManagedApp(delegate)
        app.session.tell(.didEnterRegion(RegionCrossing(region: .named("home"), location: nil, event: 4)))
        await app.settle()
        #expect(app.session.commands.isEmpty)
        let diary = Diary()
        try app.use { $0.delegate = diary }
        app.session.tell(.didEnterRegion(RegionCrossing(region: .named("home"), location: nil, event: 5)))
        await app.settle()
        #expect(app.session.commands == [.acknowledge(event: 5)])
        withExtendedLifetime(delegate) {}
    }

    @available(*, deprecated, message: "uses what is deprecated")
    @Test("ranges beacons for constraints and for regions alike, and tells nothing of what it no longer ranges")
    func ranging() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        let uuid = UUID()
        let constraint = CLBeaconIdentityConstraint(uuid: uuid, major: 1)
        let region = CLBeaconRegion(uuid: uuid, major: 1, identifier: "hall")
        let beacons = BeaconIdentity(uuid: uuid.uuidString, major: 1)
        let near = RangedBeacon(
            Beacon(uuid: uuid.uuidString, major: 1, minor: 7), accuracy: 2.5, rssi: -61,
            timestamp: WallTime(milliseconds: 0))
        try app.use { manager in
            manager.startRangingBeacons(satisfying: constraint)
            manager.startRangingBeacons(in: region)
            #expect(manager.rangedBeaconConstraints == [constraint] && manager.rangedRegions == [region])
        }
        app.session.tell(
            .didRangeBeacons([near], beacons), .rangingDidFail(beacons, LocationError(.rangingUnavailable)))
        await app.settle()
        #expect(
            diary.all == ["beacons 7 near 2.5 -61", "beacons in hall 1", "no ranging 16", "no old ranging 16"])
        try app.use { manager in
            manager.stopRangingBeacons(satisfying: constraint)
            #expect(manager.rangedBeaconConstraints.isEmpty)
        }
        #expect(app.session.commands == [.startRangingBeacons(beacons), .startRangingBeacons(beacons)])
        app.session.tell(.didRangeBeacons([], beacons))
        await app.settle()
        #expect(diary.all.dropFirst(4) == ["beacons in hall 0"])
        try app.use { $0.stopRangingBeacons(in: region) }
        app.session.tell(.didRangeBeacons([near], beacons))
        await app.settle()
        #expect(diary.all.count == 5 && app.session.commands.last == .stopRangingBeacons(beacons))
    }

    @available(*, deprecated, message: "uses what is deprecated")
    @Test(
        "turns headings to the side that is up",
        arguments: [
            (CLDeviceOrientation.portrait, "350 340"), (.landscapeLeft, "80 70"), (.portraitUpsideDown, "170 160"),
            (.landscapeRight, "260 250"), (.faceUp, "350 340"), (.unknown, "350 340"),
        ])
    func heading(orientation: CLDeviceOrientation, told: String) async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        try app.use { $0.headingOrientation = orientation }
        app.session.tell(
            .didUpdateHeading(
                Heading(
                    magneticHeading: 340, trueHeading: 350, headingAccuracy: 2, timestamp: WallTime(milliseconds: 0))))
        await app.settle()
        #expect(diary.all == ["heading \(told)"])
        #expect(try app.use { $0.heading?.headingAccuracy } == 2)
    }

    @Test("where nothing measures a heading nothing is told, but that is said once on standard error")
    func noHeading() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        for _ in 0..<2 {
            try app.use { $0.startUpdatingHeading() }
            app.session.say(
                .answered(SessionCommand(.startUpdatingHeading), StateResult(.unavailable, reason: "no compass")))
        }
        await app.settle()
        #expect(diary.all.isEmpty)
        #expect(app.log.all == ["startUpdatingHeading cannot work here: no compass"])
    }
}
