// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Saves what can be read of a damaged history into the file that took its place, some blocks at each call: a year of them takes long.
///
/// How far it has come stands in the new file, so that a restart goes on.
package final class HistorySalvage {
    /// Fixes that are saved, by this process.
    package private(set) var fixes = 0
    /// Events that are.
    package private(set) var events = 0
    /// Something could not be read.
    package private(set) var isPartial = false
    /// The damaged file.
    package let name: String
    private let source: SQLiteConnection
    /// The file that took its place.
    package let target: HistoryFile
    private var position: (fixes: Int64, events: Int64)
    private var hasFixes = true
    /// An earlier one has begun, and nobody knows whether it could read all.
    private let isResumed: Bool
    /// It may hold more than this version knows.
    package let isOfLaterVersion: Bool
    /// The first fix that the new file has had from the beginning: those are the same, and newer ones are not the old file's.
    private let end: UInt64

    /// Blocks that one call saves.
    private static let blocksAtOnce: Int64 = 16
    /// Events that one call saves.
    private static let eventsAtOnce: Int64 = 256

    /// Goes on where an earlier one has come to; nil: nothing is to be saved for `target`.
    package init?(into target: HistoryFile) throws(StoreError) {
        var name: String?
        var position: (fixes: Int64, events: Int64) = (0, 0)
        var end: UInt64?
        try target.connection.statement("SELECT salvage, salvaged_fixes, salvaged_events FROM state").forEachRow {
            (name, position) = ($0.name(0), ($0.integer(1), $0.integer(2)))
        }
        guard let name else { return nil }
        try target.connection.statement("SELECT min(first) FROM blocks WHERE first > ?")
            .forEachRow(.integer(position.fixes)) { if !$0.isNull(0) { end = $0.count(0) } }
        self.end = end ?? target.cursor + 1
        (self.name, self.position, self.target) = (name, position, target)
        isResumed = position != (0, 0)
        source = try SQLiteConnection(path: name)
        isOfLaterVersion =
            (try? source.integer("PRAGMA application_id")) == HistorySchema.steps.applicationID
            && ((try? source.integer("PRAGMA user_version")) ?? 0) > HistorySchema.steps.steps.count
    }

    /// The number of the last fix that the damaged file at `path` has, as far as it can be read; 0: it tells none.
    static func newest(in path: String) -> UInt64 {
        guard let source = try? SQLiteConnection(path: path) else { return 0 }
        var newest: UInt64?
        // A block has a checksum; the numbers in the other tables count where there is none.
        try? source.statement("SELECT content FROM fixes ORDER BY first DESC LIMIT 1").forEachRow { row in
            newest = row.withBytes(0) { HistoryBlock.decode($0) }?.last?.location.sequence
        }
        if let newest { return newest }
        let told = ["max(cursor) FROM state", "max(last) FROM blocks"].map { try? source.integer("SELECT \($0)") }
        return UInt64(clamping: told.compactMap { $0 }.max() ?? 0)
    }

    /// Saves some more. True: there is more to save. A damaged file of which all is saved goes at the end.
    package func goOn() throws(StoreError) -> Bool {
        let isDone = try step { () throws(StoreError) in
            let former = position.fixes
            if hasFixes { try saveFixes() }
            // A caller that makes a new salvage for each call gets to the events, too.
            return position.fixes == former ? try saveEvents() : false
        }
        guard isDone else { return true }
        try target.connection.transaction(.power) { () throws(StoreError) in
            try target.connection.execute("UPDATE state SET salvage = NULL")
        }
        target.pendingSalvage = nil
        try target.readTotals()
        if !isPartial, !isResumed, !isOfLaterVersion { try HistoryFile.remove(file: name) }
        return false
    }

    /// Saves all events at once, so that those that are forgotten next do not come back: they are a small part of a history.
    package func saveAllEvents() throws(StoreError) {
        while try !step({ () throws(StoreError) in try saveEvents() }) {}
        try target.readTotals()
    }

    // Carries out one piece of work; goes back to where it began if the disk does not take it, so that the next call saves the same again.
    private func step(_ work: () throws(StoreError) -> Bool) throws(StoreError) -> Bool {
        let former = (position, hasFixes, fixes, events)
        do throws(StoreError) {
            return try target.connection.transaction(.process) { () throws(StoreError) in
                let isDone = try work()
                try target.connection.statement("UPDATE state SET salvaged_fixes = ?, salvaged_events = ?")
                    .run(.integer(position.fixes), .integer(position.events))
                return isDone
            }
        } catch {
            (position, hasFixes, fixes, events) = former
            throw error
        }
    }

    // MARK: Fixes

    private func saveFixes() throws(StoreError) {
        var blocks: [(first: Int64, entries: [LogEntry]?)] = []
        do throws(StoreError) {
            try source.statement("SELECT first, content FROM fixes WHERE first > ? ORDER BY first LIMIT ?")
                .forEachRow(.integer(position.fixes), .integer(HistorySalvage.blocksAtOnce)) { row in
                    blocks.append((row.integer(0), row.withBytes(1) { HistoryBlock.decode($0) }))
                }
            hasFixes = blocks.count == HistorySalvage.blocksAtOnce
        } catch {
            isPartial = true
            guard blocks.isEmpty, let next = source.farSide(of: position.fixes, "fixes", "first") else {
                hasFixes = !blocks.isEmpty
                return try save(blocks)
            }
            position.fixes = next - 1
        }
        try save(blocks)
    }

    private func save(_ blocks: [(first: Int64, entries: [LogEntry]?)]) throws(StoreError) {
        for (first, entries) in blocks {
            position.fixes = first
            guard let entries else {
                isPartial = true
                continue
            }
            let old = entries.filter { $0.location.sequence < end }
            guard let start = old.first?.location.sequence else { continue }
            try target.put(old, isBehindGap: !(try isKept(start - 1)) && isGap(before: first))
            fixes += old.count
        }
        guard !hasFixes else { return }
        // The fix that follows the last of them in the new file is behind no gap.
        if try isKept(end - 1) { try target.closeGap(before: end) }
    }

    /// Whether fixes may be missing in front of a block of the damaged file: they are not where it was the first of all.
    private func isGap(before first: Int64) -> Bool {
        var isFirst = false
        let search = """
            SELECT 1 FROM blocks WHERE first = ?1 AND gap = 0 AND NOT EXISTS (SELECT 1 FROM blocks WHERE first < ?1)
            """
        try? source.statement(search).forEachRow(.integer(first)) { _ in isFirst = true }
        return first > 1 && (isPartial || isResumed || !isFirst)
    }

    private func isKept(_ sequence: UInt64) throws(StoreError) -> Bool {
        var isKept = false
        try target.connection.statement("SELECT 1 FROM blocks WHERE last = ?").forEachRow(.count(sequence)) { _ in
            isKept = true
        }
        return isKept
    }

    // MARK: Events

    private func saveEvents() throws(StoreError) -> Bool {
        var rows: [[SQLiteValue]] = []
        do throws(StoreError) {
            try source.statement(
                """
                SELECT record, uid, name, label, number, date, kind, content FROM events
                WHERE record > ? ORDER BY record LIMIT ?
                """
            ).forEachRow(.integer(position.events), .integer(HistorySalvage.eventsAtOnce)) { row in
                rows.append((0..<8).map { row.value($0) })
            }
        } catch {
            isPartial = true
            if rows.isEmpty {
                guard let next = source.farSide(of: position.events, "events", "record") else { return true }
                position.events = next - 1
                return false
            }
        }
        for row in rows {
            if case .integer(let record) = row[0] { position.events = record }
            try save(event: row)
        }
        return rows.isEmpty
    }

    private func save(event row: [SQLiteValue]) throws(StoreError) {
        do throws(StoreError) {
            try target.connection.statement(
                """
                INSERT OR IGNORE INTO events (record, uid, name, label, number, date, kind, content)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """
            ).run(all: row)
            events += target.connection.changes
        } catch {
            // A row that fits no table must not hold up the others for ever.
            guard error.isConstraint else { throw error }
            isPartial = true
        }
    }
}
