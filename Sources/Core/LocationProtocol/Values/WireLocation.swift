// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// A location inside a message, as it goes through encoders and decoders.
public struct WireLocation: Sendable, Hashable {
    /// The location itself.
    public var location: Location

    /// `location`, to be encoded.
    public init(_ location: Location) { self.location = location }
}

extension WireLocation: Codable {
    enum Member: String, CodingKey, CaseIterable {
        case latitude, longitude, horizontalAccuracy, altitude, ellipsoidalAltitude, verticalAccuracy, speed
        case speedAccuracy, course, courseAccuracy, timestamp, sequence, sourceInformation
    }
    enum SourceMember: String, CodingKey, CaseIterable {
        case isSimulatedBySoftware, isProducedByAccessory, kind, isCoarse
    }

    /// Reads the `location` object; members that are absent are unknown.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        func optional(_ member: Member) throws -> Double? { try container.decodeIfPresent(Double.self, forKey: member) }
        let timestamp = try container.decode(WallTime.self, forKey: .timestamp)
        var (isSimulated, kind) = (false, LocationKind.receiver)
        if container.contains(.sourceInformation) {
            let source = try container.nestedContainer(keyedBy: SourceMember.self, forKey: .sourceInformation)
            isSimulated = try source.decodeIfPresent(Bool.self, forKey: .isSimulatedBySoftware) ?? false
            if let word = try source.decodeIfPresent(String.self, forKey: .kind) {
                // A later daemon may have kinds that this program does not know.
                kind = LocationKind(word: word) ?? .other
            }
        }
        location = Location(
            coordinate: Coordinate(
                latitude: try container.decode(Double.self, forKey: .latitude),
                longitude: try container.decode(Double.self, forKey: .longitude)),
            horizontalAccuracy: try container.decode(Double.self, forKey: .horizontalAccuracy),
            timestamp: timestamp, sequence: try container.decodeIfPresent(UInt64.self, forKey: .sequence) ?? 0,
            altitude: try optional(.altitude), ellipsoidalAltitude: try optional(.ellipsoidalAltitude),
            verticalAccuracy: try optional(.verticalAccuracy), speed: try optional(.speed),
            speedAccuracy: try optional(.speedAccuracy), course: try optional(.course),
            courseAccuracy: try optional(.courseAccuracy), isSimulatedBySoftware: isSimulated, kind: kind)
    }

    /// Writes the `location` object, rounded as on the hot path.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Member.self)
        func encode(_ value: Double?, _ member: Member) throws {
            guard let value, value.isFinite else { return }
            try container.encode(DecimalPlaces.rounded(value, places: 3), forKey: member)
        }
        try container.encode(DecimalPlaces.rounded(location.coordinate.latitude, places: 9), forKey: .latitude)
        try container.encode(DecimalPlaces.rounded(location.coordinate.longitude, places: 9), forKey: .longitude)
        try encode(atLeastAMillimetre(location.horizontalAccuracy), .horizontalAccuracy)
        if let accuracy = location.verticalAccuracy {
            try encode(location.altitude, .altitude)
            try encode(location.ellipsoidalAltitude, .ellipsoidalAltitude)
            try encode(atLeastAMillimetre(accuracy), .verticalAccuracy)
        }
        try encode(location.speed, .speed)
        try encode(location.speedAccuracy.map(atLeastAMillimetre), .speedAccuracy)
        try encode(location.course.map(wireCourse), .course)
        try encode(location.courseAccuracy.map(atLeastAMillimetre), .courseAccuracy)
        try container.encode(location.timestamp.rfc3339, forKey: .timestamp)
        try container.encode(location.sequence, forKey: .sequence)
        var source = container.nestedContainer(keyedBy: SourceMember.self, forKey: .sourceInformation)
        try source.encode(location.isSimulatedBySoftware, forKey: .isSimulatedBySoftware)
        try source.encode(location.kind == .accessory, forKey: .isProducedByAccessory)
        guard location.kind != .receiver else { return }
        try source.encode(location.kind.word, forKey: .kind)
        if location.isCoarse { try source.encode(true, forKey: .isCoarse) }
    }
}

extension WireLocation {
    static let schema = JSONSchema.object([
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
                Described("isProducedByAccessory", .boolean, required: true, "a device that is connected to this one"),
                Described(
                    "kind", .words(LocationKind.provided.map(\.word)),
                    "how it was found, where no receiver measured it"),
                Described("isCoarse", .boolean, "only when true: it says only roughly where the device is"),
            ]), required: true, "where it comes from"),
    ])
}
