// SPDX-License-Identifier: Apache-2.0
import Glibc
package import LocationModel

/// The history of accepted fixes in a file: the log, as far as it is to outlive the log.
///
/// It is a cursor into the log: `cursor` is the last fix that is settled, and what comes behind it is appended in batches, one
/// transaction each, on the disk before `append` returns. Fixes lie in blocks (`HistoryBlock`), which ascend. Errors leave what was
/// kept before. Use from one thread.
package final class HistoryFile {
    /// Counts of the fixes and events that history holds, and dates of its fixes.
    package struct Totals: Sendable, Equatable {
        /// Fixes.
        package var fixes: UInt64 = 0
        /// Events.
        package var events: UInt64 = 0
        /// The date of its oldest fix; nil: none is kept.
        package var oldest: WallTime?
        /// The date of its newest.
        package var newest: WallTime?
    }

    /// Losses on opening, a sentence each, for the journal.
    package let notes: [String]
    /// The file's path.
    package let path: String
    /// The last fix that is settled; what is newer waits in the log.
    package private(set) var cursor: UInt64
    /// Counts of the fixes and events that the file holds, and dates of its fixes.
    package private(set) var totals = Totals()
    /// The damaged file of which something is still to be saved into this one, `HistorySalvage`; nil: there is none.
    package internal(set) var pendingSalvage: String?

    let connection: SQLiteConnection
    /// Fixes between `cursor` and the next one that is kept are not there.
    package private(set) var hasGap: Bool

    /// Companions of the file, which SQLite makes.
    static let companions = ["-wal", "-shm"]

    /// Opens the file at `path` or makes it, to keep what comes after `cursor`. One that is damaged, of a later version or of another
    /// program is set aside with its companions as `path.corrupt-N`, see `notes`; `salvage` saves what can be read of it.
    ///
    /// Throws if the directory is missing or read-only, or the disk is full.
    ///
    /// - Parameters:
    ///   - rebuilt: Where the new file begins in place of a damaged one; nil: behind `cursor`, and behind all that the damaged one has.
    ///   - damage: What was found of the file while it was open, which is set aside whatever it is now; nil: nothing.
    package init(
        path: String, startingAfter cursor: UInt64, rebuilt: UInt64? = nil, damage: StoreError? = nil
    ) throws(StoreError) {
        self.path = path
        var notes: [String] = []
        var connection: SQLiteConnection
        var reason = damage?.description
        if reason == nil {
            (connection, reason) = try HistoryFile.open(path, startingAfter: cursor)
        } else {
            connection = try SQLiteConnection(path: ":memory:")
        }
        if let objection = reason {
            connection = try SQLiteConnection(path: ":memory:")
            let name = try LocationStore.setAside(path, companions: HistoryFile.companions)
            notes.append("set \(path) aside as \(name): \(objection)")
            let start = rebuilt ?? max(cursor, HistorySalvage.newest(in: name))
            (connection, reason) = try HistoryFile.open(path, startingAfter: start)
            if let reason { throw StoreError("cannot use \(path): \(reason)") }
            try connection.statement("UPDATE state SET salvage = ?").run(.text(name))
            // A number of an event is never given twice: nobody has told one a second since 1970.
            try connection.statement("INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?)")
                .run(.integer(Int64(max(time(nil), 0))))
        }
        self.connection = connection
        self.notes = notes
        (self.cursor, hasGap) = (0, false)
        try readState()
    }

    private static func open(
        _ path: String, startingAfter cursor: UInt64
    ) throws(StoreError) -> (SQLiteConnection, objection: String?) {
        try Database.makePrivateFile(path)
        let connection = try SQLiteConnection(path: path)
        do throws(StoreError) {
            // The whole is not checked, as it may be large: every block has a checksum.
            if let objection = try HistorySchema.steps.objection(to: connection) {
                return (connection, objection.reason)
            }
            // Before the first table: what is dropped gives its room back to the disk.
            try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            try connection.configure()
            // SQLite overwrites what is forgotten, and does not only mark it as free.
            try connection.execute("PRAGMA secure_delete = ON")
            try HistorySchema.steps.migrate(connection) { () throws(StoreError) in
                try connection.statement("INSERT INTO state (id, cursor, gap) VALUES (1, ?, ?)")
                    .run(.count(cursor), .flag(cursor > 0))
            }
            // The sums over all rows show now whether those can be read.
            _ = try connection.integer("SELECT total(count) FROM blocks")
            _ = try connection.integer("SELECT count(*) FROM events")
            let hasState = try connection.integer("SELECT count(*) FROM state WHERE cursor + gap >= 0") == 1
            return (connection, hasState ? nil : "its table of state is damaged")
        } catch {
            guard error.isDamage else { throw error }
            return (connection, error.description)
        }
    }

    /// Reads what is known of the whole without reading fixes.
    func readState() throws(StoreError) {
        var state = (cursor: UInt64(0), hasGap: false)
        var pending: String?
        try connection.statement("SELECT cursor, gap, salvage FROM state").forEachRow {
            (state, pending) = (($0.count(0), $0.flag(1)), $0.name(2))
        }
        (cursor, hasGap) = state
        pendingSalvage = pending
        try readTotals()
    }

    /// Counts anew what it holds.
    func readTotals() throws(StoreError) {
        var totals = Totals()
        try connection.statement("SELECT total(count), min(earliest), max(latest) FROM blocks").forEachRow { row in
            totals.fixes = row.count(0)
            (totals.oldest, totals.newest) = (row.optionalDate(1), row.optionalDate(2))
        }
        totals.events = UInt64(try connection.integer("SELECT count(*) FROM events"))
        self.totals = totals
    }

    /// Bytes of the file that hold something; free pages are used before it grows.
    package var size: Int {
        get throws(StoreError) {
            let pages =
                try connection.integer("PRAGMA page_count") - connection.integer("PRAGMA freelist_count")
            return Int(pages * (try connection.integer("PRAGMA page_size")))
        }
    }

    /// Appends fixes of the log, the oldest first, all behind `cursor`; they are on the disk when it returns.
    ///
    /// - Parameter limits: What is older than its date, and what the file has no room for, is dropped in the same transaction, some of
    ///   it each time.
    package func append(_ entries: [LogEntry], _ limits: Limits) throws(StoreError) {
        guard let last = entries.last?.location.sequence else { return }
        let dropped = try connection.transaction(.power) { () throws(StoreError) in
            let dropped = try drop(limits)
            var rest = entries[...]
            var isBehindGap = hasGap || entries[0].location.sequence != cursor + 1
            if !isBehindGap, let tail = try tail(), tail.count < HistoryBlock.capacity {
                let taken = HistoryFile.piece(of: rest).prefix(HistoryBlock.capacity - tail.count)
                try put(tail + taken, isBehindGap: nil)
                rest = rest.dropFirst(taken.count)
                if let end = taken.last, let next = rest.first {
                    isBehindGap = next.location.sequence != end.location.sequence + 1
                }
            }
            while !rest.isEmpty {
                let piece = HistoryFile.piece(of: rest)
                try put(Array(piece), isBehindGap: isBehindGap)
                rest = rest.dropFirst(piece.count)
                // Within a batch a number that is left out is a gap, too.
                if let end = piece.last, let next = rest.first {
                    isBehindGap = next.location.sequence != end.location.sequence + 1
                }
            }
            try settle(last, hasGap: false)
            return dropped
        }
        (cursor, hasGap) = (last, false)
        try note(entries, dropped)
    }

    /// As many fixes as one block takes, and no further than to a number that is left out.
    private static func piece(of entries: ArraySlice<LogEntry>) -> ArraySlice<LogEntry> {
        var end = entries.startIndex + 1
        while end < entries.endIndex, end - entries.startIndex < HistoryBlock.capacity,
            entries[end].location.sequence == entries[end - 1].location.sequence + 1
        {
            end += 1
        }
        return entries[entries.startIndex..<end]
    }

    private func settle(_ sequence: UInt64, hasGap: Bool) throws(StoreError) {
        try connection.statement("UPDATE state SET cursor = ?, gap = ?").run(.count(sequence), .flag(hasGap))
    }

    /// Notes that fixes behind the last one that is kept are not there.
    func openGap() throws(StoreError) {
        try settle(cursor, hasGap: true)
        hasGap = true
    }

    /// Whatever precedes `first` is there now.
    func closeGap(before first: UInt64) throws(StoreError) {
        try connection.statement("UPDATE blocks SET gap = 0 WHERE first = ?").run(.count(first))
        guard cursor + 1 == first else { return }
        try settle(cursor, hasGap: false)
        hasGap = false
    }

    private func note(_ entries: [LogEntry], _ hasDropped: Bool) throws(StoreError) {
        guard !hasDropped else { return try readTotals() }
        totals.fixes += UInt64(entries.count)
        let dates = entries.map(\.location.timestamp)
        totals.oldest = ([totals.oldest].compactMap { $0 } + dates).min()
        totals.newest = ([totals.newest].compactMap { $0 } + dates).max()
    }

    /// Leaves out all fixes up to `sequence`: what comes next stands behind a gap.
    package func skip(to sequence: UInt64) throws(StoreError) {
        guard sequence > cursor else { return }
        try connection.transaction(.power) { () throws(StoreError) in try settle(sequence, hasGap: true) }
        (cursor, hasGap) = (sequence, true)
    }

    /// The date of the newest fix by its number; nil: none is kept.
    package var newestDate: WallTime? {
        get throws(StoreError) {
            var date: WallTime?
            try connection.statement("SELECT latest FROM blocks ORDER BY first DESC LIMIT 1").forEachRow {
                date = $0.date(0)
            }
            return date
        }
    }

    /// Counts events that came or went.
    func noteEvents(_ count: Int) { totals.events = UInt64(clamping: Int64(totals.events) + Int64(count)) }

    // MARK: Blocks

    /// The fixes of the last block, if it ends at the cursor; nil: there is no such block, or it is damaged and stays as it is.
    private func tail() throws(StoreError) -> [LogEntry]? {
        var first: UInt64?
        try connection.statement("SELECT first FROM blocks WHERE last = ?1 ORDER BY first DESC LIMIT 1")
            .forEachRow(.count(cursor)) { first = $0.count(0) }
        return try first.flatMap { first throws(StoreError) in try entries(ofBlock: first) }
    }

    /// The fixes of a block; nil: it is damaged.
    func entries(ofBlock first: UInt64) throws(StoreError) -> [LogEntry]? {
        var entries: [LogEntry]?
        try connection.statement("SELECT content FROM fixes WHERE first = ?").forEachRow(.count(first)) { row in
            entries = row.withBytes(0) { HistoryBlock.decode($0) }
        }
        return entries
    }

    /// Writes a block, in place of the one with the same first fix. `isBehindGap` nil: as that one was.
    func put(_ entries: [LogEntry], isBehindGap: Bool?) throws(StoreError) {
        guard let first = entries.first?.location.sequence, let last = entries.last?.location.sequence else { return }
        let dates = entries.map(\.location.timestamp.milliseconds)
        try connection.statement(
            """
            INSERT INTO blocks (first, last, count, earliest, latest, marks, gap) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (first) DO UPDATE SET last = ?2, count = ?3, earliest = ?4, latest = ?5, marks = ?6,
                gap = CASE ?8 WHEN 1 THEN gap ELSE ?7 END
            """
        ).run(
            .count(first), .count(last), .integer(Int64(entries.count)), .integer(dates.min() ?? 0),
            .integer(dates.max() ?? 0), .integer(Int64(entries.reduce(0) { $0 | $1.flags & 0x7F })),
            .flag(isBehindGap ?? false), .flag(isBehindGap == nil))
        try connection.statement("INSERT OR REPLACE INTO fixes (first, content) VALUES (?, ?)")
            .run(.count(first), .blob(HistoryBlock.encode(entries)))
    }

    /// Removes a block.
    func remove(block first: UInt64) throws(StoreError) {
        try connection.statement("DELETE FROM fixes WHERE first = ?").run(.count(first))
        try connection.statement("DELETE FROM blocks WHERE first = ?").run(.count(first))
    }
}
