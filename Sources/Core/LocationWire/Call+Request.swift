// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
package import LocationProtocol

extension Call {
    /// What the engine is asked for a call about one manager's own services; nil: it is about something else.
    ///
    /// - Parameters:
    ///   - properties: The manager's.
    ///   - requestTimeout: Of a `requestLocation` that names none.
    ///   - resumePoint: What the log knows of a sequence.
    package func managerRequest(
        properties: @autoclosure () -> ManagerProperties, requestTimeout: TimeSpan, resumePoint: (UInt64) -> ResumePoint
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
        case .startLiveUpdates(let configuration): .startLiveUpdates(configuration)
        case .stopLiveUpdates(let updates): .stopLiveUpdates(UInt32(clamping: updates))
        default: nil
        }
    }
}
