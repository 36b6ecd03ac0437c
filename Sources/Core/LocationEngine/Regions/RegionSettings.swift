// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// When a crossing of a border counts, for regions that do not say it themselves.
package struct RegionSettings: Sendable, Hashable {
    /// Least distance beyond the border, metres. Default 5.
    package var minimumCushion = 5.0
    /// Largest distance beyond the border that poor accuracy may ask for, metres. Default 200.
    package var maximumCushion = 200.0
    /// How long beyond it, by the times of the fixes. Default 20 s (rule M5).
    package var dwell = TimeSpan.seconds(20)
    /// Fixes with a larger horizontalAccuracy say nothing about regions, metres. Default 300.
    package var maximumAccuracy = 300.0
    /// Fixes at most this far apart count as one straight way, which may lead through a small region. Default 5 min.
    package var maximumPassageGap = TimeSpan.seconds(300)
    /// Whether such ways are looked at at all. Default yes.
    package var detectsPassages = true
    /// Without a beacon for this long the device has left its surroundings. Default 30 s (rule H6).
    package var beaconExit = TimeSpan.seconds(30)

    /// The defaults.
    package init() {}
}
