// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Glibc
import LocationModel
import LocationStore
import LocationTestSupport
import Testing

/// A fix as the wire tells it, which is how history keeps it: no number has more places than that.
func keptEntry(_ sequence: UInt64, at date: Int64? = nil) -> LogEntry {
    func known(_ bit: UInt64, _ value: Double) -> Double? { sequence >> bit & 1 == 0 ? value : nil }
    let step = Double(sequence % 7_919)
    return LogEntry(
        location: Location(
            coordinate: Coordinate(
                latitude: Double(45_000_000_000 + Int64(sequence) * 9_137 + Int64(sequence &* 2_654_435_761 % 50_000))
                    / 1e9,
                longitude: Double(-179_999_999_999 + Int64(sequence) * 12_345) / 1e9),
            horizontalAccuracy: Double(3_001 + sequence % 700) / 1e3,
            timestamp: WallTime(milliseconds: date ?? 1_790_000_000_000 + Int64(sequence) * 1000), sequence: sequence,
            altitude: known(0, Double(Int64(sequence % 9000) - 400) / 1e3), ellipsoidalAltitude: known(1, step / 1e3),
            verticalAccuracy: known(2, (step + 1) / 1e3), speed: known(3, step / 1e3),
            speedAccuracy: known(4, (step + 2) / 1e3), course: known(5, Double(sequence * 7_001 % 360_000) / 1e3),
            courseAccuracy: known(6, (step + 3) / 1e3), isSimulatedBySoftware: sequence % 5 == 0,
            kind: LocationKind.allCases[Int(sequence / 50 % 7)]), odometer: 0,
        flags: sequence % 10 == 0 ? 1 : 0)
}

/// All that a file tells of a stretch, page by page of so many.
func pages(
    _ file: HistoryFile, _ stretch: HistoryFile.Stretch = HistoryFile.Stretch(), of size: Int = 100
) throws -> (entries: [LogEntry], gaps: [UInt64], damaged: Int) {
    var (entries, gaps, damaged): ([LogEntry], [UInt64], Int) = ([], [], 0)
    var (stretch, hasMore) = (stretch, true)
    while hasMore {
        var page: [LogEntry] = []
        let walk = try file.walk(stretch) { entry in
            guard page.count < size else { return false }
            page.append(entry)
            return true
        }
        if walk.hasGap { gaps.append(page.first?.location.sequence ?? 0) }
        damaged += walk.damaged
        entries += page
        #expect(!walk.hasMore || walk.last > stretch.after ?? 0, "every page comes further")
        (stretch.after, hasMore) = (walk.last, walk.hasMore)
    }
    return (entries, gaps, damaged)
}

@Suite("The history file")
struct HistoryFileTests {
    private let directory: TemporaryDirectory
    private let path: String
    private static let always = HistoryFile.Limits()

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("history.sqlite")
    }

    private func open(after cursor: UInt64 = 0) throws -> HistoryFile {
        try HistoryFile(path: path, startingAfter: cursor)
    }

    private func filled(_ sequences: ClosedRange<UInt64>) throws -> HistoryFile {
        let file = try open(after: sequences.lowerBound - 1)
        try file.append(sequences.map { keptEntry($0) }, HistoryFileTests.always)
        return file
    }

    private func bytes() throws -> [UInt8] {
        try ["", "-wal"].flatMap { try fileExists(path + $0) == true ? Array(readFile(path + $0)) : [] }
    }

    @Test("every field comes back as the wire tells it, unknown ones as unknown, in this process and in the next")
    func fields() throws {
        let expected = (1...1500).map { keptEntry($0) }
        do {
            let file = try filled(1...1500)
            #expect(try pages(file).entries == expected)
        }
        #expect(try pages(try open()).entries == expected)
    }

    @Test("batches of any size become the same history, and pages of any size tell all of it once", arguments: 1...6)
    func batches(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        var next: UInt64 = 1
        var file = try open()
        while next < 3000 {
            let size = UInt64.random(in: 1...700, using: &random)
            try file.append((next..<next + size).map { keptEntry($0) }, HistoryFileTests.always)
            next += size
            if Bool.random(using: &random) { file = try open() }
        }
        #expect(file.cursor == next - 1 && file.totals.fixes == next - 1)
        for size in [1, 3, 511, 512, 513, 5000] where size > 1 || seed == 1 {
            let told = try pages(file, of: size)
            #expect(told.entries == (1..<next).map { keptEntry($0) } && told.gaps == [])
        }
    }

    @Test("extreme places, dates and numbers come back")
    func extremes() throws {
        let places = [(90.0, 180.0), (-90, -180), (0, 0), (-0.000000001, 179.999999999)]
        var entries: [LogEntry] = []
        for (index, place) in places.enumerated() {
            entries.append(
                LogEntry(
                    location: Location(
                        coordinate: Coordinate(latitude: place.0, longitude: place.1), horizontalAccuracy: 0.001,
                        timestamp: WallTime(milliseconds: index % 2 == 0 ? 253_402_300_799_999 : -62_135_596_800_000),
                        sequence: Location.greatestSequence - 10 + UInt64(index), altitude: -1e9, speed: 0,
                        course: 359.999), odometer: 0, flags: 0))
        }
        let file = try open()
        try file.append(entries, HistoryFileTests.always)
        #expect(try pages(file).entries == entries)
    }

    @Test("a stretch by dates and behind a number holds what is meant and nothing else")
    func stretches() throws {
        let file = try filled(1...2000)
        func date(_ sequence: UInt64) -> WallTime { keptEntry(sequence).location.timestamp }
        func told(_ stretch: HistoryFile.Stretch) throws -> [UInt64] {
            try pages(file, stretch).entries.map(\.location.sequence)
        }
        #expect(try told(.init(from: date(700), to: date(1300))) == Array(700..<1300))
        #expect(try told(.init(after: 1000, from: date(700), to: date(1300))) == Array(1001..<1300))
        #expect(try told(.init(from: date(2000))) == [2000])
        #expect(try told(.init(to: date(1))) == [])
        #expect(try told(.init(after: 2000)) == [])
        #expect(try told(.init(marks: 1)) == Array(stride(from: 10, through: 2000, by: 10)))
    }

    @Test("a clock that was set back hides nothing: dates are searched in every block")
    func disorder() throws {
        let file = try open()
        let entries = (1...1200).map { keptEntry(UInt64($0), at: $0 <= 600 ? 9_000_000 + Int64($0) : Int64($0)) }
        try file.append(entries, HistoryFileTests.always)
        let found = try pages(file, .init(from: WallTime(milliseconds: 601), to: WallTime(milliseconds: 1000)))
        #expect(found.entries == Array(entries[600..<999]))
    }

    @Test("whoever reads on where fixes are missing learns of the gap, once")
    func gaps() throws {
        let file = try open(after: 5)
        try file.append((6...20).map { keptEntry($0) } + (31...40).map { keptEntry($0) }, HistoryFileTests.always)
        try file.append((50...60).map { keptEntry($0) }, HistoryFileTests.always)
        #expect(try pages(file, .init(after: 0)).gaps == [6, 31, 50])
        #expect(try pages(file).gaps == [31, 50], "from the beginning nothing is missing before it")
        #expect(try pages(file, .init(after: 20)).gaps == [31, 50])
        #expect(try pages(file, .init(after: 33)).gaps == [50])
        #expect(try pages(file, .init(after: 60)).gaps == [])
    }

    @Test("what is too old is dropped, some at each write, and that is a gap")
    func age() throws {
        let file = try filled(1...5000)
        let limit = HistoryFile.Limits(oldest: keptEntry(3000).location.timestamp)
        try file.append([keptEntry(5001)], limit)
        let told = try pages(file, .init(after: 100))
        // A block goes as a whole.
        let first = try #require(told.entries.first?.location.sequence)
        #expect((2400...3000).contains(first) && told.gaps == [first])
        #expect(file.totals.fixes == UInt64(told.entries.count))
    }

    @Test("a file does not grow over its size: the oldest go")
    func size() throws {
        let file = try open()
        let limit = HistoryFile.Limits(size: 1 << 20)
        for start in stride(from: UInt64(1), to: 100_000, by: 2000) {
            try file.append((start..<start + 2000).map { keptEntry($0) }, limit)
        }
        #expect(try file.size <= 1 << 20)
        let told = try pages(file, of: 1000).entries.map(\.location.sequence)
        #expect(told.last == 100_000 && told.count > 10_000)
        #expect(told == Array((told.first ?? 0)...100_000))
    }

    @Test("what is forgotten by time is gone from the file and its log, and leaves a gap")
    func forgetting() throws {
        let file = try filled(1...3000)
        // The bytes of blocks in the middle, as they lie in the file: what forgets must not leave them anywhere.
        let before = try bytes()
        let date = { (sequence: UInt64) in keptEntry(sequence).location.timestamp }
        var total: UInt64 = 0
        var isPart = true
        while isPart {
            let forgotten = try file.forget(from: date(500), to: date(2500))
            total += forgotten.fixes
            isPart = forgotten.isPart
        }
        #expect(total == 2000)
        let told = try pages(file, .init(after: 1))
        #expect(told.entries.map(\.location.sequence) == Array(2..<500) + Array(2500...3000))
        #expect(told.gaps == [2500])
        #expect(file.totals.fixes == 1000)
        let after = try bytes()
        let pieces = stride(from: 0, to: before.count - 64, by: 64).map { Array(before[$0..<$0 + 64]) }
            .filter { Set($0).count > 24 }
        let left = Set(stride(from: 0, to: after.count - 64, by: 64).map { Array(after[$0..<$0 + 64]) })
        let remaining = pieces.count { left.contains($0) }
        #expect(pieces.count > 400 && remaining < pieces.count / 2, "\(remaining) of \(pieces.count)")
    }

    @Test("forgetting ends where many blocks reach over the dates and hold none of them, and passes them by")
    func forgettingInDisorder() throws {
        let file = try open()
        let count: UInt64 = 40 * 512
        // The clock jumps to and fro: every block has fixes from before and from after the dates.
        try file.append((1...count).map { keptEntry($0, at: $0 % 2 == 0 ? 1000 : 9000) }, HistoryFileTests.always)
        try file.append([keptEntry(count + 1, at: 4500)], HistoryFileTests.always)
        let dates = (from: WallTime(milliseconds: 4000), to: WallTime(milliseconds: 5000))
        let forgotten = try file.forget(from: dates.from, to: dates.to)
        #expect(forgotten.fixes == 1 && !forgotten.isPart)
        #expect(try file.forget(from: dates.from, to: dates.to) == HistoryFile.Forgotten())
        #expect(file.totals.fixes == count)
    }

    @Test("a page of events is full by what was read, also where some of it cannot be read")
    func unreadableEvents() throws {
        let app = HistoryApp(uid: 7, name: nil)
        do {
            let file = try open()
            for number in 1...5 as ClosedRange<UInt64> {
                try file.append(
                    AppEvent(
                        number: number, date: WallTime(milliseconds: Int64(number)),
                        content: .monitor(
                            name: "m", identifier: "\(number)",
                            ConditionEvent(state: .satisfied, date: WallTime(milliseconds: 0)))),
                    of: app, label: nil)
            }
        }
        var database: OpaquePointer?
        #expect(sqlite3_open(path, &database) == SQLITE_OK)
        let damage = "UPDATE events SET kind = 'torn' WHERE record = 2"
        #expect(sqlite3_exec(database, damage, nil, nil, nil) == SQLITE_OK)
        sqlite3_close_v2(database)
        let file = try open()
        let first = try file.events(of: app, after: 0, from: nil, to: nil, limit: 2)
        #expect(first.events.map(\.record) == [1] && first.last == 2 && first.isFull)
        let rest = try file.events(of: app, after: 2, from: nil, to: nil, limit: 4)
        #expect(rest.events.map(\.record) == [3, 4, 5] && rest.last == 5 && !rest.isFull)
    }

    @Test("what was set aside goes with the file when everything is forgotten")
    func removal() throws {
        try directory.write("this is no database, but somebody's diary\n", to: "history.sqlite")
        let aside = try { try open().notes.count }()
        try directory.write("more of it\n", to: "history.sqlite.corrupt-1-wal")
        #expect(aside == 1 && access(path + ".corrupt-1", F_OK) == 0)
        try HistoryFile.remove(path)
        for suffix in ["", "-wal", "-shm", ".corrupt-1", ".corrupt-1-wal"] {
            #expect(access(path + suffix, F_OK) != 0, "\(suffix)")
        }
    }

    @Test("what an app was told is told again, oldest first, and is gone from the file when it is forgotten")
    func events() throws {
        let file = try open()
        let (mine, other) = (HistoryApp(uid: 7, name: "app:maps"), HistoryApp(uid: 7, name: nil))
        for number in 1...5 as ClosedRange<UInt64> {
            let event = AppEvent(
                number: number, date: WallTime(milliseconds: Int64(number) * 1000),
                content: .monitor(
                    name: "a very secret place", identifier: "\(number)",
                    ConditionEvent(state: .satisfied, date: WallTime(milliseconds: 0))))
            try file.append(event, of: number == 3 ? other : mine, label: number == 1 ? "first" : nil)
        }
        let told = try file.events(of: mine, after: 0, from: nil, to: nil, limit: 3)
        #expect(told.events.map(\.event.number) == [1, 2, 4] && told.events.map(\.label) == ["first", nil, nil])
        #expect(try file.events(of: mine, after: told.last ?? 0, from: nil, to: nil, limit: 3).events.count == 1)
        let from = WallTime(milliseconds: 2000)
        #expect(
            try file.events(of: mine, after: 0, from: from, to: WallTime(milliseconds: 5000), limit: 9).events
                .map(\.event.number) == [2, 4])
        #expect(try bytes().contains(Array("a very secret place".utf8)))
        try file.forgetEvents(of: mine, label: "first")
        #expect(try file.events(of: mine, after: 0, from: nil, to: nil, limit: 9).events.count == 3)
        #expect(try file.forget(from: from, to: nil).events == 4)
        #expect(try !bytes().contains(Array("a very secret place".utf8)))
    }

    @Test("a bit that flips costs its block only, and is a gap")
    func damage() throws {
        do { _ = try filled(1...2000) }
        var database: OpaquePointer?
        #expect(sqlite3_open(path, &database) == SQLITE_OK)
        let damage =
            "UPDATE fixes SET content = CAST(substr(content, 1, 200) || x'FF' || substr(content, 202) AS BLOB) WHERE first = 513"
        #expect(sqlite3_exec(database, damage, nil, nil, nil) == SQLITE_OK)
        sqlite3_close_v2(database)
        let told = try pages(try open(), .init(after: 1))
        #expect(told.entries.map(\.location.sequence) == Array(2...512) + Array(1025...2000))
        #expect(told.damaged == 1 && told.gaps.contains(1025))
    }

    @Test("a file of another program is set aside, and nothing of it is lost")
    func foreign() throws {
        try directory.write("this is no database, but somebody's diary\n", to: "history.sqlite")
        let file = try open(after: 9)
        #expect(file.notes.count == 1 && file.notes[0].contains("history.sqlite.corrupt-1"))
        #expect(file.cursor == 9)
        #expect(try String(decoding: readFile(path + ".corrupt-1"), as: UTF8.self).contains("diary"))
    }

    @Test("a full disk takes nothing away, and it goes on when there is room")
    func fullDisk() throws {
        try withSmallFileSystem(kilobytes: 600) { disk in
            let file = try HistoryFile(path: "\(disk)/history.sqlite", startingAfter: 0)
            try file.append((1...300).map { keptEntry($0) }, HistoryFileTests.always)
            fillFileSystem(with: "\(disk)/filler")
            var next: UInt64 = 301
            var failure: StoreError?
            while failure == nil, next < 50_000 {
                do throws(StoreError) {
                    try file.append((next..<next + 300).map { keptEntry($0) }, HistoryFileTests.always)
                    next += 300
                } catch {
                    failure = error
                }
            }
            #expect(failure?.description.hasPrefix("cannot ") == true && failure?.isDamage == false)
            #expect(file.cursor == next - 1)
            unlink("\(disk)/filler")
            try file.append((next..<next + 300).map { keptEntry($0) }, HistoryFileTests.always)
            #expect(try pages(file).entries == (1..<next + 300).map { keptEntry($0) })
        }
    }
}
