// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTracks
package import Testing

/// Chance for a test, repeatable by its seed.
package struct SplitMix64: RandomNumberGenerator, Sendable, CustomStringConvertible {
    /// What the numbers follow from.
    package let seed: UInt64
    private var generator: NoiseGenerator

    /// The numbers of `seed`.
    package init(seed: UInt64 = SplitMix64.seedOfThisRun) {
        self.seed = seed
        generator = NoiseGenerator(seed: seed)
    }

    /// The next 64 bits.
    package mutating func next() -> UInt64 { generator.next() }
    /// A number from `range`, all equally likely.
    package mutating func uniform(_ range: ClosedRange<Double>) -> Double { generator.uniform(range) }
    /// A number around 0 with standard deviation 1.
    package mutating func gaussian() -> Double { generator.gaussian() }
    /// True with `probability`.
    package mutating func chance(_ probability: Double) -> Bool { generator.chance(probability) }

    /// How to repeat these numbers.
    package var description: String { "LOCATIOND_SEED=\(seed)" }

    /// `LOCATIOND_SEED` of the environment, else another one in every run.
    package static let seedOfThisRun: UInt64 = {
        if let text = getenv("LOCATIOND_SEED"), let seed = UInt64(String(cString: text)) { return seed }
        return UInt64.random(in: 0...0xFFFF_FFFF)
    }()
}

extension Trait where Self == IssueHandlingTrait {
    /// Every failure of the test says how to repeat its random numbers.
    package static var tellsSeed: Self {
        compactMapIssues { issue in
            var issue = issue
            issue.comments.append("repeat with LOCATIOND_SEED=\(SplitMix64.seedOfThisRun)")
            return issue
        }
    }
}
