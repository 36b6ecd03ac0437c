// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Testing

@Suite("The interface of CLLocationManagerDelegate")
struct DelegateInterfaceTests {
    private final class Silent: NSObject, CLLocationManagerDelegate {}

    private typealias Told = any CLLocationManagerDelegate
    private typealias Manager = CLLocationManager

    @Test("is a protocol of Objective-C's objects, whose methods may all be left out")
    func objects() {
        let one: Told = Silent()
        let other: Told = Silent()
        let object: any NSObjectProtocol = one
        #expect(object.isEqual(one) && !one.isEqual(other) && one.hash != other.hash)
        #expect(one !== other)
    }

    @Test("has Apple's methods for authorization and locations")
    func locations() {
        let _: (Told, Manager) -> Void = { $0.locationManagerDidChangeAuthorization($1) }
        let _: (Told, Manager, CLAuthorizationStatus) -> Void = { $0.locationManager($1, didChangeAuthorization: $2) }
        let _: (Told, Manager, [CLLocation]) -> Void = { $0.locationManager($1, didUpdateLocations: $2) }
        let _: (Told, Manager, any Error) -> Void = { $0.locationManager($1, didFailWithError: $2) }
        let _: (Told, Manager, (any Error)?) -> Void = { $0.locationManager($1, didFinishDeferredUpdatesWithError: $2) }
        let _: (Told, Manager) -> Void = { $0.locationManagerDidPauseLocationUpdates($1) }
        let _: (Told, Manager) -> Void = { $0.locationManagerDidResumeLocationUpdates($1) }
        let _: (Told, Manager, CLVisit) -> Void = { $0.locationManager($1, didVisit: $2) }
        let _: (Told, Manager, CLHeading) -> Void = { $0.locationManager($1, didUpdateHeading: $2) }
        let _: (Told, Manager) -> Bool = { $0.locationManagerShouldDisplayHeadingCalibration($1) }
    }

    @Test("has Apple's methods for regions and beacons")
    func regions() {
        let _: (Told, Manager, CLRegion) -> Void = { $0.locationManager($1, didEnterRegion: $2) }
        let _: (Told, Manager, CLRegion) -> Void = { $0.locationManager($1, didExitRegion: $2) }
        let _: (Told, Manager, CLRegion) -> Void = { $0.locationManager($1, didStartMonitoringFor: $2) }
        let _: (Told, Manager, CLRegionState, CLRegion) -> Void = {
            $0.locationManager($1, didDetermineState: $2, for: $3)
        }
        let _: (Told, Manager, CLRegion?, any Error) -> Void = {
            $0.locationManager($1, monitoringDidFailFor: $2, withError: $3)
        }
        let _: (Told, Manager, [CLBeacon], CLBeaconIdentityConstraint) -> Void = {
            $0.locationManager($1, didRange: $2, satisfying: $3)
        }
        let _: (Told, Manager, CLBeaconIdentityConstraint, any Error) -> Void = {
            $0.locationManager($1, didFailRangingFor: $2, error: $3)
        }
        let _: (Told, Manager, [CLBeacon], CLBeaconRegion) -> Void = {
            $0.locationManager($1, didRangeBeacons: $2, in: $3)
        }
        let _: (Told, Manager, CLBeaconRegion, any Error) -> Void = {
            $0.locationManager($1, rangingBeaconsDidFailFor: $2, withError: $3)
        }
    }
}
