// SPDX-License-Identifier: Apache-2.0
import GPXReading
import LocationModel

/// Points at equal distances along a line of places, and its end.
struct SimulatedPath {
    struct Point {
        let coordinate: Coordinate
        /// Metres from the point before, along the line; 0: the first.
        let distance: Double
        /// Degrees clockwise from north; nil: there is no way on.
        let course: Double?
    }

    let points: [Point]

    /// `step`: metres between points, > 0.
    init(_ places: [Coordinate], step: Double) {
        var points: [Point] = []
        var since = 0.0
        var last: Double?
        if let first = places.first {
            points.append(
                Point(coordinate: first, distance: 0, course: places.dropFirst().first.flatMap { first.course(to: $0) })
            )
        }
        for (from, to) in zip(places, places.dropFirst()) {
            let length = from.distance(to: to)
            guard length > 0, let course = from.course(to: to) else { continue }
            var at = step - since
            while at < length {
                points.append(Point(coordinate: from.moved(by: at, course: course), distance: step, course: course))
                at += step
            }
            since = length - (at - step)
            last = course
        }
        // A rest of at most a millimetre is too short to be seen as a way.
        if let end = places.last, let last, since > 0.001 {
            points.append(Point(coordinate: end, distance: since, course: last))
        }
        self.points = points
    }
}
