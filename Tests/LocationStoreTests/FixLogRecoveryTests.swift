// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationStore

@Suite("The log of fixes after a misfortune")
struct FixLogRecoveryTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("fixes.ring")
    }

    @Test("a byte changed anywhere in the newest record drops that record and nothing else")
    func everyByteOfTheNewest() throws {
        let pristine = try ringBytes(1...20)
        // 20 fixes in 16 places: the newest lies in the fourth.
        let start = FileHeader.length + 3 * LogRecord.length
        for offset in 0..<LogRecord.length {
            var bytes = pristine
            bytes[start + offset] ^= 0x41
            try directory.write(bytes, to: "fixes.ring")
            let log = try FixLog(path: path, capacity: 16)
            #expect(sequences(log) == Array(5...19), "offset \(offset)")
            #expect(log.notes == ["dropped 1 damaged or unconnected records of \(path)"])
            #expect(log.append(entry(20)))
        }
    }

    @Test("a torn newest record is dropped without a word, and its number can be used again")
    func torn() throws {
        var bytes = try ringBytes(1...20)
        bytes.replaceSubrange(
            FileHeader.length + 3 * 128..<FileHeader.length + 3 * 128 + 8, with: repeatElement(0, count: 8))
        try directory.write(bytes, to: "fixes.ring")
        let log = try FixLog(path: path, capacity: 16)
        #expect(log.notes == [] && sequences(log) == Array(5...19))
        #expect(log.append(entry(20)))
    }

    @Test("a damaged record in the middle cuts off what is older, for good")
    func middle() throws {
        var bytes = try ringBytes(1...20)
        bytes[FileHeader.length + 9 * 128 + 30] ^= 1
        try directory.write(bytes, to: "fixes.ring")
        do {
            let log = try FixLog(path: path, capacity: 16)
            #expect(sequences(log) == Array(11...20) && log.oldest == 11)
            #expect(log.notes == ["dropped 6 damaged or unconnected records of \(path)"])
        }
        let log = try FixLog(path: path, capacity: 16)
        #expect(sequences(log) == Array(11...20) && log.notes == [])
    }

    @Test("whatever bytes change, opening succeeds and what is read back was written", .tellsSeed)
    func randomDamage() throws {
        var random = SplitMix64()
        let pristine = try ringBytes(1...23)
        for round in 0..<200 {
            var bytes = pristine
            for _ in 0...random.next() % 8 {
                bytes[Int(random.next() % UInt64(bytes.count))] = UInt8(truncatingIfNeeded: random.next())
            }
            if round % 5 == 0 { bytes.removeLast(Int(random.next() % UInt64(bytes.count))) }
            try directory.write(bytes, to: "fixes.ring")
            let log = try FixLog(path: path, capacity: 16)
            let found = sequences(log)
            #expect(found == found.sorted())
            for number in found { #expect(log.entry(sequence: number) == entry(number)) }
            #expect(log.append(entry(24)))
        }
    }

    @Test(
        "a file of another kind, version, record or length is set aside and replaced",
        arguments: [
            (0, "it does not begin with a valid header"), (8, "it does not begin with a valid header"),
            (-1, "its 6000 bytes do not fit the 16 records it claims"), (-2, "it has only 0 bytes"),
            (-3, "it has version 2, this is version 1"), (-4, "it does not begin with a valid header"),
            (-5, "it claims 3 records"),
        ])
    func unusable(change: Int, reason: String) throws {
        var bytes = try ringBytes(1...20)
        switch change {
        case -1: bytes.removeLast(bytes.count - 6000)
        case -2: bytes = []
        case -3:
            bytes.withUnsafeMutableBytes { buffer in
                guard let base = buffer.baseAddress else { return }
                FileHeader(kind: "locdring", version: 2, recordLength: 128, capacity: 16).write(to: base)
            }
        case -4: bytes = Array("text".utf8) + [UInt8](repeating: 10, count: 9000)
        case -5:
            bytes.removeLast(13 * 128)
            bytes.withUnsafeMutableBytes { buffer in
                guard let base = buffer.baseAddress else { return }
                RingContents.header(capacity: 3).write(to: base)
            }
        default: bytes[change] ^= 0xFF
        }
        for number in 1...2 {
            try directory.write(bytes, to: "fixes.ring")
            let log = try FixLog(path: path, capacity: 16)
            #expect(log.count == 0 && log.append(entry(1)))
            #expect(log.notes == ["set aside as \(path).corrupt-\(number): \(reason)"])
            #expect(try readFile("\(path).corrupt-\(number)") == bytes)
        }
    }

    @Test("not more than eight unusable files are kept")
    func boundedSetAside() throws {
        for _ in 0..<12 {
            try directory.write("nonsense", to: "fixes.ring")
            _ = try FixLog(path: path, capacity: 16)
        }
        #expect(access("\(path).corrupt-8", F_OK) == 0)
        #expect(access("\(path).corrupt-9", F_OK) != 0)
    }

    @Test("after kill -9 at any moment every fix that was appended is there, whole, and at most one more", .tellsSeed)
    func killed() async throws {
        var random = SplitMix64()
        for _ in 0..<6 {
            let path = directory.file("killed-\(random.next()).ring")
            let delay = 500 + Int(random.next() % 20_000)
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, delay = delay as Int] in
                let log = try FixLog(path: path, capacity: 64)
                // Another log tells the parent how far this process came.
                let progress = try FixLog(path: path + ".progress", capacity: 16)
                killThisProcess(afterMicroseconds: delay)
                var number: UInt64 = 0
                while true {
                    number += 1
                    log.append(entry(number))
                    progress.append(entry(number))
                }
            }
            let completed = try FixLog(path: path + ".progress", capacity: 16).newest
            let log = try FixLog(path: path, capacity: 64)
            #expect((completed...completed + 1).contains(log.newest))
            let found = sequences(log)
            #expect(found.count >= min(63, Int(completed)))
            #expect(found.isEmpty || found == Array((found.first ?? 0)...log.newest))
            for number in found { #expect(log.entry(sequence: number) == entry(number)) }
            #expect(log.notes == [])
        }
    }

    @Test("a full file system is an error on opening, and memory serves instead")
    func fullFileSystem() throws {
        try withSmallFileSystem(kilobytes: 64) { disk in
            let path = "\(disk)/fixes.ring"
            let error = #expect(throws: StoreError.self) { try FixLog(path: path, capacity: 16384) }
            #expect(error?.description == "cannot reserve 2101248 bytes for \(path): No space left on device")
            #expect(access("\(path).new", F_OK) != 0 && access(path, F_OK) != 0)
            let log = try FixLog.inMemory(capacity: 16384)
            #expect(log.append(entry(1)))
            #expect(throws: StoreError.self) { try log.copy(to: "\(disk)/copy") }
            #expect(access("\(disk)/copy.new", F_OK) != 0)
        }
    }

    @Test("a log that grows on a full file system stays as it was")
    func fullWhileResizing() throws {
        try withSmallFileSystem(kilobytes: 64) { disk in
            let path = "\(disk)/fixes.ring"
            do { fill(try FixLog(path: path, capacity: 16), 1...20) }
            #expect(throws: StoreError.self) { try FixLog(path: path, capacity: 4096) }
            #expect(sequences(try FixLog(path: path, capacity: 16)) == Array(5...20))
        }
    }

    @Test("a limit on the size of files is an error, not a signal")
    func limitedFileSize() async throws {
        await #expect(processExitsWith: .success) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 8192, rlim_max: 8192)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let error = #expect(throws: StoreError.self) { try FixLog(path: path, capacity: 1024) }
            #expect(error?.description.hasSuffix("File too large") == true)
        }
    }

    private func ringBytes(_ numbers: ClosedRange<UInt64>) throws -> [UInt8] {
        let path = directory.file("pristine.ring")
        do { fill(try FixLog(path: path, capacity: 16), numbers) }
        return try readFile(path)
    }
}
