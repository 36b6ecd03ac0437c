// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A shape as numbers: latitude, longitude and radius of a circle, or the latitudes and longitudes of a polygon's vertices;
/// of beacons the UUID, and the numbers where they matter.
///
/// Three numbers are a circle; six or more, always an even count, a polygon; beacons take 46, 54 or 62 bytes, which are neither.
extension RegionShape {
    var encoded: [UInt8] {
        var writer = BlobWriter()
        switch self {
        case .circle(let center, let radius):
            writer.append(center)
            writer.append(radius)
        case .polygon(let polygon):
            for vertex in polygon.vertices { writer.append(vertex) }
        case .beacon(let beacons):
            writer.append(beacons.uuid)
            for number in [beacons.major, beacons.minor] { writer.append(number) { $0.append(UInt64($1)) } }
        }
        return writer.bytes
    }

    /// nil: the bytes are no shape. What was checked before it was stored is not checked again, but for numbers
    /// that make no shape.
    init?(decoding bytes: UnsafeRawBufferPointer) {
        var reader = BlobReader(bytes)
        guard bytes.count != 24 else {
            guard let center = reader.coordinate(), center.isValid, let radius = reader.real(), radius > 0,
                radius.isFinite
            else { return nil }
            self = .circle(center: center, radius: radius)
            return
        }
        guard ![46, 54, 62].contains(bytes.count) else {
            guard let beacons = reader.beacons() else { return nil }
            self = .beacon(beacons)
            return
        }
        guard bytes.count % 16 == 0, (3...Polygon.maximumVertices).contains(bytes.count / 16) else { return nil }
        var vertices: [Coordinate] = []
        vertices.reserveCapacity(bytes.count / 16)
        while reader.remaining > 0 {
            guard let vertex = reader.coordinate(), vertex.isValid else { return nil }
            vertices.append(vertex)
        }
        self = .polygon(Polygon(unchecked: vertices))
    }

    init?(decoding bytes: [UInt8]) {
        guard let shape = bytes.withUnsafeBytes({ RegionShape(decoding: $0) }) else { return nil }
        self = shape
    }
}

extension BlobReader {
    fileprivate mutating func beacons() -> BeaconIdentity? {
        func number(_ reader: inout BlobReader) -> UInt16? { reader.word().flatMap { UInt16(exactly: $0) } }
        guard let uuid = text(), uuid.utf8.count == 36 else { return nil }
        let major = optional(number)
        let minor = optional(number)
        guard isComplete, major != nil || minor == nil else { return nil }
        return BeaconIdentity(uuid: uuid, major: major, minor: minor)
    }
}
