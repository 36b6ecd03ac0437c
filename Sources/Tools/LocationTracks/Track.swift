// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Kinds of movement.
package enum TrackKind: String, Sendable, CaseIterable {
    /// A person on foot: 1.1 to 1.7 m/s, corners, short rests.
    case walk
    /// A car in town and on country roads: lights, corners, up to 28 m/s.
    case drive
    /// A car that stands still for hours under an imperfect sky.
    case parked
    /// A car on a road that loses the sky for 40 s, first after a minute and then every five.
    case tunnel
    /// A ship: 7 to 8 m/s, nearly straight, for hours.
    case ferry
}

/// One epoch of a track: where the thing was, and what its receiver said.
package struct TrackPoint: Sendable, Hashable, BitwiseCopyable {
    /// Since the start of the track.
    package var elapsed: TimeSpan
    /// The receiver's date.
    package var time: WallTime
    /// Where it truly was.
    package var truth: Coordinate
    /// True speed, metres per second.
    package var trueSpeed: Double
    /// Where the receiver saw it; nil without a fix.
    package var measured: Coordinate?
    /// Measured height above mean sea level, metres.
    package var altitude: Double
    /// Measured speed over ground, metres per second.
    package var speed: Double
    /// Measured direction of travel, degrees clockwise from true north, 0 to < 360; nil when too slow to tell.
    package var course: Double?
    /// Horizontal dilution of precision.
    package var hdop: Double
    /// Satellites in the solution; 0 without a fix.
    package var satellitesUsed: Int
    /// Satellites in view.
    package var satellitesSeen: Int

    /// Whether the receiver knew where it was.
    package var hasFix: Bool { measured != nil }
}

/// A made-up journey: the same parameters give the same points, bit for bit, and no array is built, so that a track may
/// last for days.
package struct Track: Sequence, Sendable {
    /// The kind of movement.
    package var kind: TrackKind
    /// Where it starts.
    package var start: Coordinate
    /// The date of the first point.
    package var from: WallTime
    /// Points are made while the elapsed time is below this.
    package var duration: TimeSpan
    /// Points per second, > 0, at most 1000.
    package var rate: Double
    /// The seed.
    package var seed: UInt64

    /// An ocean, so that nobody's home lies on a made-up road.
    package static let defaultStart = Coordinate(latitude: 45, longitude: -30)
    /// A Monday morning after 2017: gpsd 3.22 takes earlier NMEA dates for a week number that rolled over.
    package static let defaultFrom = WallTime(year: 2025, month: 3, day: 3, hour: 8)

    /// A track; by default one hour at one point per second.
    package init(
        _ kind: TrackKind, start: Coordinate = Track.defaultStart, from: WallTime = Track.defaultFrom,
        duration: TimeSpan = .seconds(3600), rate: Double = 1, seed: UInt64 = 1
    ) {
        self.kind = kind
        self.start = start
        self.from = from
        self.duration = duration
        self.rate = rate.isFinite ? Swift.min(Swift.max(rate, 0.001), 1000) : 1
        self.seed = seed
    }

    /// Makes the points one by one.
    package func makeIterator() -> TrackIterator { TrackIterator(self) }

    /// The time of point number `index`, counted from 0.
    package func elapsed(atIndex index: Int) -> TimeSpan { .seconds(Double(index) / rate) }
}

/// Makes the points of a track.
package struct TrackIterator: IteratorProtocol, Sendable {
    private let track: Track
    private var index = 0
    private var noise: NoiseGenerator
    private var motion: Motion
    private var receiver: SimulatedReceiver

    init(_ track: Track) {
        self.track = track
        noise = NoiseGenerator(seed: track.seed)
        motion = Motion(itinerary: Itinerary(kind: track.kind), start: track.start, noise: &noise)
        receiver = SimulatedReceiver(kind: track.kind, step: 1 / track.rate, noise: &noise)
    }

    /// The next point; nil after the duration of the track.
    package mutating func next() -> TrackPoint? {
        let elapsed = track.elapsed(atIndex: index)
        guard elapsed < track.duration else { return nil }
        if index > 0 {
            motion.advance(by: 1 / track.rate, noise: &noise)
            receiver.advance(by: 1 / track.rate, noise: &noise)
        }
        index += 1
        let time = WallTime(milliseconds: track.from.milliseconds + elapsed.nanoseconds / 1_000_000)
        return receiver.point(of: motion, elapsed: elapsed, time: time, noise: &noise)
    }
}
