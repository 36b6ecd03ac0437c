// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Glibc
import LocationModel
import LocationStore
import LocationTestSupport
import Testing

/// What happens to a history though nothing is appended: it ages, keeps its shares, and is saved when it is damaged.
@Suite("The upkeep of the history file")
struct HistoryUpkeepTests {
    private let directory: TemporaryDirectory
    private let path: String
    private static let always = HistoryFile.Limits()

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("history.sqlite")
    }

    private func filled(_ sequences: ClosedRange<UInt64>, marks: ClosedRange<UInt64>? = nil) throws -> HistoryFile {
        let file = try HistoryFile(path: path, startingAfter: sequences.lowerBound - 1)
        let entries = sequences.map { sequence in
            var entry = keptEntry(sequence)
            if let marks { entry.flags = marks.contains(sequence) ? 1 : 0 }
            return entry
        }
        try file.append(entries, HistoryUpkeepTests.always)
        return file
    }

    private func visit(_ number: UInt64) -> AppEvent {
        let visit = Visit(
            coordinate: Coordinate(latitude: 45, longitude: -30), horizontalAccuracy: 10,
            arrival: WallTime(milliseconds: Int64(number) * 1000), departure: nil)
        return AppEvent(number: number, date: WallTime(milliseconds: Int64(number) * 1000), content: .visit(visit))
    }

    private func records(_ file: HistoryFile, of app: HistoryApp) throws -> [UInt64] {
        var (records, more): ([UInt64], Bool) = ([], true)
        while more {
            let page = try file.events(of: app, after: records.last ?? 0, from: nil, to: nil, limit: 1000)
            records += page.events.map(\.record)
            more = page.isFull
        }
        return records
    }

    // MARK: Age

    @Test("what is too old goes although nothing is appended, some each time")
    func age() throws {
        let file = try filled(1...20_000)
        let limit = HistoryFile.Limits(oldest: keptEntry(19_000).location.timestamp)
        var times = 0
        while try file.dropSome(limit) { times += 1 }
        #expect(times > 1)
        let told = try pages(file).entries.map(\.location.sequence)
        let first = try #require(told.first)
        #expect((18_400...19_000).contains(first) && told == Array(first...20_000))
        #expect(file.totals.fixes == UInt64(told.count))
        #expect(try pages(file, .init(after: 100)).gaps == [first])
    }

    @Test("nothing is written where nothing is too old")
    func young() throws {
        let file = try filled(1...2000)
        let before = try readFile(path + "-wal")
        #expect(try !file.dropSome(.init(oldest: keptEntry(1).location.timestamp, size: 1 << 30)))
        #expect(try readFile(path + "-wal") == before)
    }

    @Test("who reads the reduced view over what was dropped learns of it, though no block beside the gap has that view")
    func gapsOfTheReducedView() throws {
        let file = try filled(1...4096, marks: 3600...3700)
        let limit = HistoryFile.Limits(oldest: keptEntry(1025).location.timestamp)
        #expect(try file.dropSome(limit))
        let told = try pages(file, .init(after: 1, marks: 1))
        #expect(told.entries.map(\.location.sequence) == Array(3600...3700))
        #expect(told.gaps == [3600])
        #expect(try pages(file, .init(after: 3650, marks: 1)).gaps == [])
        let nothing = try pages(file, .init(after: 1, to: keptEntry(3000).location.timestamp, marks: 1))
        #expect(nothing.entries.isEmpty)
    }

    // MARK: Shares

    @Test("the events of one app push out their own oldest, and neither fixes nor what others have")
    func shares() throws {
        let file = try filled(1...5000)
        let (loud, quiet) = (HistoryApp(uid: 1, name: "loud"), HistoryApp(uid: 2, name: nil))
        let size = 1 << 20
        for number in 1...10 as ClosedRange<UInt64> {
            try file.append(visit(number), of: quiet, label: nil, size: size)
        }
        for number in 1...5000 as ClosedRange<UInt64> {
            try file.append(visit(number), of: loud, label: nil, size: size)
        }
        let (kept, others) = (try records(file, of: loud), try records(file, of: quiet))
        #expect(others.count == 10)
        #expect((200...700).contains(kept.count), "\(kept.count)")
        #expect(kept == Array((kept.first ?? 0)...5010), "the newest")
        #expect(file.totals.events == UInt64(kept.count + others.count))
        try file.append([keptEntry(5001)], HistoryFile.Limits(size: size))
        #expect(file.totals.fixes == 5001)
    }

    @Test("many apps together have no more than the share of events, and who has most gives")
    func manyApps() throws {
        let file = try HistoryFile(path: path, startingAfter: 0)
        for number in 1...600 as ClosedRange<UInt64> {
            for uid in 1...12 as ClosedRange<UInt32> {
                try file.append(visit(number), of: HistoryApp(uid: uid, name: nil), label: nil, size: 1 << 20)
            }
        }
        let counts = try (1...12 as ClosedRange<UInt32>).map {
            try records(file, of: HistoryApp(uid: $0, name: nil)).count
        }
        #expect(counts.reduce(0, +) < 2100 && counts.allSatisfy { $0 > 50 }, "\(counts)")
        #expect(file.totals.events == UInt64(counts.reduce(0, +)))
    }

    // MARK: Damage

    private func run(_ sql: String) {
        var database: OpaquePointer?
        #expect(sqlite3_open(path, &database) == SQLITE_OK)
        #expect(sqlite3_exec(database, sql, nil, nil, nil) == SQLITE_OK)
        sqlite3_close_v2(database)
    }

    /// Writes over pages in the middle of the file.
    private func tear(_ pages: Range<Int>) throws {
        run("PRAGMA wal_checkpoint(TRUNCATE)")
        let fd = open(path, O_WRONLY)
        defer { close(fd) }
        let noise = [UInt8](repeating: 0xA5, count: 4096)
        for page in pages { #expect(pwrite(fd, noise, noise.count, off_t(page * 4096)) == noise.count) }
    }

    private let damage = StoreError("cannot use the history: torn", isDamage: true)

    @Test("what can be read of a damaged file is saved into the one in its place, and a restart goes on saving")
    func salvage() throws {
        let app = HistoryApp(uid: 1, name: "walker")
        do {
            let file = try filled(1...30_000)
            for number in 1...50 as ClosedRange<UInt64> { try file.append(visit(number), of: app, label: nil) }
        }
        try tear(60..<62)
        var file = try HistoryFile(path: path, startingAfter: 30_000, damage: damage)
        #expect(file.notes.count == 1)
        try file.append((30_001...30_010).map { keptEntry($0) }, HistoryUpkeepTests.always)
        let first = try #require(try HistorySalvage(into: file))
        for _ in 0..<3 { #expect(try first.goOn()) }
        file = try HistoryFile(path: path, startingAfter: 30_010)
        let salvage = try #require(try HistorySalvage(into: file))
        while try salvage.goOn() {}
        #expect(salvage.isPartial)
        #expect(access(path + ".corrupt-1", F_OK) == 0, "somebody may read more of it")
        let told = try pages(file)
        let sequences = told.entries.map(\.location.sequence)
        #expect(sequences.count > 20_000 && sequences.count < 30_010, "\(sequences.count)")
        #expect(told.entries == sequences.map { keptEntry($0) })
        #expect(Set(sequences).isSuperset(of: 29_000...30_010))
        // A gap stands where fixes are missing and nowhere else.
        let missing = zip(sequences, sequences.dropFirst()).filter { $0 + 1 != $1 }.map(\.1)
        #expect(told.gaps == missing && !missing.isEmpty)
        #expect(file.totals.fixes == UInt64(sequences.count))
        #expect(try records(file, of: app).count == 50)
        try file.append(visit(51), of: app, label: nil)
        #expect(try #require(records(file, of: app).last) > 1_000_000, "no number is given twice")
        #expect(try HistorySalvage(into: HistoryFile(path: path, startingAfter: 30_010)) == nil)
    }

    /// A new file in place of a damaged one, which had 20,000 fixes, an event of one app and one of another.
    private func replaced(_ app: HistoryApp, _ other: HistoryApp) throws -> HistoryFile {
        do {
            let file = try filled(1...20_000)
            try file.append(visit(1), of: app, label: nil)
            try file.append(visit(2), of: other, label: nil)
        }
        return try HistoryFile(path: path, startingAfter: 20_000, damage: damage)
    }

    @Test("events that are forgotten while a damaged file is saved do not come back, over restarts, too")
    func forgettingMeanwhile() throws {
        let (app, other) = (HistoryApp(uid: 1, name: "walker"), HistoryApp(uid: 2, name: nil))
        var file = try replaced(app, other)
        #expect(file.pendingSalvage == path + ".corrupt-1")
        let first = try #require(try HistorySalvage(into: file))
        #expect(try first.goOn())
        try first.saveAllEvents()
        #expect(try file.forgetEvents(of: app, label: nil) == 1)
        file = try HistoryFile(path: path, startingAfter: 20_000)
        #expect(file.pendingSalvage == path + ".corrupt-1")
        let salvage = try #require(try HistorySalvage(into: file))
        while try salvage.goOn() {}
        #expect(file.pendingSalvage == nil && file.totals.fixes == 20_000)
        #expect(try records(file, of: app).isEmpty)
        #expect(try records(file, of: other) == [2])
    }

    @Test("who opens a file anew for each piece of what is saved comes to the end, too")
    func savingPieceByPiece() throws {
        var file = try replaced(HistoryApp(uid: 1, name: nil), HistoryApp(uid: 2, name: nil))
        var pieces = 0
        while pieces < 100, let salvage = try HistorySalvage(into: file), try salvage.goOn() {
            pieces += 1
            file = try HistoryFile(path: path, startingAfter: 20_000)
        }
        #expect((3..<20).contains(pieces) && file.pendingSalvage == nil)
        #expect(file.totals.fixes == 20_000 && file.totals.events == 2)
    }

    @Test("a damaged file of which all is saved goes with its companions, and nothing else does")
    func savedWhole() throws {
        let file = try replaced(HistoryApp(uid: 1, name: nil), HistoryApp(uid: 2, name: nil))
        try directory.write("somebody's way\n", to: "history.sqlite.corrupt-2")
        let salvage = try #require(try HistorySalvage(into: file))
        while try salvage.goOn() {
            #expect(access(path + ".corrupt-1", F_OK) == 0)
        }
        #expect(!salvage.isPartial && file.totals.fixes == 20_000)
        for suffix in ["", "-wal", "-shm"] { #expect(access(path + ".corrupt-1" + suffix, F_OK) != 0, "\(suffix)") }
        #expect(access(path + ".corrupt-2", F_OK) == 0)
    }

    @Test("damaged files that were set aside age by their dates, but for one that is still to be saved")
    func damagedFiles() throws {
        let file = try replaced(HistoryApp(uid: 1, name: nil), HistoryApp(uid: 2, name: nil))
        for name in ["corrupt-2", "corrupt-2-wal", "corrupt-3"] {
            try directory.write("somebody's way\n", to: "history.sqlite.\(name)")
        }
        func left() -> [Int] { (1...3).filter { access("\(path).corrupt-\($0)", F_OK) == 0 } }
        for number in [1, 2] {
            let times = [timeval(tv_sec: 1000, tv_usec: 0), timeval(tv_sec: 1000, tv_usec: 0)]
            #expect(utimes("\(path).corrupt-\(number)", times) == 0)
        }
        try file.removeDamaged(before: WallTime(milliseconds: 1_000_000))
        #expect(left() == [1, 2, 3], "none is older")
        try file.removeDamaged(before: WallTime(milliseconds: 1_001_000))
        #expect(left() == [1, 3] && access(path + ".corrupt-2-wal", F_OK) != 0)
        try file.removeDamaged()
        #expect(left() == [1])
    }

    @Test("what another program keeps from being saved is saved when it is tried again, all of it")
    func savingAgain() throws {
        let file = try replaced(HistoryApp(uid: 1, name: nil), HistoryApp(uid: 2, name: nil))
        let salvage = try #require(try HistorySalvage(into: file))
        var database: OpaquePointer?
        #expect(sqlite3_open(path, &database) == SQLITE_OK)
        #expect(sqlite3_exec(database, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
        #expect(throws: StoreError.self) { try salvage.goOn() }
        #expect(file.pendingSalvage != nil && salvage.fixes == 0)
        sqlite3_close_v2(database)
        while try salvage.goOn() {}
        #expect(file.totals.fixes == 20_000 && salvage.fixes == 20_000 && !salvage.isPartial)
    }

    @Test("a damaged file is saved though nobody tells how far it went, neither the log nor its own table")
    func withoutLog() throws {
        _ = try filled(1...1_000)
        run("DELETE FROM state")
        let file = try HistoryFile(path: path, startingAfter: 0)
        #expect(file.notes.count == 1 && file.cursor == 1_000)
        let salvage = try #require(try HistorySalvage(into: file))
        while try salvage.goOn() {}
        #expect(file.totals.fixes == 1_000 && !salvage.isPartial)
        #expect(access(path + ".corrupt-1", F_OK) != 0)
        #expect(try !file.walk(HistoryFile.Stretch(after: 0)) { _ in true }.hasGap, "nothing is lost")
        try file.append([keptEntry(16_384)], HistoryUpkeepTests.always)
        #expect(try pages(file).gaps == [16_384])
    }

    @Test("a gap that a damaged file had stands in what is saved of it, at its beginning, too")
    func gapsBefore() throws {
        do {
            let file = try filled(1...1_000)
            // The first block is dropped, and between 1,000 and 1,501 nothing was kept.
            var limits = HistoryUpkeepTests.always
            limits.oldest = keptEntry(513).location.timestamp
            try file.append((1_501...2_000).map { keptEntry($0) }, limits)
            #expect(try file.oldestSequence == 513)
        }
        let file = try HistoryFile(path: path, startingAfter: 0, damage: damage)
        let salvage = try #require(try HistorySalvage(into: file))
        while try salvage.goOn() {}
        #expect(try file.walk(HistoryFile.Stretch(after: 0)) { _ in true }.hasGap)
        #expect(try pages(file).gaps == [1_501])
    }

    @Test("a history of a later version is saved as far as this one knows it, and stays")
    func laterVersion() throws {
        _ = try filled(1...1_000)
        run("CREATE TABLE steps (n INTEGER); PRAGMA user_version = 99")
        let file = try HistoryFile(path: path, startingAfter: 0)
        let salvage = try #require(try HistorySalvage(into: file))
        while try salvage.goOn() {}
        #expect(salvage.isOfLaterVersion && file.totals.fixes == 1_000)
        #expect(access(path + ".corrupt-1", F_OK) == 0)
    }

    @Test("a history whose version says less than its tables is set aside and saved", arguments: [-1, 0, 1, 2])
    func lowVersion(version: Int) throws {
        _ = try filled(1...1_000)
        run("PRAGMA user_version = \(version)")
        let file = try HistoryFile(path: path, startingAfter: 0)
        let note = try #require(file.notes.first)
        #expect(note.contains("aside as \(path).corrupt-1: it has version \(version), "), "\(note)")
        let salvage = try #require(try HistorySalvage(into: file))
        while try salvage.goOn() {}
        #expect(!salvage.isOfLaterVersion && file.totals.fixes == 1_000)
        #expect(try HistoryFile(path: path, startingAfter: 0).notes == [])
    }

    @Test("of a file that is no database nothing is saved, and that ends")
    func foreign() throws {
        try directory.write("this is no database, but somebody's diary\n", to: "history.sqlite")
        let file = try HistoryFile(path: path, startingAfter: 9, rebuilt: 4)
        #expect(file.cursor == 4, "the log has more, which is written again")
        let salvage = try #require(try HistorySalvage(into: file))
        while try salvage.goOn() {}
        #expect(salvage.fixes == 0 && salvage.isPartial)
    }

    @Test("a history of the first version is brought up to date, with what its events take")
    func earlierVersion() throws {
        let app = HistoryApp(uid: 1, name: nil)
        do {
            let file = try filled(1...600)
            for number in 1...20 as ClosedRange<UInt64> { try file.append(visit(number), of: app, label: nil) }
        }
        run(
            """
            DROP TABLE ledger; ALTER TABLE state DROP COLUMN ledger_rows; DROP TRIGGER event_comes; DROP TRIGGER event_goes; DROP TABLE event_sizes; DROP INDEX gaps;
            ALTER TABLE state DROP COLUMN salvage; ALTER TABLE state DROP COLUMN salvaged_fixes;
            ALTER TABLE state DROP COLUMN salvaged_events; PRAGMA user_version = 1
            """)
        let file = try HistoryFile(path: path, startingAfter: 600)
        #expect(file.notes.isEmpty && file.totals.fixes == 600)
        try file.append(visit(21), of: app, label: nil, size: 4 * 4 * 1000)
        #expect(try records(file, of: app).count < 10)
    }
}
