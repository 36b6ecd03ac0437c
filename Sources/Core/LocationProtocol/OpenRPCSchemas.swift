// SPDX-License-Identifier: Apache-2.0

import LocationModel

extension OpenRPC {
    /// The schemas that others refer to by name.
    package static let schemas: [String: JSONSchema] = [
        "any": .anyOf([
            .boolean, .null, .number(), .string(), .array(of: .named("any")), .map(of: .named("any")),
        ]),
        "location": location,
        "error": error,
        "properties": properties,
        "state": state,
        "hello": hello,
        "status": status,
        "manager": manager,
        "region": Rule<Region>.region.definition,
        "condition": Rule<RegionShape>.condition.definition,
        "visit": visit,
        "heading": headingValue,
        "monitor": monitor,
        "record": record,
        "app": app,
        "decision": decision,
        "forgotten": forgotten,
        "authorizationRequest": .object(Notification.authorizationRequestedForm.row.params),
        "storedEvent": storedEvent,
    ]

    // Words where there are words, and no number that stands for one.
    private static let properties = JSONSchema.object(
        Method.setProperties.params.map {
            Described($0.name, OpenRPC.written($0.schema), required: true, $0.summary)
        })

    private static func written(_ schema: JSONSchema) -> JSONSchema {
        guard case .anyOf(let choices) = schema else { return schema == .number() ? .amount : schema }
        let written = choices.map(written).filter { if case .numbers = $0 { false } else { true } }
        return written.count == 1 ? written[0] : .anyOf(written)
    }

    private static let location = JSONSchema.object([
        Described("latitude", .number(minimum: -90, maximum: 90), required: true, "degrees north, WGS 84"),
        Described("longitude", .number(minimum: -180, maximum: 180), required: true, "degrees east, WGS 84"),
        Described("horizontalAccuracy", .number(exclusiveMinimum: 0), required: true, "radius of 68 %, metres"),
        Described("altitude", .number(), "metres above mean sea level; only with verticalAccuracy"),
        Described("ellipsoidalAltitude", .number(), "metres above the ellipsoid; only with verticalAccuracy"),
        Described("verticalAccuracy", .number(exclusiveMinimum: 0), "68 % of the altitude, metres"),
        Described("speed", .amount, "metres per second"),
        Described("speedAccuracy", .amount, "68 % of the speed, metres per second"),
        Described("course", .number(minimum: 0, maximum: 360), "degrees clockwise from true north, under 360"),
        Described("courseAccuracy", .amount, "68 % of the course, degrees"),
        Described("timestamp", .time, required: true, "when the fix was taken"),
        Described("sequence", .count, required: true, "the number of the fix, strictly growing, the same for everyone"),
        Described(
            "sourceInformation",
            .object([
                Described("isSimulatedBySoftware", .boolean, required: true, "not from satellites"),
                Described("isProducedByAccessory", .boolean, required: true, "always false here"),
            ]), required: true, "where it comes from"),
    ])

    private static let error = JSONSchema.object([
        Described("domain", .words([LocationError.domain]), required: true, "Core Location's"),
        Described("code", .count, required: true, "Core Location's number"),
        Described("name", .string(), required: true, "Core Location's name"),
        Described("message", .string(), required: true, "for a person"),
        Described("transient", .boolean, required: true, "whether it may pass by itself"),
    ])

    private static let state = JSONSchema.object([
        Described("state", .words(ServiceState.allCases.map(\.rawValue)), required: true, "what became of it"),
        Described("reason", .string(), "why, where that is not plain"),
        Described("asked", .boolean, "somebody is there who is asked what nobody has decided yet; absent: nobody is"),
        Described("request", .count, "the number of the one-shot request"),
        Described("deferral", .count, "the number of the deferral"),
        Described("updates", .count, "the number of the stream of live updates"),
        Described("session", .count, "the number of the session"),
    ])

    private static let hello = JSONSchema.object([
        Described("protocol", .count, required: true, "the version of the protocol"),
        Described("version", .string(), required: true, "the daemon's version"),
        Described("app", .nullable(.string()), required: true, "the app, null without a name"),
        Described("identity", .string(), required: true, "who the daemon found the process to be"),
        Described("manager", .string(), required: true, "the token that takes this manager back"),
        Described("rejoined", .boolean, required: true, "whether an earlier manager was taken back"),
        Described("authorizationStatus", .words(AuthorizationStatus.words), required: true, "what the app may do"),
        Described(
            "accuracyAuthorization", .nullable(.words(AccuracyAuthorization.words)), required: true,
            "how precisely it may know"),
        Described("capabilities", capabilities, required: true, "what can be asked for here"),
        Described("eventsDropped", .count, required: true, "stored events that were given up"),
    ])

    private static let capabilities = JSONSchema.object(
        [
            "standardUpdates", "significantLocationChangeMonitoring", "regionMonitoring", "visits",
            "deferredLocationUpdates", "heading", "ranging",
        ].map { Described($0, .boolean, required: true, "whether that can be asked for here") } + [
            Described("maximumRegionMonitoringDistance", .amount, "the largest radius of a region, metres"),
            Described("maximumRegions", .count, "how many regions an app may have"),
            Described("maximumConditions", .count, "how many conditions an app's monitors may have"),
        ])
}
