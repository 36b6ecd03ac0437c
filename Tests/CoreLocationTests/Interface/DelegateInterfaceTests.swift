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

    @Test("is what an NSObject says of itself, also through the protocol")
    func ownEquality() {
        final class Same: NSObject, CLLocationManagerDelegate {
            override var hash: Int { 7 }
            override func isEqual(_ object: Any?) -> Bool { object is Same }
            override var description: String { "same" }
        }
        let (one, other): (Told, Told) = (Same(), Same())
        #expect(one.isEqual(other) && one.hash == 7 && one.description == "same" && !one.isProxy())
        #expect(!one.isEqual(Silent()))
    }

    @Test("can be, only here, what is no NSObject: a plain class, and an actor")
    func withoutNSObject() {
        final class Plain: CLLocationManagerDelegate {}
        actor Actor: CLLocationManagerDelegate {
            nonisolated func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            }
        }
        let told: [Told] = [Plain(), Plain(), Actor(), Actor()]
        for (index, one) in told.enumerated() {
            #expect(told.map { one.isEqual($0) } == told.indices.map { $0 == index })
            #expect(told.filter { $0.hash == one.hash }.count == 1 && !one.isEqual("text"))
        }
        #expect(told.map(\.description) == ["Plain", "Plain", "Actor", "Actor"])
        #expect(told.map(\.debugDescription) == told.map(\.description))
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

    /// Keeps the name of each method that is called.
    private final class Diarist: NSObject, CLLocationManagerDelegate {
        var calls: [String] = []
        func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) { calls.append("authorization") }
        func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
            calls.append("\(locations.count) locations")
        }
        func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
            calls.append("error \((error as? CLError)?.errorCode ?? 0)")
        }
        func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) { calls.append("pause") }
        func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) { calls.append("resume") }
        func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { true }
        func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) { calls.append("exit") }
    }

    @Test("can be called as one with optional methods, as tests of apps do")
    func optionalCalls() {
        let (diarist, manager) = (Diarist(), CLLocationManager())
        let delegate: Told? = diarist
        delegate?.locationManagerDidChangeAuthorization?(manager)
        delegate?.locationManager?(manager, didUpdateLocations: [CLLocation(), CLLocation()])
        delegate?.locationManager?(manager, didFailWithError: CLError(.denied))
        delegate?.locationManager?(manager, didEnterRegion: CLRegion())
        delegate?.locationManager?(manager, didExitRegion: CLRegion())
        delegate?.locationManagerDidPauseLocationUpdates?(manager)
        delegate?.locationManagerDidResumeLocationUpdates?(manager)
        #expect(delegate?.locationManagerShouldDisplayHeadingCalibration?(manager) == true)
        #expect(diarist.calls == ["authorization", "2 locations", "error 1", "exit", "pause", "resume"])
    }

    @Test("has all its methods as optional ones, too")
    func optionalMethods() {
        let _: (Told, Manager, CLAuthorizationStatus) -> Void? = { $0.locationManager?($1, didChangeAuthorization: $2) }
        let _: (Told, Manager, CLLocation, CLLocation?) -> Void? = {
            $0.locationManager?($1, didUpdateTo: $2, from: $3)
        }
        let _: (Told, Manager, (any Error)?) -> Void? = {
            $0.locationManager?($1, didFinishDeferredUpdatesWithError: $2)
        }
        let _: (Told, Manager, CLVisit) -> Void? = { $0.locationManager?($1, didVisit: $2) }
        let _: (Told, Manager, CLHeading) -> Void? = { $0.locationManager?($1, didUpdateHeading: $2) }
        let _: (Told, Manager, CLRegion) -> Void? = { $0.locationManager?($1, didStartMonitoringFor: $2) }
        let _: (Told, Manager, CLRegionState, CLRegion) -> Void? = {
            $0.locationManager?($1, didDetermineState: $2, for: $3)
        }
        let _: (Told, Manager, CLRegion?, any Error) -> Void? = {
            $0.locationManager?($1, monitoringDidFailFor: $2, withError: $3)
        }
        let _: (Told, Manager, [CLBeacon], CLBeaconIdentityConstraint) -> Void? = {
            $0.locationManager?($1, didRange: $2, satisfying: $3)
        }
        let _: (Told, Manager, CLBeaconIdentityConstraint, any Error) -> Void? = {
            $0.locationManager?($1, didFailRangingFor: $2, error: $3)
        }
        let _: (Told, Manager, [CLBeacon], CLBeaconRegion) -> Void? = {
            $0.locationManager?($1, didRangeBeacons: $2, in: $3)
        }
        let _: (Told, Manager, CLBeaconRegion, any Error) -> Void? = {
            $0.locationManager?($1, rangingBeaconsDidFailFor: $2, withError: $3)
        }
    }
}
