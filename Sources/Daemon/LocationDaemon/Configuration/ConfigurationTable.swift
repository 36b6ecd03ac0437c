// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationServices

extension ConfigurationKey {
    /// All keys, in the order of the file.
    ///
    /// A reload brings all into force but the size of the log, which is made on start, how gpsd is reached and read, and
    /// where GeoClue's file is.
    package static let all: [ConfigurationKey] =
        service + limits + gpsd + providers + updates + deferral + significantChange + power + regions + visits
        + stationary + events + history + apps
        + authorization + log

    private static let service: [ConfigurationKey] = [
        .init("Service", "ExitWhenIdleSec", .span(\.service.exitWhenIdle, seconds(0, 86400)))
    ]

    private static let limits: [ConfigurationKey] = [
        .init("Limits", "Connections", .number(\.limits.connections, 16...65536)),
        .init("Limits", "ConnectionsPerUser", .number(\.limits.connectionsPerUser, 1...65536)),
        .init("Limits", "ReservedConnections", .number(\.limits.reservedConnections, 0...64)),
        .init("Limits", "RequestsPerTurn", .number(\.limits.requestsPerTurn, 1...256)),
        .init("Limits", "BacklogLocations", .number(\.limits.backlogLocations, 16...65536)),
        .init("Limits", "OutputHighWater", .bytes(\.limits.outputHighWater, 16 << 10...16 << 20)),
        .init("Limits", "OutputLimit", .bytes(\.limits.outputLimit, 64 << 10...64 << 20)),
        .init("Limits", "StalledClientSec", .span(\.limits.stalledClient, seconds(1, 3600))),
        .init("Limits", "LogRecords", .number(\.limits.logRecords, 64...1_048_576), appliesOnReload: false),
        .init("Limits", "ChangesPerSecond", .number(\.limits.changesPerSecond, 1...10_000)),
        .init("Limits", "ChangeBurst", .number(\.limits.changeBurst, 1...10_000)),
        .init("Limits", "MonitorsPerConnection", .number(\.limits.monitorsPerConnection, 1...1024)),
        .init("Limits", "SessionsPerConnection", .number(\.limits.sessionsPerConnection, 1...1024)),
        .init("Limits", "LiveUpdatesPerConnection", .number(\.limits.liveUpdatesPerConnection, 1...1024)),
        .init("Limits", "StoredBytesPerApp", .bytes(\.limits.storedBytesPerApp, 4 << 10...1 << 30)),
        .init("Limits", "StoredBytesPerUser", .bytes(\.limits.storedBytesPerUser, 4 << 10...1 << 30)),
        .init("Limits", "StoredBytes", .bytes(\.limits.storedBytes, 64 << 10...1 << 30)),
        .init("Limits", "UndecidedBytesPerUser", .bytes(\.limits.undecidedBytesPerUser, 4 << 10...1 << 30)),
        .init("Limits", "UndecidedBytes", .bytes(\.limits.undecidedBytes, 4 << 10...1 << 30)),
        .init("Limits", "UndecidedKeepDays", .number(\.limits.undecidedKeepDays, 1...3650)),
    ]

    private static let gpsd: [ConfigurationKey] = [
        .init("GPSD", "Address", .address(\.gpsd.address), appliesOnReload: false),
        .init("GPSD", "ReconnectMinSec", .span(\.gpsd.reconnectMinimum, seconds(0.05, 60)), appliesOnReload: false),
        .init("GPSD", "ReconnectMaxSec", .span(\.gpsd.reconnectMaximum, seconds(1, 3600)), appliesOnReload: false),
        .init("GPSD", "LossSec", .span(\.gpsd.loss, seconds(1, 3600))),
        .init("GPSD", "GatherSec", .span(\.gpsd.gather, seconds(0, 5)), appliesOnReload: false),
        .init("GPSD", "UserRangeErrorMeters", .metres(\.gpsd.userRangeError, 0.1...100), appliesOnReload: false),
        .init(
            "GPSD", "DifferentialRangeErrorMeters", .metres(\.gpsd.differentialRangeError, 0.1...100),
            appliesOnReload: false),
        .init("GPSD", "PreferredReceiver", .path(\.gpsd.preferredReceiver)),
        .init("GPSD", "SwitchReceiverSec", .span(\.gpsd.switchReceiver, seconds(0, 3600))),
    ]

    private static let providers: [ConfigurationKey] = [
        .init("Providers", "Users", .accounts(\.providers.programs.users, kind: "users")),
        .init("Providers", "Units", .units(\.providers.programs.units)),
        .init("Providers", "GeolocationFile", .path(\.providers.geolocationFile), appliesOnReload: false),
    ]

    private static let updates: [ConfigurationKey] = [
        .init("Updates", "CachedLocationSec", .span(\.updates.cachedLocation, seconds(0, 86400))),
        .init("Updates", "RequestTimeoutSec", .span(\.updates.requestTimeout, seconds(1, 600))),
        .init("Updates", "RequestCacheSec", .span(\.updates.requestCache, seconds(0, 3600))),
    ]

    private static let deferral: [ConfigurationKey] = [
        .init("Deferral", "FreshFixSec", .span(\.deferral.freshFix, seconds(1, 3600))),
        .init("Deferral", "OutageSec", .span(\.deferral.outage, seconds(1, 3600))),
        .init("Deferral", "OdometerStepMeters", .metres(\.deferral.odometerStep, 0...1000)),
        .init("Deferral", "RejoinSec", .span(\.deferral.rejoin, seconds(0, 3600))),
    ]

    private static let significantChange: [ConfigurationKey] = [
        .init("SignificantChange", "DistanceMeters", .metres(\.significantChange.distance, 10...100_000)),
        .init("SignificantChange", "IntervalSec", .span(\.significantChange.interval, seconds(0, 86400))),
        .init(
            "SignificantChange", "MaximumAccuracyMeters", .metres(\.significantChange.maximumAccuracy, 10...100_000)),
    ]

    private static let power: [ConfigurationKey] = [
        .init("Power", "DutyCycle", .flag(\.power.dutyCycle)),
        .init("Power", "PlausibleSpeed", .speed(\.power.plausibleSpeed, 1...1000)),
        .init("Power", "PlausibleSpeedFromRest", .speed(\.power.plausibleSpeedFromRest, 1...1000)),
        .init("Power", "MinimumSleepSec", .span(\.power.minimumSleep, seconds(1, 3600))),
        .init("Power", "MaximumSleepSec", .span(\.power.maximumSleep, seconds(1, 86400))),
        .init("Power", "AcquisitionSec", .span(\.power.acquisition, seconds(1, 3600))),
        .init("Power", "HundredMetersSleepSec", .span(\.power.hundredMetersSleep, seconds(0, 3600))),
        .init("Power", "KilometerSleepSec", .span(\.power.kilometerSleep, seconds(0, 3600))),
        .init("Power", "ThreeKilometersSleepSec", .span(\.power.threeKilometersSleep, seconds(0, 3600))),
    ]

    private static let regions: [ConfigurationKey] = [
        .init("Regions", "RegionsPerApp", .number(\.regions.regionsPerApp, 0...10_000_000)),
        .init("Regions", "ConditionsPerApp", .number(\.regions.conditionsPerApp, 0...10_000_000)),
        .init("Regions", "CushionMinimumMeters", .metres(\.regions.cushionMinimum, 0...10_000)),
        .init("Regions", "CushionMaximumMeters", .metres(\.regions.cushionMaximum, 0...10_000)),
        .init("Regions", "DwellSec", .span(\.regions.dwell, seconds(0, 3600))),
        .init("Regions", "BeaconExitSec", .span(\.regions.beaconExit, seconds(10, 3600))),
        .init("Regions", "MaximumRadiusMeters", .metres(\.regions.maximumRadius, 1...20_000_000)),
    ]

    private static let visits: [ConfigurationKey] = [
        .init("Visits", "RadiusMeters", .metres(\.visits.radius, 10...10_000)),
        .init("Visits", "StaySec", .span(\.visits.stay, seconds(10, 86400))),
        .init("Visits", "DepartureMeters", .metres(\.visits.departure, 10...10_000)),
        .init("Visits", "DepartureSec", .span(\.visits.departureTime, seconds(0, 3600))),
    ]

    private static let stationary: [ConfigurationKey] = [
        .init("Stationary", "OtherMeters", .metres(\.stationary.other.distance, 1...10_000)),
        .init("Stationary", "OtherSec", .span(\.stationary.other.time, seconds(10, 86400))),
        .init("Stationary", "AutomotiveMeters", .metres(\.stationary.automotive.distance, 1...10_000)),
        .init("Stationary", "AutomotiveSec", .span(\.stationary.automotive.time, seconds(10, 86400))),
        .init("Stationary", "FitnessMeters", .metres(\.stationary.fitness.distance, 1...10_000)),
        .init("Stationary", "FitnessSec", .span(\.stationary.fitness.time, seconds(10, 86400))),
        .init("Stationary", "NavigationMeters", .metres(\.stationary.navigation.distance, 1...10_000)),
        .init("Stationary", "NavigationSec", .span(\.stationary.navigation.time, seconds(10, 86400))),
        .init("Stationary", "CheckSec", .span(\.stationary.check, seconds(10, 86400))),
        .init("Stationary", "Resume", .flag(\.stationary.resume)),
    ]

    private static let events: [ConfigurationKey] = [
        .init("Events", "PerApp", .number(\.events.perApp, 1...1_000_000)),
        .init("Events", "BytesPerApp", .bytes(\.events.bytesPerApp, 64 << 10...1 << 30)),
        .init("Events", "Bytes", .bytes(\.events.bytes, 64 << 10...1 << 30)),
        .init("Events", "KeepDays", .number(\.events.keepDays, 1...3650)),
        .init("Events", "HeldHours", .number(\.events.heldHours, 1...720)),
    ]

    private static let history: [ConfigurationKey] = [
        .init("History", "Keep", .number(\.history.keepDays, 0...36_500)),
        .init("History", "Sync", .span(\.history.sync, seconds(0, 86400))),
        .init("History", "MaximumSize", .bytes(\.history.maximumSize, 1 << 20...1 << 40)),
    ]

    private static let apps: [ConfigurationKey] = [.init("Apps", "Directory", .path(\.apps.directory))]

    private static let authorization: [ConfigurationKey] = [
        .init("Authorization", "Default", defaultStatus),
        .init("Authorization", "DefaultAccuracy", caseNames(\.authorization.defaultAccuracy)),
        .init("Authorization", "AlwaysUsers", .accounts(\.authorization.always.users, kind: "users")),
        .init("Authorization", "AlwaysGroups", .accounts(\.authorization.always.groups, kind: "groups")),
        .init("Authorization", "AlwaysUnits", .units(\.authorization.always.units)),
        .init("Authorization", "WhenInUseUsers", .accounts(\.authorization.whenInUse.users, kind: "users")),
        .init("Authorization", "WhenInUseGroups", .accounts(\.authorization.whenInUse.groups, kind: "groups")),
        .init("Authorization", "WhenInUseUnits", .units(\.authorization.whenInUse.units)),
        .init("Authorization", "DeniedUsers", .accounts(\.authorization.denied.users, kind: "users")),
        .init("Authorization", "DeniedGroups", .accounts(\.authorization.denied.groups, kind: "groups")),
        .init("Authorization", "DeniedUnits", .units(\.authorization.denied.units)),
        .init("Authorization", "AdminGroup", .group(\.authorization.adminGroup)),
    ]

    // Core Location's word for nobody having decided is taken, too.
    private static let defaultStatus: Form = .word(
        ["ask", "restricted", "denied", "authorizedAlways", "authorizedWhenInUse"], aliases: ["notDetermined": "ask"],
        get: { configuration in
            let status = configuration.authorization.defaultStatus
            return status == .notDetermined ? "ask" : "\(status)"
        },
        set: { configuration, word in
            let status = AuthorizationStatus.allCases.first { "\($0)" == word }
            configuration.authorization.defaultStatus = status ?? .notDetermined
        })

    private static let log: [ConfigurationKey] = [.init("Log", "Level", caseNames(\.log.level))]

    private static func seconds(_ least: Double, _ most: Double) -> ClosedRange<TimeSpan> {
        .seconds(least) ... .seconds(most)
    }

    /// The words of an enumeration: its cases' names.
    private static func caseNames<Value: CaseIterable & Sendable>(
        _ path: Place<Value>
    ) -> Form {
        .word(
            Value.allCases.map { "\($0)" }, get: { "\($0[keyPath: path])" },
            set: { configuration, word in
                guard let value = Value.allCases.first(where: { "\($0)" == word }) else { return }
                configuration[keyPath: path] = value
            })
    }
}
