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
        app.session.connect()
        try app.use { manager in
            manager.startMonitoring(
                for: CLCircularRegion(
                    center: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: 3, identifier: "a"))
            manager.startMonitoring(
                for: CLCircularRegion(
                    center: CLLocationCoordinate2D(latitude: 1, longitude: 2), radius: .nan, identifier: "b"))
            manager.startMonitoring(for: CLBeaconRegion(uuid: UUID(), identifier: "c"))
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
            Set(diary.all.prefix(3)) == ["authorization 3 0", "not monitoring b 5", "not monitoring c 5"])
        #expect(
            Array(diary.all.dropFirst(3)) == [
                "monitoring home", "enter home", "state home 1", "exit home", "not monitoring home 5", "visit arrival",
            ])
        #expect(app.session.commands.count == 1)
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

    @Test("answers each start of ranging with one error")
    func ranging() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        let constraint = CLBeaconIdentityConstraint(uuid: UUID())
        try app.use { manager in
            manager.startRangingBeacons(satisfying: constraint)
            #expect(manager.rangedBeaconConstraints == [constraint])
            manager.stopRangingBeacons(satisfying: constraint)
            #expect(manager.rangedBeaconConstraints.isEmpty)
        }
        await app.settle()
        #expect(diary.all == ["no ranging 16"])
        #expect(app.session.commands.isEmpty)
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
