// SPDX-License-Identifier: Apache-2.0

import LocationModel

private typealias Member = JSONSchema.Member

extension OpenRPC {
    /// Every method, in the order in which a reader wants to learn them.
    package static let methods: [MethodRow] =
        setup + standardUpdates + deferral + significantChange + consent + regions + visits + heading + ranging
        + liveUpdates
        + monitors + sessions + events + operation + agents + administration

    private static let setup = [
        MethodRow(
            method: .hello, summary: "Says who the client is; the first request or none.",
            params: [
                Member("protocol", .onlyThisVersion, required: true, "the version of the protocol: 1"),
                Member("app", .label, "the app's name; without a manifest it is only a label"),
                Member("usageDescriptions", .usageDescriptions, "what the app wants locations for"),
                Member("presence", .words(Presence.words), "whether a person has the app before them"),
                Member("manager", .token, "the token of an earlier hello, to take that manager back"),
                Member("events", .boolean, "whether stored events may come on this connection"),
            ],
            result: .named("hello"), errors: [.notPermitted, .identityMismatch, .limitExceeded],
            coreLocation: "CLLocationManager.init()"),
        MethodRow(
            method: .setPresence, summary: "Says whether a person has the app before them; affects deferral only.",
            params: [Member("presence", .words(Presence.words), required: true, "background or foreground")],
            result: .nothing),
        MethodRow(
            method: .setProperties, summary: "Changes properties, all or nothing; in force for fixes after the reply.",
            params: OpenRPC.properties(areRequired: false, input: true), result: .named("properties"),
            coreLocation: "CLLocationManager's properties"),
        MethodRow(
            method: .getProperties, summary: "Tells all properties.", result: .named("properties"),
            coreLocation: "CLLocationManager's properties"),
    ]

    private static let standardUpdates = [
        MethodRow(
            method: .startUpdatingLocation, summary: "Starts the standard service.",
            params: [Member("resumeAfter", .count, "delivery starts behind this sequence")],
            result: .named("state"), errors: [.limitExceeded], coreLocation: "startUpdatingLocation()"),
        MethodRow(
            method: .stopUpdatingLocation, summary: "Stops the standard service; silent after the reply.",
            result: .nothing, coreLocation: "stopUpdatingLocation()"),
        MethodRow(
            method: .requestLocation, summary: "Asks for one location, which comes as a notification.",
            params: [
                Member(
                    "timeout", .number(exclusiveMinimum: 0, maximum: Call.maximumRequestTimeout),
                    "seconds after which the best there is must do; 10 unless said")
            ],
            result: .named("state"), errors: [.limitExceeded], coreLocation: "requestLocation()"),
        MethodRow(
            method: .location, summary: "Tells the last known location; powers nothing up.",
            result: .nullable(.named("location")), errors: [.notPermitted], coreLocation: "location"),
    ]

    private static let deferral = [
        MethodRow(
            method: .allowDeferredLocationUpdates,
            summary: "Lets the daemon hold locations until a criterion is met; ends in one didFinishDeferredUpdates.",
            params: [
                Member("untilTraveled", .nullable(.number()), "metres; absent, null or from 1e300 on: unlimited"),
                Member("timeout", .nullable(.number()), "seconds; absent, null or from 1e300 on: unlimited"),
            ],
            result: .named("state"), coreLocation: "allowDeferredLocationUpdates(untilTraveled:timeout:)"),
        MethodRow(
            method: .disallowDeferredLocationUpdates, summary: "Ends a deferral; without one does nothing.",
            result: .nothing, coreLocation: "disallowDeferredLocationUpdates()"),
    ]

    private static let significantChange = [
        MethodRow(
            method: .startMonitoringSignificantLocationChanges, summary: "Starts the significant-change service.",
            result: .named("state"), errors: [.limitExceeded],
            coreLocation: "startMonitoringSignificantLocationChanges()"),
        MethodRow(
            method: .stopMonitoringSignificantLocationChanges, summary: "Stops the significant-change service.",
            result: .nothing, coreLocation: "stopMonitoringSignificantLocationChanges()"),
    ]

    private static let operation = [
        MethodRow(
            method: .status, summary: "Tells how the daemon, the receivers and the managers stand.",
            params: [Member("scope", .words(StatusScope.words), "self (unless said) or all")],
            result: .named("status")),
        MethodRow(method: .discover, summary: "Tells this document.", result: .map(of: .named("any"))),
    ]
}
