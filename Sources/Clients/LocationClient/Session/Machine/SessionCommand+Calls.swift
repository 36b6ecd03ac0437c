// SPDX-License-Identifier: Apache-2.0
import LocationProtocol

extension SessionCommand {
    /// The request, where it needs no number of the daemon's.
    var call: Call? {
        switch self {
        case .setPresence(let presence): .setPresence(presence)
        case .setProperties(let patch): .setProperties(patch)
        case .startUpdatingLocation: .startUpdatingLocation(resumeAfter: nil)
        case .stopUpdatingLocation: .stopUpdatingLocation
        case .requestLocation(let timeout): .requestLocation(timeout: timeout)
        case .allowDeferredLocationUpdates(let untilTraveled, let timeout):
            .allowDeferredLocationUpdates(DeferralParameters(untilTraveled: untilTraveled, timeout: timeout))
        case .disallowDeferredLocationUpdates: .disallowDeferredLocationUpdates
        case .startMonitoringSignificantLocationChanges: .startMonitoringSignificantLocationChanges
        case .stopMonitoringSignificantLocationChanges: .stopMonitoringSignificantLocationChanges
        case .startUpdatingHeading: .startUpdatingHeading
        case .stopUpdatingHeading: .stopUpdatingHeading
        case .startLiveUpdates(_, let configuration): .startLiveUpdates(configuration)
        default: callOfApp
        }
    }

    private var callOfApp: Call? {
        switch self {
        case .requestWhenInUseAuthorization: .requestWhenInUseAuthorization
        case .requestAlwaysAuthorization: .requestAlwaysAuthorization
        case .requestTemporaryFullAccuracyAuthorization(let key):
            .requestTemporaryFullAccuracyAuthorization(purposeKey: key)
        case .startMonitoring(let region): .startMonitoring(region)
        case .stopMonitoring(let identifier): .stopMonitoring(identifier: identifier)
        case .requestState(let identifier): .requestState(identifier: identifier)
        case .startMonitoringVisits: .startMonitoringVisits
        case .stopMonitoringVisits: .stopMonitoringVisits
        case .openMonitor(_, let name): .openMonitor(name: name)
        case .startBackgroundActivitySession: .startBackgroundActivitySession
        case .startServiceSession(_, let requirement, let key):
            .startServiceSession(ServiceSessionParameters(requirement: requirement, fullAccuracyPurposeKey: key))
        case .acknowledge(let event): .acknowledge(event: event)
        default: nil
        }
    }

    /// What the daemon gives a number to by this command.
    var opens: (kind: NumberedKind, handle: SessionHandle)? {
        switch self {
        case .startLiveUpdates(let handle, _): (.updates, handle)
        case .openMonitor(let handle, _): (.monitor, handle)
        case .startBackgroundActivitySession(let handle), .startServiceSession(let handle, _, _): (.session, handle)
        default: nil
        }
    }

    /// What this command ends.
    var closes: (kind: NumberedKind, handle: SessionHandle)? {
        switch self {
        case .stopLiveUpdates(let handle): (.updates, handle)
        case .closeMonitor(let handle): (.monitor, handle)
        case .invalidateBackgroundActivitySession(let handle), .invalidateServiceSession(let handle):
            (.session, handle)
        default: nil
        }
    }

    var isLocationRequest: Bool {
        if case .requestLocation = self { true } else { false }
    }

    /// Whether it ends a one-shot request (`core-location.md` R5, R6).
    var cancelsRequest: Bool {
        switch self {
        case .startUpdatingLocation, .stopUpdatingLocation, .allowDeferredLocationUpdates: true
        default: false
        }
    }

    var isDeferral: Bool {
        if case .allowDeferredLocationUpdates = self { true } else { false }
    }
}
