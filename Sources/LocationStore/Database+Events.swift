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

    /// How many events of an app are kept.
    package func eventCount(of app: Int64) throws(StoreError) -> Int {
        var count: Int64 = 0
        try connection.statement("SELECT count(*) FROM events WHERE app = ?")
            .forEachRow(.integer(app)) { row in count = row.integer(0) }
        return Int(count)
    }

    /// Forgets an event, acknowledged; false: there was none of the number.
    @discardableResult
    package func removeEvent(_ number: UInt64, of app: Int64) throws(StoreError) -> Bool {
        try change(.power, "DELETE FROM events WHERE app = ? AND number = ?", .integer(app), .count(number)) > 0
    }

    /// Forgets all events of an app.
    package func removeEvents(of app: Int64) throws(StoreError) {
        try change(.power, "DELETE FROM events WHERE app = ?", .integer(app))
    }

    /// Forgets the oldest events of an app beyond the newest `bound`, and returns their numbers, oldest first.
    package func removeOldestEvents(of app: Int64, beyond bound: Int) throws(StoreError) -> [UInt64] {
        guard try eventCount(of: app) > bound else { return [] }
        let selection = "SELECT id, number FROM events WHERE app = ? ORDER BY number DESC LIMIT -1 OFFSET ?"
        return try transaction(.power) { () throws(StoreError) in
            var found: [(id: Int64, number: UInt64)] = []
            try connection.statement(selection).forEachRow(.integer(app), .integer(Int64(max(0, bound)))) { row in
                found.append((row.integer(0), row.count(1)))
            }
            for event in found { try change(.power, "DELETE FROM events WHERE id = ?", .integer(event.id)) }
            return found.reversed().map(\.number)
        }
    }

    /// Forgets the events of all apps that are older than `date`, and returns which, by app and number.
    package func removeEvents(before date: WallTime) throws(StoreError) -> [EventReference] {
        var found: [EventReference] = []
        try connection.statement("SELECT app, number FROM events WHERE date < ? ORDER BY app, number")
            .forEachRow(.date(date)) { row in
                found.append(EventReference(app: row.integer(0), number: row.count(1)))
            }
        guard !found.isEmpty else { return [] }
        try change(.power, "DELETE FROM events WHERE date < ?", .date(date))
        return found
    }
}

extension SQLiteRow {
    /// The content of an event; nil: the bytes are none.
    func eventContent(kind: CInt, bytes: CInt) -> AppEvent.Content? {
        let kind = text(kind)
        return withBytes(bytes) { AppEvent.Content(kind: kind, decoding: $0) }
    }
}
