// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Glibc
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationStore

extension SQLiteConnection {
    /// Statements that were prepared and not finalized.
    fileprivate var openStatements: Int {
        var (count, next) = (0, sqlite3_next_stmt(handle, nil))
        while let statement = next { (count, next) = (count + 1, sqlite3_next_stmt(handle, statement)) }
        return count
    }
}

@Suite("The database")
struct DatabaseTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("state.db")
    }

    @Test("a new database has reserved nothing and knows no location")
    func new() throws {
        for database in [try Database(path: path), try Database.inMemory()] {
            #expect(try database.reservedSequence() == 0)
            #expect(try database.lastLocation() == nil)
            #expect(database.notes == [] && !database.wasReplaced)
        }
    }

    @Test("a reservation stays and never goes back")
    func reservation() throws {
        do {
            let database = try Database(path: path)
            try database.reserveSequences(upTo: 1000)
            #expect(try database.reservedSequence() == 1000)
            try database.reserveSequences(upTo: 10)
            #expect(try database.reservedSequence() == 1000)
            try database.reserveSequences(upTo: 1 << 53 - 1)
        }
        let database = try Database(path: path)
        #expect(try database.reservedSequence() == 1 << 53 - 1)
        let error = #expect(throws: StoreError.self) { try database.reserveSequences(upTo: 1 << 53) }
        #expect(error?.description == "cannot reserve the sequence \(1 << 53): at most \(1 << 53 - 1) is allowed")
    }

    @Test("every field of the last location comes back, unknown ones as unknown")
    func lastLocation() throws {
        for number in UInt64(1)...128 {
            let database = try Database.inMemory()
            try database.saveLastLocation(entry(number).location)
            #expect(try database.lastLocation() == entry(number).location)
        }
        do {
            let database = try Database(path: path)
            for number in UInt64(1)...5 { try database.saveLastLocation(entry(number).location) }
        }
        #expect(try Database(path: path).lastLocation() == entry(5).location)
    }

    @Test("commits are on the disk before they return, in a write-ahead log, with a small cache")
    func settings() throws {
        let database = try Database(path: path)
        try database.saveLastLocation(entry(1).location)
        #expect(try database.connection.integer("PRAGMA synchronous") == 1)
        try database.reserveSequences(upTo: 1)
        #expect(try database.connection.integer("PRAGMA synchronous") == 2)
        #expect(try database.connection.integer("PRAGMA cache_size") == 64)
        #expect(try database.connection.integer("PRAGMA foreign_keys") == 1)
        #expect(access("\(path)-wal", F_OK) == 0)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(stat("\(path)-wal", &status) == 0 && status.st_mode & 0o777 == 0o600)
    }

    @Test("statements are prepared once and none is left behind")
    func statements() throws {
        do {
            let database = try Database(path: path)
            try database.reserveSequences(upTo: 1)
            try database.saveLastLocation(entry(1).location)
            _ = try database.lastLocation()
            let before = database.connection.openStatements
            for number in UInt64(2)...50 {
                try database.reserveSequences(upTo: number)
                try database.saveLastLocation(entry(number).location)
                _ = try database.lastLocation()
            }
            #expect(database.connection.openStatements == before)
        }
        // The last connection that closes properly takes the log away; a leaked statement would keep it.
        #expect(access("\(path)-wal", F_OK) != 0)
    }

    @Test("after kill -9 right behind a reservation no number that was reserved is given again", .tellsSeed)
    func killed() async throws {
        var random = SplitMix64()
        for _ in 0..<4 {
            let path = directory.file("killed-\(random.next()).db")
            let delay = 3_000 + Int(random.next() % 20_000)
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, delay = delay as Int] in
                let database = try Database(path: path)
                let progress = try FixLog(path: path + ".progress", capacity: 16)
                var number: UInt64 = 1
                try database.reserveSequences(upTo: number)
                progress.append(entry(number))
                killThisProcess(afterMicroseconds: delay)
                while true {
                    number += 1
                    try database.reserveSequences(upTo: number)
                    progress.append(entry(number))
                }
            }
            let reserved = try Database(path: path).reservedSequence()
            let used = try FixLog(path: path + ".progress", capacity: 16).newest
            #expect(used > 0 && reserved >= used && reserved <= used + 1)
        }
    }

    @Test("what the write-ahead log holds is not lost with the process that wrote it")
    func unclosed() async throws {
        await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String] in
            let database = try Database(path: path)
            try database.saveLastLocation(entry(9).location)
            try database.reserveSequences(upTo: 4711)
            kill(getpid(), SIGKILL)
        }
        let database = try Database(path: path)
        #expect(try database.reservedSequence() == 4711)
        #expect(try database.lastLocation() == entry(9).location)
    }
}

@Suite("The database after a misfortune")
struct DatabaseRecoveryTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("state.db")
    }

    @Test("a file that is no database is set aside with its companions and replaced")
    func noDatabase() throws {
        try directory.write(String(repeating: "not a database ", count: 500), to: "state.db")
        try directory.write("companion", to: "state.db-wal")
        let database = try Database(path: path)
        #expect(database.wasReplaced && database.notes.count == 2)
        #expect(database.notes[0].hasPrefix("set \(path) aside as \(path).corrupt-1: "))
        #expect(database.notes[1].hasPrefix("saved from \(path).corrupt-1 no rows; could not read all of "))
        try database.reserveSequences(upTo: 5)
        #expect(try readFile("\(path).corrupt-1").starts(with: Array("not a database".utf8)))
    }

    @Test("an empty file is a new database")
    func emptyFile() throws {
        try directory.write("", to: "state.db")
        let database = try Database(path: path)
        #expect(!database.wasReplaced && database.notes == [])
    }

    @Test("whatever bytes change, opening succeeds and the reservation is kept or its loss is said", .tellsSeed)
    func randomDamage() throws {
        var random = SplitMix64()
        do {
            let database = try Database(path: path)
            try database.reserveSequences(upTo: 77_777)
            try database.saveLastLocation(entry(3).location)
        }
        let pristine = try readFile(path)
        for round in 0..<60 {
            let damaged = try TemporaryDirectory()
            var bytes = pristine
            let start = Int(random.next() % UInt64(bytes.count))
            for offset in start..<min(start + 1 + Int(random.next() % 600), bytes.count) {
                bytes[offset] = UInt8(truncatingIfNeeded: random.next())
            }
            if round % 5 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
            try damaged.write(bytes, to: "state.db")
            let database = try Database(path: damaged.file("state.db"))
            try database.reserveSequences(upTo: 1)
            _ = try database.reservedSequence()
            #expect(database.wasReplaced == !database.notes.isEmpty)
        }
    }

    @Test("a database of a later version is set aside, and its reservation goes on")
    func laterVersion() throws {
        do {
            let database = try Database(path: path)
            try database.reserveSequences(upTo: 123_456)
            try database.connection.execute("PRAGMA user_version = 99")
        }
        let missing =
            "regions, monitors, visits and events of apps are missing: they stay in \(path).corrupt-1, of a later version"
        do {
            let database = try Database(path: path)
            #expect(database.wasReplaced)
            #expect(
                database.notes == [
                    "set \(path) aside as \(path).corrupt-1: it has version 99, this is version \(Schema.currentVersion)",
                    missing,
                ])
            #expect(try database.reservedSequence() == 123_456)
        }
        // They are still missing, and status says so until the file is put back or removed.
        #expect(try Database(path: path).notes == [missing])
        try directory.write("damaged", to: "state.db.corrupt-2")
        unlink("\(path).corrupt-1")
        #expect(try Database(path: path).notes == [])
    }

    @Test(
        "a database whose version says less than its tables is set aside, and all of it is saved",
        arguments: Array(-1..<Schema.currentVersion))
    func lowVersion(version: Int64) throws {
        let consent = StoredConsent(uid: 1, name: "a", choice: 2, accuracy: 0, decidedBy: "x", decidedAt: date(1))
        do {
            let database = try Database(path: path)
            try database.reserveSequences(upTo: 123_456)
            try database.save(consent)
            try database.save(region(1, app: try database.app(uid: 1, name: nil, label: nil).id))
            try database.connection.execute("PRAGMA user_version = \(version)")
        }
        let database = try Database(path: path)
        let aside = "set \(path) aside as \(path).corrupt-1: it has version \(version), "
        let reason =
            version < 1 ? "this is version \(Schema.currentVersion)" : "but not its tables: cannot use \(path): "
        #expect(database.notes.first?.hasPrefix(aside + reason) == true, "\(database.notes)")
        #expect(
            database.notes.dropFirst() == [
                "saved from \(path).corrupt-1 rows: 1 of consents, 1 of apps, 1 of regions"
            ])
        #expect(try database.reservedSequence() == 123_456)
        #expect(try database.consents() == [consent])
        #expect(try storedRegions(database).count == 1)
        #expect(try Database(path: path).notes == [])
    }

    @Test("a disk that has no room for a step of its schema sets no database aside")
    func fullDiskAtStep() throws {
        do {
            let connection = try SQLiteConnection(path: path)
            try Schema.migrate(connection, with: Array(Schema.migrations.prefix(1)))
        }
        let connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA max_page_count = \(try connection.integer("PRAGMA page_count"))")
        do {
            try Schema.migrate(connection)
            Issue.record("it had room")
        } catch {
            #expect(!error.isDamage, "\(error)")
        }
    }

    @Test("a database of another program is left as it is, under another name")
    func foreign() throws {
        do {
            let connection = try SQLiteConnection(path: path)
            try connection.execute("CREATE TABLE songs (title TEXT)")
        }
        let before = try readFile(path)
        #expect(try Database(path: path).notes.first?.hasSuffix("it is a database of another program") == true)
        #expect(try readFile("\(path).corrupt-1") == before)
    }

    @Test("a database of an earlier version is brought up to date, or stays as it was")
    func migration() throws {
        let connection = try SQLiteConnection(path: path)
        try Schema.migrate(connection)
        try connection.execute("INSERT INTO meta VALUES ('key', 'kept')")
        let later = Schema.migrations + ["ALTER TABLE meta ADD COLUMN note TEXT", "UPDATE meta SET note = 'new'"]
        #expect(throws: StoreError.self) { try Schema.migrate(connection, with: later + ["nonsense"]) }
        #expect(try connection.integer("PRAGMA user_version") == Schema.currentVersion)
        #expect(throws: StoreError.self) { try connection.integer("SELECT count(note) FROM meta") }
        try Schema.migrate(connection, with: later)
        #expect(try connection.integer("PRAGMA user_version") == Schema.currentVersion + 2)
        #expect(try connection.integer("SELECT count(*) FROM meta WHERE value = 'kept' AND note = 'new'") == 1)
    }

    @Test("a missing directory is an error that says so")
    func missingDirectory() {
        let error = #expect(throws: StoreError.self) { try Database(path: "\(directory.path)/none/state.db") }
        #expect(error?.description == "cannot open \(directory.path)/none/state.db: No such file or directory")
    }

    @Test("on a full disk writing fails, what was stored stays, and with room writing works again")
    func fullDisk() throws {
        try withSmallFileSystem(kilobytes: 512) { disk in
            let database = try Database(path: "\(disk)/state.db")
            try database.reserveSequences(upTo: 10)
            fillFileSystem(with: "\(disk)/ballast")
            var error: StoreError?
            // The log has spare room at first.
            for bound in UInt64(11)...400 where error == nil {
                do throws(StoreError) { try database.reserveSequences(upTo: bound) } catch let refusal {
                    error = refusal
                }
            }
            #expect(error?.description.contains("full") == true)
            let kept = try database.reservedSequence()
            #expect(kept >= 10)
            unlink("\(disk)/ballast")
            try database.reserveSequences(upTo: 1000)
            #expect(try database.reservedSequence() == 1000)
        }
    }

    @Test("a database on a file system that became read-only is an error when written")
    func readOnly() throws {
        try withSmallFileSystem(kilobytes: 512) { disk in
            let path = "\(disk)/state.db"
            do { try Database(path: path).reserveSequences(upTo: 10) }
            mount("locationd-test", disk, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil)
            let error = #expect(throws: StoreError.self) { try Database(path: path).reserveSequences(upTo: 11) }
            #expect(error?.description == "cannot open \(path): Read-only file system")
        }
    }
}
