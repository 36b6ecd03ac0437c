// SPDX-License-Identifier: Apache-2.0

import LocationModel

extension Region {
    /// Appends the `region` object.
    func append(to writer: inout JSONWriter) { Rule<Region>.region.write(self, &writer) }
}

private enum ShapeMember: String, CodingKey {
    case identifier, center, radius, vertices, notifyOnEntry, notifyOnExit, cushion, dwell
}

private enum CoordinateMember: String, CodingKey { case latitude, longitude }

extension RegionShape {
    // Of a region or of a condition, which have these members alike.
    fileprivate init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: ShapeMember.self)
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
        let container = try decoder.container(keyedBy: ShapeMember.self)
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
