// SPDX-License-Identifier: Apache-2.0

import LocationModel

private typealias Member = JSONSchema.Member

extension OpenRPC {
    /// The schemas that others refer to by name.
    package static let schemas: [String: JSONSchema] = [
        "any": .anyOf([
            .boolean, .null, .number(), .string(), .array(of: .named("any")), .map(of: .named("any")),
        ]),
        "location": location,
        "error": error,
        "properties": .object(properties(areRequired: true, input: false)),
        "state": state,
        "hello": hello,
        "status": status,
        "manager": manager,
        "region": region,
        "condition": condition,
        "visit": visit,
        "heading": headingValue,
        "monitor": monitor,
        "record": record,
        "app": app,
        "decision": decision,
        "forgotten": forgotten,
        "authorizationRequest": .object(authorizationRequest),
        "storedEvent": storedEvent,
    ]

    /// The six properties: of a request, where numbers stand for words too, or of a result.
    static func properties(areRequired: Bool, input: Bool) -> [JSONSchema.Member] {
        let filter = JSONSchema.anyOf([.words(["none"]), input ? .number() : .amount])
        let accuracyWords = JSONSchema.words(DesiredAccuracy.named.compactMap(\.word))
        let activity = JSONSchema.words(ActivityType.words)
        return [
            Member("distanceFilter", filter, required: areRequired, "metres from the last delivered location"),
            Member(
                "desiredAccuracy",
                .anyOf([accuracyWords, .number(exclusiveMinimum: 0)] + (input ? [.numbers([-2, -1])] : [])),
                required: areRequired, "a word or metres"),
            Member(
                "activityType", input ? .anyOf([activity, .numbers([1, 2, 3, 4, 5])]) : activity,
                required: areRequired, "what the device is used for"),
            Member(
                "pausesLocationUpdatesAutomatically", .boolean, required: areRequired,
                "whether updates may pause at rest"),
            Member(
                "allowsBackgroundLocationUpdates", .boolean, required: areRequired, "whether updates go on out of use"),
            Member("headingFilter", filter, required: areRequired, "degrees of turn between headings"),
        ]
    }

    private static let location = JSONSchema.object([
        Member("latitude", .number(minimum: -90, maximum: 90), required: true, "degrees north, WGS 84"),
        Member("longitude", .number(minimum: -180, maximum: 180), required: true, "degrees east, WGS 84"),
        Member("horizontalAccuracy", .number(exclusiveMinimum: 0), required: true, "radius of 68 %, metres"),
        Member("altitude", .number(), "metres above mean sea level; only with verticalAccuracy"),
        Member("ellipsoidalAltitude", .number(), "metres above the ellipsoid; only with verticalAccuracy"),
        Member("verticalAccuracy", .number(exclusiveMinimum: 0), "68 % of the altitude, metres"),
        Member("speed", .amount, "metres per second"),
        Member("speedAccuracy", .amount, "68 % of the speed, metres per second"),
        Member("course", .number(minimum: 0, maximum: 360), "degrees clockwise from true north, under 360"),
        Member("courseAccuracy", .amount, "68 % of the course, degrees"),
        Member("timestamp", .time, required: true, "when the fix was taken"),
        Member("sequence", .count, required: true, "the number of the fix, strictly growing, the same for everyone"),
        Member(
            "sourceInformation",
            .object([
                Member("isSimulatedBySoftware", .boolean, required: true, "not from satellites"),
                Member("isProducedByAccessory", .boolean, required: true, "always false here"),
            ]), required: true, "where it comes from"),
    ])

    private static let error = JSONSchema.object([
        Member("domain", .words([LocationError.domain]), required: true, "Core Location's"),
        Member("code", .count, required: true, "Core Location's number"),
        Member("name", .string(), required: true, "Core Location's name"),
        Member("message", .string(), required: true, "for a person"),
        Member("transient", .boolean, required: true, "whether it may pass by itself"),
    ])

    private static let state = JSONSchema.object([
        Member("state", .words(ServiceState.allCases.map(\.rawValue)), required: true, "what became of it"),
        Member("reason", .string(), "why, where that is not plain"),
        Member("asked", .boolean, "somebody is there who is asked what nobody has decided yet; absent: nobody is"),
        Member("request", .count, "the number of the one-shot request"),
        Member("deferral", .count, "the number of the deferral"),
        Member("updates", .count, "the number of the stream of live updates"),
        Member("session", .count, "the number of the session"),
    ])

    private static let hello = JSONSchema.object([
        Member("protocol", .count, required: true, "the version of the protocol"),
        Member("version", .string(), required: true, "the daemon's version"),
        Member("app", .nullable(.string()), required: true, "the app, null without a name"),
        Member("identity", .string(), required: true, "who the daemon found the process to be"),
        Member("manager", .string(), required: true, "the token that takes this manager back"),
        Member("rejoined", .boolean, required: true, "whether an earlier manager was taken back"),
        Member("authorizationStatus", .words(AuthorizationStatus.words), required: true, "what the app may do"),
        Member(
            "accuracyAuthorization", .nullable(.words(AccuracyAuthorization.words)), required: true,
            "how precisely it may know"),
        Member("capabilities", capabilities, required: true, "what can be asked for here"),
        Member("eventsDropped", .count, required: true, "stored events that were given up"),
    ])

    private static let capabilities = JSONSchema.object(
        [
            "standardUpdates", "significantLocationChangeMonitoring", "regionMonitoring", "visits",
            "deferredLocationUpdates", "heading", "ranging",
        ].map { Member($0, .boolean, required: true, "whether that can be asked for here") } + [
            Member("maximumRegionMonitoringDistance", .amount, "the largest radius of a region, metres"),
            Member("maximumRegions", .count, "how many regions an app may have"),
            Member("maximumConditions", .count, "how many conditions an app's monitors may have"),
        ])
}
