// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Leaves out points of a segment that say little: none that it leaves out is farther than the tolerance from the line that remains
/// (Douglas and Peucker's way, over a window of the segment, so that it needs the same memory for any length).
package struct TrackSimplifier: Sendable {
    /// Points that wait at the most.
    static let window = 2048

    /// Metres; nil: all points stay.
    private let tolerance: Double?
    private var waiting: [Location] = []

    /// - Parameter tolerance: Metres, > 0; nil: all points stay.
    package init(tolerance: Double?) { self.tolerance = tolerance }

    /// Takes the next point, and calls `body` with those of which it is certain now that they stay.
    package mutating func append(_ location: Location, _ body: (Location) -> Void) {
        guard tolerance != nil else { return body(location) }
        waiting.append(location)
        guard waiting.count == TrackSimplifier.window else { return }
        let last = waiting.removeLast()
        waiting.append(last)
        for kept in remaining().dropLast() { body(kept) }
        waiting = [last]
    }

    /// The segment is at its end: calls `body` with the rest.
    package mutating func finish(_ body: (Location) -> Void) {
        for kept in remaining() { body(kept) }
        waiting.removeAll(keepingCapacity: true)
    }

    private func remaining() -> [Location] {
        guard let tolerance, waiting.count > 2 else { return waiting }
        var stays = [Bool](repeating: false, count: waiting.count)
        (stays[0], stays[waiting.count - 1]) = (true, true)
        var pieces = [(first: 0, last: waiting.count - 1)]
        while let piece = pieces.popLast() {
            guard let (index, distance) = farthest(in: piece), distance > tolerance else { continue }
            stays[index] = true
            pieces.append((piece.first, index))
            pieces.append((index, piece.last))
        }
        return zip(waiting, stays).filter(\.1).map(\.0)
    }

    /// The point between two that is farthest from the line between them, and how far that is in metres.
    private func farthest(in piece: (first: Int, last: Int)) -> (Int, Double)? {
        guard piece.last - piece.first > 1 else { return nil }
        let origin = waiting[piece.first].coordinate
        let frame = LocalFrame(latitude: origin.latitude)
        let end = frame.offset(from: origin, to: waiting[piece.last].coordinate)
        var found = (index: piece.first + 1, squared: -1.0)
        for index in piece.first + 1..<piece.last {
            let way = frame.offset(from: origin, to: waiting[index].coordinate)
            let squared = TrackSimplifier.squaredDistance(way, end)
            if squared > found.squared { found = (index, squared) }
        }
        return (found.index, found.squared.squareRoot())
    }

    /// Square metres between the end of `way` and the line from its beginning to `end`.
    private static func squaredDistance(_ way: LocalOffset, _ end: LocalOffset) -> Double {
        guard end.squaredLength > 0 else { return way.squaredLength }
        let along = (way.north * end.north + way.east * end.east) / end.squaredLength
        let fraction = min(max(along, 0), 1)
        return LocalOffset(north: way.north - fraction * end.north, east: way.east - fraction * end.east).squaredLength
    }
}
