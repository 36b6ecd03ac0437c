// SPDX-License-Identifier: Apache-2.0

/// Why vertices make no polygon. Vertices count from 0, as in the array that was given.
public enum PolygonError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Fewer than 3 or more than 1,000, the closing one not counted.
    case vertexCount(Int)
    /// Not a number, or out of range.
    case invalidVertex(Int)
    /// The same place as the vertex before.
    case repeatedVertex(Int)
    /// Half the Earth from the vertex before: neither way is the shorter one.
    case edgeHalfRound(Int)
    /// The edges that start at these vertices cross or touch.
    case edgesCross(Int, Int)
    /// The polygon goes round a pole, or touches it.
    case poleInside

    /// A sentence: what is wrong, and what is allowed.
    public var description: String { "cannot use the polygon: \(reason)" }

    /// The same without its beginning, for sentences that have one.
    public var reason: String {
        switch self {
        case .vertexCount(let count):
            "it has \(count) vertices, 3 to \(Polygon.maximumVertices) are allowed"
        case .invalidVertex(let index):
            "vertex \(index) is no place, latitudes are -90 to 90, longitudes -180 to 180"
        case .repeatedVertex(let index):
            "vertex \(index) repeats the one before, only the last may repeat the first"
        case .edgeHalfRound(let index):
            "vertex \(index) is 180 degrees of longitude from the one before, less is allowed"
        case .edgesCross(let first, let second):
            "the edges that start at vertices \(first) and \(second) cross or touch, "
                + "only neighbours may meet, in their common vertex"
        case .poleInside: "a pole is inside or on its border, which is not allowed"
        }
    }
}
