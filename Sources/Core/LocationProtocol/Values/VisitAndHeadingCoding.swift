// SPDX-License-Identifier: Apache-2.0

import LocationModel

extension Visit {
    /// Appends the `visit` object; a date that nobody knows is null. Degrees and metres are rounded as locations' are.
    func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("latitude")
        writer.decimal(coordinate.latitude, places: 9)
        writer.name("longitude")
        writer.decimal(coordinate.longitude, places: 9)
        writer.name("horizontalAccuracy")
        writer.decimal(atLeastAMillimetre(horizontalAccuracy), places: 3)
        writer.name("arrivalDate")
        if let arrival { writer.time(arrival) } else { writer.null() }
        writer.name("departureDate")
        if let departure { writer.time(departure) } else { writer.null() }
        writer.endObject()
    }
}

extension Heading {
    /// Appends the `heading` object; what is unknown is absent.
    func append(to writer: inout JSONWriter) {
        writer.beginObject()
        for (name, degrees) in [
            ("magneticHeading", magneticHeading.map(wireCourse)), ("trueHeading", trueHeading.map(wireCourse)),
            ("headingAccuracy", headingAccuracy.map(atLeastAMillimetre)),
        ] {
            guard let degrees, degrees.isFinite else { continue }
            writer.name(name)
            writer.decimal(degrees, places: 3)
        }
        writer.name("timestamp")
        writer.time(timestamp)
        writer.endObject()
    }
}

extension JSONWriter {
    /// A time in RFC 3339 with milliseconds.
    mutating func time(_ time: WallTime) { string(time.rfc3339) }
}

/// A visit inside a message, as decoders read it.
struct WireVisit: Decodable {
    private enum Member: String, CodingKey {
        case latitude, longitude, horizontalAccuracy, arrivalDate, departureDate
    }

    var visit: Visit

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        visit = Visit(
            coordinate: Coordinate(
                latitude: try container.decode(Double.self, forKey: .latitude),
                longitude: try container.decode(Double.self, forKey: .longitude)),
            horizontalAccuracy: try container.decode(Double.self, forKey: .horizontalAccuracy),
            arrival: try container.decodeIfPresent(WallTime.self, forKey: .arrivalDate),
            departure: try container.decodeIfPresent(WallTime.self, forKey: .departureDate))
    }
}

/// A heading inside a message, as decoders read it.
struct WireHeading: Decodable {
    private enum Member: String, CodingKey { case magneticHeading, trueHeading, headingAccuracy, timestamp }

    var heading: Heading

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        heading = Heading(
            magneticHeading: try container.decodeIfPresent(Double.self, forKey: .magneticHeading),
            trueHeading: try container.decodeIfPresent(Double.self, forKey: .trueHeading),
            headingAccuracy: try container.decodeIfPresent(Double.self, forKey: .headingAccuracy),
            timestamp: try container.decode(WallTime.self, forKey: .timestamp))
    }
}

extension WireVisit {
    static let schema = JSONSchema.object([
        Described("latitude", .number(minimum: -90, maximum: 90), required: true, "degrees north, WGS 84"),
        Described("longitude", .number(minimum: -180, maximum: 180), required: true, "degrees east, WGS 84"),
        Described("horizontalAccuracy", .number(exclusiveMinimum: 0), required: true, "radius of 68 %, metres"),
        Described("arrivalDate", .nullable(.time), required: true, "when the stay began; null: nobody saw it"),
        Described("departureDate", .nullable(.time), required: true, "when it ended; null: it has not"),
    ])
}

extension WireHeading {
    static let schema = JSONSchema.object([
        Described("magneticHeading", .number(minimum: 0, maximum: 360), "degrees from magnetic north, under 360"),
        Described("trueHeading", .number(minimum: 0, maximum: 360), "degrees from true north, under 360"),
        Described("headingAccuracy", .amount, "68 % of the heading, degrees"),
        Described("timestamp", .time, required: true, "when it was measured"),
    ])
}
