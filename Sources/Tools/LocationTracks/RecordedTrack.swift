// SPDX-License-Identifier: Apache-2.0
package import GPXReading
package import LocationModel

/// A recorded or planned way, as a receiver would tell it on the way: between two places of the file the device moves in a straight line.
package struct RecordedTrack: Sendable {
    /// A place of the way, and when the device is there.
    private struct Stop {
        var coordinate: Coordinate
        var altitude: Double
        /// Since the beginning of the way, seconds.
        var at: Double
        /// The receiver knows nothing between the stop before and this one.
        var isBehindGap: Bool
    }

    // The figures of a receiver under a clear sky.
    private static let hdop = 0.9
    private static let satellitesUsed = 9
    private static let satellitesSeen = 12
    /// Below this speed the direction of travel is noise, metres per second.
    private static let slowestWithCourse = 0.4

    private let stops: [Stop]
    /// The date of the first point; nil: the way says none.
    package let begin: WallTime?
    /// Points per second, > 0, at most 1000.
    package let rate: Double

    /// `way`: as of `GPXDocument.way()`. `pace`: metres per second along a way without times, > 0.
    package init(_ way: [[GPXPoint]], pace: Double = 10, rate: Double = 1) {
        self.rate = rate
        let first = way.first?.first
        begin = first?.time
        var stops: [Stop] = []
        for segment in way {
            for (index, point) in segment.enumerated() {
                let last = stops.last
                var at = last.map { $0.at + $0.coordinate.distance(to: point.coordinate) / pace } ?? 0
                if let time = point.time, let begin { at = Double(time.milliseconds - begin.milliseconds) / 1000 }
                let altitude = point.elevation ?? last?.altitude ?? 0
                let isBehindGap = index == 0 && last != nil && point.time != nil
                stops.append(
                    Stop(coordinate: point.coordinate, altitude: altitude, at: at, isBehindGap: isBehindGap))
            }
        }
        self.stops = stops
    }

    /// Until the point at the end of the way, or the first one behind it.
    package var length: TimeSpan { .seconds((((stops.last?.at ?? 0) * rate).rounded(.up) + 0.5) / rate) }

    /// The points from `from` on, one every 1/rate seconds, for `duration`; when the way is over the device rests at its end.
    package func points(from: WallTime, duration: TimeSpan) -> AnyIterator<TrackPoint> {
        var (index, passed) = (0, 0)
        return AnyIterator {
            let elapsed = TimeSpan.seconds(Double(index) / rate)
            guard elapsed < duration, !stops.isEmpty else { return nil }
            index += 1
            while passed + 1 < stops.count, stops[passed + 1].at <= elapsed.seconds { passed += 1 }
            return point(
                elapsed, WallTime(milliseconds: from.milliseconds + elapsed.nanoseconds / 1_000_000), behind: passed)
        }
    }

    private func point(_ elapsed: TimeSpan, _ time: WallTime, behind index: Int) -> TrackPoint {
        let stop = stops[index]
        guard index + 1 < stops.count else { return point(elapsed, time, stop.coordinate, stop.altitude, 0, nil, true) }
        let next = stops[index + 1]
        // Places of the same moment lie behind each other: the way goes on from the last of them.
        let fraction = (elapsed.seconds - stop.at) / (next.at - stop.at)
        let speed = stop.coordinate.distance(to: next.coordinate) / (next.at - stop.at)
        return point(
            elapsed, time, stop.coordinate.interpolated(to: next.coordinate, fraction),
            stop.altitude + (next.altitude - stop.altitude) * fraction, speed,
            stop.coordinate.course(to: next.coordinate), !next.isBehindGap || elapsed.seconds == stop.at)
    }

    private func point(
        _ elapsed: TimeSpan, _ time: WallTime, _ place: Coordinate, _ altitude: Double, _ speed: Double,
        _ course: Double?, _ hasFix: Bool
    ) -> TrackPoint {
        TrackPoint(
            elapsed: elapsed, time: time, truth: place, trueSpeed: speed, measured: hasFix ? place : nil,
            altitude: altitude, speed: speed,
            course: hasFix && speed >= RecordedTrack.slowestWithCourse ? course : nil, hdop: RecordedTrack.hdop,
            satellitesUsed: hasFix ? RecordedTrack.satellitesUsed : 0,
            satellitesSeen: hasFix ? RecordedTrack.satellitesSeen : 2)
    }
}
