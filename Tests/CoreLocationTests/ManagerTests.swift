// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("A location manager", .timeLimit(.minutes(1)))
struct ManagerTests {
    private static let gone = LocationClientError.cannotConnect(DaemonAddress(path: "/nowhere"), reason: "nobody there")

    // MARK: Properties

    @Test("begins with Core Location's defaults")
    func defaults() throws {
        let app = try ManagedApp()
        app.session.connect(.notDetermined)
        try app.use { manager in
            #expect(
                manager.distanceFilter == kCLDistanceFilterNone && manager.desiredAccuracy == kCLLocationAccuracyBest)
            #expect(manager.activityType == .other && manager.pausesLocationUpdatesAutomatically)
            #expect(!manager.allowsBackgroundLocationUpdates && !manager.showsBackgroundLocationIndicator)
            #expect(manager.headingFilter == 1 && manager.headingOrientation == .portrait)
            #expect(manager.location == nil && manager.heading == nil && manager.monitoredRegions.isEmpty)
            #expect(manager.authorizationStatus == .notDetermined && manager.accuracyAuthorization == .fullAccuracy)
            #expect(manager.rangedBeaconConstraints.isEmpty && manager.delegate == nil)
            #expect(manager.maximumRegionMonitoringDistance == -1 && !manager.isAuthorizedForWidgetUpdates)
        }
        #expect(app.session.commands.isEmpty)
    }

    @Test("tells the daemon of a property when it changes, and of nothing that is no value")
    func properties() throws {
        let app = try ManagedApp()
        try app.use { manager in
            manager.distanceFilter = 10
            manager.distanceFilter = 10
            manager.distanceFilter = -7
            manager.distanceFilter = .nan
            manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
            manager.desiredAccuracy = 0
            manager.activityType = .airborne
            manager.pausesLocationUpdatesAutomatically = false
            manager.allowsBackgroundLocationUpdates = true
            manager.headingFilter = kCLHeadingFilterNone
            #expect(manager.distanceFilter == kCLDistanceFilterNone && manager.desiredAccuracy == 100)
            #expect(manager.activityType == .airborne)
        }
        #expect(
            app.session.commands == [
                .setProperties(PropertiesPatch(distanceFilter: 10)),
                .setProperties(PropertiesPatch(distanceFilter: -1)),
                .setProperties(PropertiesPatch(desiredAccuracy: .hundredMeters)),
                .setProperties(PropertiesPatch(activityType: .airborne)),
                .setProperties(PropertiesPatch(pausesLocationUpdatesAutomatically: false)),
                .setProperties(PropertiesPatch(allowsBackgroundLocationUpdates: true)),
                .setProperties(PropertiesPatch(headingFilter: -1)),
            ])
        #expect(app.log.all.count == 2)
    }

    @Test("has the last location that the daemon knew when it was made, then the newest of each callback")
    func location() async throws {
        let app = try ManagedApp()
        app.session.know(.at(7))
        app.session.connect()
        await app.settle()
        #expect(try app.use { $0.location?.coordinate.latitude } == Location.at(7).coordinate.latitude)
        let diary = Diary()
        try app.use { $0.delegate = diary }
        app.session.tell(.didUpdateLocations(.at(8, 9)))
        await app.settle()
        #expect(diary.all.last == "locations 8 9")
        try app.use { manager in
            #expect(manager.location?.timestamp == Location.at(9).timestamp.date)
            manager.stopUpdatingLocation()
            #expect(manager.location != nil)
        }
    }

    @Test("does not wait longer than a second for a daemon that does not answer, and not twice")
    func noAnswer() throws {
        let app = try ManagedApp()
        let begun = ContinuousClock.now
        for _ in 0..<3 { #expect(try app.use { $0.location } == nil) }
        #expect(ContinuousClock.now - begun < .seconds(2.5))
    }

    @Test("has the regions that the daemon has, and the largest radius")
    func regions() async throws {
        let app = try ManagedApp()
        app.session.know(nil, [.named("home"), .named("work")])
        app.session.connect(.authorizedAlways, Capabilities(maximumRegionMonitoringDistance: 100_000))
        await app.settle()
        // On a busy machine an answer may take longer than a property waits.
        try await eventually("it has both") {
            try app.use { Set($0.monitoredRegions.map(\.identifier)) == ["home", "work"] }
        }
        #expect(try app.use { $0.maximumRegionMonitoringDistance } == 100_000)
    }

    @Test("without a daemon has the regions that are known to be watched")
    func regionsWithoutDaemon() async throws {
        let app = try ManagedApp()
        app.session.tell(.didStartMonitoring(.named("home")), .didStartMonitoring(.named("work")))
        app.session.say(.disconnected(ManagerTests.gone))
        await app.settle()
        try app.use { manager in
            #expect(Set(manager.monitoredRegions.map(\.identifier)) == ["home", "work"])
            manager.stopMonitoring(for: CLRegion.make(of: .named("work")))
            #expect(manager.monitoredRegions.map(\.identifier) == ["home"])
        }
    }

    // In a process of its own: the managers of other tests would hear of it, too.
    @Test("the presence of the program is one for all its managers, and told when it changes")
    func presence() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let apps = [try ManagedApp(), try ManagedApp()]
            let was = CLLocationManager.presence
            CLLocationManager.presence = .foreground
            CLLocationManager.presence = .foreground
            let told = apps.allSatisfy { $0.session.commands == [.setPresence(.foreground)] }
            exit(was == .background && told ? 7 : 1)
        }
    }

    // MARK: Authorization

    @Test("tells the authorization once when it was made, to the first delegate that it has, and before any location")
    func initialAuthorization() async throws {
        let app = try ManagedApp()
        app.session.connect(.authorizedWhenInUse)
        app.session.tell(
            .didChangeAuthorization(
                AuthorizationChange(
                    authorizationStatus: .authorizedWhenInUse, accuracyAuthorization: .full, isInitial: true)))
        await app.settle()
        let diary = Diary()
        try app.use { $0.delegate = diary }
        app.session.tell(.didUpdateLocations(.at(1)))
        await app.settle()
        // The daemon comes back.
        app.session.connect(.authorizedWhenInUse)
        app.session.tell(
            .didChangeAuthorization(
                AuthorizationChange(
                    authorizationStatus: .authorizedWhenInUse, accuracyAuthorization: .full, isInitial: true)))
        app.session.tell(.didUpdateLocations(.at(2)))
        await app.settle()
        #expect(diary.all == ["authorization 4 0", "locations 1", "locations 2"])
    }

    @Test("tells a change of the authorization, and of the accuracy alone")
    func changes() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect(.notDetermined)
        await app.settle()
        for accuracy in [AccuracyAuthorization.full, .reduced] {
            app.session.tell(
                .didChangeAuthorization(
                    AuthorizationChange(authorizationStatus: .authorizedAlways, accuracyAuthorization: accuracy)))
            await app.settle()
        }
        #expect(diary.all == ["authorization 0 0", "authorization 3 0", "authorization 3 1"])
    }

    @Test("calls the completion of a request for full accuracy once, with what became of it")
    func fullAccuracy() async throws {
        let app = try ManagedApp(Diary())
        let errors = Notes<Int?>()
        for key in ["one", "two"] {
            try app.use {
                $0.requestTemporaryFullAccuracyAuthorization(withPurposeKey: key) { error in
                    errors.add((error as? CLError)?.code.rawValue)
                }
            }
        }
        app.session.tell(
            .didRequestTemporaryFullAccuracy(purposeKey: "two", error: LocationError(.promptDeclined)),
            .didRequestTemporaryFullAccuracy(purposeKey: "one", error: nil),
            .didRequestTemporaryFullAccuracy(purposeKey: "one", error: nil))
        await app.settle()
        #expect(errors.all == [18, nil])
        #expect(app.session.commands.count == 2)
    }

    @Test("a missing usage description fails loudly: on standard error, and as denied")
    func missingUsageDescription() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect(.notDetermined)
        try app.use { $0.requestWhenInUseAuthorization() }
        let refusal = RPCError(.missingUsageDescription, "cannot ask: usageDescriptions.whenInUse is missing")
        app.session.say(.refused(.requestWhenInUseAuthorization, refusal))
        await app.settle()
        await app.settle()
        #expect(diary.all == ["authorization 0 0", "error 1"])
        #expect(
            app.log.all.contains { $0.contains("NSLocationWhenInUseUsageDescription") && $0.contains("Info.plist") })
    }

    @Test("a missing usage description denies nothing to an app that is authorized")
    func missingUsageDescriptionOfAuthorized() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect(.authorizedAlways)
        let refusal = RPCError(.missingUsageDescription, "cannot ask: usageDescriptions.whenInUse is missing")
        app.session.say(.refused(.requestWhenInUseAuthorization, refusal))
        await app.settle()
        await app.settle()
        #expect(diary.all == ["authorization 3 0"])
        #expect(!app.log.all.isEmpty)
    }

    // MARK: Locations

    @Test("hands over a batch that came in several pieces as one")
    func batch() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect()
        app.session.tell(
            .didFinishDeferredUpdates(deferral: 1, error: nil),
            .didUpdateLocations(.at(1, 2, more: true, deferral: 1)),
            .didUpdateLocations(.at(3, more: true, deferral: 1)), .didUpdateLocations(.at(4, 5, deferral: 1)),
            .didUpdateLocations(.at(6)))
        await app.settle()
        #expect(Array(diary.all.dropFirst()) == ["finish nil", "locations 1 2 3 4 5", "locations 6"])
    }

    @Test("hands over the beginning of a batch whose end is lost with the connection, before anything else")
    func brokenBatch() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect()
        app.session.tell(.didUpdateLocations(.at(1, 2, more: true, deferral: 1)))
        app.session.say(.disconnected(ManagerTests.gone))
        app.session.connect()
        app.session.tell(.didUpdateLocations(.at(3)))
        await app.settle()
        #expect(Array(diary.all.dropFirst()) == ["locations 1 2", "locations 3"])
    }

    @Test("asks for a deferral without limits where there is none, and answers NaN itself")
    func deferral() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        try app.use { manager in
            manager.allowDeferredLocationUpdates(untilTraveled: CLLocationDistanceMax, timeout: 60)
            manager.allowDeferredLocationUpdates(untilTraveled: 500, timeout: CLTimeIntervalMax)
            manager.allowDeferredLocationUpdates(untilTraveled: .infinity, timeout: -5)
            manager.allowDeferredLocationUpdates(untilTraveled: .nan, timeout: 1)
            manager.disallowDeferredLocationUpdates()
        }
        await app.settle()
        #expect(
            app.session.commands == [
                .allowDeferredLocationUpdates(untilTraveled: nil, timeout: 60),
                .allowDeferredLocationUpdates(untilTraveled: 500, timeout: nil),
                .allowDeferredLocationUpdates(untilTraveled: nil, timeout: -1), .disallowDeferredLocationUpdates,
            ])
        #expect(diary.all == ["finish 11"])
    }

    @Test("to request a location without a delegate stops a program that is built for debugging")
    func requestWithoutDelegate() async {
        await #expect(processExitsWith: .failure) {
            let app = try ManagedApp()
            try app.use { $0.requestLocation() }
        }
    }

    @Test("ends a request once: what it is cancelled by, and no daemon, end it too")
    func request() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.connect()
        try app.use { $0.requestLocation() }
        app.session.tell(
            .didUpdateLocations(LocationUpdate(locations: [.at(1)], source: .request, request: 1)))
        await app.settle()
        app.session.say(.unreachable(ManagerTests.gone))
        await app.settle()
        try app.use { $0.requestLocation() }
        await app.settle()
        try app.use { $0.requestLocation() }
        await app.settle()
        #expect(Array(diary.all.dropFirst()) == ["locations 1", "error 2", "error 2"])
        // So that no late answer is a second end.
        #expect(
            app.session.commands == [
                .requestLocation(timeout: nil), .requestLocation(timeout: nil), .stopUpdatingLocation,
                .requestLocation(timeout: nil), .stopUpdatingLocation,
            ])
    }

    @Test("is not told by the session of a request that it has ended for want of a daemon")
    func requestInOutage() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.say(.unreachable(ManagerTests.gone))
        await app.settle()
        try app.use { $0.requestLocation() }
        await app.settle()
        app.session.tell(.didFailWithError(LocationError(.locationUnknown), source: .request, request: 1))
        await app.settle()
        #expect(diary.all == ["error 2"])
    }

    @Test("finishes a refused deferral once, when the session says so")
    func refusedDeferral() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        let command = SessionCommand.allowDeferredLocationUpdates(untilTraveled: nil, timeout: nil)
        app.session.say(.refused(command, RPCError(.limitExceeded, "too many")))
        app.session.tell(.didFinishDeferredUpdates(deferral: 1, error: LocationError(.deferredFailed)))
        await app.settle()
        #expect(diary.all == ["finish 11"])
    }

    @Test("tells no location that was on its way when the program stopped them, but what a deferral held")
    func afterStop() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        try app.use {
            $0.startUpdatingLocation()
            $0.stopUpdatingLocation()
        }
        app.session.tell(.didUpdateLocations(.at(1)), .didUpdateLocations(.at(2, deferral: 1)))
        await app.settle()
        #expect(diary.all == ["locations 2"])
        try app.use { $0.startUpdatingLocation() }
        app.session.tell(.didUpdateLocations(.at(3)))
        await app.settle()
        #expect(diary.all == ["locations 2", "locations 3"])
    }

    @Test("keeps a bounded number of locations for a place that is busy, the newest, and says how many are lost")
    func busyPlace() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        await app.settle()
        let free = DispatchSemaphore(value: 0)
        app.occupy(until: free)
        for second in 1...3000 { app.session.tell(.didUpdateLocations(.at(Double(second)))) }
        await withCheckedContinuation { done in LocationSession.queue.async { done.resume() } }
        free.signal()
        await app.settle()
        let told = diary.all.map { $0.split(separator: " ").dropFirst().count }
        #expect(told == Array(repeating: 1, count: 63) + [1024])
        #expect(diary.all.last?.hasSuffix(" 2999 3000") == true)
        #expect(app.log.all.contains { $0.hasPrefix("1913 locations are lost") })
    }

    @Test("completes a request for full accuracy without a daemon and without a delegate")
    func accuracyInOutage() async throws {
        let app = try ManagedApp()
        let ends = Notes<String>()
        try app.use { manager in
            manager.requestTemporaryFullAccuracyAuthorization(withPurposeKey: "a") { error in
                ends.add("\((error as? CLError)?.code == .network)")
            }
        }
        app.session.say(.unreachable(ManagerTests.gone))
        await app.settle()
        #expect(ends.all == ["true"])
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

    @Test("begins with reduced accuracy where the app declares that")
    func reducedByDefault() throws {
        let app = try ManagedApp(of: CLApplicationInfo(defaultAccuracyReduced: true))
        #expect(try app.use { $0.desiredAccuracy } == kCLLocationAccuracyReduced)
        #expect(app.session.commands == [.setProperties(PropertiesPatch(desiredAccuracy: .reduced))])
    }

    // MARK: No daemon

    @Test("says that there is no daemon once per outage, and only to who waits for something")
    func outage() async throws {
        let diary = Diary()
        let app = try ManagedApp(diary)
        app.session.say(.disconnected(ManagerTests.gone), .unreachable(ManagerTests.gone))
        await app.settle()
        #expect(diary.all.isEmpty)
        try app.use {
            $0.startUpdatingLocation()
            $0.startUpdatingHeading()
        }
        await app.settle()
        #expect(diary.all == ["error 2"])
        app.session.connect()
        app.session.say(.disconnected(ManagerTests.gone), .unreachable(ManagerTests.gone))
        await app.settle()
        #expect(diary.all == ["error 2", "authorization 3 0", "error 2"])
        try app.use {
            $0.stopUpdatingLocation()
            $0.stopUpdatingHeading()
        }
        app.session.connect()
        app.session.say(.disconnected(ManagerTests.gone), .unreachable(ManagerTests.gone))
        await app.settle()
        #expect(diary.all.count == 3)
    }

    // MARK: Regions, visits, beacons, headings

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
            app.session.say(.answered(.startUpdatingHeading, StateResult(.unavailable, reason: "no compass")))
        }
        await app.settle()
        #expect(diary.all.isEmpty)
        #expect(app.log.all == ["startUpdatingHeading cannot work here: no compass"])
    }
}
