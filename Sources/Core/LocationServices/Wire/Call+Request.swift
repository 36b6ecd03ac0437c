// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

extension Call {
    /// The engine's request for the call; nil: the engine is not asked.
    var request: Request? {
        switch self {
        case .setPresence(let presence): .setPresence(presence)
        case .setProperties(let patch): .setProperties(patch)
        case .startUpdatingLocation(let resumeAfter): .startUpdatingLocation(resumeAfter: resumeAfter)
        case .stopUpdatingLocation: .stopUpdatingLocation
        case .requestLocation(let timeout): .requestLocation(timeout: timeout)
        case .allowDeferredLocationUpdates(let criteria): .allowDeferredLocationUpdates(criteria)
        case .disallowDeferredLocationUpdates: .disallowDeferredLocationUpdates
        case .startMonitoringSignificantLocationChanges: .startMonitoringSignificantLocationChanges
        case .stopMonitoringSignificantLocationChanges: .stopMonitoringSignificantLocationChanges
        case .startUpdatingHeading: .startUpdatingHeading
        case .stopUpdatingHeading: .stopUpdatingHeading
        case .startRangingBeacons(let beacons): .startRangingBeacons(beacons)
        case .stopRangingBeacons(let beacons): .stopRangingBeacons(beacons)
        case .offerBeacons: .offerBeacons
        case .withdrawBeacons(let reason): .withdrawBeacons(reason: reason)
        case .reportBeacons(let sightings): .reportBeacons(sightings)
        case .startLiveUpdates(let configuration): .startLiveUpdates(configuration)
        case .stopLiveUpdates(let updates): .stopLiveUpdates(updates: updates)
        case .requestWhenInUseAuthorization: .requestWhenInUseAuthorization
        case .requestAlwaysAuthorization: .requestAlwaysAuthorization
        case .requestTemporaryFullAccuracyAuthorization(let key):
            .requestTemporaryFullAccuracyAuthorization(purposeKey: key)
        case .startBackgroundActivitySession: .startBackgroundActivitySession
        case .startServiceSession(let session): .startServiceSession(session)
        case .invalidateBackgroundActivitySession(let session): .invalidateBackgroundActivitySession(session: session)
        case .invalidateServiceSession(let session): .invalidateServiceSession(session: session)
        default: appRequest
        }
    }

    /// About what all connections of the app share.
    private var appRequest: Request? {
        switch self {
        case .startMonitoring(let region): .startMonitoring(region)
        case .stopMonitoring(let identifier): .stopMonitoring(identifier: identifier)
        case .requestState(let identifier): .requestState(identifier: identifier)
        case .startMonitoringVisits: .startMonitoringVisits
        case .stopMonitoringVisits: .stopMonitoringVisits
        case .acknowledge(let event): .acknowledge(event: event)
        case .acknowledgeNotice(let name): .acknowledgeNotice(name)
        case .openMonitor(let name): .openMonitor(name: name)
        case .closeMonitor(let monitor): .closeMonitor(monitor: monitor)
        case .addCondition(let condition): .addCondition(condition)
        case .removeCondition(let name): .removeCondition(name)
        default: nil
        }
    }
}
