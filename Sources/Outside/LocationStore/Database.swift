// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The records that must outlive a reboot and a power cut, in SQLite (write-ahead log, every commit on the disk unless said otherwise).
///
/// Errors leave what was stored before; the caller reports them and tries again when there is something new to store. One with
/// `isDamage` says that the file is at fault: `replaceDamaged(because:)` goes on with another. Use from one thread.
package final class Database {
    /// Repairs and losses on opening, a sentence each, for the journal.
    package private(set) var notes: [String]
    /// Whether a database was there and could not be used: numbers reserved in it may be unknown now.
    package let wasReplaced: Bool

    var connection: SQLiteConnection
    /// The file's, also while it goes on in memory because no file can be had.
    package let path: String
    /// A transaction changed what people decided, or the second file has to be written for another reason.
    var haveDecisionsChanged = false
    /// The decisions that the second file holds; nil: not known.
    var writtenDecisions: Decisions?
    /// Authorization requests: the next number, and the last that is reserved; nil: not asked yet.
    var requests: (next: UInt64, reserved: UInt64)?

    /// Opens the database at `path` or makes it. One that is damaged, of a later version or of another program is set aside with its
    /// companions as `path.corrupt-N`, see `notes`; what can still be read of a damaged one is saved, row by row, and the reserved
    /// sequence of a later version.
    ///
    /// Throws if the directory is missing or read-only, or the disk is full.
    ///
    /// - Parameter progress: Called again and again while statements run, until `endProgress`.
    package init(path: String, progress: (() -> Void)? = nil) throws(StoreError) {
        self.path = path
        try Database.makePrivateFile(path)
        var wasReplaced = false
        switch try Database.open(path, progress) {
        case .usable(let connection):
            self.connection = connection
            notes = []
            if try Database.cameInPlaceOfAnother(connection, path) {
                try Database.countAnew(connection)
                wasReplaced = true
            }
        case .unusable(let reason, let isOurs):
            (connection, notes) = try Database.replace(path, because: reason, salvaging: isOurs)
            wasReplaced = true
        }
        self.wasReplaced = wasReplaced
        // Over restarts, too: nobody takes over what they hold.
        for file in damagedFiles(of: path) where Schema.isLater(file) {
            notes.append(
                "regions, monitors, visits and events of apps are missing: they stay in \(file), of a later version")
        }
        if let note = try reconcileDecisions() { notes.append(note) }
    }

    private init(connection: SQLiteConnection) {
        self.connection = connection
        path = connection.path
        notes = []
        wasReplaced = false
    }

    /// Gives back the memory that only reading everything at the start needed.
    package func releaseMemory() { connection.releaseMemory() }

    /// Whether it ends with the process, from the beginning or because no new file could be made in place of a damaged one.
    package var isInMemory: Bool { connection.path == ":memory:" }

    /// A database that ends with the process, for when no file can be had. `decisions`: it begins with these.
    package static func inMemory(_ decisions: Decisions = Decisions()) throws(StoreError) -> Database {
        let database = Database(connection: try memory())
        for consent in decisions.consents { try database.save(consent) }
        // That line is damaged: what may have been switched off is not on.
        try database.setLocationServicesEnabled(decisions.areServicesEnabled ?? false)
        return database
    }

    static func memory() throws(StoreError) -> SQLiteConnection {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.configure()
        try Schema.migrate(connection)
        return connection
    }

    /// The part of opening that may take long is over: its progress is not told any more.
    package func endProgress() { connection.progress = nil }

    /// Whether the disk has room for more than the database may have in reserve; true if nobody can tell.
    package var hasRoom: Bool {
        var disk = statvfs()
        guard !isInMemory, statvfs(path, &disk) == 0 else { return true }
        return UInt64(disk.f_bavail) * UInt64(disk.f_frsize) >= 256 << 10
    }

    /// Makes all changes of `body` or, if it throws, none.
    ///
    /// Within another transaction it joins that one: it is committed with the outermost, as durably as the strictest of them asks for;
    /// if one fails, none is kept, even if its error was caught on the way.
    package func transaction<Result>(
        _ durability: Durability, _ body: () throws(StoreError) -> Result
    ) throws(StoreError) -> Result {
        let result = try connection.transaction(durability) { () throws(StoreError) -> Result in
            let result = try body()
            if haveDecisionsChanged, connection.transactionDepth == 1 { try writeDecisions() }
            return result
        }
        if connection.transactionDepth == 0 { haveDecisionsChanged = false }
        return result
    }

    /// Runs one statement in a transaction of its own and returns how many rows it changed.
    @discardableResult
    func change(_ durability: Durability, _ sql: String, _ values: SQLiteValue...) throws(StoreError) -> Int {
        try transaction(durability) { () throws(StoreError) in
            try connection.statement(sql).run(all: values)
            return connection.changes
        }
    }

    /// Returns the error for a row that is not what this program writes.
    func damaged(_ table: String) -> StoreError {
        StoreError("cannot use \(connection.path): a row of \(table) is damaged", isDamage: true)
    }
}

extension Database {
    /// The result of opening a file. An error that is not the file's fault is thrown.
    enum Opened {
        case usable(SQLiteConnection)
        /// `isOurs`: damaged, and of no later version, so that its rows mean what they mean here.
        case unusable(reason: String, isOurs: Bool)
    }

    static func open(_ path: String, _ progress: (() -> Void)? = nil) throws(StoreError) -> Opened {
        do throws(StoreError) {
            let connection = try SQLiteConnection(path: path)
            connection.progress = progress
            if let objection = try Schema.objection(to: connection) {
                return .unusable(reason: objection.reason, isOurs: objection.isDamage)
            }
            try connection.configure()
            try Schema.migrate(connection)
            return .usable(connection)
        } catch {
            guard error.isDamage else { throw error }
            return .unusable(reason: error.description, isOurs: true)
        }
    }

    /// Makes the file before SQLite does, which would let everyone read where the device is. Its companions get the same mode.
    static func makePrivateFile(_ path: String) throws(StoreError) {
        guard let descriptor = try openRegularFile(path, O_RDWR | O_CREAT) else {
            throw StoreError(cannot: "open \(path)", code: ENOENT)
        }
        close(descriptor)
    }
}
