// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationStore
import LocationTestSupport
import Testing

@Suite("The log of fixes")
struct FixLogTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("fixes.ring")
    }

    @Test("an empty log has no fixes and no numbers")
    func empty() throws {
        let log = try FixLog(path: path, capacity: 16)
        #expect(log.count == 0 && log.newest == 0 && log.oldest == 0)
        #expect(log.entry(sequence: 0) == nil && log.next(after: 0) == nil)
        #expect(log.notes == [])
    }

    @Test("every field of a fix comes back, unknown ones as unknown, in this process and in the next")
    func fields() throws {
        // All combinations of the seven optional fields.
        let numbers = Array<UInt64>(1...128)
        try withLog(capacity: 128) { log in
            fill(log, numbers)
            for number in numbers { #expect(log.entry(sequence: number) == entry(number)) }
        }
        try withLog(capacity: 128) { log in
            for number in numbers { #expect(log.entry(sequence: number) == entry(number)) }
        }
    }

    @Test("a full log keeps the newest fixes", arguments: [15, 16, 17, 31, 32, 33, 100])
    func overwriting(appended: UInt64) throws {
        let kept = Array((1...appended).suffix(16))
        try withLog { log in
            fill(log, 1...appended)
            #expect(sequences(log) == kept)
            #expect(log.oldest == kept.first && log.newest == kept.last && log.count == kept.count)
        }
        try withLog { log in #expect(sequences(log) == kept) }
    }

    @Test("a number that does not grow is refused and changes nothing")
    func growing() throws {
        let log = try FixLog.inMemory(capacity: 16)
        #expect(log.append(entry(5)))
        #expect(!log.append(entry(5)) && !log.append(entry(4)) && !log.append(entry(0)))
        #expect(sequences(log) == [5])
    }

    @Test("fixes are found whatever numbers were skipped, as a plain search finds them", .tellsSeed)
    func searching() throws {
        var random = SplitMix64()
        for _ in 0..<40 {
            let log = try FixLog.inMemory(capacity: 16 + Int(random.next() % 20))
            var number: UInt64 = 0
            var all: [UInt64] = []
            for _ in 0..<Int(random.next() % 80) {
                number += random.chance(0.2) ? 1 + random.next() % 9 : 1
                all.append(number)
                log.append(entry(number))
            }
            let held = Array(all.suffix(log.capacity))
            for asked in 0...number + 3 {
                let following = held.first { $0 > asked }
                #expect(log.next(after: asked) == following.map(entry))
                #expect(log.entry(sequence: asked) == (held.contains(asked) ? entry(asked) : nil))
            }
            #expect(log.next(after: .max) == nil)
        }
    }

    @Test("another capacity keeps the newest fixes that fit", arguments: [16, 20, 40, 64])
    func resizing(capacity: Int) throws {
        try withLog(capacity: 40) { log in fill(log, (1...70).filter { $0 % 5 != 0 }) }
        let before = try withLog(capacity: 40) { log in sequences(log) }
        #expect(before.count == 40)
        try withLog(capacity: capacity) { log in
            #expect(log.capacity == capacity && log.notes == [])
            #expect(sequences(log) == before.suffix(capacity))
            log.append(entry(71))
            #expect(log.newest == 71)
        }
        try withLog(capacity: capacity) { log in #expect(sequences(log) == (before + [71]).suffix(capacity)) }
    }

    @Test("a capacity out of range is refused", arguments: [-1, 0, 15, 1_048_577, Int.max])
    func capacities(capacity: Int) {
        let error = #expect(throws: StoreError.self) { try FixLog(path: path, capacity: capacity) }
        #expect(
            error?.description
                == "cannot keep a log of \(capacity) fixes: 16 to 1048576 are allowed")
        #expect(throws: StoreError.self) { try FixLog.inMemory(capacity: capacity) }
    }

    @Test("a second process is refused while the first has the file")
    func locking() async throws {
        let log = try FixLog(path: path, capacity: 16)
        await #expect(processExitsWith: .success) { [path = path as String] in
            let error = #expect(throws: StoreError.self) { try FixLog(path: path, capacity: 16) }
            #expect(error?.description == "cannot use \(path): another process uses it")
        }
        #expect(log.append(entry(1)))
    }

    @Test("a copy is taken over by an empty log only, and survives another capacity")
    func importing() throws {
        let copy = directory.file("fixes.copy")
        try withLog { log in
            fill(log, 1...20)
            try log.copy(to: copy)
            fill(log, 21...22)
        }
        let kept = try FixLog(path: path, capacity: 16, importing: copy)
        #expect(kept.newest == 22)
        let new = try FixLog(path: directory.file("second.ring"), capacity: 32, importing: copy)
        #expect(sequences(new) == Array(5...20) && new.notes == [])
        #expect(new.append(entry(21)))
    }

    @Test("a missing copy is nothing, a damaged one is a note")
    func damagedCopy() throws {
        let none = try FixLog(path: path, capacity: 16, importing: directory.file("none"))
        #expect(none.notes == [] && none.count == 0)
        let copy = try directory.write("no ring at all", to: "copy")
        let log = try FixLog(path: directory.file("second.ring"), capacity: 16, importing: copy)
        #expect(log.notes == ["cannot take over \(copy): it does not begin with a valid header"])
    }

    @Test("a directory, a missing directory and a link are errors that say so")
    func unusablePaths() throws {
        func message(_ path: String) -> String? {
            #expect(throws: StoreError.self) { try FixLog(path: path, capacity: 16) }?.description
        }
        #expect(message(directory.path)?.hasPrefix("cannot open \(directory.path)") == true)
        #expect(message("\(directory.path)/no/ring")?.contains("No such file or directory") == true)
        symlink("/etc/passwd", path)
        #expect(message(path)?.hasPrefix("cannot open \(path)") == true)
    }

    /// Opens the log for as long as `body` runs: a test opens the same file several times.
    @discardableResult
    private func withLog<Result>(capacity: Int = 16, _ body: (FixLog) throws -> Result) throws -> Result {
        try body(try FixLog(path: path, capacity: capacity))
    }
}
