// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTracks

import func Glibc.exp

/// Surroundings that hide the sky from the receiver.
enum Surroundings: Sendable {
    case street, vehicle, home, office, hall
    /// Where somebody else says when the sky is gone.
    case indoors

    /// Metres, standard deviation of each axis.
    var deviation: ClosedRange<Double> {
        switch self {
        case .street: 4...15
        case .vehicle: 3...9
        case .home: 10...25
        case .indoors: 10...35
        case .office: 15...40
        case .hall: 15...40
        }
    }

    /// Seconds until the fix is lost, and until it comes back; on average.
    var loss: (after: Double, length: Double)? {
        switch self {
        case .street, .vehicle, .indoors: nil
        case .home: (1800, 300)
        case .office: (900, 600)
        case .hall: (200, 400)
        }
    }

    /// Jumps per second, of about 200 m.
    var jumps: Double {
        switch self {
        case .street, .vehicle: 1 / 7200
        case .home: 1 / 3600
        case .indoors: 1 / 1800
        case .office, .hall: 1 / 900
        }
    }
}

/// A receiver in a pocket in a town: errors that wander over a minute or two, jumps to a reflection, loss under roofs, and an
/// opinion of its own accuracy that is not quite right.
struct TownReceiver: Sendable {
    private let roughness: Double
    private var east: Wander
    private var north: Wander
    private var opinion: Wander
    private var surroundings: Surroundings?
    private var wanted = 10.0
    private var deviation = 10.0
    private var isLost = false
    private var jump: (distance: Double, course: Double, remaining: Double)?

    init(roughness: Double, _ noise: inout NoiseGenerator) {
        self.roughness = roughness
        east = Wander(deviation: 1, timeConstant: 90, step: 1, noise: &noise)
        north = Wander(deviation: 1, timeConstant: 90, step: 1, noise: &noise)
        opinion = Wander(deviation: 0.25, timeConstant: 300, step: 1, noise: &noise)
    }

    mutating func advance(in surroundings: Surroundings, _ noise: inout NoiseGenerator) {
        east.advance(&noise)
        north.advance(&noise)
        opinion.advance(&noise)
        if self.surroundings != surroundings || noise.chance(1 / 1200) {
            wanted = noise.uniform(surroundings.deviation) * roughness
            self.surroundings = surroundings
        }
        deviation += (wanted - deviation) / 20
        if let loss = surroundings.loss {
            if noise.chance(1 / (isLost ? loss.length : loss.after)) { isLost.toggle() }
        } else {
            isLost = false
        }
        if jump != nil { jump?.remaining -= 1 }
        if let remaining = jump?.remaining, remaining <= 0 { jump = nil }
        if jump == nil, noise.chance(surroundings.jumps * roughness) {
            jump = (noise.uniform(120...280), noise.uniform(0...360), noise.uniform(1...20))
        }
    }

    func measured(_ truth: Coordinate) -> Coordinate? {
        guard !isLost else { return nil }
        var place = truth.moved(by: deviation * east.value, course: 90).moved(by: deviation * north.value, course: 0)
        if let jump { place = place.moved(by: jump.distance, course: jump.course) }
        return place
    }

    /// Metres; two axes of one deviation hold 68 % within 1.51 of it.
    var accuracy: Double { max(3, 1.51 * deviation * exp(opinion.value)) }
}
