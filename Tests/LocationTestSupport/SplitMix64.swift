// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTracks
import Synchronization
package import Testing

/// Chance for a test, repeatable by its seed.
package struct SplitMix64: RandomNumberGenerator, Sendable, CustomStringConvertible {
    /// What the numbers follow from.
    package let seed: UInt64
    private var generator: NoiseGenerator

    /// The numbers of `seed`.
    package init(seed: UInt64) {
        self.seed = seed
        generator = NoiseGenerator(seed: seed)
    }

    /// The numbers of this run, for a test that needs one world.
    package init() { self.init(seed: SplitMix64.seeds(1)[0]) }

    /// The next 64 bits.
    package mutating func next() -> UInt64 { generator.next() }
    /// A number from `range`, all equally likely.
    package mutating func uniform(_ range: ClosedRange<Double>) -> Double { generator.uniform(range) }
    /// A number around 0 with standard deviation 1.
    package mutating func gaussian() -> Double { generator.gaussian() }
    /// True with `probability`.
    package mutating func chance(_ probability: Double) -> Bool { generator.chance(probability) }

    /// A whole number from 0 to just below `limit`, all nearly equally likely.
    package mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(limit)) }

    /// How to repeat these numbers.
    package var description: String { "LOCATIOND_SEED=\(seed)" }

    /// The seeds of `count` worlds of one test: from `LOCATIOND_SEED` on, else always the same, so that a suite that passes today passes
    /// tomorrow. `make search` gives other seeds, and `LOCATIOND_WORLDS` times as many.
    package static func seeds(_ count: UInt64) -> [UInt64] {
        let worlds = count > 1 ? count * worldsPerWorld : count
        if isSearch { worldsTried.withLock { $0 += Int(worlds) } }
        return (0..<worlds).map { seedOfThisRun &+ $0 }
    }

    /// The first seed of this run.
    package static let seedOfThisRun = variable("LOCATIOND_SEED") ?? 20_261_122

    private static let isSearch = variable("LOCATIOND_WORLDS") != nil
    /// How many worlds a test tries for each that it tries in the suite.
    private static let worldsPerWorld = variable("LOCATIOND_WORLDS") ?? 1

    /// The worlds of all tests, said when the process ends.
    private static let worldsTried: Mutex<Int> = {
        atexit { print("worlds: \(SplitMix64.worldsTried.withLock { $0 })") }
        return Mutex(0)
    }()

    private static func variable(_ name: String) -> UInt64? {
        getenv(name).flatMap { UInt64(String(cString: $0)) }
    }
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
