// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// An event that an app was told, as history keeps it.
package struct HistoryEvent: Sendable, Equatable {
    /// Its number in the history, which grows.
    package var record: UInt64
    /// The name that the app's process gave itself; nil: none.
    package var label: String?
    /// The event.
    package var event: AppEvent
}

/// The app that an event was told.
package struct HistoryApp: Sendable, Hashable {
    /// The user.
    package var uid: UInt32
    /// The part of the identity beside the user; nil: none.
    package var name: String?

    /// The app `name` of a user.
    package init(uid: UInt32, name: String?) {
        self.uid = uid
        self.name = name
    }
}

extension HistoryFile {
    /// Keeps an event of an app. It survives a kill at once, and a power cut with the next fixes that are appended.
    ///
    /// - Parameter size: Bytes that the file may hold, of which events have a share: beyond it the oldest go.
    package func append(
        _ event: AppEvent, of app: HistoryApp, label: String?, size: Int = .max
    ) throws(StoreError) {
        let dropped = try connection.transaction(.process) { () throws(StoreError) in
            try connection.statement(
                "INSERT INTO events (uid, name, label, number, date, kind, content) VALUES (?, ?, ?, ?, ?, ?, ?)"
            ).run(
                .integer(Int64(app.uid)), .text(app.name ?? ""), .text(label ?? ""), .count(event.number),
                .date(event.date), .text(event.content.kind.rawValue), .blob(event.content.encoded))
            return try dropEvents(over: size, of: app)
        }
        noteEvents(1 - dropped)
    }

    /// At most `limit` events of an app behind a record, oldest first; those that cannot be read are left out. `isFull`:
    /// there may be more behind `last`.
    package func events(
        of app: HistoryApp, after record: UInt64, from: WallTime?, to: WallTime?, limit: Int
    ) throws(StoreError) -> (events: [HistoryEvent], last: UInt64?, isFull: Bool) {
        var (events, last, rows): ([HistoryEvent], UInt64?, Int) = ([], nil, 0)
        try connection.statement(
            """
            SELECT record, label, number, date, kind, content FROM events
            WHERE uid = ? AND name = ? AND record > ? AND date >= ? AND date < ? ORDER BY record LIMIT ?
            """
        ).forEachRow(
            .integer(Int64(app.uid)), .text(app.name ?? ""), .count(record), .integer(from?.milliseconds ?? .min),
            .integer(to?.milliseconds ?? .max), .integer(Int64(limit))
        ) { row in
            (last, rows) = (row.count(0), rows + 1)
            guard let content = row.eventContent(kind: 4, bytes: 5) else { return }
            events.append(
                HistoryEvent(
                    record: row.count(0), label: row.name(1),
                    event: AppEvent(number: row.count(2), date: row.date(3), content: content)))
        }
        return (events, last, rows == limit)
    }

    /// Forgets the events of an app that calls itself `label`, overwritten in the file. Returns how many there were.
    @discardableResult
    package func forgetEvents(of app: HistoryApp, label: String?) throws(StoreError) -> Int {
        var isThere = false
        try connection.statement("SELECT 1 FROM events WHERE uid = ? AND name = ? AND label = ? LIMIT 1")
            .forEachRow(.integer(Int64(app.uid)), .text(app.name ?? ""), .text(label ?? "")) { _ in isThere = true }
        guard isThere else { return 0 }
        let count = try connection.transaction(.power) { () throws(StoreError) in
            try connection.statement("DELETE FROM events WHERE uid = ? AND name = ? AND label = ?")
                .run(.integer(Int64(app.uid)), .text(app.name ?? ""), .text(label ?? ""))
            return connection.changes
        }
        noteEvents(-count)
        return count
    }
}
