// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

/// The accepted fixes, of which the oldest are forgotten. Their numbers have no gaps.
struct SimulatedLog {
    private var fixes: [AcceptedFix] = []

    mutating func append(_ fix: AcceptedFix, capacity: Int) {
        fixes.append(fix)
        // Seldom, and many at once: the front of an array is dear to remove.
        if fixes.count >= 2 * capacity { fixes.removeFirst(fixes.count - capacity) }
    }

    /// Metres that the device had travelled by the newest fix.
    var travelled: Double { fixes.last?.odometer ?? 0 }

    private func position(of sequence: UInt64) -> Int {
        guard let first = fixes.first?.location.sequence, sequence > first else { return 0 }
        return min(Int(sequence - first), fixes.count)
    }

    /// The fixes behind a sequence, oldest first.
    func entries(after sequence: UInt64) -> ArraySlice<AcceptedFix> { fixes[position(of: sequence + 1)...] }

    /// The locations of a range that are still known, oldest first.
    func locations(_ range: ClosedRange<UInt64>) -> [Location] {
        fixes[position(of: range.lowerBound)..<position(of: range.upperBound + 1)].map(\.location)
    }

    /// The location of a sequence; nil: there is none, or it is forgotten.
    subscript(sequence: UInt64) -> Location? {
        let index = position(of: sequence)
        guard fixes.indices.contains(index), fixes[index].location.sequence == sequence else { return nil }
        return fixes[index].location
    }
}
