// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationTracks

/// One second of a person's day, or one logged point of it.
package struct DayPoint: Sendable, Hashable, BitwiseCopyable {
    /// Since the start of the day.
    package var elapsed: TimeSpan
    /// The receiver's date.
    package var time: WallTime
    /// Where the person truly was.
    package var truth: Coordinate
    /// Where the receiver saw them; nil without a fix.
    package var measured: Coordinate?
    /// Whether as many satellites can be heard as a fix takes, be they too weak for one.
    package var hasSignals: Bool
    /// The accuracy that the receiver tells, metres, 68 %.
    package var accuracy: Double
    /// True speed, metres per second.
    package var trueSpeed: Double
    /// Which stay of the day, counted from 0; nil on the way.
    package var stay: Int?
}

/// A made-up working day in a town: home, walk, bus with lights and a jam, office, lunch, coffee, shops, home; with the errors that
/// streets and buildings make. The same parameters give the same points.
package struct HumanDay: Sequence, Sendable {
    /// The seed.
    package var seed: UInt64
    /// Where the home is.
    package var home: Coordinate
    /// The date of the first point.
    package var from: WallTime
    /// Seconds between points, >= 1, rounded to whole seconds.
    package var interval: Double
    /// Whether the logger sleeps now and then for some minutes.
    package var hasPauses: Bool
    /// Factor of the receiver's errors, >= 0: 1 is a phone in a pocket, 0.3 one with a good view.
    package var roughness: Double

    /// A day at one point per second, without pauses.
    package init(
        seed: UInt64 = 1, home: Coordinate = Track.defaultStart, from: WallTime = Track.defaultFrom,
        interval: Double = 1, hasPauses: Bool = false, roughness: Double = 1
    ) {
        self.seed = seed
        self.home = home
        self.from = from
        self.interval = Swift.max(interval.rounded(), 1)
        self.hasPauses = hasPauses
        self.roughness = roughness
    }

    /// Makes the points one by one.
    package func makeIterator() -> HumanDayIterator { HumanDayIterator(self) }
}

/// Makes the points of a day.
package struct HumanDayIterator: IteratorProtocol, Sendable {
    private let day: HumanDay
    private var second = 0
    private var nextLogged = 0
    private var noise: NoiseGenerator
    private var walker: DayWalker
    private var receiver: TownReceiver

    init(_ day: HumanDay) {
        self.day = day
        noise = NoiseGenerator(seed: day.seed)
        walker = DayWalker(legs: DayPlan.legs(from: day.home, &noise), start: day.home)
        receiver = TownReceiver(roughness: day.roughness, &noise)
    }

    /// The next point; nil after the last stay.
    package mutating func next() -> DayPoint? {
        while walker.advance(&noise) {
            receiver.advance(in: walker.surroundings, &noise)
            second += 1
            guard second >= nextLogged else { continue }
            nextLogged = second + Int(day.interval)
            if day.hasPauses, noise.chance(day.interval / 5400) { nextLogged += Int(noise.uniform(120...1500)) }
            let measured = receiver.measured(walker.place)
            return DayPoint(
                elapsed: .seconds(Double(second)),
                time: WallTime(milliseconds: day.from.milliseconds + Int64(second) * 1000),
                truth: walker.place, measured: measured, hasSignals: measured != nil, accuracy: receiver.accuracy,
                trueSpeed: walker.speed, stay: walker.stay)
        }
        return nil
    }
}
