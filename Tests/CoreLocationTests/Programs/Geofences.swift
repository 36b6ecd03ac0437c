// SPDX-License-Identifier: Apache-2.0
import CoreLocation

struct Shop: Identifiable, Codable, Hashable {
    let id: String
    var latitude: CLLocationDegrees
    var longitude: CLLocationDegrees
    var radius: CLLocationDistance = 150

    var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
    var region: CLCircularRegion {
        let region = CLCircularRegion(center: coordinate, radius: radius, identifier: id)
        region.notifyOnEntry = true
        region.notifyOnExit = false
        return region
    }
}

/// Geofences of a delegate.
final class ShopWatcher: NSObject, CLLocationManagerDelegate {
    @MainActor static let shared = ShopWatcher()
    private let manager = CLLocationManager()
    private(set) var inside: Set<String> = []

    private override init() {
        super.init()
        manager.delegate = self
    }

    func watch(_ shops: [Shop]) {
        guard CLLocationManager.isMonitoringAvailable(for: CLCircularRegion.self) else { return }
        for region in manager.monitoredRegions { manager.stopMonitoring(for: region) }
        for shop in shops.prefix(20) where shop.radius <= manager.maximumRegionMonitoringDistance {
            manager.startMonitoring(for: shop.region)
        }
    }

    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        manager.requestState(for: region)
    }

    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        switch state {
        case .inside: inside.insert(region.identifier)
        case .outside: inside.remove(region.identifier)
        case .unknown: break
        }
    }

    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        guard let circle = region as? CLCircularRegion else { return }
        print(circle.identifier, circle.center.latitude, circle.radius)
        if let here = manager.location?.coordinate, circle.contains(here) { print("there") }
    }

    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {}

    func locationManager(_ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: Error) {
        print(region?.identifier ?? "none", (error as? CLError)?.alternateRegion?.identifier ?? "")
    }
}

/// Beacons of a delegate.
final class BeaconFinder: NSObject, CLLocationManagerDelegate {
    private let manager = CLLocationManager()
    private let constraint = CLBeaconIdentityConstraint(uuid: UUID(), major: 1, minor: 2)

    func find() {
        manager.delegate = self
        let region = CLBeaconRegion(beaconIdentityConstraint: constraint, identifier: "desk")
        region.notifyEntryStateOnDisplay = true
        manager.startMonitoring(for: region)
        if CLLocationManager.isRangingAvailable() { manager.startRangingBeacons(satisfying: constraint) }
    }

    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {
        for beacon in beacons.sorted(by: { $0.accuracy < $1.accuracy }) {
            switch beacon.proximity {
            case .immediate, .near: print(beacon.uuid, beacon.major.intValue, beacon.minor.uint16Value, beacon.rssi)
            case .far, .unknown: break
            @unknown default: break
            }
        }
    }

    func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: Error
    ) {
        manager.stopRangingBeacons(satisfying: beaconConstraint)
    }
}
