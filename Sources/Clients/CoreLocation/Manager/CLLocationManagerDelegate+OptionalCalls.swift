// SPDX-License-Identifier: Apache-2.0

// Apple's delegate has optional methods, which code outside of Core Location, above all in tests, calls with a second question mark:
// delegate?.locationManager?(manager, didUpdateLocations: locations). Optional methods need Objective-C. Here each name is also an
// optional property of what can be called; without that question mark the compiler takes the method. What an app calls by the same name,
// as the extension of a protocol of its own, goes before these.

extension CLLocationManagerDelegate {
    /// `delegate.locationManager?(…)` calls it; never nil.
    @_disfavoredOverload
    public var locationManager: CLLocationManagerDelegateMethods? { CLLocationManagerDelegateMethods(delegate: self) }

    /// `delegate.locationManagerDidChangeAuthorization?(…)` calls it; never nil.
    @_disfavoredOverload
    public var locationManagerDidChangeAuthorization: ((CLLocationManager) -> Void)? {
        { self.locationManagerDidChangeAuthorization($0) }
    }

    /// `delegate.locationManagerDidPauseLocationUpdates?(…)` calls it; never nil.
    @_disfavoredOverload
    public var locationManagerDidPauseLocationUpdates: ((CLLocationManager) -> Void)? {
        { self.locationManagerDidPauseLocationUpdates($0) }
    }

    /// `delegate.locationManagerDidResumeLocationUpdates?(…)` calls it; never nil.
    @_disfavoredOverload
    public var locationManagerDidResumeLocationUpdates: ((CLLocationManager) -> Void)? {
        { self.locationManagerDidResumeLocationUpdates($0) }
    }

    /// `delegate.locationManagerShouldDisplayHeadingCalibration?(…)` calls it; never nil.
    @_disfavoredOverload
    public var locationManagerShouldDisplayHeadingCalibration: ((CLLocationManager) -> Bool)? {
        { self.locationManagerShouldDisplayHeadingCalibration($0) }
    }
}

/// The methods of a delegate that are told apart by their labels. Only here, not on Apple's systems, so that
/// `delegate?.locationManager?(…)` compiles; no program has to name it.
public struct CLLocationManagerDelegateMethods {
    let delegate: any CLLocationManagerDelegate

    /// Calls the method of these labels.
    public func callAsFunction(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {
        delegate.locationManager(manager, didChangeAuthorization: status)
    }

    /// Calls the method of these labels.
    public func callAsFunction(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        delegate.locationManager(manager, didUpdateLocations: locations)
    }

    /// Calls the method of these labels.
    public func callAsFunction(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation?
    ) {
        delegate.locationManager(manager, didUpdateTo: newLocation, from: oldLocation)
    }

    /// Calls the method of these labels.
    public func callAsFunction(_ manager: CLLocationManager, didFailWithError error: any Error) {
        delegate.locationManager(manager, didFailWithError: error)
    }

    /// Calls the method of these labels.
    public func callAsFunction(_ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?) {
        delegate.locationManager(manager, didFinishDeferredUpdatesWithError: error)
    }

    /// Calls the method of these labels.
    public func callAsFunction(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        delegate.locationManager(manager, didUpdateHeading: newHeading)
    }

    /// Calls the method of these labels.
    public func callAsFunction(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        delegate.locationManager(manager, didVisit: visit)
    }
}

extension CLLocationManagerDelegateMethods {
    /// Calls the method of these labels.
    public func callAsFunction(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        delegate.locationManager(manager, didEnterRegion: region)
    }

    /// Calls the method of these labels.
    public func callAsFunction(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        delegate.locationManager(manager, didExitRegion: region)
    }

    /// Calls the method of these labels.
    public func callAsFunction(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {
        delegate.locationManager(manager, didDetermineState: state, for: region)
    }

    /// Calls the method of these labels.
    public func callAsFunction(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {
        delegate.locationManager(manager, didStartMonitoringFor: region)
    }

    /// Calls the method of these labels.
    public func callAsFunction(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        delegate.locationManager(manager, monitoringDidFailFor: region, withError: error)
    }
}

extension CLLocationManagerDelegateMethods {
    /// Calls the method of these labels.
    public func callAsFunction(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {
        delegate.locationManager(manager, didRange: beacons, satisfying: beaconConstraint)
    }

    /// Calls the method of these labels.
    public func callAsFunction(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    ) {
        delegate.locationManager(manager, didFailRangingFor: beaconConstraint, error: error)
    }

    /// Calls the method of these labels.
    public func callAsFunction(
        _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
    ) {
        delegate.locationManager(manager, didRangeBeacons: beacons, in: region)
    }

    /// Calls the method of these labels.
    public func callAsFunction(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
    ) {
        delegate.locationManager(manager, rangingBeaconsDidFailFor: region, withError: error)
    }
}
