// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
internal import Synchronization

// Requests of a developer to a manager.
extension ManagerCore {
    func change(_ patch: PropertiesPatch) {
        let isNews = state.withLock { state in
            let changed = patch.apply(to: state.properties)
            defer { state.properties = changed }
            return changed != state.properties
        }
        if isNews { perform(.setProperties(patch)) }
    }

    func refuse(_ property: String, _ value: Double) {
        log.sayOnce("cannot set \(property) to \(value): it stays as it is")
    }

    func start(_ service: ManagerState.Service, _ request: Request) {
        _ = state.withLock { $0.services.insert(service) }
        self.request(request)
    }

    func stop(_ service: ManagerState.Service, _ request: Request) {
        _ = state.withLock { $0.services.remove(service) }
        perform(request)
    }

    func request(_ request: Request) {
        perform(request)
        noteStart()
    }

    func requestLocation() {
        let hasDelegate = delegate != nil
        assert(hasDelegate, "cannot request a location: the manager has no delegate, which alone could be told")
        guard hasDelegate else {
            return log.sayOnce("cannot request a location: the manager has no delegate, which alone could be told")
        }
        state.withLock { $0.oneShotRequest = $0.services.contains(.standard) ? .none : .pending }
        request(.requestLocation(timeout: nil))
    }

    func allowDeferral(_ distance: Double, _ timeout: Double) {
        guard !distance.isNaN, !timeout.isNaN else {
            let text = "cannot defer: NaN is no limit; CLLocationDistanceMax and CLTimeIntervalMax mean none"
            let error = CLError(.deferredFailed, userInfo: [NSLocalizedDescriptionKey: text])
            return postFinish(.deferredFailed) { [weak self] in
                self?.tell { $0.locationManager($1, didFinishDeferredUpdatesWithError: error) }
            }
        }
        state.withLock { $0.endRequest() }
        perform(
            .allowDeferredLocationUpdates(
                DeferralParameters(untilTraveled: distance.limit, timeout: timeout.limit)))
    }

    func startMonitoring(_ region: CLRegion) {
        guard let modelled = region.modelled, modelled.isFinite else {
            let text =
                "cannot watch the region: it is neither a circle or polygon of finite numbers nor a CLBeaconRegion"
            let error = CLError(.regionMonitoringFailure, userInfo: [NSLocalizedDescriptionKey: text])
            return post { $0.locationManager($1, monitoringDidFailFor: region, withError: error) }
        }
        start(.regions, .startMonitoring(modelled))
    }

    func stopMonitoring(_ identifier: String) {
        state.withLock { state in
            state.monitoredRegions = state.monitoredRegions.filter { $0.identifier != identifier }
        }
        perform(.stopMonitoring(identifier: identifier))
    }

    func requestFullAccuracy(_ purposeKey: String, _ completion: AccuracyCompletion) {
        state.withLock {
            $0.accuracyRequests.append(ManagerState.AccuracyRequest(purposeKey: purposeKey, completion: completion))
        }
        request(.requestTemporaryFullAccuracyAuthorization(purposeKey: purposeKey))
    }
}

extension Double {
    // As the protocol has it: what no device reaches is no limit.
    fileprivate var limit: Double? { self >= 1e300 ? nil : Swift.max(self, -1) }
}

extension Region {
    // JSON has nothing else.
    fileprivate var isFinite: Bool {
        switch shape {
        case .circle(let center, let radius): center.latitude.isFinite && center.longitude.isFinite && radius.isFinite
        case .polygon, .beacon: true
        }
    }
}
