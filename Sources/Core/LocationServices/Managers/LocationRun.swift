// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

/// Queued locations of one service, oldest first: ranges of the log and no copies, encoded when they are written.
package struct LocationRun {
    package struct Range: Codable {
        var first: UInt64
        var last: UInt64
        /// Numbers that were skipped by unclean stops count too.
        var count: Int { Int(last - first + 1) }
    }

    let source: LocationSource
    let deferral: UInt32
    let request: UInt32
    /// Of the first notification; `early` and `reduced` of all.
    var flags: DeliveryFlags
    /// Locations that were lost before the first of these.
    var dropped: UInt64 = 0
    /// Came live, and is bounded by the backlog; else it is bounded by the log.
    let isLive: Bool
    /// Part of it was written, with `more`.
    var isBegun = false
    private var range: Range
    // Those before `laterFrom` are taken.
    private var later: [Range] = []
    private var laterFrom = 0
    private(set) var count: Int

    init(_ delivery: Delivery, isLive: Bool) {
        source = delivery.source
        deferral = delivery.deferral
        request = delivery.request
        flags = delivery.flags
        self.isLive = isLive
        range = Range(first: delivery.first, last: delivery.last)
        count = range.count
    }

    var first: UInt64 { range.first }
    var isEmpty: Bool { count == 0 }
    /// One live location with nothing to say beside it: its line is everybody's.
    var isShared: Bool {
        count == 1 && deferral == 0 && request == 0 && dropped == 0 && flags.isSubset(of: .reduced) && !isBegun
    }

    /// Joins locations that come right behind, if a client may get both in one notification. Behind a line that said `more`, no more than
    /// it spoke of may come: what joined that could not be dropped.
    mutating func join(_ behind: LocationRun) -> Bool {
        guard source == .standard, behind.source == .standard, deferral == behind.deferral, isLive == behind.isLive,
            !isBegun, !behind.isBegun, behind.dropped == 0, !flags.contains(.cached),
            behind.flags.isSubset(of: .reduced), flags.contains(.early) == false,
            flags.contains(.reduced) == behind.flags.contains(.reduced)
        else { return false }
        behind.forEachRange { range in
            append(range)
            return true
        }
        return true
    }

    private mutating func append(_ new: Range) {
        count += new.count
        if let last = later.indices.last {
            if later[last].last + 1 == new.first { later[last].last = new.last } else { later.append(new) }
        } else if range.last + 1 == new.first {
            range.last = new.last
        } else {
            later.append(new)
        }
    }

    /// Takes the oldest location away.
    mutating func removeFirst() { remove(through: range.first) }

    /// Takes everything up to `sequence` away.
    mutating func remove(through sequence: UInt64) {
        while count > 0, range.first <= sequence {
            let taken = Int(min(sequence, range.last) - range.first) + 1
            range.first += UInt64(taken)
            count -= taken
            if range.first > range.last, laterFrom < later.count { takeLater() }
        }
    }

    // Ranges that are taken go only when they are the larger part: each range is moved once.
    private mutating func takeLater() {
        range = later[laterFrom]
        laterFrom += 1
        guard laterFrom * 2 > later.count else { return }
        later.removeSubrange(0..<laterFrom)
        laterFrom = 0
    }

    /// Calls `body` with each sequence range, oldest first, until it returns false.
    func forEachRange(_ body: (Range) -> Bool) {
        guard count > 0, body(range) else { return }
        for range in later[laterFrom...] {
            guard body(range) else { return }
        }
    }
}

extension Delivery {
    /// One location of the standard service as it comes, with nothing to say beside it: its line is everybody's.
    var isEverybodys: Bool { isStream && isShared }
    private var isShared: Bool { first == last && deferral == 0 && request == 0 && flags.isSubset(of: .reduced) }
    /// Locations of the standard service as they come, which its client has when they are written.
    var isStream: Bool { source == .standard && deferral == 0 && !flags.contains(.cached) }
}

extension LocationRun {
    /// For another process, which has the same log.
    package struct Kept: Codable {
        var source: String
        var deferral: UInt32
        var request: UInt32
        var flags: UInt8
        var dropped: UInt64
        var isLive: Bool
        var isBegun: Bool
        package var ranges: [Range]
    }

    package var kept: Kept {
        var ranges: [Range] = []
        forEachRange { range in
            ranges.append(range)
            return true
        }
        return Kept(
            source: source.rawValue, deferral: deferral, request: request, flags: flags.rawValue, dropped: dropped,
            isLive: isLive, isBegun: isBegun, ranges: ranges)
    }

    /// nil: that is no run.
    package init?(_ kept: Kept) {
        let isOrdered = zip(kept.ranges, kept.ranges.dropFirst()).allSatisfy { $0.last < $1.first }
        guard let source = LocationSource(rawValue: kept.source), let first = kept.ranges.first, isOrdered,
            kept.ranges.allSatisfy({ $0.first <= $0.last && $0.last <= Location.greatestSequence }),
            kept.dropped <= Location.greatestSequence
        else { return nil }
        self.init(
            Delivery(
                first: first.first, last: first.last, source: source, deferral: kept.deferral, request: kept.request,
                flags: DeliveryFlags(rawValue: kept.flags)), isLive: kept.isLive)
        dropped = kept.dropped
        isBegun = kept.isBegun
        later = Array(kept.ranges.dropFirst())
        count = kept.ranges.reduce(0) { $0 + $1.count }
    }
}
