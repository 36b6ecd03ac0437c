// SPDX-License-Identifier: Apache-2.0

package import LocationModel

/// A condition for a monitor to watch.
package struct ConditionParameters: Sendable, Hashable {
    /// The members on the wire.
    package enum Member: String, CodingKey, CaseIterable { case monitor, identifier, condition, assuming }

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

    /// What may be assumed: what a look at the place can find.
    static let assumable: [ConditionState] = [.unknown, .satisfied, .unsatisfied]
}

/// Which condition of which monitor.
package struct ConditionName: Sendable, Hashable {
    /// The members on the wire.
    package enum Member: String, CodingKey, CaseIterable { case monitor, identifier }

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

/// What a service session asks for (CLServiceSession).
package struct ServiceSessionParameters: Sendable, Hashable {
    /// The members on the wire.
    package enum Member: String, CodingKey, CaseIterable { case requirement, fullAccuracyPurposeKey }

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

/// What an admin decides about an app; at least one of the two is given.
package struct AuthorizeParameters: Sendable, Hashable {
    /// The members on the wire.
    package enum Member: String, CodingKey, CaseIterable {
        case app, authorizationStatus, accuracyAuthorization, once
    }

    /// As `apps` names it, 1 to 256 bytes.
    package var app: String
    /// What it may do from now on; nil: as before.
    package var authorizationStatus: AuthorizationStatus?
    /// How precisely it may know from now on; nil: as before.
    package var accuracyAuthorization: AccuracyAuthorization?
    /// Only until the app is no longer in use; only with `authorizedWhenInUse`.
    package var once: Bool

    /// This decision about `app`.
    package init(
        app: String, authorizationStatus: AuthorizationStatus? = nil,
        accuracyAuthorization: AccuracyAuthorization? = nil, once: Bool = false
    ) {
        self.app = app
        self.authorizationStatus = authorizationStatus
        self.accuracyAuthorization = accuracyAuthorization
        self.once = once
    }
}
