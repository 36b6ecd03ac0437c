// SPDX-License-Identifier: Apache-2.0
import CoreLocation

/// An actor with a delegate that tells it.
actor Tracker {
    private let delegate = Relay()
    private let manager = CLLocationManager()
    private(set) var last: CLLocation?

    func start() {
        delegate.owner = self
        manager.delegate = delegate
        manager.startUpdatingLocation()
    }

    func note(_ location: CLLocation) { last = location }

    private final class Relay: NSObject, CLLocationManagerDelegate, @unchecked Sendable {
        weak var owner: Tracker?

        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            guard let newest = locations.last else { return }
            Task { [owner] in await owner?.note(newest) }
        }
    }
}

@globalActor
actor LocationActor {
    static let shared = LocationActor()
}

/// A class of a global actor of its own.
@LocationActor
final class Journal: NSObject, CLLocationManagerDelegate {
    private(set) var places: [CLLocation] = []

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        Task { @LocationActor in places += locations }
    }
}

/// What apps put between themselves and Core Location, to test without it.
protocol LocationProviding: AnyObject {
    var delegate: CLLocationManagerDelegate? { get set }
    var location: CLLocation? { get }
    var authorizationStatus: CLAuthorizationStatus { get }
    var desiredAccuracy: CLLocationAccuracy { get set }
    func requestWhenInUseAuthorization()
    func startUpdatingLocation()
    func stopUpdatingLocation()
}

extension CLLocationManager: LocationProviding {}

final class FakeProvider: LocationProviding {
    weak var delegate: CLLocationManagerDelegate?
    var location: CLLocation? = CLLocation(latitude: 1, longitude: 2)
    var authorizationStatus = CLAuthorizationStatus.authorizedWhenInUse
    var desiredAccuracy = kCLLocationAccuracyBest
    private let manager = CLLocationManager()
    func requestWhenInUseAuthorization() {}
    func startUpdatingLocation() {
        if let location { delegate?.locationManager(manager, didUpdateLocations: [location]) }
    }
    func stopUpdatingLocation() {}
}

/// A manager that stands in for Core Location's.
nonisolated class FakeManager: CLLocationManager {
    var fakeStatus = CLAuthorizationStatus.notDetermined
    override var authorizationStatus: CLAuthorizationStatus { fakeStatus }
    override var location: CLLocation? { CLLocation(latitude: 3, longitude: 4) }
    override func requestAlwaysAuthorization() { fakeStatus = .authorizedAlways }
    override func startUpdatingLocation() { delegate?.locationManager(self, didUpdateLocations: []) }
    override func startMonitoring(for region: CLRegion) {}
    override class func locationServicesEnabled() -> Bool { true }
}
