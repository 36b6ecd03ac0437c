// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Everything an administrator can set. The initial values are the defaults; `ConfigurationKey.all` has ranges and units.
package struct Configuration: Sendable, Equatable {
    /// What clients may use of the daemon.
    package struct Limits: Sendable, Equatable {
        /// Connections in all.
        package var connections = 1024
        /// Connections of one user; uid 0 has no such limit.
        package var connectionsPerUser = 64
        /// Of all connections, those kept for uid 0.
        package var reservedConnections = 8
        /// Requests of one connection that are answered before the others have their turn.
        package var requestsPerTurn = 16
        /// Live locations that a slow reader may lag behind before the oldest are dropped for it.
        package var backlogLocations = 1024
        /// Bytes of unwritten output over which no further request of the connection is read.
        package var outputHighWater = 256 << 10
        /// Bytes of output that cannot be dropped over which the connection is closed.
        package var outputLimit = 1 << 20
        /// A connection that takes no complete line for so long is closed.
        package var stalledClient = TimeSpan.seconds(60)
        /// Fixes in the log: the longest deferral, the farthest resume.
        package var logRecords = 16384
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

    /// The significant-change service.
    package struct SignificantChange: Sendable, Equatable {
        /// Metres that are significant.
        package var distance = 500.0
        /// Least time between two deliveries.
        package var interval = TimeSpan.seconds(300)
        /// Metres of accuracy that a fix needs to count.
        package var maximumAccuracy = 500.0
    }

    /// When the receiver may sleep.
    package struct Power: Sendable, Equatable {
        /// Whether it may at all while somebody needs locations.
        package var dutyCycle = true
        /// Metres per second that the device may take up while unwatched.
        package var plausibleSpeed = 40.0
        /// Metres per second that a resting device makes on average over its first kilometre.
        package var plausibleSpeedFromRest = 14.0
        /// A sleep shorter than this is not worth it.
        package var minimumSleep = TimeSpan.seconds(10)
        /// The longest sleep.
        package var maximumSleep = TimeSpan.seconds(900)
        /// How long a fix is looked for after a sleep.
        package var acquisition = TimeSpan.seconds(60)
        /// Sleep between fixes when hundred metres are precise enough.
        package var hundredMetersSleep = TimeSpan.seconds(10)
        /// The same for a kilometre.
        package var kilometerSleep = TimeSpan.seconds(30)
        /// The same for three kilometres.
        package var threeKilometersSleep = TimeSpan.seconds(60)
    }

    /// What apps may do that nobody decided about.
    package struct Authorization: Sendable, Equatable {
        /// The status of an app without a decision.
        package var defaultStatus = AuthorizationStatus.authorizedAlways
        /// Its accuracy.
        package var defaultAccuracy = AccuracyAuthorization.full
        /// Members of this group administer the daemon, beside uid 0.
        package var adminGroup = "locationd"
    }

    /// What the journal gets.
    package struct Log: Sendable, Equatable {
        /// From most to least urgent.
        package enum Level: String, Sendable, CaseIterable { case error, warning, info, debug }
        /// The least urgent level that is written.
        package var level = Level.info
    }

    package var limits = Limits()
    package var gpsd = GPSD()
    package var updates = Updates()
    package var deferral = Deferral()
    package var significantChange = SignificantChange()
    package var power = Power()
    package var authorization = Authorization()
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
        let (loss, preferred, switching) = (gpsd.loss, gpsd.preferredReceiver, gpsd.switchReceiver)
        kept.gpsd = old.gpsd
        kept.gpsd.loss = loss
        kept.gpsd.preferredReceiver = preferred
        kept.gpsd.switchReceiver = switching
        return kept
    }
}
