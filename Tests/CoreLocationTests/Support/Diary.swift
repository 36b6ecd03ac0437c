// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Synchronization

/// A delegate with every method, which writes down what it is told.
final class Diary: NSObject, CLLocationManagerDelegate, Sendable {
    let notes = Notes<String>()
    private let whenTold: @Sendable (String) -> Void

    init(whenTold: @escaping @Sendable (String) -> Void = { _ in }) { self.whenTold = whenTold }

    /// All so far.
    var all: [String] { notes.all }

    private func add(_ note: String) {
        whenTold(note)
        notes.add(note)
    }

    // Metres north of 45°, which is a number of seconds in `Location.at` too.
    private func place(_ location: CLLocation) -> String {
        "\(Int(location.timestamp.timeIntervalSince1970 - 1_700_000_000))"
    }

    private func code(_ error: (any Error)?) -> String { error.map { "\(($0 as NSError).code)" } ?? "nil" }

    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        add("authorization \(manager.authorizationStatus.rawValue) \(manager.accuracyAuthorization.rawValue)")
    }
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
        add("old authorization")
    }
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        add("locations \(locations.map(place).joined(separator: " "))")
    }
    func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation?
    ) { add("old location") }
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        add("error \(code(error))")
    }
    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {
        add("finish \(code(error))")
    }
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { add("pause") }
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) { add("resume") }
    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        add("heading \(Int(newHeading.trueHeading)) \(Int(newHeading.magneticHeading))")
    }
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        add("enter \(region.identifier)")
    }
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        add("exit \(region.identifier)")
    }
    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion) {
        add("state \(region.identifier) \(state.rawValue)")
    }
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        add("monitoring \(region.identifier)")
    }
    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) { add("not monitoring \(region?.identifier ?? "nil") \(code(error))") }
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        add("visit \(visit.departureDate == .distantFuture ? "arrival" : "departure")")
    }
    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {
        add("beacons " + beacons.map { "\($0.minor) \($0.proximity) \($0.accuracy) \($0.rssi)" }.joined(separator: ","))
    }
    func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion) {
        add("beacons in \(region.identifier) \(beacons.count)")
    }
    func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    ) { add("no ranging \(code(error))") }
    func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
    ) { add("no old ranging \(code(error))") }
}
