// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A shape as numbers: latitude, longitude and radius of a circle, or the latitudes and longitudes of a polygon's vertices.
///
/// Three numbers are a circle; six or more, always an even count, a polygon.
extension RegionShape {
    var encoded: [UInt8] {
        var writer = BlobWriter()
        switch self {
        case .circle(let center, let radius):
            writer.append(center)
            writer.append(radius)
        case .polygon(let polygon):
            for vertex in polygon.vertices { writer.append(vertex) }
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
