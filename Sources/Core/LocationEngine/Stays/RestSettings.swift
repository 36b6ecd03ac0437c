// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// When the device counts as being at rest.
package struct RestSettings: Sendable, Equatable {
    /// Metres, > 0, beside the accuracy of the fixes.
    package var radius: Double
    /// How long it must have been within them, > 0; `unlimited`: it never rests.
    package var time: TimeSpan
    /// Sleep of the receiver at rest, while nobody needs it awake: movement is seen this much later.
    package var checkInterval = TimeSpan.seconds(60)

    /// At rest after `time` within `radius` metres.
    package init(radius: Double, time: TimeSpan) {
        self.radius = radius
        self.time = time
    }
}

/// When the device counts as stationary, by the activity that a client has set.
package struct ActivityRest: Sendable, Equatable {
    /// Without a better word.
    package var other = RestSettings(radius: 30, time: .seconds(300))
    /// In a car: lights and jams are no rest.
    package var automotiveNavigation = RestSettings(radius: 50, time: .seconds(600))
    /// On foot: little movement counts.
    package var fitness = RestSettings(radius: 15, time: .seconds(300))
    /// Boats, trains, bicycles.
    package var otherNavigation = RestSettings(radius: 50, time: .seconds(600))
    /// Never at rest.
    package var airborne = RestSettings(radius: 50, time: .unlimited)

    /// The defaults.
    package init() {}

    /// What standard updates with `activity` pause by, and live updates whose configuration has it become stationary by.
    package subscript(activity: ActivityType) -> RestSettings {
        switch activity {
        case .other: other
        case .automotiveNavigation: automotiveNavigation
        case .fitness: fitness
        case .otherNavigation: otherNavigation
        case .airborne: airborne
        }
    }
}
