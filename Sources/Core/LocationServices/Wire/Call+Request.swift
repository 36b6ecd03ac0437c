// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
package import LocationProtocol

extension Call {
    /// Returns the engine's request for the call; nil: the engine is not asked.
    ///
    /// - Parameters:
    ///   - properties: The manager's.
    ///   - requestTimeout: Of a `requestLocation` that names none.
    ///   - date: Of the request.
    ///   - isDeclared: Whether the app has said what it wants temporary full accuracy for, by purpose key.
    ///   - canAsk: Whether somebody is there to be asked about the app.
    ///   - resumePoint: What the log knows of a sequence.
    package func engineRequest(
        properties: @autoclosure () -> ManagerProperties, requestTimeout: TimeSpan, on date: WallTime,
        isDeclared: (String) -> Bool, canAsk: @autoclosure () -> Bool, resumePoint: (UInt64) -> ResumePoint
    ) -> Request? {
        switch self {
        case .setPresence(let presence): .setPresence(presence)
        case .setProperties(let patch): .setProperties(patch.apply(to: properties()))
        case .startUpdatingLocation(let resumeAfter):
            .startUpdatingLocation(resumeAfter: resumeAfter.map { resumePoint($0) })
        case .stopUpdatingLocation: .stopUpdatingLocation
        case .requestLocation(let timeout): .requestLocation(timeout: timeout.map { .seconds($0) } ?? requestTimeout)
        case .allowDeferredLocationUpdates(let criteria):
            .allowDeferredLocationUpdates(
                untilTraveled: criteria.untilTraveled ?? .infinity,
                timeout: criteria.timeout.map { .seconds($0) } ?? .unlimited)
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
        case .stopLiveUpdates(let updates): .stopLiveUpdates(UInt32(clamping: updates))
        case .requestWhenInUseAuthorization: .requestWhenInUseAuthorization
        case .requestAlwaysAuthorization: .requestAlwaysAuthorization
        case .requestTemporaryFullAccuracyAuthorization(let key):
            .requestTemporaryFullAccuracyAuthorization(
                purposeKey: key, isDeclared: isDeclared(key), canAsk: canAsk())
        case .startBackgroundActivitySession: .startBackgroundActivitySession
        case .startServiceSession(let session):
            .startServiceSession(session.requirement, purposeKey: session.fullAccuracyPurposeKey, canAsk: canAsk())
        case .invalidateBackgroundActivitySession(let session), .invalidateServiceSession(let session):
            .invalidateSession(UInt32(clamping: session))
        default: appRequest(on: date)
        }
    }

    /// About what all connections of the app share.
    private func appRequest(on date: WallTime) -> Request? {
        switch self {
        case .startMonitoring(let region): .startMonitoring(region)
        case .stopMonitoring(let identifier): .stopMonitoring(identifier: identifier)
        case .requestState(let identifier): .requestState(identifier: identifier)
        case .startMonitoringVisits: .startMonitoringVisits
        case .stopMonitoringVisits: .stopMonitoringVisits
        case .acknowledge(let event): .acknowledge(event: event)
        case .openMonitor(let name): .openMonitor(name: name)
        case .closeMonitor(let monitor): .closeMonitor(UInt32(clamping: monitor))
        case .addCondition(let condition):
            .addCondition(
                monitor: UInt32(clamping: condition.monitor), identifier: condition.identifier, condition.condition,
                assuming: condition.assuming, on: date)
        case .removeCondition(let name):
            .removeCondition(monitor: UInt32(clamping: name.monitor), identifier: name.identifier)
        default: nil
        }
    }
}
