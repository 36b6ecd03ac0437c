// SPDX-License-Identifier: Apache-2.0
package import LocationModel

extension Database {
    /// Keeps an event of an app until it is removed. It is on the disk before this returns, or when the transaction around it ends:
    /// the app's `nextEvent` belongs into the same one.
    ///
    /// A significant change takes the place of the app's earlier one.
    package func save(_ event: AppEvent, of app: Int64) throws(StoreError) {
        try transaction(.power) { () throws(StoreError) in
            if case .significantChange = event.content {
                try change(
                    .power, "DELETE FROM events WHERE app = ? AND kind = ?", .integer(app),
                    .text(AppEvent.Content.Kind.significantChange.rawValue))
            }
            try change(
                .power,
                """
                INSERT INTO events (app, number, date, kind, content) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (app, number) DO UPDATE SET date = excluded.date, kind = excluded.kind,
                    content = excluded.content
                """,
                .integer(app), .count(event.number), .date(event.date), .text(event.content.kind.rawValue),
                .blob(event.content.encoded))
        }
    }

    /// The events of an app, oldest first. A row that is not what was written is an error with `isDamage`.
    package func events(of app: Int64) throws(StoreError) -> [AppEvent] {
        var events: [AppEvent] = []
        try connection.statement("SELECT number, date, kind, content FROM events WHERE app = ? ORDER BY number")
            .forEachRow(.integer(app)) { row throws(StoreError) in
                guard let content = row.eventContent(kind: 2, bytes: 3) else { throw damaged("events") }
                events.append(AppEvent(number: row.count(0), date: row.date(1), content: content))
            }
        return events
    }

    /// Forgets an event, acknowledged; false: there was none of the number.
    @discardableResult
    package func removeEvent(_ number: UInt64, of app: Int64) throws(StoreError) -> Bool {
        try change(.power, "DELETE FROM events WHERE app = ? AND number = ?", .integer(app), .count(number)) > 0
    }
}

extension SQLiteRow {
    /// The content of an event; nil: the bytes are none.
    func eventContent(kind: CInt, bytes: CInt) -> AppEvent.Content? {
        let kind = text(kind)
        return withBytes(bytes) { AppEvent.Content(kind: kind, decoding: $0) }
    }
}
