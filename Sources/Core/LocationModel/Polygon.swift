// SPDX-License-Identifier: Apache-2.0

/// A closed line on the ground: edges are straight in longitude and latitude, neighbours joined the shorter way round the Earth.
///
/// 3 to 1,000 vertices; it closes itself, does not cross itself, and has no pole inside (Protocol 2.4).
public struct Polygon: Sendable, Hashable {
    /// As many vertices may a polygon have.
    public static let maximumVertices = 1_000

    /// In order, the first not repeated at the end.
    public let vertices: [Coordinate]

    /// The polygon with these vertices; a last one that repeats the first is dropped.
    public init(vertices: [Coordinate]) throws(PolygonError) {
        var vertices = vertices
        if vertices.count > 1, vertices.first == vertices.last { vertices.removeLast() }
        guard (3...Polygon.maximumVertices).contains(vertices.count) else {
            throw .vertexCount(vertices.count)
        }
        if let invalid = vertices.firstIndex(where: { !$0.isValid }) { throw .invalidVertex(invalid) }
        let outline = try PolygonOutline(vertices)
        if let (first, second) = outline.firstCrossing() { throw .edgesCross(first, second) }
        self.vertices = vertices
    }

    /// A polygon that was checked before.
    package init(unchecked vertices: [Coordinate]) { self.vertices = vertices }
}
