// SPDX-License-Identifier: Apache-2.0

import LocationModel

private typealias Member = JSONSchema.Member

extension OpenRPC {
    static let consent = [
        MethodRow(
            method: .requestWhenInUseAuthorization, summary: "Asks for locations while the app is in use.",
            result: .named("state"), errors: [.missingUsageDescription, .limitExceeded],
            coreLocation: "requestWhenInUseAuthorization()"),
        MethodRow(
            method: .requestAlwaysAuthorization, summary: "Asks for locations at any time.",
            result: .named("state"), errors: [.missingUsageDescription, .limitExceeded],
            coreLocation: "requestAlwaysAuthorization()"),
        MethodRow(
            method: .requestTemporaryFullAccuracyAuthorization,
            summary: "Asks for full accuracy for a while; ends in one didRequestTemporaryFullAccuracy.",
            params: [Member("purposeKey", .name, required: true, "which of the usage descriptions says what for")],
            result: .named("state"), errors: [.limitExceeded],
            coreLocation: "requestTemporaryFullAccuracyAuthorization(withPurposeKey:)"),
    ]

    static let regions = [
        MethodRow(
            method: .startMonitoring,
            summary: "Watches a region of the app, in place of its region of the same identifier.",
            params: [Member("region", .named("region"), required: true, "a circle or a polygon")],
            result: .named("state"), errors: [.limitExceeded], coreLocation: "startMonitoring(for:)"),
        MethodRow(
            method: .stopMonitoring, summary: "Watches a region no longer; without it does nothing.",
            params: [Member("identifier", .name, required: true, "the region's")], result: .nothing,
            coreLocation: "stopMonitoring(for:)"),
        MethodRow(
            method: .requestState, summary: "Asks where the device is with respect to a region: didDetermineState.",
            params: [Member("identifier", .name, required: true, "the region's")], result: .named("state"),
            errors: [.notFound], coreLocation: "requestState(for:)"),
        MethodRow(
            method: .monitoredRegions, summary: "Tells the app's regions.", result: .array(of: .named("region")),
            coreLocation: "monitoredRegions"),
    ]

    static let visits = [
        MethodRow(
            method: .startMonitoringVisits, summary: "Tells the app of arrivals and departures.",
            result: .named("state"), errors: [.limitExceeded], coreLocation: "startMonitoringVisits()"),
        MethodRow(
            method: .stopMonitoringVisits, summary: "Tells the app of visits no longer.", result: .nothing,
            coreLocation: "stopMonitoringVisits()"),
    ]

    static let heading = [
        MethodRow(
            method: .startUpdatingHeading, summary: "Tells where the device points, if something here measures it.",
            result: .named("state"), errors: [.limitExceeded], coreLocation: "startUpdatingHeading()"),
        MethodRow(
            method: .stopUpdatingHeading, summary: "Tells headings no longer; silent after the reply.",
            result: .nothing, coreLocation: "stopUpdatingHeading()"),
    ]

    static let ranging = [
        MethodRow(
            method: .startRangingBeacons,
            summary: "Nothing here hears beacons: unavailable, and one rangingDidFail with error 16.",
            params: beacons, result: .named("state"), coreLocation: "startRangingBeacons(satisfying:)"),
        MethodRow(
            method: .stopRangingBeacons, summary: "Does nothing, since no ranging runs.", params: beacons,
            result: .nothing, coreLocation: "stopRangingBeacons(satisfying:)"),
    ]

    static let beacons = [
        Member("uuid", .string(pattern: BeaconIdentity.uuidPattern), required: true, "whose beacons"),
        Member("major", .number(minimum: 0, maximum: 65_535), "which of them, a whole number; any unless said"),
        Member("minor", .number(minimum: 0, maximum: 65_535), "which of the major's, a whole number; any unless said"),
    ]

    static let liveUpdates = [
        MethodRow(
            method: .startLiveUpdates, summary: "Begins a stream of didUpdate; several at once are possible.",
            params: [
                Member("configuration", .words(LiveConfiguration.words), "what it is used for; default unless said")
            ],
            result: .named("state"), errors: [.limitExceeded], coreLocation: "CLLocationUpdate.liveUpdates(_:)"),
        MethodRow(
            method: .stopLiveUpdates, summary: "Ends a stream; silent after the reply.",
            params: [Member("updates", .ordinal, required: true, "its number")], result: .nothing,
            errors: [.notFound], coreLocation: "the end of the iteration over CLLocationUpdate.liveUpdates(_:)"),
    ]

    static let monitors = [
        MethodRow(
            method: .openMonitor, summary: "Takes the app's monitor of a name, made if there is none; one holder each.",
            params: [Member("name", .name, required: true, "the monitor's")], result: .named("monitor"),
            errors: [.notPermitted, .limitExceeded], coreLocation: "CLMonitor.init(_:)"),
        MethodRow(
            method: .closeMonitor, summary: "Gives a monitor back; its conditions are watched on.",
            params: [Member("monitor", .ordinal, required: true, "its number")], result: .nothing,
            errors: [.notFound], coreLocation: "the end of a CLMonitor"),
        MethodRow(
            method: .addCondition,
            summary: "Watches a condition, in place of the monitor's one of the same identifier.",
            params: [
                Member("monitor", .ordinal, required: true, "the monitor's number"),
                Member("identifier", .name, required: true, "the condition's"),
                Member("condition", .named("condition"), required: true, "a circle or a polygon"),
                Member(
                    "assuming", .words(ConditionParameters.assumable.map(\.word)),
                    "how it stands until it is looked at; unknown unless said"),
            ],
            result: .nothing, errors: [.notFound, .limitExceeded],
            coreLocation: "CLMonitor.add(_:identifier:assuming:)"),
        MethodRow(
            method: .removeCondition, summary: "Watches a condition no longer; without it does nothing.",
            params: conditionName, result: .nothing, errors: [.notFound], coreLocation: "CLMonitor.remove(_:)"),
        MethodRow(
            method: .monitorRecord, summary: "Tells a condition and its last acknowledged event; null without it.",
            params: conditionName, result: .nullable(.named("record")), errors: [.notFound],
            coreLocation: "CLMonitor.record(for:)"),
    ]

    private static let conditionName = [
        Member("monitor", .ordinal, required: true, "the monitor's number"),
        Member("identifier", .name, required: true, "the condition's"),
    ]

    static let sessions = [
        MethodRow(
            method: .startBackgroundActivitySession,
            summary: "Lets the app count as in use without a person before it.",
            result: .named("state"), errors: [.limitExceeded], coreLocation: "CLBackgroundActivitySession.init()"),
        MethodRow(
            method: .invalidateBackgroundActivitySession, summary: "Ends such a session.",
            params: [Member("session", .ordinal, required: true, "its number")], result: .nothing,
            errors: [.notFound], coreLocation: "CLBackgroundActivitySession.invalidate()"),
        MethodRow(
            method: .startServiceSession,
            summary: "Says what the app needs; ends in serviceSessionDiagnostic, told anew at each change.",
            params: [
                Member(
                    "requirement", .words(ServiceSessionRequirement.words), required: true,
                    "the authorization that it needs"),
                Member("fullAccuracyPurposeKey", .name, "full accuracy, too, for this usage description"),
            ],
            result: .named("state"), errors: [.missingUsageDescription, .limitExceeded],
            coreLocation: "CLServiceSession.init(authorization:fullAccuracyPurposeKey:)"),
        MethodRow(
            method: .invalidateServiceSession, summary: "Ends such a session.",
            params: [Member("session", .ordinal, required: true, "its number")], result: .nothing,
            errors: [.notFound], coreLocation: "CLServiceSession.invalidate()"),
    ]

    static let events = [
        MethodRow(
            method: .acknowledge,
            summary: "Says that an event has been dealt with; it does not come again. Idempotent.",
            params: [Member("event", .ordinal, required: true, "its number")], result: .nothing,
            errors: [.notFound])
    ]
}
