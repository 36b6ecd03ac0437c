// SPDX-License-Identifier: Apache-2.0
// Tests of apps are written so.
// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals

import CoreLocation

// What apps put in the place of Core Location in their tests, and how they call delegates themselves.

/// Answers at once with what a test gave it.
nonisolated class ScriptedManager: CLLocationManager {
    var answer: Result<[CLLocation], any Error> = .failure(CLError(.locationUnknown))

    override func requestLocation() {
        switch answer {
        case .success(let locations): delegate?.locationManager?(self, didUpdateLocations: locations)
        case .failure(let error): delegate?.locationManager?(self, didFailWithError: error)
        }
    }

    override func requestWhenInUseAuthorization() {
        delegate?.locationManagerDidChangeAuthorization?(self)
        delegate?.locationManager?(self, didChangeAuthorization: .authorizedWhenInUse)
    }

    override func startMonitoring(for region: CLRegion) {
        delegate!.locationManager!(self, didStartMonitoringFor: region)
        delegate?.locationManager?(self, didDetermineState: .inside, for: region)
    }

    override func startUpdatingHeading() {
        let asks = delegate?.locationManagerShouldDisplayHeadingCalibration?(self) ?? false
        guard asks, delegate?.locationManagerDidPauseLocationUpdates != nil else { return }
        delegate?.locationManager?(self, didUpdateHeading: CLHeading())
    }
}

/// Made without a word to the manager that it inherits from.
nonisolated class PreparedManager: CLLocationManager {
    private let prepared: CLLocation?
    private var watched: Set<CLRegion>

    init(prepared: CLLocation? = nil) {
        self.prepared = prepared
        watched = []
    }

    override var location: CLLocation? { prepared }
    override var monitoredRegions: Set<CLRegion> { watched }
}

nonisolated final class SharedManager: CLLocationManager {
    private override init() {}
    static func make() -> SharedManager { SharedManager() }
}

/// No manager at all, but what the app knows of one.
protocol Locating: AnyObject {
    var delegate: (any CLLocationManagerDelegate)? { get set }
    func requestLocation()
}

extension CLLocationManager: Locating {}

final class FakeLocating: Locating {
    weak var delegate: (any CLLocationManagerDelegate)?
    func requestLocation() { delegate?.locationManager?(CLLocationManager(), didUpdateLocations: [CLLocation()]) }
}

/// Delegates call their manager `locationManager`, as their methods are called.
nonisolated class RoundTracker: NSObject, CLLocationManagerDelegate {
    let locationManager = CLLocationManager()
    private(set) var last: CLLocation?

    func begin() {
        locationManager.delegate = self
        self.locationManager.desiredAccuracy = kCLLocationAccuracyBest
        let manager = locationManager
        manager.startUpdatingLocation()
        [self].map(\.locationManager).forEach { $0.stopUpdatingLocation() }
    }

    func pretend(_ location: CLLocation) {
        locationManager(locationManager, didUpdateLocations: [location])
        locationManager.delegate?.locationManager?(locationManager, didUpdateLocations: [location])
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        last = locations.last
    }
}

nonisolated class LateTracker: NSObject, CLLocationManagerDelegate {
    var locationManager: CLLocationManager?
    var implicit: CLLocationManager!

    func begin() {
        if locationManager == nil { locationManager = CLLocationManager() }
        locationManager?.delegate = self
        guard let locationManager else { return }
        locationManager.requestLocation()
        guard let other = self.locationManager, other === locationManager else { return }
        implicit = other
        implicit.delegate = self.locationManager?.delegate
    }
}

protocol Tracking: CLLocationManagerDelegate {
    var locationManager: CLLocationManager { get }
}

extension Tracking {
    func begin() {
        locationManager.delegate = self
        let manager = locationManager
        manager.startUpdatingLocation()
    }
}

protocol Managing {
    var locationManager: CLLocationManager { get }
}

extension Managing where Self: CLLocationManagerDelegate {
    func make() -> CLLocationManager {
        let manager = locationManager
        manager.delegate = self
        return manager
    }
}

protocol ManagerOwning: AnyObject {
    var ownManager: CLLocationManager { get }
}

extension ManagerOwning {
    var locationManager: CLLocationManager { ownManager }
}

final class Owner: NSObject, ManagerOwning, CLLocationManagerDelegate {
    let ownManager = CLLocationManager()

    func begin() {
        locationManager.delegate = self
        let manager = locationManager
        manager.startUpdatingLocation()
    }
}

/// Regions that nobody has said anything of yet.
nonisolated class Alarm: NSObject {
    var current = CLRegion()
    var circle: CLCircularRegion = CLCircularRegion()
    var beacons = CLBeaconRegion()
    var place = CLLocationCoordinate2D()
    var degrees = CLLocationDegrees()
}

nonisolated final class TestRegion: CLCircularRegion, @unchecked Sendable {
    override init() { super.init() }
    required init?(coder: NSCoder) { super.init(coder: coder) }
    override var identifier: String { "test" }
    override func contains(_ coordinate: CLLocationCoordinate2D) -> Bool { true }
}

nonisolated final class TestVisit: CLVisit, @unchecked Sendable {
    override var arrivalDate: Date { .distantPast }
    override var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: 46, longitude: 7) }
}

/// Errors are told apart in more than one way.
nonisolated final class Clerk: NSObject, CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        switch CLError(_nsError: error as NSError).code {
        case .locationUnknown: return
        case CLError.denied: manager.stopUpdatingLocation()
        default: break
        }
        let object = error as NSError
        if object.domain == kCLErrorDomain, object.code == CLError.network.rawValue { manager.requestLocation() }
    }
}
