// SPDX-License-Identifier: Apache-2.0
package import LocationModel

extension Database {
    /// Shows every region, in the order in which they were first saved, one at a time: there may be millions.
    ///
    /// A row that is not what was written is an error with `isDamage`; what was shown before it is sound.
    package func forEachRegion(_ body: (StoredRegion) -> Void) throws(StoreError) {
        try connection.statement(
            """
            SELECT app, identifier, shape, notify_on_entry, notify_on_exit, cushion, dwell_nanoseconds, state, state_date,
                notice
            FROM regions ORDER BY id
            """
        ).forEachRow { row throws(StoreError) in
            guard let shape = row.shape(2), let state = RegionState(rawValue: Int(row.integer(7))) else {
                throw damaged("regions")
            }
            let dwell = row.optionalInteger(6).map { TimeSpan(nanoseconds: $0) }
            let hysteresis = RegionHysteresis(cushion: row.optionalReal(5), dwell: dwell)
            let notice = row.notice(9)
            guard hysteresis.isValid, notice != nil || row.isNull(9) else { throw damaged("regions") }
            let region = Region(
                identifier: row.text(1), shape: shape, notifyOnEntry: row.flag(3), notifyOnExit: row.flag(4),
                hysteresis: hysteresis, notice: notice)
            body(StoredRegion(app: row.integer(0), region: region, state: state, stateDate: row.optionalDate(8)))
        }
    }

    /// Keeps a region and its state in place of the app's earlier one of the same name.
    package func save(_ stored: StoredRegion) throws(StoreError) {
        let region = stored.region
        try change(
            .power,
            """
            INSERT INTO regions (app, identifier, shape, notify_on_entry, notify_on_exit, cushion, dwell_nanoseconds,
                state, state_date, notice)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (app, identifier) DO UPDATE SET shape = excluded.shape,
                notify_on_entry = excluded.notify_on_entry, notify_on_exit = excluded.notify_on_exit,
                cushion = excluded.cushion, dwell_nanoseconds = excluded.dwell_nanoseconds,
                state = excluded.state, state_date = excluded.state_date, notice = excluded.notice
            """,
            .integer(stored.app), .text(region.identifier), .blob(region.shape.encoded), .flag(region.notifyOnEntry),
            .flag(region.notifyOnExit), .optional(region.hysteresis.cushion),
            .optional(region.hysteresis.dwell?.nanoseconds), .integer(Int64(stored.state.rawValue)),
            .optional(stored.stateDate), region.notice.map { .blob($0.encoded) } ?? .null)
    }

    /// Forgets a region; false: there was none of the name.
    @discardableResult
    package func removeRegion(app: Int64, identifier: String) throws(StoreError) -> Bool {
        try change(
            .power, "DELETE FROM regions WHERE app = ? AND identifier = ?", .integer(app), .text(identifier)) > 0
    }

    /// Notes how the device stands to a region; nothing happens if it is not kept.
    ///
    /// - Parameter durability: `.process` is enough for a state that is found out again by itself.
    package func setRegionState(
        app: Int64, identifier: String, _ state: RegionState, at date: WallTime?, _ durability: Durability = .power
    ) throws(StoreError) {
        try change(
            durability, "UPDATE regions SET state = ?, state_date = ? WHERE app = ? AND identifier = ?",
            .integer(Int64(state.rawValue)), .optional(date), .integer(app), .text(identifier))
    }
}

extension SQLiteRow {
    /// A shape; nil: the bytes are none.
    func shape(_ column: CInt) -> RegionShape? { withBytes(column) { RegionShape(decoding: $0) } }

    /// A region's notice; nil: there is none, or the bytes are none.
    func notice(_ column: CInt) -> RegionNotice? { withBytes(column) { RegionNotice(decoding: $0) } }
}
