// SPDX-License-Identifier: Apache-2.0
import LocationModel

extension Database {
    private static let appColumns = """
        id, uid, name, label, is_system_unit, next_event, monitors_visits, events_dropped,
        significant_keeps_events, significant_latitude, significant_longitude, significant_at,
        last_seen
        """

    /// All apps that are kept, oldest first.
    package func apps() throws(StoreError) -> [StoredApp] {
        var apps: [StoredApp] = []
        try connection.statement("SELECT \(Database.appColumns) FROM apps ORDER BY id")
            .forEachRow { row in apps.append(StoredApp(row)) }
        return apps
    }

    /// The app of an identity and label, kept from now on if it was not. Its events count on from where those of apps that were
    /// removed ended, so that no number comes twice.
    package func app(uid: UInt32, name: String?, label: String?) throws(StoreError) -> StoredApp {
        try transaction(.power) { () throws(StoreError) in
            if let app = try find(uid, name, label) { return app }
            let first = try firstEventOfNewApps()
            try change(
                .power, "INSERT INTO apps (uid, name, label, next_event) VALUES (?, ?, ?, ?)", .integer(Int64(uid)),
                .text(name ?? ""), .text(label ?? ""), .count(first))
            return StoredApp(id: connection.lastInserted, uid: uid, name: name, label: label, nextEvent: first)
        }
    }

    /// The number from which the events of an app count that is not kept: it may have been, and no number comes twice.
    package func firstEventOfNewApps() throws(StoreError) -> UInt64 {
        UInt64(max(0, try connection.integer("SELECT removed_events FROM service WHERE id = 1"))) + 1
    }

    private func find(_ uid: UInt32, _ name: String?, _ label: String?) throws(StoreError) -> StoredApp? {
        var app: StoredApp?
        try connection.statement(
            "SELECT \(Database.appColumns) FROM apps WHERE uid = ? AND name = ? AND label = ?"
        ).forEachRow(.integer(Int64(uid)), .text(name ?? ""), .text(label ?? "")) { row in app = StoredApp(row) }
        return app
    }

    /// Keeps what belongs to the app itself. `nextEvent` never goes back.
    ///
    /// - Parameter durability: As strict as what goes with it; an event and its number belong into one transaction.
    package func save(_ app: StoredApp, _ durability: Durability = .power) throws(StoreError) {
        try change(
            durability,
            """
            UPDATE apps SET is_system_unit = ?, next_event = max(next_event, ?), monitors_visits = ?,
                events_dropped = ?, significant_keeps_events = ?, significant_latitude = ?,
                significant_longitude = ?, significant_at = ?
            WHERE id = ?
            """,
            .flag(app.isSystemUnit), .count(app.nextEvent), .flag(app.monitorsVisits), .count(app.eventsDropped),
            app.significant.map { .flag($0.keepsEvents) } ?? .null, .optional(app.significant?.reference?.latitude),
            .optional(app.significant?.reference?.longitude), .optional(app.significant?.at), .integer(app.id))
    }

    /// Forgets an app that has no region, monitor, event, visit or significant-change service, and no loss to be told of.
    /// False: it has, or is not kept.
    @discardableResult
    package func removeAppIfEmpty(_ id: Int64) throws(StoreError) -> Bool {
        try transaction(.power) { () throws(StoreError) in
            var next: Int64?
            try connection.statement(
                """
                SELECT next_event FROM apps WHERE id = ?1 AND monitors_visits = 0 AND events_dropped = 0
                    AND significant_keeps_events IS NULL
                    AND NOT EXISTS (SELECT 1 FROM regions WHERE app = ?1)
                    AND NOT EXISTS (SELECT 1 FROM monitors WHERE app = ?1)
                    AND NOT EXISTS (SELECT 1 FROM events WHERE app = ?1)
                """
            ).forEachRow(.integer(id)) { row in next = Int64(row.count(0)) }
            guard let next else { return false }
            try change(
                .power,
                """
                INSERT INTO service (id, removed_events) VALUES (1, ?)
                ON CONFLICT (id) DO UPDATE SET removed_events = max(removed_events, excluded.removed_events)
                """, .integer(next - 1))
            return try change(.power, "DELETE FROM apps WHERE id = ?", .integer(id)) > 0
        }
    }
}

extension StoredApp {
    fileprivate init(_ row: SQLiteRow) {
        self.init(
            id: row.integer(0), uid: UInt32(clamping: row.integer(1)), name: row.name(2), label: row.name(3),
            isSystemUnit: row.flag(4), nextEvent: row.count(5), monitorsVisits: row.flag(6),
            eventsDropped: row.count(7), lastSeen: row.optionalDate(12))
        guard !row.isNull(8) else { return }
        var reference: Coordinate?
        if let latitude = row.optionalReal(9), let longitude = row.optionalReal(10) {
            let place = Coordinate(latitude: latitude, longitude: longitude)
            reference = place.isValid ? place : nil
        }
        significant = StoredSignificant(reference: reference, at: row.optionalDate(11), keepsEvents: row.flag(8))
    }
}
