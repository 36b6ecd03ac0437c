// SPDX-License-Identifier: Apache-2.0
package import LocationModel

extension HistoryFile {
    /// Of the size of the file, the ledger has this part: beyond it the oldest hours go.
    private static let ledgerShare = 16
    /// The bytes of a row of the ledger, with its part of the tree.
    private static let bytesOfRow = 128

    /// Adds entries of the ledger to what is kept; they survive a kill at once, and a power cut with the next fixes.
    ///
    /// - Parameter size: Bytes that the file may hold.
    package func append(_ entries: [LedgerEntry], size: Int) throws(StoreError) {
        guard !entries.isEmpty else { return }
        try connection.transaction(.process) { () throws(StoreError) in
            for entry in entries { try append(entry) }
            while try connection.integer("SELECT ledger_rows FROM state")
                > Int64(size / HistoryFile.ledgerShare / HistoryFile.bytesOfRow)
            {
                try connection.execute(
                    "DELETE FROM ledger WHERE start < (SELECT min(start) FROM ledger) + 3600000")
                if connection.changes == 0 { break }
            }
        }
    }

    private func append(_ entry: LedgerEntry) throws(StoreError) {
        let holder = try LedgerBook.bounded(entry.holder) { uid throws(StoreError) in
            guard try !hasEntry(entry.start, entry.holder) else { return nil }
            var present = (all: 0, ofUser: 0)
            try connection.statement("SELECT total(uid >= 0), total(uid = ?) FROM ledger WHERE start = ?")
                .forEachRow(.integer(Int64(uid)), .date(entry.start)) {
                    present = (Int($0.integer(0)), Int($0.integer(1)))
                }
            return present
        }
        let key = HistoryFile.key(of: holder)
        let amounts = entry.amounts
        try connection.statement(
            """
            INSERT INTO ledger (start, uid, name, receiver, locations, live_updates, events) VALUES (?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (start, uid, name) DO UPDATE SET receiver = receiver + excluded.receiver,
                locations = locations + excluded.locations, live_updates = live_updates + excluded.live_updates,
                events = events + excluded.events
            """
        ).run(
            .date(entry.start), .integer(key.uid), .text(key.name),
            .integer(amounts.receiver.nanoseconds / 1_000_000), .count(amounts.locations),
            .count(amounts.liveUpdates), .count(amounts.events))
    }

    private func hasEntry(_ start: WallTime, _ holder: LedgerEntry.Holder) throws(StoreError) -> Bool {
        var hasEntry = false
        let key = HistoryFile.key(of: holder)
        try connection.statement("SELECT 1 FROM ledger WHERE start = ? AND uid = ? AND name = ?")
            .forEachRow(.date(start), .integer(key.uid), .text(key.name)) { _ in hasEntry = true }
        return hasEntry
    }

    /// At most `limit` entries of stretches that begin from one time on and before another, by their start; `holder`: only this one's.
    package func ledger(
        from: WallTime?, to: WallTime?, of holder: LedgerEntry.Holder?, limit: Int
    ) throws(StoreError) -> [LedgerEntry] {
        var entries: [LedgerEntry] = []
        let key = holder.map(HistoryFile.key)
        try connection.statement(
            """
            SELECT start, uid, name, receiver, locations, live_updates, events FROM ledger
            WHERE start >= ?1 AND start < ?2 AND (?3 IS NULL OR uid = ?3 AND name = ?4) ORDER BY start, uid, name LIMIT ?5
            """
        ).forEachRow(
            .integer(from?.milliseconds ?? .min), .integer(to?.milliseconds ?? .max),
            key.map { .integer($0.uid) } ?? .null, .text(key?.name ?? ""), .integer(Int64(limit))
        ) { row in
            var amounts = LedgerEntry.Amounts()
            amounts.receiver = .milliseconds(row.integer(3))
            (amounts.locations, amounts.liveUpdates, amounts.events) = (row.count(4), row.count(5), row.count(6))
            entries.append(
                LedgerEntry(
                    start: row.date(0), holder: HistoryFile.holder(row.integer(1), row.name(2)), amounts: amounts))
        }
        return entries
    }

    /// Drops entries older than a date, those of a day at each call.
    func dropLedger(before oldest: WallTime) throws(StoreError) -> Bool {
        try connection.statement(
            "DELETE FROM ledger WHERE start < ?1 AND start < (SELECT min(start) FROM ledger) + 86400000"
        ).run(.date(oldest))
        return connection.changes > 0
    }

    /// Forgets the stretches that reach into a span.
    func forgetLedger(_ from: WallTime, _ to: WallTime) throws(StoreError) {
        try connection.statement("DELETE FROM ledger WHERE start > ? AND start < ?").run(
            .integer(max(from.milliseconds, .min + 300_000) - 300_000), .date(to))
    }

    // Users are no negative numbers.
    private static func key(of holder: LedgerEntry.Holder) -> (uid: Int64, name: String) {
        switch holder {
        case .device: (-2, "")
        case .others: (-1, "")
        case .app(let uid, let name): (Int64(uid), name ?? "")
        }
    }

    private static func holder(_ uid: Int64, _ name: String?) -> LedgerEntry.Holder {
        switch uid {
        case -2: .device
        case -1: .others
        default: .app(uid: UInt32(clamping: uid), name: name)
        }
    }
}
