// SPDX-License-Identifier: Apache-2.0

/// Why vertices are no polygon that can be watched.
public enum PolygonError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Fewer than 3 or more than 1,000.
    case vertexCount(Int)
    /// The vertex of this index, from 0, is no place.
    case invalidVertex(Int)

    /// For a person: what is wrong, and what is allowed.
    public var description: String {
        switch self {
        case .vertexCount(let count): "it has \(count) vertices, allowed are 3 to 1000"
        case .invalidVertex(let index): "its vertex \(index) is not within 90 degrees of latitude and 180 of longitude"
        }
    }
}

extension Polygon {
    /// The polygon of `vertices`, in order and without repeating the first at the end.
    public init(vertices: [Coordinate]) throws(PolygonError) {
        guard (3...1000).contains(vertices.count) else { throw .vertexCount(vertices.count) }
        if let index = vertices.firstIndex(where: { !$0.isValid }) { throw .invalidVertex(index) }
        self.init(unchecked: vertices)
    }
}
