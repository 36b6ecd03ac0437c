// SPDX-License-Identifier: Apache-2.0

/// Decides, leg by leg, what a walker, driver or skipper does next.
struct Itinerary {
    /// How sharply speed may change.
    struct Limits {
        /// Metres per second squared.
        var acceleration: Double
        /// Metres per second squared, positive.
        var braking: Double
        /// Seconds over which the last of a change fades.
        var easing: Double
    }

    let kind: TrackKind
    let limits: Limits
    // Legs already decided, last first.
    private var planned: [Leg] = []
    private var isOnOpenRoad = false

    init(kind: TrackKind) {
        self.kind = kind
        limits =
            switch kind {
            case .walk, .parked: Limits(acceleration: 0.6, braking: 0.9, easing: 1)
            case .drive, .tunnel: Limits(acceleration: 1.8, braking: 2.5, easing: 2)
            case .ferry: Limits(acceleration: 0.05, braking: 0.05, easing: 60)
            }
    }

    mutating func nextLeg(_ noise: inout NoiseGenerator) -> Leg {
        if let leg = planned.popLast() { return leg }
        switch kind {
        case .parked: return Leg(speed: 0, duration: 3600)
        case .walk: return walkingLeg(&noise)
        case .drive: return drivingLeg(&noise)
        case .tunnel:
            return Leg(speed: noise.uniform(20...24), duration: 60, turn: noise.uniform(-8...8))
        case .ferry:
            return Leg(speed: noise.uniform(7...8), duration: noise.uniform(600...1800), turn: noise.uniform(-3...3))
        }
    }

    private mutating func walkingLeg(_ noise: inout NoiseGenerator) -> Leg {
        let pace = noise.uniform(1.1...1.7)
        if noise.chance(0.15) {
            planned.append(Leg(speed: 0, duration: noise.uniform(5...40)))
        } else {
            planned.append(Leg(speed: pace, duration: 3, turn: corner(&noise)))
        }
        return Leg(speed: pace, duration: noise.uniform(20...120), turn: noise.uniform(-20...20))
    }

    // A stretch of road, and at its end a light or a corner.
    private mutating func drivingLeg(_ noise: inout NoiseGenerator) -> Leg {
        if noise.chance(0.2) { isOnOpenRoad.toggle() }
        let speed = isOnOpenRoad ? noise.uniform(20...28) : noise.uniform(8...14)
        let stopping = speed / limits.braking + 3 * limits.easing
        if noise.chance(isOnOpenRoad ? 0.2 : 0.55) {
            planned.append(Leg(speed: 0, duration: stopping + noise.uniform(10...60)))
        } else {
            let corneringSpeed = noise.uniform(5...7)
            planned.append(Leg(speed: corneringSpeed, duration: noise.uniform(4...7), turn: corner(&noise)))
            planned.append(Leg(speed: corneringSpeed, duration: stopping))
        }
        let duration = isOnOpenRoad ? noise.uniform(60...240) : noise.uniform(15...60)
        return Leg(speed: speed, duration: duration, turn: noise.uniform(-30...30))
    }

    private func corner(_ noise: inout NoiseGenerator) -> Double {
        noise.uniform(60...110) * (noise.chance(0.5) ? 1 : -1)
    }
}
