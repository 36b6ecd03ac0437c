// SPDX-License-Identifier: Apache-2.0

// The behaviour of methods that a delegate leaves out.

extension CLLocationManagerDelegate {
    /// Calls the older form, if the status is another than it was told last.
    public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {
        guard let status = manager.core.takeStatusForOlderForm() else { return }
        locationManager(manager, didChangeAuthorization: status)
    }

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didChangeAuthorization status: CLAuthorizationStatus) {}

    /// Calls the older form for each location.
    public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
        for location in locations {
            let before = manager.core.takeLocationForOlderForm(location)
            locationManager(manager, didUpdateTo: location, from: before)
        }
    }

    /// Says that nothing takes the locations.
    public func locationManager(
        _ manager: CLLocationManager, didUpdateTo newLocation: CLLocation, from oldLocation: CLLocation?
    ) {
        manager.core.missing(
            .didUpdateLocations, of: self, "locations come, and nothing takes them")
    }

    /// Says what failed.
    public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {
        manager.core.missing(.didFailWithError, of: self, "a service failed: \(error.localizedDescription)")
    }

    /// Says that nothing learns that the deferral is over.
    public func locationManager(
        _ manager: CLLocationManager, didFinishDeferredUpdatesWithError error: (any Error)?
    ) {
        let end = error.map { ": \($0.localizedDescription)" } ?? ""
        manager.core.missing(.didFinishDeferredUpdates, of: self, "a deferral ended\(end)")
    }

    /// Does nothing.
    public func locationManagerDidPauseLocationUpdates(_ manager: CLLocationManager) {}

    /// Does nothing.
    public func locationManagerDidResumeLocationUpdates(_ manager: CLLocationManager) {}
}

extension CLLocationManagerDelegate {
    /// Says that nothing takes the headings.
    public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {
        manager.core.missing(.didUpdateHeading, of: self, "headings come, and nothing takes them")
    }

    /// No.
    public func locationManagerShouldDisplayHeadingCalibration(_ manager: CLLocationManager) -> Bool { false }

    /// Says that nothing takes the event.
    public func locationManager(_ manager: CLLocationManager, didEnterRegion region: CLRegion) {
        manager.core.missing(.didEnterRegion, of: self, "a region was entered")
    }

    /// Says that nothing takes the event.
    public func locationManager(_ manager: CLLocationManager, didExitRegion region: CLRegion) {
        manager.core.missing(.didExitRegion, of: self, "a region was left")
    }

    /// Says that nothing takes the answer, if there was a question.
    public func locationManager(
        _ manager: CLLocationManager, didDetermineState state: CLRegionState, for region: CLRegion
    ) {
        guard manager.core.hasRequestedState else { return }
        manager.core.missing(.didDetermineState, of: self, "requestState(for:) was answered")
    }

    /// Does nothing.
    public func locationManager(_ manager: CLLocationManager, didStartMonitoringFor region: CLRegion) {}

    /// Says what failed.
    public func locationManager(
        _ manager: CLLocationManager, monitoringDidFailFor region: CLRegion?, withError error: any Error
    ) {
        manager.core.missing(
            .monitoringDidFail, of: self, "a region is not watched: \(error.localizedDescription)")
    }

    /// Says that nothing takes the visit.
    public func locationManager(_ manager: CLLocationManager, didVisit visit: CLVisit) {
        manager.core.missing(.didVisit, of: self, "visits come, and nothing takes them")
    }

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didRange beacons: [CLBeacon],
        satisfying beaconConstraint: CLBeaconIdentityConstraint
    ) {}

    /// Says what failed.
    public func locationManager(
        _ manager: CLLocationManager, didFailRangingFor beaconConstraint: CLBeaconIdentityConstraint, error: any Error
    ) {
        manager.core.missing(.didFailRanging, of: self, "beacons are not ranged: \(error.localizedDescription)")
    }

    /// Does nothing.
    public func locationManager(
        _ manager: CLLocationManager, didRangeBeacons beacons: [CLBeacon], in region: CLBeaconRegion
    ) {}

    /// Says what failed.
    public func locationManager(
        _ manager: CLLocationManager, rangingBeaconsDidFailFor region: CLBeaconRegion, withError error: any Error
    ) {
        manager.core.missing(
            .rangingBeaconsDidFail, of: self, "beacons are not ranged: \(error.localizedDescription)")
    }
}
