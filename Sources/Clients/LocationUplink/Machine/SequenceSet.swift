// SPDX-License-Identifier: Apache-2.0

/// Which locations are settled: all up to `through`, and the stretches beyond it that were settled ahead of their turn.
///
/// Bounded: of too many stretches the last ones are forgotten, and what they held is sent once more.
package struct SequenceSet: Sendable, Hashable {
    /// Stretches that are remembered.
    package static let bound = 1024

    /// All up to here are settled.
    package private(set) var through: UInt64
    /// Beyond `through`, ascending, with something between them.
    package private(set) var ahead: [ClosedRange<UInt64>] = []

    /// All up to `through`.
    package init(through: UInt64) { self.through = through }

    /// All up to `through`, and `ahead`, which may be anything.
    package init(through: UInt64, ahead: [ClosedRange<UInt64>]) {
        self.through = through
        for stretch in ahead { insert(stretch) }
    }

    /// Whether `sequence` is settled.
    package func contains(_ sequence: UInt64) -> Bool {
        guard sequence > through else { return true }
        // Most are behind all of them.
        guard let last = ahead.last, sequence <= last.upperBound else { return false }
        return ahead.contains { $0.contains(sequence) }
    }

    /// How many up to `sequence` are not settled.
    package func unsettled(through sequence: UInt64) -> UInt64 {
        guard sequence > through else { return 0 }
        return ahead.reduce(sequence - through) { count, stretch in
            guard stretch.lowerBound <= sequence else { return count }
            return count - (min(stretch.upperBound, sequence) - stretch.lowerBound + 1)
        }
    }

    /// `sequence` is settled.
    package mutating func insert(_ sequence: UInt64) { insert(sequence...sequence) }

    /// All of `stretch` are settled.
    package mutating func insert(_ stretch: ClosedRange<UInt64>) {
        guard stretch.upperBound > through else { return }
        guard !ahead.isEmpty || stretch.lowerBound > through + 1 else {
            through = stretch.upperBound
            return
        }
        var joined = stretch
        // Neighbours join: sequences are far below the greatest integer.
        ahead.removeAll { other in
            guard other.lowerBound <= joined.upperBound + 1, joined.lowerBound <= other.upperBound + 1 else {
                return false
            }
            joined = min(joined.lowerBound, other.lowerBound)...max(joined.upperBound, other.upperBound)
            return true
        }
        if joined.lowerBound <= through + 1 {
            through = joined.upperBound
        } else {
            let place = ahead.firstIndex { $0.lowerBound > joined.upperBound } ?? ahead.count
            ahead.insert(joined, at: place)
            if ahead.count > SequenceSet.bound { ahead.removeLast() }
        }
    }
}
