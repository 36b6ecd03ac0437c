// SPDX-License-Identifier: Apache-2.0
internal import LocationModel

/// How long to wait before the next attempt to connect: the shortest wait, doubled each time up to the longest; a quarter of it
/// is random, so that many daemons do not knock together. The randomness comes from a seed.
struct ConnectBackoff {
    private let shortest: TimeSpan
    private let longest: TimeSpan
    private var failures = 0
    private var state: UInt64

    init(seed: UInt64, shortest: TimeSpan = .milliseconds(500), longest: TimeSpan = .seconds(30)) {
        state = seed
        self.shortest = shortest
        self.longest = longest
    }

    /// The next attempt is the first again.
    mutating func reset() { failures = 0 }

    /// The wait after one more failure.
    mutating func next() -> TimeSpan {
        let doubled = shortest.nanoseconds << min(failures, 10)
        failures += 1
        let full = min(doubled, longest.nanoseconds)
        return TimeSpan(nanoseconds: full - Int64(random() % UInt64(max(full / 4, 1))))
    }

    // SplitMix64 (Steele, Lea, Flood 2014).
    private mutating func random() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
