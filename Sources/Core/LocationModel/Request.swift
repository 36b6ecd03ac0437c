// SPDX-License-Identifier: Apache-2.0

/// A request of a client to its manager: each case is one method of the protocol, with what its members say, in range already. `LocationProtocol` declares
/// how it is written, the engine decides what comes of it.
package enum Request: Sendable, Hashable {
    case setPresence(Presence)
    case setProperties(PropertiesPatch)
    /// `resumeAfter`: the sequence behind which delivery starts.
    case startUpdatingLocation(resumeAfter: UInt64?)
    case stopUpdatingLocation
    /// `timeout`: seconds, > 0 and <= 600; nil: as configured, 10.
    case requestLocation(timeout: Double?)
    case allowDeferredLocationUpdates(DeferralParameters)
    case disallowDeferredLocationUpdates
    case startMonitoringSignificantLocationChanges
    case stopMonitoringSignificantLocationChanges
    case requestWhenInUseAuthorization
    case requestAlwaysAuthorization
    case requestTemporaryFullAccuracyAuthorization(purposeKey: String)
    /// Also replaces the app's region of the same identifier.
    case startMonitoring(Region)
    case stopMonitoring(identifier: String)
    case requestState(identifier: String)
    case startMonitoringVisits
    case stopMonitoringVisits
    case startUpdatingHeading
    case stopUpdatingHeading
    case startRangingBeacons(BeaconIdentity)
    case stopRangingBeacons(BeaconIdentity)
    /// The client hears beacons from now on. Providers only, as the next two.
    case offerBeacons
    /// It does no longer; why, for people.
    case withdrawBeacons(reason: String?)
    /// At most `BeaconSighting.reportedAtOnce`.
    case reportBeacons([BeaconSighting])
    case startLiveUpdates(LiveConfiguration)
    case stopLiveUpdates(updates: UInt64)
    case openMonitor(name: String)
    case closeMonitor(monitor: UInt64)
    case addCondition(ConditionParameters)
    case removeCondition(ConditionName)
    case startBackgroundActivitySession
    case invalidateBackgroundActivitySession(session: UInt64)
    case startServiceSession(ServiceSessionParameters)
    case invalidateServiceSession(session: UInt64)
    case acknowledge(event: UInt64)
    /// A person was shown a notice of an app.
    case acknowledgeNotice(NoticeName)
}

extension Request {
    /// Whether it wants to know where the device is from now on: who says that without measuring it says it again.
    package var asksForLocation: Bool {
        switch self {
        case .startUpdatingLocation, .requestLocation, .startLiveUpdates, .startMonitoringSignificantLocationChanges:
            true
        default: false
        }
    }
}

/// The criteria of a deferral; the first one met ends it. One that is <= 0 is met at once.
package struct DeferralParameters: Sendable, Hashable {
    /// Metres; nil: unlimited.
    package var untilTraveled: Double?
    /// Seconds; nil: unlimited.
    package var timeout: Double?

    /// A deferral within these limits.
    package init(untilTraveled: Double? = nil, timeout: Double? = nil) {
        self.untilTraveled = untilTraveled
        self.timeout = timeout
    }
}

/// A condition for a monitor to watch.
package struct ConditionParameters: Sendable, Hashable {
    /// The number of the monitor on this connection.
    package var monitor: UInt64
    /// 1 to 128 bytes; a monitor has one condition of a name.
    package var identifier: String
    /// The area.
    package var condition: RegionShape
    /// How it is taken to stand until it is looked at; never `unmonitored`.
    package var assuming: ConditionState

    /// The condition `identifier` of `monitor`.
    package init(
        monitor: UInt64, identifier: String, condition: RegionShape, assuming: ConditionState = .unknown
    ) {
        self.monitor = monitor
        self.identifier = identifier
        self.condition = condition
        self.assuming = assuming
    }
}

/// Which condition of which monitor.
package struct ConditionName: Sendable, Hashable {
    /// The number of the monitor on this connection.
    package var monitor: UInt64
    /// 1 to 128 bytes.
    package var identifier: String

    /// The condition `identifier` of `monitor`.
    package init(monitor: UInt64, identifier: String) {
        self.monitor = monitor
        self.identifier = identifier
    }
}

/// The authorization and accuracy that a service session asks for (CLServiceSession).
package struct ServiceSessionParameters: Sendable, Hashable {
    /// The authorization that the app needs.
    package var requirement: ServiceSessionRequirement
    /// Full accuracy for this purpose, too; 1 to 128 bytes.
    package var fullAccuracyPurposeKey: String?

    /// A session that asks for these.
    package init(requirement: ServiceSessionRequirement, fullAccuracyPurposeKey: String? = nil) {
        self.requirement = requirement
        self.fullAccuracyPurposeKey = fullAccuracyPurposeKey
    }
}
