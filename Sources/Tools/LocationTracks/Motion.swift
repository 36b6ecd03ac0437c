// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A stretch of a journey.
struct Leg {
    /// The speed wished for, metres per second.
    var speed: Double
    /// Seconds.
    var duration: Double
    /// Degrees to the right over the whole leg.
    var turn: Double = 0
}

/// The true movement: follows leg after leg with bounded acceleration.
struct Motion {
    private(set) var coordinate: Coordinate
    /// Metres per second.
    private(set) var speed = 0.0
    /// Degrees clockwise from north, 0 to < 360.
    private(set) var course: Double
    private var itinerary: Itinerary
    private var leg: Leg
    private var remaining: Double

    init(itinerary: Itinerary, start: Coordinate, noise: inout NoiseGenerator) {
        self.itinerary = itinerary
        coordinate = start
        course = noise.uniform(0...359.99)
        leg = self.itinerary.nextLeg(&noise)
        remaining = leg.duration
    }

    mutating func advance(by step: Double, noise: inout NoiseGenerator) {
        // A coarse rate must not cut corners: a step is made of parts of at most a second.
        let parts = max(1, Int(step.rounded(.up)))
        for _ in 0..<parts { advancePart(by: step / Double(parts), noise: &noise) }
    }

    private mutating func advancePart(by step: Double, noise: inout NoiseGenerator) {
        if remaining <= 0 {
            leg = itinerary.nextLeg(&noise)
            remaining = leg.duration
        }
        remaining -= step
        let before = speed
        let limits = itinerary.limits
        // People ease into the new speed: the closer to it, the gentler.
        let wish = (leg.speed - speed) / max(limits.easing, step)
        speed = max(0, speed + min(max(wish, -limits.braking), limits.acceleration) * step)
        if leg.speed == 0, speed < 0.1 { speed = 0 }
        if speed > 0 {
            course = normalized(course + leg.turn * step / leg.duration)
            coordinate = coordinate.moved(by: (before + speed) / 2 * step, course: course)
        }
    }
}

// Degrees brought into 0 to < 360.
func normalized(_ degrees: Double) -> Double {
    let remainder = degrees.truncatingRemainder(dividingBy: 360)
    let positive = remainder < 0 ? remainder + 360 : remainder
    return positive < 360 ? positive : 0
}
