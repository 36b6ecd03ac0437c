// SPDX-License-Identifier: Apache-2.0

import LocationModel

extension OpenRPC {
    private static let latitude = Described(
        "latitude", .number(minimum: -90, maximum: 90), required: true, "degrees north, WGS 84")
    private static let longitude = Described(
        "longitude", .number(minimum: -180, maximum: 180), required: true, "degrees east, WGS 84")

    static let visit = JSONSchema.object([
        latitude, longitude,
        Described("horizontalAccuracy", .number(exclusiveMinimum: 0), required: true, "radius of 68 %, metres"),
        Described("arrivalDate", .nullable(.time), required: true, "when the stay began; null: nobody saw it"),
        Described("departureDate", .nullable(.time), required: true, "when it ended; null: it has not"),
    ])

    static let headingValue = JSONSchema.object([
        Described("magneticHeading", .number(minimum: 0, maximum: 360), "degrees from magnetic north, under 360"),
        Described("trueHeading", .number(minimum: 0, maximum: 360), "degrees from true north, under 360"),
        Described("headingAccuracy", .amount, "68 % of the heading, degrees"),
        Described("timestamp", .time, required: true, "when it was measured"),
    ])

    static let monitor = JSONSchema.object([
        Described("monitor", .ordinal, required: true, "its number on this connection"),
        Described("identifiers", .array(of: .name), required: true, "the conditions that it has"),
    ])

    /// What `monitorEvent` and a record's `lastEvent` have in common.
    static let conditionEvent =
        [
            Described("state", .words(ConditionState.words), required: true, "how it stands"),
            Described("date", .time, required: true, "since when"),
            Described("refinement", .named("condition"), "the condition that was found, while it is satisfied"),
        ] + flags(.ofMonitorEvents)

    static let record = JSONSchema.object([
        Described("condition", .named("condition"), required: true, "the area"),
        Described(
            "lastEvent", .nullable(.object(conditionEvent)), required: true,
            "the event that was acknowledged last; null: none yet"),
    ])

    /// The members of the given flags, which are there only when they are true.
    static func flags(_ flags: DiagnosticFlags) -> [JSONSchema.Member] {
        flags.names.map { Described($0, .boolean, "only when true: " + explanation(ofFlag: $0)) }
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
