// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationStore

@Suite("Decisions of people, kept a second time")
struct DecisionsTests {
    private let directory: TemporaryDirectory
    private let path: String
    private var second: String { Database.decisionsPath(path) }

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("state.db")
    }

    private static func consent(_ uid: UInt32, choice: Int = 2, name: String? = nil) -> StoredConsent {
        StoredConsent(
            uid: uid, name: name, choice: choice, accuracy: Int(uid % 2), hasAskedAlways: uid % 3 == 0,
            decidedBy: "uid:0", decidedAt: date(Int(uid)))
    }

    /// Every byte of the first page, the schema among them, is something else.
    private func damageFirstPage() {
        let file = open(path, O_WRONLY)
        defer { close(file) }
        let noise = [UInt8](repeating: 0xA5, count: 4096)
        #expect(pwrite(file, noise, noise.count, 0) == 4096)
    }

    private func fill() throws {
        let database = try Database(path: path)
        for uid in 1...5 { try database.save(DecisionsTests.consent(UInt32(uid))) }
        try database.save(DecisionsTests.consent(1, choice: 3))
        try database.removeConsent(uid: 2, name: nil)
        try database.setLocationServicesEnabled(false)
    }

    private static let expected = [consent(1, choice: 3), consent(3), consent(4), consent(5)]

    @Test("outlive a database whose schema is damaged, and so does that services are off")
    func schema() throws {
        try fill()
        damageFirstPage()
        for isFirst in [true, false] {
            let database = try Database(path: path)
            #expect(try database.consents().sorted { $0.uid < $1.uid } == DecisionsTests.expected)
            #expect(try !database.locationServicesEnabled())
            #expect(database.wasReplaced == isFirst)
            guard isFirst else { return #expect(database.notes == []) }
            #expect(
                database.notes.last == "took 4 decisions of people from \(second), where they are kept a second time")
        }
    }

    @Test("outlive a database that is gone, empty, or of another program", arguments: ["gone", "empty", "other"])
    func lost(how: String) throws {
        try fill()
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        if how == "empty" { close(open(path, O_WRONLY | O_CREAT, 0o600)) }
        if how == "other" { try SQLiteConnection(path: path).execute("CREATE TABLE other (id)") }
        let database = try Database(path: path)
        #expect(try database.consents() == DecisionsTests.expected && !database.locationServicesEnabled())
        #expect(database.wasReplaced && database.notes.contains { $0.hasPrefix("took 4 decisions") })
        #expect(try database.nextAuthorizationRequest() > 1_000_000_000)
    }

    @Test("that were changed in the database are as they were decided, and what was taken back stays taken back")
    func changed() throws {
        try fill()
        let database = try Database(path: path)
        try database.connection.execute("UPDATE consents SET choice = 3 WHERE uid = 3")
        let error = #expect(throws: StoreError.self) { _ = try database.consents() }
        let notes = try database.replaceDamaged(because: try #require(error))
        #expect(notes.count == 3 && notes[1].hasSuffix("could not read all of consents"), "\(notes)")
        #expect(try database.consents().sorted { $0.uid < $1.uid } == DecisionsTests.expected)
    }

    @Test("are not taken for kept twice by a database that was saved from a damaged one: the second file is read anew")
    func salvaged() throws {
        try fill()
        let database = try Database(path: path)
        let damaged = database.connection
        #expect(try damaged.integer("SELECT count(*) FROM meta WHERE key = 'decisions'") == 1)
        // A refusal whose row is lost without a trace.
        try damaged.execute("DELETE FROM consents WHERE uid = 1")
        let saved = try Database.memory()
        var salvage = Salvage(from: damaged, to: saved)
        try salvage.run()
        #expect(try saved.integer("SELECT count(*) FROM consents") == 3)
        #expect(try saved.integer("SELECT count(*) FROM meta WHERE key = 'decisions'") == 0)
        _ = try database.replaceDamaged(because: StoreError("damaged"))
        #expect(try database.consents().sorted { $0.uid < $1.uid } == DecisionsTests.expected)
    }

    @Test("whose line on the services is damaged leave them off where nothing else is known")
    func services() throws {
        let unreadable = try Database.inMemory(Decisions(areServicesEnabled: nil))
        #expect(try !unreadable.locationServicesEnabled())
        #expect(try Database.inMemory().locationServicesEnabled())
    }

    @Test("are on the disk in both files before a decision is made; one that is refused by either is in neither")
    func atomic() throws {
        let database = try Database(path: path)
        try database.save(DecisionsTests.consent(1))
        #expect(try Decisions(path: second) == Decisions(consents: [DecisionsTests.consent(1)]))
        // Where the new file would be made there is something that is no file.
        mkdir(second + ".new", 0o700)
        #expect(throws: StoreError.self) { try database.save(DecisionsTests.consent(2)) }
        #expect(try database.consents() == [DecisionsTests.consent(1)])
        rmdir(second + ".new")
        try database.setStaySomething()
        #expect(try Decisions(path: second)?.consents == [DecisionsTests.consent(1)])
        try database.save(DecisionsTests.consent(2))
        #expect(try Decisions(path: second)?.consents.count == 2)
        var attributes = stat()
        #expect(stat(second, &attributes) == 0 && attributes.st_mode & 0o777 == 0o600)
    }

    @Test("of a database that can be read are written anew where the second file is damaged, behind or gone")
    func secondFile() throws {
        try fill()
        let whole = try readFile(second)
        for bytes in [nil, [], Array(whole.prefix(90)), Array("nonsense\n".utf8)] as [[UInt8]?] {
            if let bytes { try directory.write(bytes, to: "state.db.decisions") } else { unlink(second) }
            let database = try Database(path: path)
            #expect(try database.consents() == DecisionsTests.expected)
            #expect(try readFile(second) == whole)
            #expect(database.notes.count == (bytes == nil ? 0 : 1) && !database.wasReplaced, "\(database.notes)")
        }
    }

    @Test("are not taken for none where the second file cannot be read and the database is gone, and the file stays")
    func unreadable() throws {
        try fill()
        for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) }
        rename(second, second + ".away")
        // Nobody can read what is no file, not even root.
        for make in [{ mkdir($0, 0o700) }, { mkfifo($0, 0o600) }] as [(String) -> Int32] {
            try #require(make(second) == 0)
            for _ in 0..<2 {
                let error = #expect(throws: StoreError.self) { try Database(path: path) }
                #expect(error?.description.hasPrefix("cannot open \(second)") == true, "\(error?.description ?? "")")
            }
            remove(second)
        }
        rename(second + ".away", second)
        #expect(try Database(path: path).consents() == DecisionsTests.expected)
    }

    @Test("of a database that can be read hold where the second file cannot")
    func unreadableBeside() throws {
        try fill()
        unlink(second)
        mkfifo(second, 0o600)
        #expect(try Database(path: path).consents() == DecisionsTests.expected)
        #expect(try Decisions(path: second)?.consents == DecisionsTests.expected)
    }

    @Test(
        "in a second file with any one byte changed cost at most that line, and allow nobody anything new", .tellsSeed)
    func damagedSecondFile() throws {
        var random = SplitMix64()
        try fill()
        let whole = try readFile(second)
        for offset in whole.indices {
            var bytes = whole
            bytes[offset] ^= UInt8(truncatingIfNeeded: random.next() | 1)
            try directory.write(bytes, to: "other.decisions")
            let read = try #require(try Decisions(path: directory.file("other.decisions")))
            #expect(!read.isWhole, "byte \(offset)")
            #expect(read.consents.count >= DecisionsTests.expected.count - 2, "byte \(offset)")
            #expect(read.consents.allSatisfy { DecisionsTests.expected.contains($0) }, "byte \(offset)")
            #expect(read.areServicesEnabled != true, "byte \(offset)")
        }
    }

    @Test("have names as they are, whatever is in them")
    func names() throws {
        let database = try Database(path: path)
        let names = ["a\tb", "a\nb", "100%", "%41", "é ü", "unit:\\x2d.service", "\u{7F}"]
        for (index, name) in names.enumerated() { try database.save(DecisionsTests.consent(UInt32(index), name: name)) }
        #expect(try Decisions(path: second)?.consents.map(\.name) == names)
        #expect(try Decisions(path: second)?.isWhole == true)
    }

    @Test("of a database of an earlier version, which has none on the side, are put there at once")
    func earlier() throws {
        try fill()
        let connection = try SQLiteConnection(path: path)
        try connection.execute("DELETE FROM meta")
        unlink(second)
        let database = try Database(path: path)
        #expect(database.notes == [] && !database.wasReplaced)
        #expect(try Decisions(path: second)?.consents == DecisionsTests.expected)
    }

    @Test("that are the same again cost no write")
    func unchanged() throws {
        try fill()
        let database = try Database(path: path)
        var (before, after) = (stat(), stat())
        stat(second, &before)
        try database.save(DecisionsTests.consent(4))
        try database.setLocationServicesEnabled(false)
        try database.setLastUse(date(9), uid: 4, name: nil)
        stat(second, &after)
        #expect(before.st_ino == after.st_ino)
    }
}

extension Database {
    fileprivate func setStaySomething() throws { try saveStay([1]) }
}
