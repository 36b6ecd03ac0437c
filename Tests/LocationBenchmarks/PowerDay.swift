// SPDX-License-Identifier: Apache-2.0
import LivedDays
import LocationModel
import LocationTracks

/// A day, second by second: where the device truly is, and what a receiver that is always on would see.
struct PowerDay {
    struct Second {
        var truth: Coordinate
        /// Nil without a fix.
        var measured: Coordinate?
        var hasSignals: Bool
        /// Metres.
        var accuracy: Double
        /// Metres per second, by the receiver.
        var speed: Double
    }

    /// Truly at a place: seconds since the start of the day.
    struct Stay {
        var place: Coordinate
        var from: Int
        var to: Int
    }

    static let start = Track.defaultFrom

    let name: String
    private(set) var seconds: [Second] = []
    private(set) var stays: [Stay] = []
    private(set) var circles: [Region] = []

    /// Home, bus, office, lunch, shops; on foot between them.
    static func working(seed: UInt64) -> PowerDay {
        var day = PowerDay(name: "working day \(seed)")
        var noise = NoiseGenerator(seed: seed &+ 1_000)
        for point in HumanDay(seed: seed) {
            day.append(
                point.truth, point.measured, point.hasSignals, point.accuracy, speed: point.trueSpeed, stay: point.stay,
                &noise)
        }
        day.addCircles(&noise)
        return day
    }

    /// A car that stands still.
    static func parked(seed: UInt64) -> PowerDay { driven(seed: seed, name: "parked", [(.parked, 10)]) }

    /// A car between four places.
    static func driven(seed: UInt64) -> PowerDay {
        driven(
            seed: seed, name: "driven",
            [
                (.parked, 1.5), (.drive, 0.6), (.parked, 3), (.drive, 0.4), (.parked, 1), (.drive, 0.4), (.parked, 2.5),
                (.drive, 0.6), (.parked, 1),
            ])
    }

    private static func driven(seed: UInt64, name: String, _ parts: [(kind: TrackKind, hours: Double)]) -> PowerDay {
        var day = PowerDay(name: name)
        var noise = NoiseGenerator(seed: seed &+ 1_000)
        for (index, part) in parts.enumerated() {
            let track = Track(
                part.kind, start: day.seconds.last?.truth ?? Track.defaultStart,
                duration: .seconds(part.hours * 3600), seed: seed &+ UInt64(index))
            for point in track {
                day.append(
                    point.truth, point.measured, point.measured != nil, 1.51 * 3 * point.hdop, speed: point.trueSpeed,
                    stay: part.kind == .parked ? index : nil, &noise)
            }
        }
        day.addCircles(&noise)
        return day
    }

    private init(name: String) { self.name = name }

    /// As somebody lives it.
    init(_ day: PersonalDay, seed: UInt64) {
        self.init(name: "person \(seed)")
        var noise = NoiseGenerator(seed: seed &+ 1_000)
        for point in day.points {
            append(
                point.truth, point.measured, point.hasSignals, point.accuracy, speed: point.trueSpeed, stay: nil, &noise
            )
        }
        circles = day.circles
    }

    private var lastStay: Int?

    private mutating func append(
        _ truth: Coordinate, _ measured: Coordinate?, _ hasSignals: Bool, _ accuracy: Double, speed: Double, stay: Int?,
        _ noise: inout NoiseGenerator
    ) {
        let second = seconds.count
        seconds.append(
            Second(
                truth: truth, measured: measured, hasSignals: hasSignals, accuracy: accuracy,
                speed: max(0, speed + 0.2 * noise.gaussian())))
        if let stay {
            if stay == lastStay, !stays.isEmpty {
                stays[stays.count - 1].to = second
            } else {
                stays.append(Stay(place: truth, from: second, to: second))
            }
        }
        lastStay = stay
    }

    /// Twenty, of 100 to 200 m: at the places of the day, on its ways, and elsewhere in town.
    private mutating func addCircles(_ noise: inout NoiseGenerator) {
        var centers: [Coordinate] = []
        for stay in stays where !centers.contains(where: { $0.distance(to: stay.place) < 50 }) {
            centers.append(stay.place.moved(by: noise.uniform(0...30), course: noise.uniform(0...360)))
        }
        let middle = seconds[seconds.count / 2].truth
        while centers.count < 20 {
            let isOnTheWay = centers.count % 3 == 0
            let way = seconds[Int(noise.uniform(0...Double(seconds.count - 1)))].truth
            centers.append(
                (isOnTheWay ? way : middle).moved(
                    by: noise.uniform(0...(isOnTheWay ? 300 : 5_000)), course: noise.uniform(0...360)))
        }
        for (index, center) in centers.prefix(20).enumerated() {
            var radius = noise.uniform(100...200)
            // Whether a stay at the border is inside is nobody's guess.
            for _ in 0..<10 where stays.contains(where: { abs($0.place.distance(to: center) - radius) < 60 }) {
                radius = noise.uniform(100...200)
            }
            guard !stays.contains(where: { abs($0.place.distance(to: center) - radius) < 60 }) else { continue }
            circles.append(Region(identifier: "\(index)", shape: .circle(center: center, radius: radius)))
        }
    }
}
