// SPDX-License-Identifier: Apache-2.0
import LocationModel

import func Glibc.atan2
import func Glibc.cos
import func Glibc.exp
import func Glibc.sin

/// A receiver's view of the true movement: a position that wanders by metres over minutes and trembles by
/// decimetres, now and then a reflection that pulls it aside, and velocity from Doppler, which is much better.
struct SimulatedReceiver {
    /// Seconds without sky, and when they come.
    private static let tunnel = (first: 60.0, every: 300.0, length: 40.0)
    /// Below this speed the direction of travel is noise, metres per second.
    private static let slowestWithCourse = 0.4

    private let kind: TrackKind
    private let baseAltitude: Double
    private var east: Wander
    private var north: Wander
    private var up: Wander
    private var geometry: Wander
    private var reflection = Reflection()
    private var satellitesSeen: Int

    init(kind: TrackKind, step: Double, noise: inout NoiseGenerator) {
        self.kind = kind
        let timeConstant = kind == .parked ? 300.0 : 90.0
        east = Wander(deviation: 2, timeConstant: timeConstant, step: step, noise: &noise)
        north = Wander(deviation: 2.4, timeConstant: timeConstant, step: step, noise: &noise)
        up = Wander(deviation: 4, timeConstant: timeConstant, step: step, noise: &noise)
        geometry = Wander(deviation: 0.15, timeConstant: 600, step: step, noise: &noise)
        satellitesSeen = Int.random(in: 10...14, using: &noise)
        baseAltitude = kind == .ferry ? 12 : noise.uniform(40...400)
    }

    mutating func advance(by step: Double, noise: inout NoiseGenerator) {
        east.advance(&noise)
        north.advance(&noise)
        up.advance(&noise)
        geometry.advance(&noise)
        reflection.advance(by: step, noise: &noise)
        if noise.chance(step / 120) {
            satellitesSeen = min(max(satellitesSeen + (noise.chance(0.5) ? 1 : -1), 8), 16)
        }
    }

    mutating func point(
        of motion: Motion, elapsed: TimeSpan, time: WallTime, noise: inout NoiseGenerator
    ) -> TrackPoint {
        let strength = reflection.strength
        let eastError = east.value + strength * sin(reflection.direction) + 0.3 * noise.gaussian()
        let northError = north.value + strength * cos(reflection.direction) + 0.3 * noise.gaussian()
        let radians = motion.course * .pi / 180
        let eastSpeed = motion.speed * sin(radians) + 0.05 * noise.gaussian()
        let northSpeed = motion.speed * cos(radians) + 0.05 * noise.gaussian()
        let speed = (eastSpeed * eastSpeed + northSpeed * northSpeed).squareRoot()
        let course = normalized(atan2(eastSpeed, northSpeed) * 180 / .pi)
        let hasFix = !isUnderground(elapsed.seconds)
        let measured = motion.coordinate.moved(by: northError, course: 0).moved(by: eastError, course: 90)
        return TrackPoint(
            elapsed: elapsed, time: time, truth: motion.coordinate, trueSpeed: motion.speed,
            measured: hasFix ? measured : nil,
            altitude: baseAltitude + up.value + 0.5 * noise.gaussian(),
            speed: speed,
            course: hasFix && speed >= SimulatedReceiver.slowestWithCourse ? course : nil,
            hdop: max(0.6, 0.95 + geometry.value + strength / 20),
            satellitesUsed: hasFix ? satellitesSeen - 3 : 0,
            satellitesSeen: hasFix ? satellitesSeen : 2)
    }

    private func isUnderground(_ seconds: Double) -> Bool {
        guard kind == .tunnel, seconds >= SimulatedReceiver.tunnel.first else { return false }
        let since = (seconds - SimulatedReceiver.tunnel.first)
            .truncatingRemainder(dividingBy: SimulatedReceiver.tunnel.every)
        return since < SimulatedReceiver.tunnel.length
    }
}

/// A reflected signal that pulls the position aside for a minute or two, about every two hours.
private struct Reflection {
    /// Metres.
    private(set) var strength = 0.0
    /// Radians clockwise from north.
    private(set) var direction = 0.0
    private var wanted = 0.0
    private var remaining = 0.0

    mutating func advance(by step: Double, noise: inout NoiseGenerator) {
        remaining -= step
        if remaining <= 0 { wanted = 0 }
        if wanted == 0, noise.chance(step / 7200) {
            wanted = noise.uniform(6...18)
            remaining = noise.uniform(30...120)
            direction = noise.uniform(0...6.28)
        }
        strength += (wanted - strength) * (1 - exp(-step / 10))
    }
}
