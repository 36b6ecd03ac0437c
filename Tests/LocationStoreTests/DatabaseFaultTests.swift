// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationStore

@Suite("The database while something fails")
struct DatabaseFaultTests {
    private let directory: TemporaryDirectory
    private let path: String
    private static let rowsOfEach = 400

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("state.db")
    }

    @Test("a disk without room refuses every change, keeps all that was stored, and takes changes again with room")
    func noRoom() throws {
        let database = try Database(path: path)
        var app = try database.app(uid: 1, name: nil, label: nil)
        try database.save(event(1), of: app.id)
        let pages = try database.connection.integer("PRAGMA page_count")
        try database.connection.execute("PRAGMA max_page_count = \(pages)")
        var stored = 1
        var refusal: StoreError?
        for number in 2...2000 where refusal == nil {
            app.nextEvent = UInt64(number + 1)
            do throws(StoreError) {
                try database.transaction(.power) { () throws(StoreError) in
                    try database.save(region(number, app: app.id))
                    try database.save(event(number * 4 + 1), of: app.id)
                    try database.save(app)
                }
                stored += 1
            } catch { refusal = error }
        }
        #expect(refusal?.description == "cannot use \(path): database or disk is full (SQLite code 13)")
        #expect(refusal?.isDamage == false)
        for reader in [database, try Database(path: path)] {
            #expect(try reader.events(of: app.id).count == stored)
            #expect(try storedRegions(reader).count == stored - 1)
            #expect(try reader.apps()[0].nextEvent == UInt64(stored == 1 ? 1 : stored + 1))
        }
        try database.connection.execute("PRAGMA max_page_count = 100000")
        try database.save(region(5000, app: app.id))
        #expect(try storedRegions(database).count == stored)
    }

    @Test("a full file system is the same, for every kind of change")
    func fullFileSystem() throws {
        try withSmallFileSystem(kilobytes: 768) { disk in
            let database = try Database(path: "\(disk)/state.db")
            let app = try database.app(uid: 1, name: nil, label: nil).id
            let consent = StoredConsent(uid: 1, name: nil, choice: 3, accuracy: 0, decidedBy: "x", decidedAt: date(1))
            try database.save(consent)
            fillFileSystem(with: "\(disk)/ballast")
            let changes: [(Int) throws -> Void] = [
                { try database.save(event($0 * 4 + 1), of: app) }, { try database.save(region($0, app: app)) },
                { try database.save(StoredMonitor(app: app, name: "m\($0)")) },
                { try database.saveStay([UInt8](repeating: 1, count: $0)) },
                { _ in try database.setLocationServicesEnabled(true) },
                { _ in for _ in 0..<65 { _ = try database.nextAuthorizationRequest() } },
            ]
            for change in changes {
                var error: (any Error)?
                // The log has spare room at first.
                for number in 1...2000 where error == nil {
                    do { try change(number) } catch let refusal { error = refusal }
                }
                #expect((error as? StoreError)?.description.contains("\(disk)/state.db") == true)
                #expect((error as? StoreError)?.isDamage == false)
            }
            #expect(try database.consents() == [consent])
            unlink("\(disk)/ballast")
            let count = try database.events(of: app).count
            try database.save(event(99_997), of: app)
            #expect(try database.events(of: app).count == count + 1)
        }
    }

    @Test("a directory that became read-only refuses changes and goes on reading")
    func readOnly() throws {
        try withSmallFileSystem(kilobytes: 768) { disk in
            let database = try Database(path: "\(disk)/state.db")
            let app = try database.app(uid: 1, name: nil, label: nil).id
            try database.save(event(1), of: app)
            // Not possible while a file is open for writing, so the file is made so for the next process.
            let busy = mount("locationd-test", disk, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil)
            if busy == 0 { #expect(throws: StoreError.self) { try database.save(event(2), of: app) } }
            #expect(try database.events(of: app) == [event(1)])
        }
    }

    @Test("a damaged page of any table is noticed at the next start, and all rows of other pages are saved", .tellsSeed)
    func damagedPage() throws {
        var random = SplitMix64()
        let whole = try filled()
        let pristine = try readFile(path)
        let pages = pristine.count / 4096
        for page in 1..<pages {
            let damaged = try TemporaryDirectory()
            var bytes = pristine
            for offset in page * 4096..<page * 4096 + 4096 { bytes[offset] = UInt8(truncatingIfNeeded: random.next()) }
            try damaged.write(bytes, to: "state.db")
            let path = damaged.file("state.db")
            let database = try Database(path: path)
            #expect(database.wasReplaced && database.notes.count == 2, "page \(page): \(database.notes)")
            let saved = try counts(database)
            // A root takes its table along, and a page of apps what belongs to them.
            let lost = zip(whole, saved).map { $0 - $1 }
            #expect(lost.allSatisfy { $0 >= 0 }, "page \(page)")
            let damagedTables = database.notes.last?.contains("could not read all of") == true
            #expect(damagedTables || lost.reduce(0, +) == 0, "page \(page): \(lost)")
            #expect(try database.nextAuthorizationRequest() > 64)
            #expect(try Database(path: path).notes == [])
        }
    }

    @Test("of a table with a damaged leaf only the rows of that leaf are lost")
    func damagedLeaf() throws {
        let whole = try filled()
        let pristine = try readFile(path)
        var lossesOfRows: [Int] = []
        for page in 1..<pristine.count / 4096 where pristine[page * 4096] == 0x0D {
            let damaged = try TemporaryDirectory()
            var bytes = pristine
            for offset in page * 4096..<page * 4096 + 4096 { bytes[offset] = 0xA5 }
            try damaged.write(bytes, to: "state.db")
            let saved = try counts(try Database(path: damaged.file("state.db")))
            let lost = zip(whole, saved).map { $0 - $1 }
            // Without an app what belongs to it is lost, too: only other tables' leaves are looked at.
            if lost[1] == 0, lost[3] == 0 { lossesOfRows.append(lost.reduce(0, +)) }
        }
        #expect(lossesOfRows.count > 20)
        // The smallest rows have some 35 bytes, and a page 4,096.
        #expect(lossesOfRows.max() ?? .max < 130, "\(lossesOfRows)")
        #expect(lossesOfRows.contains { $0 > 0 })
    }

    @Test("damage that shows while the database is in use is told as such, and it goes on in a new file")
    func damagedInUse() throws {
        let whole = try filled()
        let database = try Database(path: path)
        let first = try database.nextAuthorizationRequest()
        let page = try #require(try leaf(of: "events", database))
        overwrite(page: page)
        try database.connection.execute("PRAGMA shrink_memory")
        let app = try database.apps()[0].id
        let error = #expect(throws: StoreError.self) {
            for app in try database.apps() { _ = try database.events(of: app.id) }
        }
        #expect(error?.isDamage == true)
        #expect(error?.description.hasPrefix("cannot use \(path): ") == true)
        // What is on other pages is served on.
        #expect(try storedRegions(database).count == whole[2])
        let notes = try database.replaceDamaged(because: try #require(error))
        #expect(notes.count == 2 && notes[0].hasPrefix("set \(path) aside as \(path).corrupt-1: cannot use"))
        #expect(notes[1].hasSuffix("; could not read all of events"), "\(notes)")
        let saved = try counts(database)
        #expect(saved[0..<5] == whole[0..<5] && saved[5] < whole[5] && saved[5] > whole[5] / 2, "\(saved) \(whole)")
        #expect(try database.nextAuthorizationRequest() > first)
        try database.save(event(4001), of: app)
        #expect(try Database(path: path).notes == [])
        #expect(try Database(path: path).events(of: app).last == event(4001))
    }

    @Test("a row that was written by nobody is damage too, and is not saved")
    func senselessRow() throws {
        let whole = try filled()
        let database = try Database(path: path)
        try database.connection.execute("UPDATE events SET content = x'0102' WHERE id = 7")
        try database.connection.execute("UPDATE regions SET shape = x'01' WHERE id = 9")
        let app = try database.apps()[0].id
        let error = #expect(throws: StoreError.self) { _ = try storedRegions(database) }
        #expect(error?.isDamage == true && error?.description == "cannot use \(path): a row of regions is damaged")
        let notes = try database.replaceDamaged(because: try #require(error))
        #expect(notes.last?.hasSuffix("; could not read all of regions, events") == true, "\(notes)")
        _ = try database.events(of: app)
        let saved = try counts(database)
        #expect(saved[2] == whole[2] - 1 && saved[5] == whole[5] - 1)
    }

    @Test("a decision of which anything changed that matters is no decision any more")
    func changedConsent() throws {
        let consent = StoredConsent(uid: 7, name: "gpx", choice: 2, accuracy: 1, decidedBy: "x", decidedAt: date(1))
        for change in [
            "choice = 3", "uid = 8", "name = ''", "name = 'gpy'", "accuracy = 0", "has_asked_always = 1",
            "checksum = checksum + 1",
        ] {
            let directory = try TemporaryDirectory()
            let database = try Database(path: directory.file("state.db"))
            try database.save(consent)
            var other = consent
            other.uid = 1
            try database.save(other)
            try database.connection.execute("UPDATE consents SET \(change) WHERE uid = 7")
            let error = #expect(throws: StoreError.self) { _ = try database.consents() }
            #expect(error?.isDamage == true, "\(change)")
            unlink(Database.decisionsPath(directory.file("state.db")))
            _ = try database.replaceDamaged(because: try #require(error))
            #expect(try database.consents() == [other], "\(change)")
        }
    }

    @Test("if no new file can be made either, it goes on in memory and says why")
    func noNewFile() throws {
        _ = try filled()
        let database = try Database(path: path)
        removeDirectory()
        let error = #expect(throws: StoreError.self) {
            _ = try database.replaceDamaged(because: StoreError("cannot use it: a test", isDamage: true))
        }
        #expect(error?.description.contains(path) == true)
        let app = try database.app(uid: 1, name: nil, label: nil).id
        try database.save(event(1), of: app)
        #expect(try database.events(of: app) == [event(1)])
    }

    @Test("a database in memory has no file that could be replaced")
    func memory() throws {
        let database = try Database.inMemory()
        let error = StoreError("cannot use it: a test", isDamage: true)
        #expect(throws: error) { _ = try database.replaceDamaged(because: error) }
    }

    // MARK: Contents

    /// Fills the file at `path` with many pages of each table, and closes it. Returns how many rows of each.
    private func filled() throws -> [Int] {
        let database = try Database(path: path)
        try database.transaction(.process) { () throws(StoreError) in
            for number in 0..<DatabaseFaultTests.rowsOfEach {
                let app = try database.app(uid: UInt32(number), name: nil, label: "an app \(number)").id
                try database.save(
                    StoredConsent(
                        uid: UInt32(number), name: "unit:\(number).service", choice: 3, accuracy: 0, decidedBy: "uid:0",
                        decidedAt: date(number)))
                try database.save(region(number, app: app))
                let shape = region(number, app: app).region.shape
                try database.save(StoredCondition(app: app, monitor: "m", identifier: "c", shape: shape, found: nil))
                try database.save(event(number + 1), of: app)
            }
            _ = try database.nextAuthorizationRequest()
        }
        return try counts(database)
    }

    /// Rows of consents, apps, regions, monitors, conditions, events.
    private func counts(_ database: Database) throws -> [Int] {
        var events = 0
        for app in try database.apps() { events += try database.events(of: app.id).count }
        return [
            try database.consents().count, try database.apps().count, try storedRegions(database).count,
            try database.monitors().count, try storedConditions(database).count, events,
        ]
    }

    /// The number of a page in the middle of a table, from 1.
    private func leaf(of table: String, _ database: Database) throws -> Int? {
        var pages: [Int] = []
        try database.connection.statement(
            "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY path"
        ).forEachRow(.text(table)) { row in pages.append(Int(row.integer(0))) }
        return pages.count > 2 ? pages[pages.count / 2] : nil
    }

    private func overwrite(page: Int) {
        let descriptor = open(path, O_WRONLY)
        defer { close(descriptor) }
        let noise = [UInt8](repeating: 0xA5, count: 4096)
        #expect(pwrite(descriptor, noise, noise.count, off_t((page - 1) * 4096)) == 4096)
    }

    private func removeDirectory() {
        for suffix in ["", "-wal", "-shm", ".decisions"] { unlink(path + suffix) }
        rmdir(directory.path)
    }
}
