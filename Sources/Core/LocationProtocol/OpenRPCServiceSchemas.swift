// SPDX-License-Identifier: Apache-2.0

import LocationModel

private typealias Member = JSONSchema.Member

extension OpenRPC {
    private static let latitude = Member(
        "latitude", .number(minimum: -90, maximum: 90), required: true, "degrees north, WGS 84")
    private static let longitude = Member(
        "longitude", .number(minimum: -180, maximum: 180), required: true, "degrees east, WGS 84")
    private static let center = JSONSchema.object([latitude, longitude])
    private static let radius = JSONSchema.number(exclusiveMinimum: 0)
    // Latitudes and longitudes in one: an array of draft 7 with a schema per place says no more to a reader.
    private static let vertices = JSONSchema.array(of: .array(of: .number(minimum: -180, maximum: 180)))

    private static let regionMembers = [
        Member("identifier", .name, required: true, "its name, one region of a name in an app"),
        Member("notifyOnEntry", .boolean, "whether entering is told; true unless said"),
        Member("notifyOnExit", .boolean, "whether leaving is told; true unless said"),
        Member(
            "cushion",
            .number(minimum: RegionLimits.cushion.lowerBound, maximum: RegionLimits.cushion.upperBound),
            "metres beyond the border before a crossing counts; as configured unless said"),
        Member(
            "dwell", .number(minimum: RegionLimits.dwell.lowerBound, maximum: RegionLimits.dwell.upperBound),
            "seconds beyond the border before a crossing counts; as configured unless said"),
    ]

    static let region = JSONSchema.anyOf([
        .object(
            regionMembers + [
                Member("center", center, required: true, "the middle of the circle"),
                Member("radius", radius, required: true, "metres"),
            ]),
        .object(
            regionMembers + [
                Member("vertices", vertices, required: true, "3 to 1000 [latitude, longitude], closes itself")
            ]),
    ])

    static let condition = JSONSchema.anyOf([
        .object([
            Member("type", .words([ConditionType.circle.word]), required: true, "a circle"),
            Member("center", center, required: true, "its middle"),
            Member("radius", radius, required: true, "metres"),
        ]),
        .object([
            Member("type", .words([ConditionType.polygon.word]), required: true, "a polygon"),
            Member("vertices", vertices, required: true, "3 to 1000 [latitude, longitude], closes itself"),
        ]),
    ])

    static let visit = JSONSchema.object([
        latitude, longitude,
        Member("horizontalAccuracy", .number(exclusiveMinimum: 0), required: true, "radius of 68 %, metres"),
        Member("arrivalDate", .nullable(.time), required: true, "when the stay began; null: nobody saw it"),
        Member("departureDate", .nullable(.time), required: true, "when it ended; null: it has not"),
    ])

    static let headingValue = JSONSchema.object([
        Member("magneticHeading", .number(minimum: 0, maximum: 360), "degrees from magnetic north, under 360"),
        Member("trueHeading", .number(minimum: 0, maximum: 360), "degrees from true north, under 360"),
        Member("headingAccuracy", .amount, "68 % of the heading, degrees"),
        Member("timestamp", .time, required: true, "when it was measured"),
    ])

    static let monitor = JSONSchema.object([
        Member("monitor", .ordinal, required: true, "its number on this connection"),
        Member("identifiers", .array(of: .name), required: true, "the conditions that it has"),
    ])

    /// What `monitorEvent` and a record's `lastEvent` have in common.
    static let conditionEvent =
        [
            Member("state", .words(ConditionState.words), required: true, "how it stands"),
            Member("date", .time, required: true, "since when"),
            Member("refinement", .named("condition"), "the condition that was found, while it is satisfied"),
        ] + flags(.ofMonitorEvents)

    static let record = JSONSchema.object([
        Member("condition", .named("condition"), required: true, "the area"),
        Member(
            "lastEvent", .nullable(.object(conditionEvent)), required: true,
            "the event that was acknowledged last; null: none yet"),
    ])

    /// The members of the given flags, which are there only when they are true.
    static func flags(_ flags: DiagnosticFlags) -> [JSONSchema.Member] {
        flags.names.map { Member($0, .boolean, "only when true: " + explanation(ofFlag: $0)) }
    }

    private static func explanation(ofFlag name: String) -> String {
        switch DiagnosticFlags(name: name) {
        case .authorizationDenied: "the app may not"
        case .authorizationDeniedGlobally: "location services are off for everyone"
        case .authorizationRestricted: "the administrator forbids it"
        case .authorizationRequestInProgress: "somebody is being asked"
        case .insufficientlyInUse: "the app is not in use, which it would have to be"
        case .serviceSessionRequired: "no service session asks for it"
        case .accuracyLimited: "only the reduced view may be seen"
        case .locationUnavailable: "no fix is possible"
        case .fullAccuracyDenied: "full accuracy is not granted"
        case .alwaysAuthorizationDenied: "always is not granted"
        case .conditionUnsupported: "this device cannot watch such a condition"
        case .conditionLimitExceeded: "the app has as many conditions as it may"
        case .persistenceUnavailable: "the state directory cannot be used"
        default: name
        }
    }
}
