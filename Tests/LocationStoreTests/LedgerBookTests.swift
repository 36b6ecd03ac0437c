// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationStore
import LocationTestSupport
import Testing

private func entry(
    _ stretch: Int, _ holder: LedgerEntry.Holder = .app(uid: 1, name: "a"), seconds: Double = 10, locations: UInt64 = 1
) -> LedgerEntry {
    var amounts = LedgerEntry.Amounts()
    (amounts.receiver, amounts.locations) = (.seconds(seconds), locations)
    let start = WallTime(milliseconds: 1_790_000_100_000 + Int64(stretch) * 300_000)
    return LedgerEntry(start: LedgerEntry.start(of: start), holder: holder, amounts: amounts)
}

private func app(_ number: Int, of uid: UInt32) -> LedgerEntry.Holder { .app(uid: uid, name: "app\(number)") }

@Suite("The ledger in memory")
struct LedgerBookTests {
    @Test func `entries of one stretch and holder are one, and are told by stretch, the device first and others last`()
    {
        var book = LedgerBook()
        for entry in [entry(2), entry(0, .others), entry(0), entry(0, .device), entry(0)] { book.add(entry) }
        #expect(
            book.entries() == [entry(0, .device), entry(0, seconds: 20, locations: 2), entry(0, .others), entry(2)])
        #expect(book.entries(from: entry(1).start) == [entry(2)])
        #expect(book.entries(to: entry(1).start, of: .others) == [entry(0, .others)])
    }

    @Test func `a user's apps that are too many count together, and leave others their room`() {
        var book = LedgerBook()
        for number in 0..<100 { book.add(entry(0, app(number, of: 7))) }
        book.add(entry(0, .device, locations: 0))
        for user in 100..<200 as Range<UInt32> { book.add(entry(0, app(0, of: user))) }
        let entries = book.entries()
        #expect(entries.count { if case .app(7, _) = $0.holder { true } else { false } } == 16)
        #expect(entries.count == 66 && entries.last?.holder == .others)
        #expect(entries.reduce(0) { $0 + $1.amounts.locations } == 200)
    }

    @Test func `it holds a day, and no more entries than were said`() {
        var book = LedgerBook()
        for stretch in 0..<300 { book.add(entry(stretch)) }
        #expect(book.entries() == (12..<300).map { entry($0) })
        var small = LedgerBook(stretches: 288, entries: 10)
        for stretch in 0..<20 { small.add(entry(stretch)) }
        #expect(small.entries() == (10..<20).map { entry($0) })
    }

    @Test func `what is forgotten is gone`() {
        var book = LedgerBook()
        for stretch in 0..<3 { book.add(entry(stretch)) }
        book.remove(from: entry(1).start, to: entry(2).start)
        #expect(book.entries() == [entry(0), entry(2)])
        book.remove()
        #expect(book.isEmpty)
    }
}

@Suite("The ledger in the history file")
struct LedgerFileTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("history.sqlite")
    }

    private func file() throws -> HistoryFile { try HistoryFile(path: path, startingAfter: 0) }

    private func all(_ file: HistoryFile, of holder: LedgerEntry.Holder? = nil) throws -> [LedgerEntry] {
        try file.ledger(from: nil, to: nil, of: holder, limit: 10_000)
    }

    @Test func `entries are added to what is kept, and are there after a restart`() throws {
        do {
            let file = try file()
            try file.append([entry(0), entry(0, .device), entry(1, .others)], size: .max)
            try file.append([entry(0, seconds: 5, locations: 2)], size: .max)
        }
        let file = try file()
        #expect(try all(file) == [entry(0, .device), entry(0, seconds: 15, locations: 3), entry(1, .others)])
        #expect(try all(file, of: .device) == [entry(0, .device)])
        #expect(try file.ledger(from: entry(1).start, to: nil, of: nil, limit: 1) == [entry(1, .others)])
        #expect(try file.ledger(from: nil, to: entry(1).start, of: nil, limit: 1) == [entry(0, .device)])
    }

    @Test func `a stretch has no more apps in the file than in memory, however it is written`() throws {
        let file = try file()
        for number in 0..<100 { try file.append([entry(0, app(number, of: 7))], size: .max) }
        try file.append([entry(0, app(3, of: 7))], size: .max)
        let entries = try all(file)
        #expect(entries.count == 17 && entries.reduce(0) { $0 + $1.amounts.locations } == 101)
    }

    @Test func `the oldest goes when it takes more than its share of the file, or is too old`() throws {
        let file = try file()
        for stretch in 0..<100 { try file.append([entry(stretch)], size: 16 * 128 * 40) }
        let kept = try all(file)
        #expect((25...40).contains(kept.count) && kept.last == entry(99))
        let limits = HistoryFile.Limits(oldest: entry(95).start)
        while try file.dropSome(limits) {}
        #expect(try all(file) == (95..<100).map { entry($0) })
    }

    @Test func `what is forgotten is gone, with the stretch into which it reaches`() throws {
        let file = try file()
        try file.append((0..<4).map { entry($0) } + [entry(3, .device)], size: .max)
        let middle = WallTime(milliseconds: entry(1).start.milliseconds + 1)
        #expect(try !file.forget(from: middle, to: entry(2).start).isPart)
        #expect(try all(file) == [entry(0), entry(2), entry(3, .device), entry(3)])
    }
}
