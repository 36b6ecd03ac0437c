// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Observation

/// A view model of the main actor whose callbacks hop there.
@MainActor
@Observable
final class MapModel: NSObject, CLLocationManagerDelegate {
    private(set) var place: CLLocationCoordinate2D?
    private(set) var status: CLAuthorizationStatus
    private(set) var message: String?
    @ObservationIgnored private let manager: CLLocationManager

    override init() {
        manager = CLLocationManager()
        status = manager.authorizationStatus
        super.init()
        manager.delegate = self
        manager.desiredAccuracy = kCLLocationAccuracyHundredMeters
        manager.distanceFilter = 50
        manager.activityType = .fitness
    }

    func begin() {
        switch manager.authorizationStatus {
        case .notDetermined: manager.requestWhenInUseAuthorization()
        case .authorizedAlways, .authorizedWhenInUse: manager.startUpdatingLocation()
        case .denied, .restricted: message = "may not know"
        @unknown default: break
        }
    }

    nonisolated func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        let status = manager.authorizationStatus
        Task { @MainActor in
            self.status = status
            begin()
        }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        guard let newest = locations.last, newest.horizontalAccuracy > 0 else { return }
        Task { @MainActor in self.place = newest.coordinate }
    }

    nonisolated func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) {
        let text = error.localizedDescription
        Task { @MainActor in self.message = text }
    }
}

/// A view model that leaves the check of its isolation to run time.
@MainActor
final class CompassModel: NSObject, @preconcurrency CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private(set) var degrees: CLLocationDirection = 0

    override init() {
        super.init()
        manager.delegate = self
        manager.headingFilter = 5
        manager.headingOrientation = .landscapeLeft
        if CLLocationManager.headingAvailable() { manager.startUpdatingHeading() }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        degrees = newHeading.trueHeading > 0 ? newHeading.trueHeading : newHeading.magneticHeading
    }

    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { true }
}

/// A view model that isolates its conformance.
@MainActor
final class SpeedModel: NSObject {
    private lazy var manager: CLLocationManager = {
        let manager = CLLocationManager()
        manager.delegate = self
        return manager
    }()
    private(set) var speed: CLLocationSpeed = -1

    func start() { manager.startUpdatingLocation() }
}

extension SpeedModel: @MainActor CLLocationManagerDelegate {
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        speed = locations.last?.speed ?? -1
    }
}
