// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@testable import LocationStore

@Suite("The slots of clients")
struct SlotFileTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let boot = BootIdentifier("this boot")

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("managers.slots")
    }

    @Test("what was written is taken back, in the order of the slots, with the last delivered number")
    func takingBack() throws {
        let longest = [UInt8](repeating: 0xEE, count: SlotFile.maximumBlobLength)
        do {
            let slots = try open()
            #expect(slots.occupied == [])
            for blob in [[], [1], Array("second".utf8), longest] {
                let slot = try slots.allocate()
                try slots.write(slot, blob: blob)
                slots.setDelivered(slot, UInt64(100 + slot))
            }
            slots.free(1)
        }
        let taken = try open().occupied
        #expect(taken.map(\.slot) == [0, 2, 3])
        #expect(taken.map(\.blob) == [[], Array("second".utf8), longest])
        #expect(taken.map(\.delivered) == [100, 102, 103])
    }

    @Test("blobs of every length come back after many rewrites")
    func lengths() throws {
        let slots = try open()
        let slot = try slots.allocate()
        for length in 0...SlotFile.maximumBlobLength {
            let blob = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) }
            try slots.write(slot, blob: blob)
            #expect(slots.occupied.first?.blob == blob)
        }
        #expect(slots.occupied.count == 1)
    }

    @Test("a blob that is too long, a slot that is not in use and a full file are refused")
    func refusals() throws {
        let slots = try SlotFile.inMemory(maximumSlots: 2)
        func message(_ body: () throws -> Void) -> String? {
            #expect(throws: StoreError.self, performing: body)?.description
        }
        let slot = try slots.allocate()
        #expect(
            message { try slots.write(slot, blob: [UInt8](repeating: 0, count: SlotFile.maximumBlobLength + 1)) }
                == "cannot keep 1993 bytes of a client: at most 1992 are allowed")
        #expect(message { try slots.write(1, blob: []) } == "cannot write slot 1: it is not in use")
        #expect(message { try slots.write(-1, blob: []) } == "cannot write slot -1: it is not in use")
        slots.setDelivered(9999, 1)
        slots.free(9999)
        _ = try slots.allocate()
        #expect(message { _ = try slots.allocate() } == "cannot keep another client: all 2 slots are in use")
        slots.free(slot)
        #expect(try slots.allocate() == slot)
    }

    @Test("a slot given out again remembers nothing of its former client")
    func reuse() throws {
        do {
            let slots = try open()
            let slot = try slots.allocate()
            try slots.write(slot, blob: [1])
            slots.setDelivered(slot, 5)
            slots.free(slot)
            #expect(try slots.allocate() == slot)
            #expect(slots.occupied == [])
        }
        do {
            let slots = try open()
            #expect(slots.occupied == [])
            try slots.write(try slots.allocate(), blob: [2])
            #expect(slots.occupied == [.init(slot: 0, blob: [2], delivered: 0)])
        }
    }

    @Test("the file grows when needed and keeps what it has, in memory too")
    func growing() throws {
        let memory = try SlotFile.inMemory(maximumSlots: 200)
        do {
            let file = try open(maximumSlots: 200)
            for slots in [file, memory] {
                for number in 0..<200 {
                    #expect(try slots.allocate() == number)
                    try slots.write(number, blob: [UInt8(number)])
                    slots.setDelivered(number, UInt64(number))
                }
                #expect(throws: StoreError.self) { try slots.allocate() }
            }
        }
        for slots in [try open(maximumSlots: 16), memory] {
            #expect(slots.notes == [] && slots.occupied.map(\.slot) == Array(0..<200))
            #expect(slots.occupied.map(\.delivered) == (0..<200).map { UInt64($0) })
            #expect(throws: StoreError.self) { try slots.allocate() }
        }
    }

    @Test("the slots say whether they are of this boot until they are adopted")
    func boots() throws {
        do {
            let slots = try open()
            #expect(slots.isSameBoot)
            try slots.write(try slots.allocate(), blob: [1])
            try slots.copy(to: directory.file("copy"))
        }
        #expect(try open().isSameBoot)
        let next = BootIdentifier("next boot")
        #expect(try !open(boot: next).isSameBoot)
        #expect(try !open(boot: next).isSameBoot)
        do {
            let slots = try open(boot: next)
            slots.adoptCurrentBoot()
            #expect(slots.isSameBoot)
        }
        #expect(try open(boot: next).isSameBoot)
        let imported = try SlotFile(
            path: directory.file("new"), maximumSlots: 64, importing: directory.file("copy"), boot: next)
        #expect(!imported.isSameBoot && imported.occupied.map(\.blob) == [[1]])
    }

    @Test("the running kernel's boot has an identifier that stays")
    func currentBoot() { #expect(BootIdentifier.current == BootIdentifier.current) }

    @Test("where /proc does not say which boot it is, the environment does, and it is the same one")
    func bootOfEnvironment() throws {
        let text = "4f0b4a5e-9f0c-4d07-8f50-1f7e53ba6a1c"
        let file = try directory.write("\(text)\n", to: "boot_id")
        let read = BootIdentifier.current(file: file, variable: "0123456789abcdef0123456789abcdef")
        let passed = BootIdentifier.current(
            file: directory.file("absent"), variable: "4f0b4a5e9f0c4d078f501f7e53ba6a1c")
        #expect(read == passed)
        #expect(BootIdentifier.current(file: directory.file("absent"), variable: nil) != read)
    }

    @Test("a byte changed anywhere in the newer half brings back the older blob; nothing else is lost")
    func everyByte() throws {
        do {
            let slots = try open()
            for number in 0..<3 {
                let slot = try slots.allocate()
                try slots.write(slot, blob: Array("old \(number)".utf8))
                try slots.write(slot, blob: Array("new \(number)".utf8))
            }
        }
        let pristine = try readFile(path)
        let secondHalf = FileHeader.length + Slot.length + 64 + (Slot.length - 64) / 2
        // Its head, the five bytes of the blob, and the padding of the last word.
        for offset in 0..<32 {
            var bytes = pristine
            bytes[secondHalf + offset] ^= 0x10
            try directory.write(bytes, to: "managers.slots")
            let slots = try open()
            let texts = slots.occupied.map { String(decoding: $0.blob, as: UTF8.self) }
            #expect(texts == ["new 0", "old 1", "new 2"], "offset \(offset)")
            #expect(slots.notes == ["found 1 damaged slots in \(path)"])
        }
    }

    @Test("a file that is none is set aside", arguments: ["", "text", String(repeating: "long text ", count: 900)])
    func unusable(text: String) throws {
        try directory.write(text, to: "managers.slots")
        let slots = try open()
        #expect(slots.notes.count == 1 && slots.notes[0].hasPrefix("set aside as \(path).corrupt-1: it "))
        #expect(slots.occupied == [])
        try slots.write(try slots.allocate(), blob: [1])
    }

    @Test("after kill -9 at any moment every slot has its last or last but one blob, whole", .tellsSeed)
    func killed() async throws {
        var random = SplitMix64()
        for _ in 0..<6 {
            let path = directory.file("killed-\(random.next())")
            let delay = 500 + Int(random.next() % 20_000)
            await #expect(processExitsWith: .signal(SIGKILL)) { [path = path as String, delay = delay as Int] in
                let slots = try SlotFile(path: path, maximumSlots: 64)
                for _ in 0..<8 { _ = try slots.allocate() }
                for slot in 0..<8 { try slots.write(slot, blob: SlotFileTests.blob(0)) }
                killThisProcess(afterMicroseconds: delay)
                var number: UInt64 = 0
                while true {
                    number += 1
                    let slot = Int(number % 8)
                    try slots.write(slot, blob: SlotFileTests.blob(number))
                    slots.setDelivered(slot, number)
                }
            }
            let slots = try SlotFile(path: path, maximumSlots: 64)
            #expect(slots.notes == [] && slots.occupied.count == 8 && slots.isSameBoot)
            for taken in slots.occupied {
                let number = taken.blob.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
                #expect(taken.blob == SlotFileTests.blob(number))
                // The blob is written first, so it is as new as the delivered number or one turn newer.
                #expect(number == taken.delivered || number <= taken.delivered + 8)
            }
        }
    }

    @Test("without room to grow the slots in use stay usable")
    func fullFileSystem() throws {
        try withSmallFileSystem(kilobytes: 320) { disk in
            let path = "\(disk)/managers.slots"
            let slots = try SlotFile(path: path, maximumSlots: 1000)
            for _ in 0..<64 { try slots.write(try slots.allocate(), blob: [7]) }
            let error = #expect(throws: StoreError.self) { try slots.allocate() }
            #expect(error?.description.hasPrefix("cannot reserve") == true)
            slots.setDelivered(63, 9)
            slots.free(0)
            #expect(try slots.allocate() == 0)
            #expect(slots.occupied.count == 63 && slots.occupied.last?.delivered == 9)
        }
    }

    /// A blob that begins with a number from which its length and all its bytes follow.
    private static func blob(_ number: UInt64) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
            + [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: Int(number % 900))
    }

    private func open(maximumSlots: Int = 64, boot: BootIdentifier? = nil) throws -> SlotFile {
        try SlotFile(path: path, maximumSlots: maximumSlots, boot: boot ?? self.boot)
    }
}
