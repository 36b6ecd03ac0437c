// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// When the receiver may sleep while somebody needs locations.
package struct PowerSettings: Sendable, Equatable {
    /// Whether it may at all.
    package var dutyCycle = true
    /// Metres per second that the device may reach at the most while nobody looks.
    package var plausibleSpeed = 40.0
    /// Metres per second that a stationary device makes on average over its first kilometre.
    package var plausibleSpeedFromRest = 12.0
    /// Shorter sleeps are not worth the start.
    package var minimumSleep = TimeSpan.seconds(10)
    /// The longest sleep, >= `minimumSleep`.
    package var maximumSleep = TimeSpan.seconds(900)
    /// A search for a first fix that takes longer is given up until the next wake-up.
    package var acquisition = TimeSpan.seconds(60)
    /// Sleep between fixes for `hundredMeters`.
    package var hundredMetersSleep = TimeSpan.seconds(10)
    /// Sleep between fixes for `kilometer`.
    package var kilometerSleep = TimeSpan.seconds(30)
    /// Sleep between fixes for `threeKilometers`.
    package var threeKilometersSleep = TimeSpan.seconds(60)

    /// The defaults.
    package init() {}
}
