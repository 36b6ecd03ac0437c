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

    static let record = JSONSchema.object([
        Described("condition", .named("condition"), required: true, "the area"),
        Described(
            "lastEvent", .nullable(.object(Told<ConditionEvent>.conditionEvent.descriptions)), required: true,
            "the event that was acknowledged last; null: none yet"),
    ])
}
