// SPDX-License-Identifier: Apache-2.0
import CoreLocation

/// The delegate of old: a class with callbacks for whoever is interested.
class LocationService: NSObject, CLLocationManagerDelegate {
    enum Failure: Error { case denied, unknown }

    private let manager = CLLocationManager()
    var onUpdate: ((CLLocation) -> Void)?
    var onFailure: ((Failure) -> Void)?

    override init() {
        super.init()
        manager.delegate = self
        manager.pausesLocationUpdatesAutomatically = false
        manager.allowsBackgroundLocationUpdates = true
        manager.showsBackgroundLocationIndicator = true
    }

    func start() {
        guard CLLocationManager.locationServicesEnabled() else {
            onFailure?(.denied)
            return
        }
        manager.requestAlwaysAuthorization()
        manager.startUpdatingLocation()
        manager.startMonitoringVisits()
        if CLLocationManager.significantLocationChangeMonitoringAvailable() {
            manager.startMonitoringSignificantLocationChanges()
        }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        locations.filter { abs($0.timestamp.timeIntervalSinceNow) < 15 }.forEach { onUpdate?($0) }
    }

    func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) {
        switch (error as? CLError)?.code {
        case .denied?: onFailure?(.denied)
        case .locationUnknown?: break
        default: onFailure?(.unknown)
        }
    }

    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        let left = visit.departureDate != Date.distantFuture
        print(visit.coordinate.latitude, visit.arrivalDate, left)
    }

    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { print("pause") }
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) { print("on") }
}

/// What was written before there was `locationManagerDidChangeAuthorization(_:)`.
final class OldService: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()

    func begin() {
        manager.delegate = self
        if CLLocationManager.authorizationStatus() == .notDetermined { manager.requestWhenInUseAuthorization() }
        if CLLocationManager.deferredLocationUpdatesAvailable() {
            manager.allowDeferredLocationUpdates(untilTraveled: 1000, timeout: CLTimeIntervalMax)
        }
    }

    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
        if status == .authorizedAlways || status == .authorizedWhenInUse { manager.requestLocation() }
    }

    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
    func locationManager(_ manager: CLLocationManager, didFailWithError error: Error) {
        guard let error = error as? CLError, error.code != .network else { return }
        print(error.errorCode, error.userInfo, CLError.errorDomain, (error as NSError).domain == kCLErrorDomain)
    }

    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: Error?) {
        if let error = error as? CLError, error.code == .deferredFailed { print(error.localizedDescription) }
    }
}

/// Who tells several delegates, and finds them by `isEqual(_:)`, which delegates have as Objective-C's objects.
final class Multicast: NSObject, CLLocationManagerDelegate {
    private var delegates: [CLLocationManagerDelegate] = []

    func add(_ delegate: CLLocationManagerDelegate) {
        if !delegates.contains(where: { $0.isEqual(delegate) }) { delegates.append(delegate) }
    }

    func remove(_ delegate: CLLocationManagerDelegate) { delegates.removeAll { $0 === delegate } }
    var hashes: [Int] { delegates.map { $0.hash } }
}
