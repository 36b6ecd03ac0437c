// SPDX-License-Identifier: Apache-2.0
import Glibc
package import LocationModel

extension HistoryFile {
    /// How much history keeps.
    package struct Limits: Sendable, Equatable {
        /// The date before which fixes, events and ledger entries are too old to stay; nil: none are.
        package var oldest: WallTime?
        /// Bytes that the file may hold.
        package var size: Int

        /// These limits.
        package init(oldest: WallTime? = nil, size: Int = .max) {
            self.oldest = oldest
            self.size = size
        }
    }

    /// The result of `forget`.
    package struct Forgotten: Sendable, Equatable {
        /// Fixes that are gone.
        package var fixes: UInt64 = 0
        /// Events that are gone.
        package var events: UInt64 = 0
        /// There is more to do: call it again.
        package var isPart = false

        /// Nothing so far.
        package init() {}
    }

    /// Blocks that one call drops or forgets: they are overwritten, which takes time.
    private static let blocksAtOnce = 16
    /// Events that one call drops or forgets.
    private static let eventsAtOnce: Int64 = 1024
    /// Bytes that a batch may add.
    private static let headroom = 256 << 10

    /// Drops blocks that are too old as a whole, and the oldest while the file is too large; some each time. True: something was dropped.
    func drop(_ limits: Limits) throws(StoreError) -> Bool {
        var dropped: [UInt64] = []
        if let oldest = limits.oldest {
            dropped = try blocks("SELECT first FROM blocks WHERE latest < ? ORDER BY first LIMIT ?", .date(oldest))
            try connection.statement(
                "DELETE FROM events WHERE record IN (SELECT record FROM events WHERE date < ? ORDER BY date LIMIT ?)"
            ).run(.date(oldest), .integer(HistoryFile.eventsAtOnce))
        }
        var hasDroppedEvents = connection.changes > 0 && limits.oldest != nil
        if let oldest = limits.oldest, try dropLedger(before: oldest) { hasDroppedEvents = true }
        if dropped.isEmpty, try size > max(limits.size - HistoryFile.headroom, limits.size / 2) {
            dropped = try blocks("SELECT first FROM blocks WHERE first > ? ORDER BY first LIMIT ?", .integer(0))
            if dropped.isEmpty {
                try connection.statement(
                    "DELETE FROM events WHERE record IN (SELECT record FROM events ORDER BY record LIMIT ?)"
                ).run(.integer(HistoryFile.eventsAtOnce))
                hasDroppedEvents = connection.changes > 0
            }
        }
        for first in dropped { try drop(block: first) }
        if !dropped.isEmpty || hasDroppedEvents { try connection.execute("PRAGMA incremental_vacuum(64)") }
        return !dropped.isEmpty || hasDroppedEvents
    }

    /// Drops some of what the limits have no room for, though nothing is appended. True: there may be more to drop.
    package func dropSome(_ limits: Limits) throws(StoreError) -> Bool {
        guard try isOver(limits) else { return false }
        let hasDropped = try connection.transaction(.power) { () throws(StoreError) in try drop(limits) }
        if hasDropped { try readTotals() }
        return hasDropped
    }

    private func isOver(_ limits: Limits) throws(StoreError) -> Bool {
        if try size > limits.size { return true }
        guard let oldest = limits.oldest else { return false }
        var isOver = false
        for table in ["blocks WHERE latest", "events WHERE date", "ledger WHERE start"] {
            try connection.statement("SELECT 1 FROM \(table) < ? LIMIT 1").forEachRow(.date(oldest)) { _ in
                isOver = true
            }
        }
        return isOver
    }

    /// Of the size of the file, events have a quarter, and those of one app a quarter of that.
    package static let eventShare = 4

    /// Drops the oldest events of an app that has more than its share, and of the one that has most where all have more than theirs.
    func dropEvents(over size: Int, of app: HistoryApp) throws(StoreError) -> Int {
        let share = Int64(size / HistoryFile.eventShare)
        var dropped = 0
        while try eventBytes(of: app) > share / Int64(HistoryFile.eventShare) {
            dropped += try dropOldestEvents(of: app)
        }
        while try connection.integer("SELECT total(bytes) FROM event_sizes") > share, let most = try greatestApp() {
            dropped += try dropOldestEvents(of: most)
        }
        return dropped
    }

    private func eventBytes(of app: HistoryApp) throws(StoreError) -> Int64 {
        var bytes: Int64 = 0
        try connection.statement("SELECT bytes FROM event_sizes WHERE uid = ? AND name = ?")
            .forEachRow(.integer(Int64(app.uid)), .text(app.name ?? "")) { bytes = $0.integer(0) }
        return bytes
    }

    private func greatestApp() throws(StoreError) -> HistoryApp? {
        var app: HistoryApp?
        try connection.statement("SELECT uid, name FROM event_sizes ORDER BY bytes DESC LIMIT 1").forEachRow {
            app = HistoryApp(uid: UInt32(clamping: $0.integer(0)), name: $0.name(1))
        }
        return app
    }

    private func dropOldestEvents(of app: HistoryApp) throws(StoreError) -> Int {
        try connection.statement(
            """
            DELETE FROM events WHERE record IN
                (SELECT record FROM events WHERE uid = ? AND name = ? ORDER BY record LIMIT 16)
            """
        ).run(.integer(Int64(app.uid)), .text(app.name ?? ""))
        return connection.changes
    }

    private func blocks(_ sql: String, _ bound: SQLiteValue) throws(StoreError) -> [UInt64] {
        var found: [UInt64] = []
        try connection.statement(sql).forEachRow(bound, .integer(Int64(HistoryFile.blocksAtOnce))) {
            found.append($0.count(0))
        }
        return found
    }

    /// Removes a block; whoever reads on behind it learns that something is missing.
    private func drop(block first: UInt64) throws(StoreError) {
        try remove(block: first)
        try markGap(behind: first)
    }

    private func markGap(behind sequence: UInt64) throws(StoreError) {
        try connection.statement(
            "UPDATE blocks SET gap = 1 WHERE first = (SELECT min(first) FROM blocks WHERE first > ?)"
        ).run(.count(sequence))
        if connection.changes == 0 { try openGap() }
    }

    /// Forgets fixes and events from a date on and before another; nil: without that end. It overwrites them in the file, some in
    /// each call, and when all are gone in the log of the database, too.
    package func forget(from: WallTime?, to: WallTime?) throws(StoreError) -> Forgotten {
        var forgotten = Forgotten()
        let (from, to) = (from ?? WallTime(milliseconds: .min), to ?? WallTime(milliseconds: .max))
        try connection.transaction(.power) { () throws(StoreError) in
            let changed = try forgetBlocks(from, to, &forgotten)
            try connection.statement(
                "DELETE FROM events WHERE record IN (SELECT record FROM events WHERE date >= ? AND date < ? LIMIT ?)"
            ).run(.date(from), .date(to), .integer(HistoryFile.eventsAtOnce))
            forgotten.events = UInt64(connection.changes)
            try forgetLedger(from, to)
            forgotten.isPart =
                changed == HistoryFile.blocksAtOnce || forgotten.events == UInt64(HistoryFile.eventsAtOnce)
            try connection.execute("PRAGMA incremental_vacuum(256)")
        }
        try readTotals()
        if !forgotten.isPart { try overwriteLog() }
        return forgotten
    }

    /// Forgets fixes of some blocks. Returns how many blocks it changed.
    private func forgetBlocks(
        _ from: WallTime, _ to: WallTime, _ forgotten: inout Forgotten
    ) throws(StoreError) -> Int {
        var (changed, behind): (Int, UInt64) = (0, 0)
        while true {
            var found: [UInt64] = []
            try connection.statement(
                "SELECT first FROM blocks WHERE first > ? AND latest >= ? AND earliest < ? ORDER BY first LIMIT ?"
            ).forEachRow(.count(behind), .date(from), .date(to), .integer(Int64(HistoryFile.blocksAtOnce))) {
                found.append($0.count(0))
            }
            for first in found {
                behind = first
                // After a clock was set back a block may reach over the dates and hold none of them: it would be found for ever.
                guard let fixes = try forget(from, to, inBlock: first) else { continue }
                forgotten.fixes += fixes
                changed += 1
                if changed == HistoryFile.blocksAtOnce { return changed }
            }
            if found.count < HistoryFile.blocksAtOnce { return changed }
        }
    }

    /// Removes what is to be forgotten of a block, which may leave two. Returns how many fixes went; nil: none is meant.
    private func forget(_ from: WallTime, _ to: WallTime, inBlock first: UInt64) throws(StoreError) -> UInt64? {
        guard let all = try entries(ofBlock: first) else {
            // Nobody can tell which of a damaged block are meant.
            try drop(block: first)
            return 0
        }
        let isMeant = all.map { $0.location.timestamp >= from && $0.location.timestamp < to }
        let count = isMeant.count { $0 }
        guard count > 0 else { return nil }
        var wasBehindGap = false
        try connection.statement("SELECT gap FROM blocks WHERE first = ?").forEachRow(.count(first)) {
            wasBehindGap = $0.flag(0)
        }
        try remove(block: first)
        var isBehindGap = wasBehindGap
        var piece: [LogEntry] = []
        for (entry, isMeant) in zip(all, isMeant) {
            if !isMeant { piece.append(entry) }
            guard isMeant else { continue }
            if !piece.isEmpty { try put(piece, isBehindGap: isBehindGap) }
            piece.removeAll()
            isBehindGap = true
        }
        if piece.isEmpty {
            try markGap(behind: all[all.count - 1].location.sequence)
        } else {
            try put(piece, isBehindGap: isBehindGap)
        }
        return UInt64(count)
    }

    /// Empties the write-ahead log, in which deleted rows may still stand.
    private func overwriteLog() throws(StoreError) {
        var isBusy = false
        try connection.statement("PRAGMA wal_checkpoint(TRUNCATE)").forEachRow { isBusy = $0.integer(0) != 0 }
        if isBusy {
            throw StoreError("cannot overwrite what is forgotten in \(path)-wal: another program reads the history")
        }
    }

    /// Forgets everything: the file goes with its companions, and so do those that were set aside. Whoever has one open closes it
    /// before.
    package static func remove(_ path: String) throws(StoreError) {
        for file in [path] + damagedFiles(of: path) { try remove(file: file) }
    }

    /// Removes the damaged files that were set aside, but for one of which something is still to be saved. Nobody can tell what stands
    /// where they cannot be read.
    ///
    /// - Parameter date: Those that were changed later stay; nil: none does.
    package func removeDamaged(before date: WallTime? = nil) throws(StoreError) {
        for file in damagedFiles(of: path) where file != pendingSalvage {
            if let date {
                var status = stat()
                guard stat(file, &status) == 0, Int64(status.st_mtim.tv_sec) < date.milliseconds / 1000 else {
                    continue
                }
            }
            try HistoryFile.remove(file: file)
        }
    }

    /// Removes one file with its companions, which go first: without it nobody would know them.
    static func remove(file: String) throws(StoreError) {
        for name in companions.map({ file + $0 }) + [file] where unlink(name) != 0 && errno != ENOENT {
            throw StoreError(cannot: "remove \(name)")
        }
    }
}
