// SPDX-License-Identifier: Apache-2.0
import func Glibc.cos
import func Glibc.exp
import func Glibc.log

/// Random numbers that are the same for the same seed on every machine (SplitMix64 of Steele, Lea and Flood, 2014).
package struct NoiseGenerator: RandomNumberGenerator, Sendable {
    private var state: UInt64

    /// The sequence that belongs to `seed`.
    package init(seed: UInt64) { state = seed }

    /// The next 64 bits.
    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from `range`, all equally likely.
    package mutating func uniform(_ range: ClosedRange<Double>) -> Double {
        range.lowerBound + (range.upperBound - range.lowerBound) * unit()
    }

    /// A number around 0 with standard deviation 1 (Box and Muller).
    package mutating func gaussian() -> Double {
        (-2 * log(1 - unit())).squareRoot() * cos(2 * .pi * unit())
    }

    /// True with `probability`, 0 to 1.
    package mutating func chance(_ probability: Double) -> Bool { unit() < probability }

    // 0 to just below 1, in steps of 2^-53.
    private mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}

/// A value that wanders around 0 and forgets where it was after some minutes: what the errors of a receiver do,
/// because satellites and reflections change slowly (a Gauss-Markov process of first order).
package struct Wander: Sendable {
    /// The value now.
    package private(set) var value: Double
    private let deviation: Double
    private let memory: Double

    /// Standard deviation, and how much of the value is left after one `step` seconds when it fades with `timeConstant` seconds.
    package init(deviation: Double, timeConstant: Double, step: Double, noise: inout NoiseGenerator) {
        self.deviation = deviation
        memory = exp(-step / timeConstant)
        value = deviation * noise.gaussian()
    }

    /// One step later.
    package mutating func advance(_ noise: inout NoiseGenerator) {
        value = memory * value + deviation * (1 - memory * memory).squareRoot() * noise.gaussian()
    }
}
