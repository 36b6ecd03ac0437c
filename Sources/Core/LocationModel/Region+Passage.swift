// SPDX-License-Identifier: Apache-2.0

/// The part of a straight way that lies in an area.
public struct RegionPassage: Sendable, Hashable, BitwiseCopyable {
    /// Fraction of the way at which the area begins, 0 to 1; 0 also for a way that starts inside.
    public var entry: Double
    /// Fraction at which it ends, `entry` to 1; 1 also for a way that ends inside.
    public var exit: Double
    /// How far from the border the way gets, metres, > 0: exact for circles, for polygons at the middle of the part.
    public var depth: Double
}

extension RegionShape {
    /// The part of the way between two places that lies in the area; for a polygon that is crossed more than once the longest. Nil: none.
    ///
    /// The way is straight in longitude and latitude, which is right for ways of some tens of kilometres away from the poles.
    public func passage(from start: Coordinate, to end: Coordinate) -> RegionPassage? {
        switch self {
        case .circle: circlePassage(from: start, to: end)
        case .polygon(let polygon): polygonPassage(polygon, from: start, to: end)
        case .beacon: nil
        }
    }

    /// The distance to the centre falls and rises again along a straight way: its least value by halving, then both sides.
    private func circlePassage(from start: Coordinate, to end: Coordinate) -> RegionPassage? {
        func distance(_ fraction: Double) -> Double { signedDistance(to: start.interpolated(to: end, fraction)) }
        var (low, high) = (0.0, 1.0)
        for _ in 0..<48 {
            let (one, other) = (low + (high - low) * 0.45, low + (high - low) * 0.55)
            if distance(one) <= distance(other) { high = other } else { low = one }
        }
        let deepest = (low + high) / 2
        let depth = -distance(deepest)
        guard depth > 0 else { return nil }
        func border(outside: Double) -> Double {
            guard distance(outside) > 0 else { return outside }
            var (out, inner) = (outside, deepest)
            for _ in 0..<40 {
                let middle = (out + inner) / 2
                if distance(middle) > 0 { out = middle } else { inner = middle }
            }
            return (out + inner) / 2
        }
        return RegionPassage(entry: border(outside: 0), exit: border(outside: 1), depth: depth)
    }

    private func polygonPassage(_ polygon: Polygon, from start: Coordinate, to end: Coordinate) -> RegionPassage? {
        var fractions = polygon.crossings(from: start, to: end)
        fractions.append(1)
        var longest: RegionPassage?
        var begin = 0.0
        var since: Double?
        for fraction in fractions {
            let middle = start.interpolated(to: end, (begin + fraction) / 2)
            if signedDistance(to: middle) < 0 {
                let entry = since ?? begin
                since = entry
                if fraction - entry > (longest.map { $0.exit - $0.entry } ?? 0) {
                    let depth = -signedDistance(to: start.interpolated(to: end, (entry + fraction) / 2))
                    longest = RegionPassage(entry: entry, exit: fraction, depth: depth)
                }
            } else if fraction > begin {
                since = nil
            }
            begin = fraction
        }
        return longest.flatMap { $0.depth > 0 ? $0 : nil }
    }
}

extension Polygon {
    /// The fractions of the way at which it meets an edge, in order.
    fileprivate func crossings(from start: Coordinate, to end: Coordinate) -> [Double] {
        let wayX = shorterWay(end.longitude - start.longitude)
        let wayY = end.latitude - start.latitude
        var fractions: [Double] = []
        var from = vertices[vertices.count - 1]
        for to in vertices {
            let fromX = shorterWay(from.longitude - start.longitude)
            let edgeX = shorterWay(to.longitude - from.longitude)
            let (fromY, edgeY) = (from.latitude - start.latitude, to.latitude - from.latitude)
            let determinant = wayX * edgeY - wayY * edgeX
            if determinant != 0 {
                let fraction = (fromX * edgeY - fromY * edgeX) / determinant
                let along = (fromX * wayY - fromY * wayX) / determinant
                if (0...1).contains(fraction), (0...1).contains(along) { fractions.append(fraction) }
            }
            from = to
        }
        fractions.sort()
        return fractions
    }
}
