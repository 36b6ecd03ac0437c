// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationTracks

/// A made-up day of one of twelve kinds of people, as a pocket sees it: it begins and ends at home, with the sky gone for seconds to
/// an hour wherever there is a roof. The same seed gives the same day.
///
/// The thresholds of the detectors were chosen by the days of `tuning`; those of `heldOut` only say how good they are.
package struct PersonalDay: Sendable {
    /// Seeds by which numbers in the engine may be chosen.
    package static let tuning: ClosedRange<UInt64> = 1...72
    /// Seeds that no number was chosen by.
    package static let heldOut: ClosedRange<UInt64> = 1_001...1_072

    /// How many kinds of people there are: as many seeds in a row have one of each.
    package static let kinds = PersonalPlan.kinds

    /// Every second of it; `stay` is always nil.
    package private(set) var points: [DayPoint] = []
    /// Circles of 100 m: at places of the day, on its ways, and elsewhere.
    package private(set) var circles: [Region] = []

    /// The day that belongs to `seed`; `home` is where it begins.
    package init(seed: UInt64, home: Coordinate = Track.defaultStart) {
        var noise = NoiseGenerator(seed: seed &+ 77_000)
        let plan = PersonalPlan(kind: Int(seed % UInt64(PersonalPlan.kinds)), home: home, seed: seed)
        var walker = PersonalWalker(legs: plan.legs, start: home)
        var receiver = TownReceiver(roughness: 1, &noise)
        var roof = Roof(seed: seed)
        while walker.advance(&noise) {
            switch walker.surroundings {
            case .roof(let kind):
                roof.stay(kind, &noise)
                receiver.advance(in: kind == .open ? .street : .indoors, &noise)
            case .way(let underground, let isVehicle):
                roof.travel(underground: underground, isVehicle: isVehicle, &noise)
                receiver.advance(in: isVehicle ? .vehicle : .street, &noise)
            }
            let second = points.count
            points.append(
                DayPoint(
                    elapsed: .seconds(Double(second)),
                    time: WallTime(milliseconds: Track.defaultFrom.milliseconds + Int64(second) * 1_000),
                    truth: walker.place, measured: roof.isOpen ? receiver.measured(walker.place) : nil,
                    hasSignals: roof.hasSignals, accuracy: receiver.accuracy, trueSpeed: walker.speed, stay: nil))
        }
        addCircles(around: walker.places, &noise)
    }

    private mutating func addCircles(around places: [Coordinate], _ noise: inout NoiseGenerator) {
        var centers: [Coordinate] = []
        for place in places where centers.count < 8 && !centers.contains(where: { $0.distance(to: place) < 50 }) {
            centers.append(place.moved(by: noise.uniform(0...35), course: noise.uniform(0...360)))
        }
        while centers.count < 12 {
            let way = points[Int(noise.uniform(0...Double(points.count - 1)))].truth
            let far = centers.count.isMultiple(of: 2) ? 60.0 : 3_000
            centers.append(way.moved(by: noise.uniform(0...far), course: noise.uniform(0...360)))
        }
        // Whether a stay at the border is inside is nobody's guess.
        centers.removeAll { center in places.contains { abs($0.distance(to: center) - 100) < 50 } }
        circles = centers.enumerated().map {
            Region(identifier: "\($0)", shape: .circle(center: $1, radius: 100))
        }
    }
}

/// Carries a plan out, second by second.
struct PersonalWalker: Sendable {
    enum Surroundings: Sendable {
        case roof(Roof.Kind)
        case way(underground: Bool, isVehicle: Bool)
    }

    private let legs: [PersonalLeg]
    private var index = 0
    private var hasBegun = false
    private(set) var place: Coordinate
    private(set) var speed = 0.0
    private(set) var surroundings = Surroundings.roof(.open)
    /// Where it stayed.
    private(set) var places: [Coordinate] = []
    private var anchor: Coordinate
    /// Of a stroll: where to next.
    private var goal: Coordinate?
    /// Seconds of the leg, or of a halt on the way.
    private var remaining = 0.0
    private var untilHalt = 0.0

    init(legs: [PersonalLeg], start: Coordinate) {
        self.legs = legs
        place = start
        anchor = start
    }

    /// One more second; false: the day is over.
    mutating func advance(_ noise: inout NoiseGenerator) -> Bool {
        guard index < legs.count else { return false }
        switch legs[index] {
        case .stay(let seconds, let kind):
            if begins() { arrive(for: seconds) }
            surroundings = .roof(kind)
            speed = 0
            if noise.chance(1 / 900) {
                place = anchor.moved(by: noise.uniform(0...15), course: noise.uniform(0...360))
            }
            remaining -= 1
            if remaining <= 0 { finishLeg() }
        case .stroll(let seconds, let radius):
            if begins() { arrive(for: seconds) }
            surroundings = .way(underground: false, isVehicle: false)
            stroll(within: radius, &noise)
            remaining -= 1
            if remaining <= 0 { finishLeg() }
        case .travel(let target, let mode):
            if begins() { remaining = 0 }
            surroundings = .way(underground: mode.isUnderground, isVehicle: mode.isVehicle)
            travel(to: target, mode, &noise)
        }
        return true
    }

    private mutating func begins() -> Bool {
        defer { hasBegun = true }
        return !hasBegun
    }

    private mutating func arrive(for seconds: Double) {
        anchor = place
        places.append(place)
        remaining = seconds
        goal = nil
    }

    private mutating func finishLeg() {
        index += 1
        hasBegun = false
    }

    private mutating func stroll(within radius: Double, _ noise: inout NoiseGenerator) {
        if goal == nil, noise.chance(1 / 45) {
            goal = anchor.moved(by: noise.uniform(0...radius), course: noise.uniform(0...360))
        }
        speed = 0
        guard let target = goal else { return }
        if step(to: target, noise.uniform(0.5...1)) { goal = nil }
    }

    private mutating func travel(to target: Coordinate, _ mode: TravelMode, _ noise: inout NoiseGenerator) {
        speed = 0
        if remaining > 0 {
            remaining -= 1
            return
        }
        if let halts = mode.halts, untilHalt <= 0 {
            remaining = noise.uniform(halts.seconds)
            untilHalt = noise.uniform(halts.every)
            return
        }
        let pace = mode.pace * noise.uniform(0.85...1.15)
        untilHalt -= pace
        if step(to: target, pace) { finishLeg() }
    }

    /// Returns whether the target is reached.
    private mutating func step(to target: Coordinate, _ metres: Double) -> Bool {
        speed = metres
        let distance = place.distance(to: target)
        guard distance > metres else {
            place = target
            return true
        }
        place = place.interpolated(to: target, metres / distance)
        return false
    }
}
