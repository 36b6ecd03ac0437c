// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("The properties of a location manager", .asynchronous)
struct ManagerPropertyTests {
    @Test("begins with Core Location's defaults")
    func defaults() throws {
        let app = try ManagedApp()
        app.session.connect(.notDetermined)
        try app.use { manager in
            #expect(
                manager.distanceFilter == kCLDistanceFilterNone && manager.desiredAccuracy == kCLLocationAccuracyBest)
            #expect(manager.activityType == .other && manager.pausesLocationUpdatesAutomatically)
            #expect(!manager.allowsBackgroundLocationUpdates && !manager.showsBackgroundLocationIndicator)
            #expect(manager.headingFilter == 1 && manager.headingBody == nil)
            #expect(manager.location == nil && manager.heading == nil && manager.monitoredRegions.isEmpty)
            #expect(manager.authorizationStatus == .notDetermined && manager.accuracyAuthorization == .fullAccuracy)
            #expect(manager.rangedBeaconConstraints.isEmpty && manager.delegate == nil)
            #expect(manager.maximumRegionMonitoringDistance == -1 && !manager.isAuthorizedForWidgetUpdates)
        }
        #expect(app.session.commands.isEmpty)
    }

    @Test("begins with reduced accuracy where the app declares that")
    func reducedByDefault() throws {
        let app = try ManagedApp(of: CLApplicationInfo(defaultAccuracyReduced: true))
        #expect(try app.use { $0.desiredAccuracy } == kCLLocationAccuracyReduced)
        #expect(app.session.commands == [.setProperties(PropertiesPatch(desiredAccuracy: .reduced))])
    }

    @Test func `keeps the body that headings are of, and tells the daemon nothing of it`() throws {
        final class Screen: NSObject, CLBodyIdentifiable {}
        let app = try ManagedApp()
        let screen = Screen()
        try app.use { $0.headingBody = screen }
        #expect(try app.use { $0.headingBody === screen })
        try app.use { $0.headingBody = nil }
        #expect(try app.use { $0.headingBody == nil })
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
}
