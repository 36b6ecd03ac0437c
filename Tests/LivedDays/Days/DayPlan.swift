// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTracks

/// A part of a day.
enum DayLeg: Sendable {
    /// Seconds at one place; whether it counts as a stay.
    case rest(Double, Surroundings, isStay: Bool)
    /// On foot to a place, metres per second.
    case walk(to: Coordinate, pace: Double)
    /// From window to window.
    case stroll(to: Coordinate)
    /// By bus: stops and lights.
    case ride(to: Coordinate)
    /// In a queue of cars.
    case jam(to: Coordinate)
}

/// A person's plan for one day.
enum DayPlan {
    static func legs(from home: Coordinate, _ noise: inout NoiseGenerator) -> [DayLeg] {
        let town = noise.uniform(0...360)
        let stop = home.moved(by: noise.uniform(200...500), course: town + 20)
        let jam = stop.moved(by: noise.uniform(1500...3000), course: town)
        let afterJam = jam.moved(by: noise.uniform(300...700), course: town)
        let officeStop = afterJam.moved(by: noise.uniform(1000...3000), course: town)
        let office = officeStop.moved(by: noise.uniform(150...400), course: town + 60)
        let lunch = office.moved(by: noise.uniform(230...450), course: noise.uniform(0...360))
        let coffee = lunch.moved(by: noise.uniform(210...300), course: noise.uniform(0...360))
        let street = home.moved(by: noise.uniform(600...1000), course: town + 100)
        let streetEnd = street.moved(by: noise.uniform(300...500), course: town + 190)
        let shop = streetEnd.moved(by: noise.uniform(20...60), course: town + 190)
        func rest(_ minutes: ClosedRange<Double>, _ surroundings: Surroundings) -> DayLeg {
            .rest(noise.uniform(minutes) * 60, surroundings, isStay: true)
        }
        func wait(_ seconds: ClosedRange<Double>) -> DayLeg { .rest(noise.uniform(seconds), .street, isStay: false) }
        func walk(_ place: Coordinate) -> DayLeg { .walk(to: place, pace: noise.uniform(1.1...1.6)) }
        var legs: [DayLeg] = [rest(30...90, .home), walk(stop), wait(20...170), .ride(to: jam), .jam(to: afterJam)]
        legs += [.ride(to: officeStop), walk(office), rest(150...240, .office), walk(lunch), rest(20...50, .hall)]
        if noise.chance(0.6) { legs += [walk(coffee), rest(8...20, .home)] }
        legs += [walk(office), rest(150...240, .office), walk(officeStop), wait(20...170), .ride(to: stop)]
        legs += [
            walk(street), .stroll(to: streetEnd), walk(shop), rest(8...30, .hall), walk(home), rest(90...180, .home),
        ]
        return legs
    }
}

/// Carries the plan out, second by second.
struct DayWalker: Sendable {
    private let legs: [DayLeg]
    private var index = 0
    private(set) var place: Coordinate
    private var anchor: Coordinate
    private(set) var speed = 0.0
    private(set) var stay: Int?
    private var stays = 0
    private(set) var surroundings = Surroundings.home
    private var hasBegun = false
    /// Seconds of the rest, or of a halt on the way.
    private var remaining = 0.0
    /// Metres to the next halt on the way.
    private var untilHalt = 0.0

    init(legs: [DayLeg], start: Coordinate) {
        self.legs = legs
        place = start
        anchor = start
    }

    /// One more second; false: the day is over.
    mutating func advance(_ noise: inout NoiseGenerator) -> Bool {
        guard index < legs.count else { return false }
        let leg = legs[index]
        if !hasBegun { begin(leg, &noise) }
        switch leg {
        case .rest: rest(&noise)
        case .walk(let target, let pace): move(to: target, at: pace, &noise)
        case .stroll(let target): move(to: target, at: 0.9, halts: 15...50, every: 30...80, &noise)
        case .ride(let target): move(to: target, at: 9, halts: 10...90, every: 250...700, &noise)
        case .jam(let target): move(to: target, at: 2.5, halts: 15...80, every: 20...60, &noise)
        }
        return true
    }

    private mutating func begin(_ leg: DayLeg, _ noise: inout NoiseGenerator) {
        hasBegun = true
        anchor = place
        stay = nil
        switch leg {
        case .rest(let seconds, let surroundings, let isStay):
            remaining = seconds
            self.surroundings = surroundings
            if isStay {
                stay = stays
                stays += 1
            }
        case .walk, .stroll: surroundings = .street
        case .ride, .jam: surroundings = .vehicle
        }
        if case .rest = leg { return }
        remaining = 0
        untilHalt = noise.uniform(20...100)
    }

    private mutating func finishLeg() {
        index += 1
        hasBegun = false
    }

    // From the desk to the kitchen and back.
    private mutating func rest(_ noise: inout NoiseGenerator) {
        speed = 0
        remaining -= 1
        if remaining <= 0 { return finishLeg() }
        guard stay != nil, noise.chance(1 / 600.0) else { return }
        place = anchor.moved(by: noise.uniform(0...12), course: noise.uniform(0...360))
    }

    private mutating func move(
        to target: Coordinate, at pace: Double, halts: ClosedRange<Double> = 0...0,
        every: ClosedRange<Double> = 1e9...1e9, _ noise: inout NoiseGenerator
    ) {
        speed = 0
        if remaining > 0 {
            remaining -= 1
            return
        }
        if untilHalt <= 0, every.lowerBound < 1e9 {
            // One light in twenty is a long one.
            remaining = noise.chance(0.05) ? noise.uniform(120...220) : noise.uniform(halts)
            untilHalt = noise.uniform(every)
            return
        }
        speed = pace * noise.uniform(0.8...1.2)
        untilHalt -= speed
        let distance = place.distance(to: target)
        guard distance > speed else {
            place = target
            return finishLeg()
        }
        place = Coordinate(
            latitude: place.latitude + (target.latitude - place.latitude) * speed / distance,
            longitude: place.longitude + (target.longitude - place.longitude) * speed / distance)
    }
}
