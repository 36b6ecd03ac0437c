// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Testing

@Suite("The interface of CLLocationManager")
struct ManagerInterfaceTests {
    private typealias Manager = CLLocationManager

    @Test("has Apple's properties that can be set")
    func settable() {
        let _: ReferenceWritableKeyPath<Manager, (any CLLocationManagerDelegate)?> = \.delegate
        let _: ReferenceWritableKeyPath<Manager, CLLocationAccuracy> = \.desiredAccuracy
        let _: ReferenceWritableKeyPath<Manager, CLLocationDistance> = \.distanceFilter
        let _: ReferenceWritableKeyPath<Manager, CLActivityType> = \.activityType
        let _: ReferenceWritableKeyPath<Manager, Bool> = \.pausesLocationUpdatesAutomatically
        let _: ReferenceWritableKeyPath<Manager, Bool> = \.allowsBackgroundLocationUpdates
        let _: ReferenceWritableKeyPath<Manager, Bool> = \.showsBackgroundLocationIndicator
        let _: ReferenceWritableKeyPath<Manager, CLLocationDegrees> = \.headingFilter
        let _: ReferenceWritableKeyPath<Manager, (any CLBodyIdentifiable)?> = \.headingBody
    }

    @Test("has Apple's properties that can only be read")
    func readable() {
        let location: KeyPath<Manager, CLLocation?> = \.location
        let heading: KeyPath<Manager, CLHeading?> = \.heading
        let status: KeyPath<Manager, CLAuthorizationStatus> = \.authorizationStatus
        let accuracy: KeyPath<Manager, CLAccuracyAuthorization> = \.accuracyAuthorization
        let widgets: KeyPath<Manager, Bool> = \.isAuthorizedForWidgetUpdates
        let regions: KeyPath<Manager, Set<CLRegion>> = \.monitoredRegions
        let distance: KeyPath<Manager, CLLocationDistance> = \.maximumRegionMonitoringDistance
        let constraints: KeyPath<Manager, Set<CLBeaconIdentityConstraint>> = \.rangedBeaconConstraints
        #expect(!canSet(location) && !canSet(heading) && !canSet(status) && !canSet(accuracy) && !canSet(widgets))
        #expect(!canSet(regions) && !canSet(distance) && !canSet(constraints))
    }

    @Test("has Apple's methods without parameters")
    func methods() {
        let _: (Manager) -> () -> Void = Manager.startUpdatingLocation
        let _: (Manager) -> () -> Void = Manager.stopUpdatingLocation
        let _: (Manager) -> () -> Void = Manager.requestLocation
        let _: (Manager) -> () -> Void = Manager.disallowDeferredLocationUpdates
        let _: (Manager) -> () -> Void = Manager.startMonitoringSignificantLocationChanges
        let _: (Manager) -> () -> Void = Manager.stopMonitoringSignificantLocationChanges
        let _: (Manager) -> () -> Void = Manager.startMonitoringVisits
        let _: (Manager) -> () -> Void = Manager.stopMonitoringVisits
        let _: (Manager) -> () -> Void = Manager.startUpdatingHeading
        let _: (Manager) -> () -> Void = Manager.stopUpdatingHeading
        let _: (Manager) -> () -> Void = Manager.dismissHeadingCalibrationDisplay
        let _: (Manager) -> () -> Void = Manager.requestWhenInUseAuthorization
        let _: (Manager) -> () -> Void = Manager.requestAlwaysAuthorization
    }

    @Test("has Apple's methods with parameters, and their labels")
    func labels() {
        let _: (Manager) -> (CLLocationDistance, TimeInterval) -> Void =
            Manager.allowDeferredLocationUpdates(untilTraveled:timeout:)
        let _: (Manager) -> (CLRegion) -> Void = Manager.startMonitoring(for:)
        let _: (Manager) -> (CLRegion) -> Void = Manager.stopMonitoring(for:)
        let _: (Manager) -> (CLRegion) -> Void = Manager.requestState(for:)
        let _: (Manager) -> (CLBeaconIdentityConstraint) -> Void = Manager.startRangingBeacons(satisfying:)
        let _: (Manager) -> (CLBeaconIdentityConstraint) -> Void = Manager.stopRangingBeacons(satisfying:)
        let _: (Manager, String) -> Void = { $0.requestTemporaryFullAccuracyAuthorization(withPurposeKey: $1) }
        let _: (Manager, String, @escaping ((any Error)?) -> Void) -> Void = {
            $0.requestTemporaryFullAccuracyAuthorization(withPurposeKey: $1, completion: $2)
        }
        let _: @MainActor (Manager, String) async throws -> Void = {
            try await $0.requestTemporaryFullAccuracyAuthorization(withPurposeKey: $1)
        }
    }

    @Test("has Apple's class methods, which a subclass may override")
    func classMethods() {
        let _: () -> Bool = Manager.locationServicesEnabled
        let _: () -> Bool = Manager.headingAvailable
        let _: () -> Bool = Manager.significantLocationChangeMonitoringAvailable
        let _: (AnyClass) -> Bool = Manager.isMonitoringAvailable(for:)
        let _: () -> Bool = Manager.isRangingAvailable
        let _: () -> Bool = Manager.deferredLocationUpdatesAvailable
        class Other: CLLocationManager {
            override class func headingAvailable() -> Bool { true }
            override class func isRangingAvailable() -> Bool { true }
        }
        #expect(Other.headingAvailable() && Other.isRangingAvailable())
    }

    @Test("still has what Apple has deprecated")
    @available(*, deprecated, message: "uses what is deprecated")
    func deprecated() {
        let _: ReferenceWritableKeyPath<Manager, CLDeviceOrientation> = \.headingOrientation
        let _: () -> CLAuthorizationStatus = Manager.authorizationStatus
        let _: KeyPath<Manager, Set<CLRegion>> = \.rangedRegions
        let _: (Manager) -> (CLBeaconRegion) -> Void = Manager.startRangingBeacons(in:)
        let _: (Manager) -> (CLBeaconRegion) -> Void = Manager.stopRangingBeacons(in:)
        #expect(CLAuthorizationStatus.authorized == .authorizedAlways)
    }

    @Test("is an NSObject")
    func kind() {
        let _: NSObject.Type = Manager.self
        isHashable(Manager.self)
    }
}
