// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
internal import Synchronization

/// The beacons that a manager ranges: for constraints, and for regions as older code has it. The daemon knows only constraints.
struct ManagerRanging: Sendable {
    private(set) var constraints: Set<CLBeaconIdentityConstraint> = []
    private(set) var regions: Set<CLBeaconRegion> = []

    var isEmpty: Bool { constraints.isEmpty && regions.isEmpty }

    mutating func insert(_ constraint: CLBeaconIdentityConstraint) { constraints.insert(constraint) }
    mutating func insert(_ region: CLBeaconRegion) { regions.insert(region) }
    mutating func remove(_ constraint: CLBeaconIdentityConstraint) { constraints.remove(constraint) }
    mutating func remove(_ region: CLBeaconRegion) { regions.remove(region) }

    func contains(_ beacons: BeaconIdentity) -> Bool {
        constraint(of: beacons) != nil || !regions(of: beacons).isEmpty
    }

    func constraint(of beacons: BeaconIdentity) -> CLBeaconIdentityConstraint? {
        constraints.first { $0.identity.modelled == beacons }
    }

    func regions(of beacons: BeaconIdentity) -> [CLBeaconRegion] {
        regions.filter { $0.identity.modelled == beacons }.sorted { $0.identifier < $1.identifier }
    }
}

// Ranging of beacons.
extension ManagerCore {
    func startRanging(_ beacons: BeaconSelection, _ note: (inout ManagerRanging) -> Void) {
        state.withLock { note(&$0.ranging) }
        start(.ranging, .startRangingBeacons(beacons.modelled))
    }

    func stopRanging(_ beacons: BeaconSelection, _ note: (inout ManagerRanging) -> Void) {
        let (isLast, isWanted) = state.withLock { state in
            note(&state.ranging)
            return (state.ranging.isEmpty, state.ranging.contains(beacons.modelled))
        }
        guard !isWanted else { return }
        if isLast {
            stop(.ranging, .stopRangingBeacons(beacons.modelled))
        } else {
            perform(.stopRangingBeacons(beacons.modelled))
        }
    }

    /// Calls the delegate with beacons or with a failure, for constraint and regions alike; for none that is no longer ranged.
    func call(
        _ notification: DaemonNotification, forBeaconsOf delegate: any CLLocationManagerDelegate,
        _ manager: CLLocationManager
    ) {
        let ranging = state.withLock { $0.ranging }
        switch notification {
        case .didRangeBeacons(let found, let beacons):
            let found = found.map { CLBeacon($0) }
            if let constraint = ranging.constraint(of: beacons) {
                delegate.locationManager(manager, didRange: found, satisfying: constraint)
            }
            for region in ranging.regions(of: beacons) {
                delegate.locationManager(manager, didRangeBeacons: found, in: region)
            }
        case .rangingDidFail(let beacons, let error):
            callFailure(CLError(error), of: beacons, ranging, delegate, manager)
        default: break
        }
    }

    /// The daemon refused to range `beacons`.
    func postRangingFailure(_ error: CLError, of beacons: BeaconIdentity) {
        post { [weak self] delegate, manager in
            guard let ranging = self?.state.withLock({ $0.ranging }) else { return }
            self?.callFailure(error, of: beacons, ranging, delegate, manager)
        }
    }

    private func callFailure(
        _ error: CLError, of beacons: BeaconIdentity, _ ranging: ManagerRanging,
        _ delegate: any CLLocationManagerDelegate, _ manager: CLLocationManager
    ) {
        if let constraint = ranging.constraint(of: beacons) {
            delegate.locationManager(manager, didFailRangingFor: constraint, error: error)
        }
        for region in ranging.regions(of: beacons) {
            delegate.locationManager(manager, rangingBeaconsDidFailFor: region, withError: error)
        }
    }
}
