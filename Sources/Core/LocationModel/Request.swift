// SPDX-License-Identifier: Apache-2.0

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
