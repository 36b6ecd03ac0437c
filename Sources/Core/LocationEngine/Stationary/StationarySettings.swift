// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// When the device counts as stationary.
package struct StationarySettings: Sendable, Equatable {
    /// Metres, > 0, beside the accuracy of the fixes.
    package var radius: Double
    /// How long it must have been within them, > 0; `unlimited`: it is never stationary.
    package var time: TimeSpan
    /// Sleep of the receiver while the device is stationary; movement is seen this much later.
    package var checkInterval = TimeSpan.seconds(60)

    /// Stationary after `time` within `radius` metres.
    package init(radius: Double, time: TimeSpan) {
        self.radius = radius
        self.time = time
    }
}

/// When the device counts as stationary, by the activity that a client has set.
package struct StationaryByActivity: Sendable, Equatable {
    /// Any other use.
    package var other = StationarySettings(radius: 30, time: .seconds(300))
    /// In a car: stops at lights and in jams do not count.
    package var automotiveNavigation = StationarySettings(radius: 50, time: .seconds(600))
    /// On foot: little movement counts.
    package var fitness = StationarySettings(radius: 15, time: .seconds(300))
    /// Boats, trains, bicycles.
    package var otherNavigation = StationarySettings(radius: 50, time: .seconds(600))
    /// Never stationary.
    package var airborne = StationarySettings(radius: 50, time: .unlimited)

    /// The defaults.
    package init() {}

    /// The settings by which standard updates with `activity` pause and live updates with it fall silent.
    package subscript(activity: ActivityType) -> StationarySettings {
        switch activity {
        case .other: other
        case .automotiveNavigation: automotiveNavigation
        case .fitness: fitness
        case .otherNavigation: otherNavigation
        case .airborne: airborne
        }
    }
}
