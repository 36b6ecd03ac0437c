// SPDX-License-Identifier: Apache-2.0

import LocationModel

// Coordinates are written so that they read back as the very same numbers: a region is compared with what was given.
extension Region {
    /// Appends the `region` object.
    func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("identifier")
        writer.string(identifier)
        shape.appendMembers(to: &writer)
        writer.name("notifyOnEntry")
        writer.bool(notifyOnEntry)
        writer.name("notifyOnExit")
        writer.bool(notifyOnExit)
        if let cushion = hysteresis.cushion {
            writer.name("cushion")
            writer.number(cushion)
        }
        if let dwell = hysteresis.dwell {
            writer.name("dwell")
            writer.number(dwell.seconds)
        }
        writer.endObject()
    }
}

extension RegionShape {
    /// Appends the `condition` object, which is the refinement of an event, too.
    func append(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.name("type")
        switch self {
        case .circle: writer.string(ConditionType.circle.word)
        case .polygon: writer.string(ConditionType.polygon.word)
        }
        appendMembers(to: &writer)
        writer.endObject()
    }

    fileprivate func appendMembers(to writer: inout JSONWriter) {
        switch self {
        case .circle(let center, let radius):
            writer.name("center")
            writer.beginObject()
            writer.name("latitude")
            writer.number(center.latitude)
            writer.name("longitude")
            writer.number(center.longitude)
            writer.endObject()
            writer.name("radius")
            writer.number(radius)
        case .polygon(let polygon):
            writer.name("vertices")
            writer.beginArray()
            for vertex in polygon.vertices {
                writer.beginArray()
                writer.number(vertex.latitude)
                writer.number(vertex.longitude)
                writer.endArray()
            }
            writer.endArray()
        }
    }

    // Of a region or of a condition, which have these members alike.
    fileprivate init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: RegionMember.self)
        if let pairs = try container.decodeIfPresent([[Double]].self, forKey: .vertices) {
            // The daemon has checked the polygon; only what cannot be read is refused here.
            guard pairs.allSatisfy({ $0.count == 2 }) else {
                throw DecodingError.dataCorruptedError(
                    forKey: .vertices, in: container, debugDescription: "a vertex is not [latitude, longitude]")
            }
            self = .polygon(
                Polygon(unchecked: pairs.map { Coordinate(latitude: $0[0], longitude: $0[1]) }))
            return
        }
        let center = try container.nestedContainer(keyedBy: CoordinateMember.self, forKey: .center)
        self = .circle(
            center: Coordinate(
                latitude: try center.decode(Double.self, forKey: .latitude),
                longitude: try center.decode(Double.self, forKey: .longitude)),
            radius: try container.decode(Double.self, forKey: .radius))
    }
}

/// A region inside a message, as decoders read it.
struct WireRegion: Decodable {
    var region: Region

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: RegionMember.self)
        region = Region(
            identifier: try container.decode(String.self, forKey: .identifier),
            shape: try RegionShape(from: decoder),
            notifyOnEntry: try container.decodeIfPresent(Bool.self, forKey: .notifyOnEntry) ?? true,
            notifyOnExit: try container.decodeIfPresent(Bool.self, forKey: .notifyOnExit) ?? true,
            hysteresis: RegionHysteresis(
                cushion: try container.decodeIfPresent(Double.self, forKey: .cushion),
                dwell: try container.decodeIfPresent(Double.self, forKey: .dwell).map { TimeSpan.seconds($0) }))
    }
}

/// The area of a condition inside a message, as decoders read it.
struct WireShape: Decodable {
    var shape: RegionShape
    init(from decoder: any Decoder) throws { shape = try RegionShape(from: decoder) }
}
