// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Methods that a location manager calls.
///
/// Every method is optional: what is not implemented has a default that does nothing, but that a method which a running
/// service needs is missing is said once on standard error. Only methods of the class that declares the conformance count,
/// with exactly these signatures: here, a method that is found only in a subclass of that class is not called.
///
/// All calls come where the manager was made (see `CLLocationManager.init()`), in order, one at a time, and never from inside
/// a call of the manager. The protocol asks for no isolation: a class of the main actor conforms with `nonisolated` methods,
/// with `@preconcurrency`, or isolates its conformance (`@MainActor CLLocationManagerDelegate`).
///
/// As on Apple's systems it is an `NSObjectProtocol`, so that code that compares delegates with `isEqual(_:)` works. Only here a class
/// that does not inherit from NSObject, and an actor, can be a delegate, too.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
    // MARK: Authorization

    /// The manager was made, or what the app may do has changed; read `authorizationStatus` and `accuracyAuthorization`.
    func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
    /// The older form, without the accuracy; called only if the newer one is not implemented.
    func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus)

    // MARK: Locations

    /// New locations: never none, oldest first.
    func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
    /// The older form, one location at a time; called only if the newer one is not implemented. `oldLocation` is that of the
    /// call before; nil the first time.
    func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation?)
    /// A service cannot tell a location or heading; `error` is a `CLError`.
    ///
    /// `locationUnknown` passes by itself; `denied` does not; `network` is a location daemon that cannot be reached, which
    /// the library goes on trying.
    func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
    /// A deferral ended: once for each `allowDeferredLocationUpdates`, followed by the locations that it held.
    ///
    /// `error` is nil if one of its limits was reached, else a `CLError` of the kind `deferred…`.
    func locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?)
    /// Standard updates rest, because the device does.
    func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager)
    /// Standard updates go on after a pause.
    func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager)

    // MARK: Heading

    /// The device points elsewhere.
    func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)
    /// Whether a person may be asked to calibrate the compass. Never called: nothing here could ask.
    func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool

    // MARK: Regions

    /// The device came into a region. All managers of the app are told; compare identifiers, not objects.
    func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)
    /// The device left a region.
    func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)
    /// Where the device is with respect to a region: after each crossing, and for `requestState(for:)`.
    func locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)
    /// A region is being watched.
    func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion)
    /// A region cannot be watched; `error` is a `CLError` of the kind `regionMonitoring…`.
    func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)

    // MARK: Visits

    /// An arrival or a departure.
    func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)

    // MARK: Beacons

    /// Beacons in range, nearest first, once a second; none: nothing is heard.
    func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint)
    /// Beacons cannot be ranged.
    func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error)
    /// The older form of `didRange`.
    func locationManager(_ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion)
    /// The older form of `didFailRangingFor`, for ranging that was started with a region.
    func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error)
}
