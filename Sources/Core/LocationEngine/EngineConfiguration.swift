// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Every number that a decision depends on. Defaults are those of `locationd.conf`; `Config/locationd.conf` explains them.
package struct EngineConfiguration: Sendable, Equatable {
    /// Fixes that the log holds, > 0: a deferral that holds as many delivers early.
    package var logCapacity = 16_384
    /// A stored location older than this is not offered as a first one.
    package var cachedLocationAge = TimeSpan.seconds(300)
    /// A fix younger than this may answer `requestLocation` at once.
    package var requestCacheAge = TimeSpan.seconds(5)
    /// Without a fix for this long: `locationUnknown`.
    package var lossAge = TimeSpan.seconds(10)
    /// A deferral starts only with a fix younger than this.
    package var deferralFreshFixAge = TimeSpan.seconds(10)
    /// Without a fix for this long a deferral ends.
    package var deferralOutage = TimeSpan.seconds(30)
    /// Metres: the odometer grows in steps of at least this.
    package var odometerStep = 5.0
    /// How long a manager waits for its client to come back.
    package var rejoinTime = TimeSpan.seconds(30)
    /// How far and how long apart significant changes are.
    package var significantChange = SignificantChangeSettings()
    /// A receiver that is clearly better for this long is switched to.
    package var receiverSwitchTime = TimeSpan.seconds(10)
    /// When the receiver may sleep.
    package var power = PowerSettings()

    /// When a crossing of a border counts.
    package var regions = RegionSettings()
    /// Regions of one app.
    package var regionsPerApp = 20
    /// Metres: the greatest radius of a region.
    package var maximumRegionRadius = 2_000_000.0
    /// Conditions of one app, in all its monitors.
    package var conditionsPerApp = 20
    /// Monitors that one manager has open.
    package var monitorsPerManager = 32
    /// Sessions that one manager holds.
    package var sessionsPerManager = 32
    /// Streams of live updates of one manager.
    package var liveUpdatesPerManager = 32
    /// When a stay counts as a visit.
    package var visits = VisitSettings()
    /// When the device counts as stationary, by activity.
    package var stationary = StationaryByActivity()
    /// Whether paused updates go on by themselves when the device moves.
    package var resumesAutomatically = true
    /// How long the receiver may sleep while the device is stationary.
    package var stationaryCheck = TimeSpan.seconds(60)
    /// An event that waits for a person to say that "always" is meant is dropped when that takes longer.
    package var heldEventAge = TimeSpan.seconds(86_400)
    /// Apps of one user about which a person is asked at a time.
    package var questionsPerUser = 8
    /// Events that are stored for one app.
    package var eventsPerApp = 1000
    /// Bytes that the stored events of one app may take.
    package var eventBytesPerApp = 1 << 20
    /// Bytes that the stored events of all apps may take.
    package var eventBytes = 16 << 20

    func stationary(for activity: ActivityType) -> StationarySettings { stationary[activity] }

    /// The defaults.
    package init() {}
}
