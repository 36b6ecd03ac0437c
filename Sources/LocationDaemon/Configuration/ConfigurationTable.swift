// SPDX-License-Identifier: Apache-2.0
import LocationModel

extension ConfigurationKey {
    /// All keys, in the order of the file.
    ///
    /// A reload brings all into force but the size of the log, which is made on start, and how gpsd is reached and read.
    package static let all: [ConfigurationKey] =
        limits + gpsd + updates + deferral + significantChange + power + authorization + log

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

    private static let authorization: [ConfigurationKey] = [
        .init("Authorization", "Default", caseNames(\.authorization.defaultStatus)),
        .init("Authorization", "DefaultAccuracy", caseNames(\.authorization.defaultAccuracy)),
        .init("Authorization", "AdminGroup", .group(\.authorization.adminGroup)),
    ]

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
