// SPDX-License-Identifier: Apache-2.0
import LocationModel

extension Database {
    /// All monitors, those without conditions too, in the order in which they were first opened.
    package func monitors() throws(StoreError) -> [StoredMonitor] {
        var monitors: [StoredMonitor] = []
        try connection.statement("SELECT app, name FROM monitors ORDER BY id").forEachRow { row in
            monitors.append(StoredMonitor(app: row.integer(0), name: row.text(1)))
        }
        return monitors
    }

    /// Keeps a monitor; nothing happens if it is kept already.
    package func save(_ monitor: StoredMonitor) throws(StoreError) {
        try change(
            .power, "INSERT INTO monitors (app, name) VALUES (?, ?) ON CONFLICT (app, name) DO NOTHING",
            .integer(monitor.app), .text(monitor.name))
    }

    /// Forgets a monitor with all its conditions; false: there was none.
    @discardableResult
    package func removeMonitor(_ monitor: StoredMonitor) throws(StoreError) -> Bool {
        try change(
            .power, "DELETE FROM monitors WHERE app = ? AND name = ?", .integer(monitor.app), .text(monitor.name)) > 0
    }

    /// Shows every condition of every monitor, one at a time, in the order in which they were first saved.
    ///
    /// A row that is not what was written is an error with `isDamage`; what was shown before it is sound.
    package func forEachCondition(_ body: (StoredCondition) -> Void) throws(StoreError) {
        try connection.statement(
            """
            SELECT app, name, identifier, shape, last_state, last_date, last_refinement, last_flags, pending_event,
                found_state, found_date
            FROM conditions JOIN monitors ON monitors.id = conditions.monitor ORDER BY conditions.id
            """
        ).forEachRow { row throws(StoreError) in
            guard let shape = row.shape(3) else { throw damaged("conditions") }
            var last: ConditionEvent?
            if let number = row.optionalInteger(4) {
                let refinement = row.shape(6)
                guard let state = ConditionState(rawValue: Int(number)), row.isNull(6) || refinement != nil else {
                    throw damaged("conditions")
                }
                last = ConditionEvent(
                    state: state, date: row.date(5), refinement: refinement,
                    flags: DiagnosticFlags(rawValue: UInt16(truncatingIfNeeded: row.integer(7))))
            }
            body(
                StoredCondition(
                    app: row.integer(0), monitor: row.text(1), identifier: row.text(2), shape: shape, lastEvent: last,
                    pendingEvent: row.isNull(8) ? nil : row.count(8), found: try found(row)))
        }
    }

    private func found(_ row: SQLiteRow) throws(StoreError) -> ConditionEvent? {
        guard let number = row.optionalInteger(9), !row.isNull(10) else { return nil }
        guard let state = ConditionState(rawValue: Int(number)) else { throw damaged("conditions") }
        return ConditionEvent(state: state, date: row.date(10))
    }

    /// Keeps a condition in place of the monitor's earlier one of the same name, and the monitor if it was not kept.
    package func save(_ condition: StoredCondition) throws(StoreError) {
        try transaction(.power) { () throws(StoreError) in
            try save(StoredMonitor(app: condition.app, name: condition.monitor))
            try change(
                .power,
                """
                INSERT INTO conditions (monitor, identifier, shape, last_state, last_date, last_refinement, last_flags,
                    pending_event, found_state, found_date)
                VALUES ((SELECT id FROM monitors WHERE app = ? AND name = ?), ?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (monitor, identifier) DO UPDATE SET shape = excluded.shape,
                    last_state = excluded.last_state, last_date = excluded.last_date,
                    last_refinement = excluded.last_refinement, last_flags = excluded.last_flags,
                    pending_event = excluded.pending_event, found_state = excluded.found_state,
                    found_date = excluded.found_date
                """,
                .integer(condition.app), .text(condition.monitor), .text(condition.identifier),
                .blob(condition.shape.encoded), .optional(condition.lastEvent.map { Int64($0.state.rawValue) }),
                .optional(condition.lastEvent?.date), .optional(condition.lastEvent?.refinement?.encoded),
                .optional(condition.lastEvent.map { Int64($0.flags.rawValue) }),
                .optional(condition.pendingEvent.map { Int64(clamping: $0) }),
                .optional(condition.found.map { Int64($0.state.rawValue) }), .optional(condition.found?.date))
        }
    }

    /// Forgets a condition; false: there was none.
    @discardableResult
    package func removeCondition(app: Int64, monitor: String, identifier: String) throws(StoreError) -> Bool {
        try change(
            .power,
            """
            DELETE FROM conditions
            WHERE monitor = (SELECT id FROM monitors WHERE app = ? AND name = ?) AND identifier = ?
            """, .integer(app), .text(monitor), .text(identifier)) > 0
    }
}
