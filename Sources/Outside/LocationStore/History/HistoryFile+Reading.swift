// SPDX-License-Identifier: Apache-2.0
package import LocationModel

extension HistoryFile {
    /// The fixes that are meant.
    package struct Stretch: Sendable, Equatable {
        /// Behind this one; nil: from the beginning.
        package var after: UInt64?
        /// Of this date and later; nil: from the beginning.
        package var from: WallTime?
        /// Before this date; nil: to the end.
        package var to: WallTime?
        /// With one of these marks; 0: all.
        package var marks: UInt32 = 0

        /// The fixes behind `after` from a date on and before another, with one of `marks`.
        package init(after: UInt64? = nil, from: WallTime? = nil, to: WallTime? = nil, marks: UInt32 = 0) {
            self.after = after
            self.from = from
            self.to = to
            self.marks = marks
        }

        /// Whether a fix is meant.
        package func holds(_ entry: LogEntry) -> Bool {
            entry.location.sequence > after ?? 0 && entry.location.timestamp >= from ?? WallTime(milliseconds: .min)
                && entry.location.timestamp < to ?? WallTime(milliseconds: .max)
                && (marks == 0 || entry.flags & marks != 0)
        }
    }

    /// How far a walk came.
    package struct Walk: Sendable, Equatable {
        /// The last fix that is settled: read, or passed over as not meant.
        package var last: UInt64
        /// Fixes before the first that was taken are not there any more.
        package var hasGap = false
        /// The way is not at its end: it goes on behind `last`.
        package var hasMore = false
        /// Blocks on the way that cannot be read.
        package var damaged = 0

        /// A way that begins behind `last`.
        package init(last: UInt64) { self.last = last }
    }

    /// Blocks that one walk decodes.
    private static let blocksOfAWalk = 8

    /// Calls `body` with the fixes of a stretch, oldest first, until it returns false, which is for a fix that it does not take; until a
    /// gap comes behind those that it took; or until some blocks are read.
    package func walk(_ stretch: Stretch, _ body: (LogEntry) -> Bool) throws(StoreError) -> Walk {
        var walk = Walk(last: stretch.after ?? 0)
        var blocks: [(first: UInt64, last: UInt64, hasGap: Bool)] = []
        try connection.statement(
            """
            SELECT first, last, gap FROM blocks
            WHERE first > coalesce((SELECT max(first) FROM blocks WHERE first <= ?1), -1) - 1
                AND last > ?1 AND latest >= ?2 AND earliest < ?3 AND (?4 = 0 OR marks & ?4 <> 0)
            ORDER BY first LIMIT ?5
            """
        ).forEachRow(
            .count(walk.last), .integer(stretch.from?.milliseconds ?? .min),
            .integer(stretch.to?.milliseconds ?? .max), .integer(Int64(stretch.marks)),
            .integer(Int64(HistoryFile.blocksOfAWalk + 1))
        ) { blocks.append(($0.count(0), $0.count(1), $0.flag(2))) }
        var (isOnTheWay, hasTaken) = (stretch.after != nil, false)
        for block in blocks.prefix(HistoryFile.blocksOfAWalk) {
            // Blocks without one of the marks are passed over, and their gaps are not.
            let hasGap = stretch.marks == 0 ? block.hasGap : try isGap(between: walk.last, and: block.first)
            if hasGap, isOnTheWay, block.first > walk.last {
                guard !hasTaken else {
                    walk.hasMore = true
                    return walk
                }
                walk.hasGap = true
            }
            isOnTheWay = true
            guard let entries = try entries(ofBlock: block.first) else {
                guard !hasTaken else {
                    walk.hasMore = true
                    return walk
                }
                (walk.damaged, walk.hasGap, walk.last) = (walk.damaged + 1, true, block.last)
                continue
            }
            for entry in entries where stretch.holds(entry) {
                guard body(entry) else {
                    walk.hasMore = true
                    return walk
                }
                walk.last = entry.location.sequence
                hasTaken = true
            }
            walk.last = block.last
        }
        walk.hasMore = blocks.count > HistoryFile.blocksOfAWalk
        guard !walk.hasMore else { return walk }
        let hasGapBehind = stretch.marks == 0 || stretch.to != nil ? false : try isGap(between: walk.last, and: cursor)
        if hasGapBehind, isOnTheWay {
            // A caller that reads on learns of the gap with the page that follows.
            guard !hasTaken else {
                walk.hasMore = true
                return walk
            }
            walk.hasGap = true
        }
        walk.last = max(walk.last, cursor)
        return walk
    }

    /// Whether fixes are missing before a block on the way, though the block itself has none that is meant.
    private func isGap(between last: UInt64, and first: UInt64) throws(StoreError) -> Bool {
        var isGap = false
        try connection.statement("SELECT 1 FROM blocks WHERE gap = 1 AND first > ? AND first <= ? LIMIT 1")
            .forEachRow(.count(last), .count(first)) { _ in isGap = true }
        return isGap
    }

    /// The oldest fix that is kept; nil: none is.
    package var oldestSequence: UInt64? {
        get throws(StoreError) {
            let first = try connection.integer("SELECT min(first) FROM blocks")
            return first > 0 ? UInt64(first) : nil
        }
    }
}
