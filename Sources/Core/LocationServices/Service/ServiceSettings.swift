// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Settings of the service, beside those of the engine (`EngineConfiguration`).
package struct ServiceSettings: Sendable, Equatable {
    /// Bounds on the clients' use of the service.
    package var limits = ServiceLimits()
    /// How long a request looks for a location if it does not say.
    package var requestTimeout = TimeSpan.seconds(10)
    /// Whether an app that asks for authorization must say what for (Protocol 6.4).
    package var requiresUsageDescriptions = true
    /// Users, groups and units that may provide locations and beacons, beside administrators.
    package var providers = AuthorizationRules.Subjects()
    /// After so long events go that nobody has come for.
    package var eventsKept = TimeSpan.seconds(30 * 86_400)

    /// The defaults.
    package init() {}
}
