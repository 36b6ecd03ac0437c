// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// One connection to a database, with its prepared statements. Use from one thread.
final class SQLiteConnection {
    let path: String
    let handle: OpaquePointer
    private var statements: [String: SQLiteStatement] = [:]
    private var synchronous: Durability?
    /// Calls of `transaction` that run within each other.
    private(set) var transactionDepth = 0
    /// Of the transaction that runs: what a joined call failed with, and whether one wants more than the outermost.
    private var joinedFailure: StoreError?
    private var joinedPower = false

    /// Pages of 4 KiB that the cache may hold: the whole state of a usual device fits into a few.
    private static let cachePages = 64
    /// Steps of SQLite's machine between two calls of `progress`: those of some ten rows.
    private static let progressSteps: CInt = 500
    /// How long a write waits for an administrator's `sqlite3`, milliseconds: everything else waits with it.
    private static let busyTimeout: CInt = 200

    /// The settings of all connections; SQLite takes them before the first.
    private static let configuration: Void = { _ = csqlite_allocate_pages_one_by_one() }()

    /// Opens the file, or an empty database in memory for the path `:memory:`.
    init(path: String) throws(StoreError) {
        SQLiteConnection.configuration
        self.path = path
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK, let handle else {
            let error = StoreError("cannot open \(path): \(SQLiteConnection.text(handle, code))")
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        csqlite_limit_lookaside(handle, 128, 64)
        csqlite_be_defensive(handle)
        sqlite3_busy_timeout(handle, SQLiteConnection.busyTimeout)
    }

    deinit {
        statements.removeAll()
        sqlite3_close_v2(handle)
    }

    /// Called again and again while statements run; nil: nothing is.
    var progress: (() -> Void)? {
        didSet {
            guard progress != nil else { return sqlite3_progress_handler(handle, 0, nil, nil) }
            let connection = Unmanaged.passUnretained(self).toOpaque()
            sqlite3_progress_handler(
                handle, SQLiteConnection.progressSteps,
                { connection in
                    guard let connection else { return 0 }
                    Unmanaged<SQLiteConnection>.fromOpaque(connection).takeUnretainedValue().progress?()
                    return 0
                }, connection)
        }
    }

    /// Sets what every connection needs before its first statement. WAL, so that a commit is one write and one fsync.
    func configure() throws(StoreError) {
        try execute("PRAGMA cache_size = \(SQLiteConnection.cachePages)")
        try execute("PRAGMA temp_store = MEMORY")
        try execute("PRAGMA mmap_size = 0")
        try execute("PRAGMA foreign_keys = ON")
        try execute("PRAGMA journal_mode = WAL")
        try execute("PRAGMA wal_autocheckpoint = 64")
        try execute("PRAGMA journal_size_limit = 262144")
        try execute("PRAGMA synchronous = FULL")
    }

    /// Runs statements without results.
    func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// The prepared statement for `sql`, made once and kept.
    func statement(_ sql: String) throws(StoreError) -> SQLiteStatement {
        if let prepared = statements[sql] { return prepared }
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(code) }
        let statement = SQLiteStatement(prepared, connection: self)
        statements[sql] = statement
        return statement
    }

    /// Runs `changes` in one transaction: all of them or none.
    ///
    /// A call within another joins it: it is committed with the outermost, as durably as the strictest of them asks for, and if one
    /// fails, none is kept, even if its error was caught on the way.
    func transaction<Result>(
        _ durability: Durability, _ changes: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        guard transactionDepth == 0 else { return try join(durability, changes) }
        try setSynchronous(durability)
        try statement("BEGIN IMMEDIATE").run()
        (transactionDepth, joinedFailure, joinedPower) = (1, nil, false)
        defer { transactionDepth = 0 }
        let result: Result
        do throws(StoreError) {
            result = try changes()
            if let joinedFailure { throw joinedFailure }
            try statement("COMMIT").run()
        } catch {
            // SQLite may have rolled back already, on a full disk for one.
            if sqlite3_get_autocommit(handle) == 0 { sqlite3_exec(handle, "ROLLBACK", nil, nil, nil) }
            throw error
        }
        if joinedPower, durability == .process { try syncLog() }
        return result
    }

    private func join<Result>(
        _ durability: Durability, _ changes: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        transactionDepth += 1
        defer { transactionDepth -= 1 }
        if durability == .power { joinedPower = true }
        do throws(StoreError) {
            return try changes()
        } catch {
            joinedFailure = joinedFailure ?? error
            throw error
        }
    }

    // SQLite refuses it within a transaction, and forgets nothing: it is set when it changes.
    private func setSynchronous(_ durability: Durability) throws(StoreError) {
        guard synchronous != durability else { return }
        try execute("PRAGMA synchronous = \(durability == .power ? "FULL" : "NORMAL")")
        synchronous = durability
    }

    // Makes what was committed survive a power cut: a checkpoint writes the log to the disk before anything else.
    private func syncLog() throws(StoreError) {
        var isBusy = false
        try statement("PRAGMA wal_checkpoint(PASSIVE)").forEachRow { row in isBusy = row.integer(0) != 0 }
        if isBusy { throw StoreError("cannot write \(path) to the disk: another program is doing so") }
    }

    /// Rows that the last statement changed.
    var changes: Int { Int(sqlite3_changes(handle)) }

    /// The key of the row inserted last.
    var lastInserted: Int64 { sqlite3_last_insert_rowid(handle) }

    /// The integer that a one-line query gives; 0 for none.
    func integer(_ sql: String) throws(StoreError) -> Int64 {
        var result: Int64 = 0
        try statement(sql).forEachRow { row in result = row.integer(0) }
        return result
    }

    /// Gives back what statements that were prepared and cached pages take; they are made again when they are needed.
    func releaseMemory() {
        statements.removeAll()
        sqlite3_db_release_memory(handle)
    }

    fileprivate func error(_ code: CInt) -> StoreError {
        let primary = code & 0xFF
        return StoreError(
            "cannot use \(path): \(SQLiteConnection.text(handle, code))",
            isDamage: primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB, isConstraint: primary == SQLITE_CONSTRAINT)
    }

    /// The last error in SQLite's words with its name, which a search engine finds.
    private static func text(_ handle: OpaquePointer?, _ code: CInt) -> String {
        let words = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        return "\(words.map { String(cString: $0) } ?? "unknown error") (SQLite code \(code))"
    }
}

/// A prepared statement; finalized with its connection.
final class SQLiteStatement {
    private let handle: OpaquePointer
    private unowned let connection: SQLiteConnection

    fileprivate init(_ handle: OpaquePointer, connection: SQLiteConnection) {
        self.handle = handle
        self.connection = connection
    }

    deinit { sqlite3_finalize(handle) }

    /// Runs the statement with these values for its `?`, in order.
    func run(_ values: SQLiteValue...) throws(StoreError) { try step(values) { _ in } }

    /// Runs the statement with these values for its `?`, in order.
    func run(all values: [SQLiteValue]) throws(StoreError) { try step(values) { _ in } }

    /// Runs the statement and calls `body` with each row of the result.
    func forEachRow(
        _ values: SQLiteValue..., body: (SQLiteRow) throws(StoreError) -> Void
    ) throws(StoreError) { try step(values, body) }

    private func step(
        _ values: [SQLiteValue], _ body: (SQLiteRow) throws(StoreError) -> Void
    ) throws(StoreError) {
        // Reset at once: a statement left half way would keep its transaction open.
        defer {
            sqlite3_reset(handle)
            sqlite3_clear_bindings(handle)
        }
        for (index, value) in values.enumerated() {
            let code = bind(value, CInt(index + 1))
            guard code == SQLITE_OK else { throw connection.error(code) }
        }
        while true {
            switch sqlite3_step(handle) {
            case SQLITE_ROW: try body(SQLiteRow(handle: handle))
            case SQLITE_DONE: return
            case let code: throw connection.error(code)
            }
        }
    }

    private func bind(_ value: SQLiteValue, _ index: CInt) -> CInt {
        switch value {
        case .null: sqlite3_bind_null(handle, index)
        case .integer(let number): sqlite3_bind_int64(handle, index, number)
        case .real(let number): sqlite3_bind_double(handle, index, number)
        case .text(let text): csqlite_bind_text(handle, index, text, CInt(text.utf8.count))
        case .blob(let bytes): csqlite_bind_blob(handle, index, bytes, CInt(bytes.count))
        }
    }
}
