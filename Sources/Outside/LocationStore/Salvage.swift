// SPDX-License-Identifier: Apache-2.0

/// Saves what can be read of a damaged database into a new one, table by table, row by row.
struct Salvage {
    private let source: SQLiteConnection
    private let target: SQLiteConnection
    private var saved: [(table: String, rows: Int)] = []
    private var damaged: [String] = []

    // Rows that others refer to come before these. The reservation is saved apart. `meta` is left out on purpose: without its note that
    // decisions are kept a second time, the second file is adopted on opening, with the refusals whose rows were lost.
    private static let tables = [
        "last_location", "service", "stay", "consents", "apps", "regions", "monitors",
        "conditions", "events", "uses",
    ]

    init(from source: SQLiteConnection, to target: SQLiteConnection) {
        self.source = source
        self.target = target
    }

    /// Whether every row of every table was read and saved.
    var isComplete: Bool { damaged.isEmpty && !saved.isEmpty }

    /// Returns the saved rows and the tables that could not be read wholly, in a sentence; nil: there was nothing to save.
    func note(_ name: String) -> String? {
        let counts = saved.filter { $0.rows > 0 }.map { "\($0.rows) of \($0.table)" }
        guard !counts.isEmpty || !damaged.isEmpty else { return nil }
        let rows = counts.isEmpty ? "no rows" : "rows: \(counts.joined(separator: ", "))"
        let lost = damaged.isEmpty ? "" : "; could not read all of \(damaged.joined(separator: ", "))"
        return "saved from \(name) \(rows)\(lost)"
    }

    /// Throws only what is the new file's fault.
    mutating func run() throws(StoreError) {
        for table in Salvage.tables {
            let columns = try columns(of: table, in: target)
            guard let known = try? self.columns(of: table, in: source) else {
                damaged.append(table)
                continue
            }
            // An earlier version does not have every table.
            guard !known.isEmpty else { continue }
            var copy = TableCopy(
                table: table, columns: columns.filter { known.contains($0) }, source: source, target: target)
            try copy.run()
            saved.append((table, copy.rows))
            if copy.isDamaged { damaged.append(table) }
        }
        for (table, rows) in try unreadableRows() {
            if !damaged.contains(table) { damaged.append(table) }
            for row in rows { try target.statement("DELETE FROM \(table) WHERE id = ?").run(.integer(row)) }
            if let index = saved.firstIndex(where: { $0.table == table }) { saved[index].rows -= rows.count }
        }
    }

    private func columns(of table: String, in connection: SQLiteConnection) throws(StoreError) -> [String] {
        var names: [String] = []
        try connection.statement("PRAGMA table_info(\(table))").forEachRow { row in names.append(row.text(1)) }
        return names
    }

    // A damaged page can be a page in form: what would not be read again must not be saved.
    private func unreadableRows() throws(StoreError) -> [(table: String, rows: [Int64])] {
        func rows(_ columns: String, _ table: String, _ isReadable: (SQLiteRow) -> Bool) throws(StoreError) -> [Int64] {
            var found: [Int64] = []
            try target.statement("SELECT id, \(columns) FROM \(table)").forEachRow { row in
                if !isReadable(row) { found.append(row.integer(0)) }
            }
            return found
        }
        let decision = "uid, name, choice, accuracy, has_asked_always, checksum, user"
        return [
            ("consents", try rows(decision, "consents") { $0.consent(1) != nil }),
            (
                "regions",
                try rows("shape, notice", "regions") { $0.shape(1) != nil && ($0.isNull(2) || $0.notice(2) != nil) }
            ),
            (
                "conditions",
                try rows("shape, last_refinement", "conditions") { row in
                    row.shape(1) != nil && (row.isNull(2) || row.shape(2) != nil)
                }
            ),
            ("events", try rows("kind, content", "events") { $0.eventContent(kind: 1, bytes: 2) != nil }),
        ].filter { !$0.1.isEmpty }
    }
}

/// The rows of one table, in the order of their keys, around what cannot be read.
private struct TableCopy {
    let table: String
    let columns: [String]
    let source: SQLiteConnection
    let target: SQLiteConnection
    private(set) var rows = 0
    private(set) var isDamaged = false
    /// The error with which the new file refused a row.
    fileprivate var refusal: StoreError?

    mutating func run() throws(StoreError) {
        var next = Int64.min
        while let stop = try read(from: next, below: .max, "ASC") {
            isDamaged = true
            // Behind the hole: its far side is found in growing steps, and what those leaped over is read backwards.
            let far = source.farSide(of: max(stop, 1) - 1, table, "id") ?? .max
            _ = try read(from: stop, below: far, "DESC")
            guard far < .max else { return }
            next = far
        }
    }

    /// Copies the rows of a range. nil: all of them; else the key behind the last one that could be read.
    private mutating func read(from first: Int64, below end: Int64, _ order: String) throws(StoreError) -> Int64? {
        let insert = try target.statement(
            """
            INSERT OR IGNORE INTO \(table) (\(columns.joined(separator: ", ")))
            VALUES (\(columns.map { _ in "?" }.joined(separator: ", ")))
            """)
        let query = """
            SELECT id, \(columns.joined(separator: ", ")) FROM \(table) WHERE id >= ? AND id < ? ORDER BY id \(order)
            """
        var reached = first
        do throws(StoreError) {
            try source.statement(query).forEachRow(.integer(first), .integer(end)) { row throws(StoreError) in
                try self.insert(row, insert)
                reached = row.integer(0) + 1
            }
            return nil
        } catch {
            if let refusal { throw refusal }
            return reached
        }
    }

    private mutating func insert(_ row: SQLiteRow, _ statement: SQLiteStatement) throws(StoreError) {
        let values = columns.indices.map { row.value(CInt($0 + 1)) }
        do throws(StoreError) {
            try statement.run(all: values)
            rows += target.changes
            if target.changes == 0 { isDamaged = true }
        } catch {
            // A row that does not fit its table is one more that was lost; a full disk ends it all.
            guard error.isConstraint else {
                refusal = error
                throw error
            }
            isDamaged = true
        }
    }
}

extension SQLiteConnection {
    /// The first key behind a hole that cannot be read, which is found in growing steps; nil: there is none.
    func farSide(of start: Int64, _ table: String, _ key: String) -> Int64? {
        var step: Int64 = 1
        while step < 1 << 53, start <= .max - step {
            var found: Int64?
            do throws(StoreError) {
                try statement("SELECT \(key) FROM \(table) WHERE \(key) > ? ORDER BY \(key) LIMIT 1")
                    .forEachRow(.integer(start + step)) { found = $0.integer(0) }
                return found
            } catch {
                step *= 2
            }
        }
        return nil
    }
}
