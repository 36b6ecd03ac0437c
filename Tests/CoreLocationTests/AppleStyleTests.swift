// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Testing

/// An app's model layer, written as for Apple's systems: above all it has to compile as it is.
@Suite("Code written for Apple's Core Location")
struct AppleStyleTests {
    private final class Hike: NSObject {
        private(set) var track: [CLLocation] = []
        private(set) var climbed: CLLocationDistance = 0
        var lastLocation = CLLocation()
        var status = CLAuthorizationStatus.notDetermined

        var length: CLLocationDistance {
            zip(track, track.dropFirst()).reduce(0) { $0 + $1.1.distance(from: $1.0) }
        }

        func add(_ locations: [CLLocation]) {
            for location in locations where location.horizontalAccuracy >= 0 {
                if location.verticalAccuracy > 0, let last = track.last, location.altitude > last.altitude {
                    climbed += location.altitude - last.altitude
                }
                guard abs(location.timestamp.timeIntervalSinceNow) < 15 else { continue }
                track.append(location)
            }
        }

        func text(for error: any Error) -> String {
            guard let error = error as? CLError else { return error.localizedDescription }
            switch error.code {
            case .locationUnknown: return "waiting"
            case .denied: return "denied"
            case .deferredFailed, .deferredCanceled, .deferredNotUpdatingLocation: return "not deferred"
            default: return error.localizedDescription
            }
        }

        var statusText: String {
            switch status {
            case .notDetermined: "not asked"
            case .restricted, .denied: "no"
            case .authorizedAlways, .authorizedWhenInUse: "yes"
            }
        }
    }

    @Test("measures a hike")
    func hike() {
        let hike = Hike()
        let now = Date()
        hike.add([
            CLLocation(
                coordinate: CLLocationCoordinate2DMake(48, 9), altitude: 300, horizontalAccuracy: 5,
                verticalAccuracy: 3,
                timestamp: now),
            CLLocation(
                coordinate: CLLocationCoordinate2D(latitude: 48.001, longitude: 9), altitude: 320,
                horizontalAccuracy: kCLLocationAccuracyNearestTenMeters, verticalAccuracy: 3, course: 0, speed: 1.5,
                timestamp: now.addingTimeInterval(1)),
            CLLocation(),
        ])
        #expect(abs(hike.length - 111.2) < 0.1)
        #expect(hike.climbed == 20)
        #expect(hike.statusText == "not asked")
        #expect(hike.text(for: CLError(.deferredCanceled)) == "not deferred")
        #expect(hike.text(for: CLError(.network)) == CLError(.network).localizedDescription)
    }

    @Test("tells regions apart")
    func regions() {
        let home = CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: 48, longitude: 9), radius: min(200, CLLocationDistanceMax),
            identifier: "home")
        home.notifyOnExit = false
        let regions: Set<CLRegion> = [home]
        var entered: [String] = []
        for region in regions {
            guard let circle = region as? CLCircularRegion else { continue }
            if circle.contains(CLLocationCoordinate2D(latitude: 48, longitude: 9)) { entered.append(region.identifier) }
        }
        #expect(entered == ["home"])
        let state: CLRegionState = entered.isEmpty ? .outside : .inside
        switch state {
        case .unknown: Issue.record("unknown")
        case .inside: break
        case .outside: Issue.record("outside")
        }
    }

    @Test("passes locations between tasks")
    func tasks() async {
        let location = CLLocation(latitude: 1, longitude: 2)
        let latitude = await Task.detached { location.coordinate.latitude }.value
        #expect(latitude == 1)
    }

    @Test("keeps a subclass of a heading and of a visit in its own tests")
    func doubles() {
        final class North: CLHeading, @unchecked Sendable {
            override var trueHeading: CLLocationDirection { 0 }
            override var headingAccuracy: CLLocationDirection { 1 }
        }
        final class Lunch: CLVisit, @unchecked Sendable {
            override var horizontalAccuracy: CLLocationAccuracy { 10 }
        }
        #expect(North().trueHeading == 0)
        #expect(Lunch().departureDate == .distantFuture)
        #expect(Lunch().horizontalAccuracy == 10)
    }
}
