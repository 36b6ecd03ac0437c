// SPDX-License-Identifier: Apache-2.0

/// The edges of a polygon laid out flat: longitudes run on past 180 degrees instead of starting again at -180.
struct PolygonOutline {
    private struct Edge {
        var fromX, fromY, toX, toY: Double
        var lowX: Double { min(fromX, toX) }
        var highX: Double { max(fromX, toX) }
        var lowY: Double { min(fromY, toY) }
        var highY: Double { max(fromY, toY) }
    }

    private var edges: [Edge] = []

    /// Lays out valid vertices; throws what can be seen from neighbours and from the sum of all turns.
    init(_ vertices: [Coordinate]) throws(PolygonError) {
        edges.reserveCapacity(vertices.count)
        var longitude = vertices[0].longitude
        for (index, vertex) in vertices.enumerated() {
            let following = (index + 1) % vertices.count
            let next = vertices[following]
            if abs(vertex.latitude) == 90 { throw .poleInside }
            let step = shorterWay(next.longitude - vertex.longitude)
            if step == 0 || abs(step) == 360, vertex.latitude == next.latitude { throw .repeatedVertex(following) }
            guard abs(step) < 180 else { throw .edgeHalfRound(following) }
            edges.append(
                Edge(fromX: longitude, fromY: vertex.latitude, toX: longitude + step, toY: next.latitude))
            longitude += step
        }
        // Once round the Earth and not back: a pole is on either side.
        guard abs(longitude - vertices[0].longitude) < 180 else { throw .poleInside }
        // The last edge ends in the first vertex to the bit, not in a sum of differences.
        edges[edges.count - 1].toX = edges[0].fromX
    }

    /// The first two edges that meet anywhere but in the vertex that neighbours share.
    func firstCrossing() -> (Int, Int)? {
        guard mayCross else { return nil }
        for first in edges.indices {
            if doublesBack(first) { return (first, (first + 1) % edges.count) }
            for second in edges.indices.dropFirst(first + 2) {
                if first == 0, second == edges.count - 1 { continue }
                if meet(edges[first], edges[second]) { return (first, second) }
            }
        }
        return nil
    }

    /// False: no edges meet but neighbours. Few outlines cross, and to know that of one that does not only edges are compared whose
    /// longitudes overlap.
    private var mayCross: Bool {
        let low = edges.reduce(Double.infinity) { min($0, $1.lowX) }
        let high = edges.reduce(-Double.infinity) { max($0, $1.highX) }
        // Edges may meet that are laid out once round the Earth apart.
        guard high - low < 360, !edges.indices.contains(where: doublesBack) else { return true }
        let ordered = edges.indices.sorted { edges[$0].lowX < edges[$1].lowX }
        for (place, first) in ordered.enumerated() {
            let end = edges[first].highX
            for second in ordered.dropFirst(place + 1) {
                guard edges[second].lowX <= end else { break }
                let apart = abs(first - second)
                if apart == 1 || apart == edges.count - 1 { continue }
                if meet(edges[first], edges[second]) { return true }
            }
        }
        return false
    }

    /// Whether the next edge runs back over this one.
    private func doublesBack(_ index: Int) -> Bool {
        let (one, next) = (edges[index], edges[(index + 1) % edges.count])
        let (oneX, oneY) = (one.toX - one.fromX, one.toY - one.fromY)
        let (nextX, nextY) = (next.toX - next.fromX, next.toY - next.fromY)
        return oneX * nextY == oneY * nextX && oneX * nextX + oneY * nextY < 0
    }

    private func meet(_ one: Edge, _ other: Edge) -> Bool {
        guard one.lowY <= other.highY, other.lowY <= one.highY else { return false }
        // The same meridian may have been laid out once round the Earth apart.
        return meet(one, other, turned: 0) || meet(one, other, turned: -360) || meet(one, other, turned: 360)
    }

    private func meet(_ one: Edge, _ other: Edge, turned turn: Double) -> Bool {
        let moved = Edge(fromX: other.fromX + turn, fromY: other.fromY, toX: other.toX + turn, toY: other.toY)
        guard one.lowX <= moved.highX, moved.lowX <= one.highX else { return false }
        let fromSide = side(of: one, moved.fromX, moved.fromY)
        let toSide = side(of: one, moved.toX, moved.toY)
        let thisFrom = side(of: moved, one.fromX, one.fromY)
        let thisTo = side(of: moved, one.toX, one.toY)
        return fromSide * toSide <= 0 && thisFrom * thisTo <= 0
    }

    /// 1: left of the edge, -1: right of it, 0: on its line.
    private func side(of edge: Edge, _ x: Double, _ y: Double) -> Double {
        let cross = (edge.toX - edge.fromX) * (y - edge.fromY) - (edge.toY - edge.fromY) * (x - edge.fromX)
        return cross > 0 ? 1 : cross < 0 ? -1 : 0
    }
}
