// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
package import LocationServices

/// Everything an administrator can set. The initial values are the defaults; `ConfigurationKey.all` has ranges and units.
package struct Configuration: Sendable, Equatable {
    /// The daemon as a service of systemd.
    package struct Service: Sendable, Equatable {
        /// A daemon that was started by its socket ends when it was idle for so long; zero: never.
        package var exitWhenIdle = TimeSpan.zero
    }

    /// The receivers' daemon.
    package struct GPSD: Sendable, Equatable {
        /// Where it listens.
        package var address = GPSDAddress.tcp(host: "127.0.0.1", port: 2947)
        /// Wait before the first attempt to connect again; doubles from there.
        package var reconnectMinimum = TimeSpan.milliseconds(500)
        /// Longest wait between attempts.
        package var reconnectMaximum = TimeSpan.seconds(30)
        /// Without a fix for so long, clients are told that the location is unknown.
        package var loss = TimeSpan.seconds(10)
        /// How long the reports of one epoch are waited for.
        package var gather = TimeSpan.milliseconds(150)
        /// Metres (68 %) per unit of dilution where a receiver tells no error of its own.
        package var userRangeError = 5.0
        /// The same with differential corrections, metres.
        package var differentialRangeError = 2.5
        /// Device path of the receiver to prefer; empty: none.
        package var preferredReceiver = ""
        /// How long another receiver must be clearly better before it takes the place of the one in use.
        package var switchReceiver = TimeSpan.seconds(10)
    }

    /// Sources that say where the device is without a receiver.
    package struct Providers: Sendable, Equatable {
        /// Programs that may, beside administrators.
        package var programs = AuthorizationRules.Subjects(units: [UnitPattern("locationd-beacons")].compactMap { $0 })
        /// A place in the form of GeoClue's static source.
        package var geolocationFile = "/etc/geolocation"
    }

    /// Standard updates and single requests.
    package struct Updates: Sendable, Equatable {
        /// Age up to which a stored location is delivered first.
        package var cachedLocation = TimeSpan.seconds(300)
        /// How long a request looks for a location if it does not say.
        package var requestTimeout = TimeSpan.seconds(10)
        /// Age up to which a stored location answers a request.
        package var requestCache = TimeSpan.seconds(5)
    }

    /// Deferred updates and reconnection.
    package struct Deferral: Sendable, Equatable {
        /// A deferral starts only after a fix this young.
        package var freshFix = TimeSpan.seconds(10)
        /// Without a fix for so long, deferrals fail.
        package var outage = TimeSpan.seconds(30)
        /// Metres of movement that count as travel even with a better accuracy.
        package var odometerStep = 5.0
        /// How long a client that went away can take its manager back.
        package var rejoin = TimeSpan.seconds(30)
    }

    /// Regions and the conditions of monitors.
    package struct Regions: Sendable, Equatable {
        /// Regions of one app.
        package var regionsPerApp = 20
        /// Conditions of one app, in all its monitors.
        package var conditionsPerApp = 20
        /// Metres beyond the border that a crossing needs at the least, where the region does not say.
        package var cushionMinimum = 5.0
        /// Metres that it needs at the most.
        package var cushionMaximum = 200.0
        /// How long beyond it, where the region does not say.
        package var dwell = TimeSpan.seconds(20)
        /// How long no beacon must be heard for the device to have left its surroundings.
        package var beaconExit = TimeSpan.seconds(30)
        /// Metres that the radius of a region may have; larger ones fail.
        package var maximumRadius = 2_000_000.0
    }

    /// When a stay is a visit.
    package struct Visits: Sendable, Equatable {
        /// Metres around the middle of a stay that belong to it.
        package var radius = 100.0
        /// How long a stay is at the least.
        package var stay = TimeSpan.seconds(300)
        /// Metres from the middle at which it may end.
        package var departure = 150.0
        /// How long the device must be so far away.
        package var departureTime = TimeSpan.seconds(60)
    }

    /// When the device is stationary, so that updates pause.
    package struct Stationary: Sendable, Equatable {
        /// The device is stationary when it stays within `distance` metres for `time`.
        package struct Rest: Sendable, Equatable {
            /// Metres.
            package var distance: Double
            /// How long.
            package var time: TimeSpan
        }

        /// For the activity `other`.
        package var other = Rest(distance: 30, time: .seconds(300))
        /// For `automotiveNavigation`.
        package var automotive = Rest(distance: 50, time: .seconds(600))
        /// For `fitness`.
        package var fitness = Rest(distance: 15, time: .seconds(300))
        /// For `otherNavigation`.
        package var navigation = Rest(distance: 50, time: .seconds(600))
        /// How often the daemon looks whether a stationary device moves.
        package var check = TimeSpan.seconds(60)
        /// Whether updates resume by themselves when the device moves.
        package var resume = true
    }

    /// Events that wait for apps.
    package struct Events: Sendable, Equatable {
        /// Events of one app; then the oldest go.
        package var perApp = 1000
        /// Bytes that they may take; then the oldest go.
        package var bytesPerApp = 1 << 20
        /// Bytes that the events of all apps may take; then an app that has a new one loses its oldest.
        package var bytes = 16 << 20
        /// Days after which they go.
        package var keepDays = 30
        /// Hours after which an event that waits for a person to say that "always" is meant goes.
        package var heldHours = 24
        /// `keepDays` as a time.
        package var keep: TimeSpan { .seconds(Double(keepDays) * 86_400) }
    }

    /// The history of the fixes.
    package struct History: Sendable, Equatable {
        /// Days that they are kept; 0: nothing is.
        package var keepDays = 0
        /// The stretch of time whose fixes a power cut may cost.
        package var sync = TimeSpan.seconds(300)
        /// Bytes that the file may have; then the oldest go.
        package var maximumSize = 1 << 30
    }

    /// The manifests of apps.
    package struct Apps: Sendable, Equatable {
        /// Where their manifests are.
        package var directory = "/etc/locationd/apps.d"
    }

    /// The lines that the journal gets.
    package struct Log: Sendable, Equatable {
        /// From most to least urgent.
        package enum Level: String, Sendable, CaseIterable { case error, warning, info, debug }
        /// The least urgent level that is written.
        package var level = Level.info
    }

    package var service = Service()
    package var limits = ServiceLimits()
    package var gpsd = GPSD()
    package var providers = Providers()
    package var updates = Updates()
    package var deferral = Deferral()
    package var significantChange = SignificantChangeSettings()
    package var power = PowerSettings()
    package var regions = Regions()
    package var visits = Visits()
    package var stationary = Stationary()
    package var events = Events()
    package var history = History()
    package var apps = Apps()
    package var authorization = AuthorizationRules()
    package var log = Log()

    /// The defaults.
    package init() {}

    /// The keys, as `[Section] Key`, whose new value a reload cannot bring into force.
    package func changesNeedingRestart(from old: Configuration) -> [String] {
        ConfigurationKey.all
            .filter { !$0.appliesOnReload && $0.text(in: self) != $0.text(in: old) }
            .map { "[\($0.section)] \($0.name)" }
    }

    /// This configuration with the old values where a reload cannot bring new ones into force.
    package func keepingWhatNeedsRestart(from old: Configuration) -> Configuration {
        var kept = self
        kept.limits.logRecords = old.limits.logRecords
        kept.providers.geolocationFile = old.providers.geolocationFile
        let (loss, preferred, switching) = (gpsd.loss, gpsd.preferredReceiver, gpsd.switchReceiver)
        kept.gpsd = old.gpsd
        kept.gpsd.loss = loss
        kept.gpsd.preferredReceiver = preferred
        kept.gpsd.switchReceiver = switching
        return kept
    }
}
