// SPDX-License-Identifier: Apache-2.0
internal import Synchronization

/// The delegate's methods that are missed when they are left out, as a developer has to write them.
enum DelegateMethod: String {
    case didUpdateLocations =
        "locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])"
    case didFailWithError = "locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)"
    case didFinishDeferredUpdates =
        "locationManager(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?)"
    case didUpdateHeading = "locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)"
    case didEnterRegion = "locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion)"
    case didExitRegion = "locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion)"
    case didDetermineState =
        "locationManager(_ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion)"
    case monitoringDidFail =
        "locationManager(_ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error)"
    case didVisit = "locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit)"
    case didFailRanging =
        "locationManager(_ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error)"
    case rangingBeaconsDidFail =
        "locationManager(_ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error)"
}

extension ManagerCore {
    /// Says once that `delegate` leaves `method` out, though a service needs it: `event` is what it would have been told.
    ///
    /// With Core Location's own way of finding methods such a mistake is silent; the usual ones are another spelling, and a
    /// subclass.
    func missing(_ method: DelegateMethod, of delegate: any CLLocationManagerDelegate, _ event: String) {
        state.withLock { $0.wasMissed = true }
        log.sayOnce(
            "\(type(of: delegate)) \(method.rawValue)",
            "\(event); \(type(of: delegate)) does not implement func \(method.rawValue). Only exactly this signature is"
                + " called, in the class that declares CLLocationManagerDelegate or its extension; older spellings such as"
                + " locationManager(manager:didUpdateLocations:), and methods of a subclass, are not.")
    }
}
