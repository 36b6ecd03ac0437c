// SPDX-License-Identifier: Apache-2.0
import CLinux

/// One slot in memory: the delivered word in a cache line of its own, then two halves of which the newer valid one counts.
struct Slot {
    static let length = 4096
    /// 249 words: a half less its generation, checksum and length.
    static let maximumBlobLength = halfLength - blobOffset

    private static let halfLength = (length - firstHalf) / 2
    private static let firstHalf = 64
    private static let checksumOffset = 8
    private static let lengthOffset = 16
    private static let blobOffset = 24

    private let base: UnsafeMutableRawPointer
    private let number: Int

    init(at base: UnsafeMutableRawPointer, number: Int) {
        self.base = base
        self.number = number
    }

    /// The blob that was last written completely; nil: none, the slot is free.
    var blob: [UInt8]? {
        guard let half = validHalves.max(by: { generation($0) < generation($1) }) else { return nil }
        return Array(UnsafeRawBufferPointer(start: half + Slot.blobOffset, count: blobLength(half)))
    }

    /// Whether a half claims to hold a blob and does not.
    var isDamaged: Bool { halves.contains { generation($0) != 0 && !isValid($0) } }

    /// Writes into the half that does not count, and makes it count with one store.
    func write(_ blob: [UInt8]) {
        let current = validHalves.max(by: { generation($0) < generation($1) })
        let target = current == halves[0] ? halves[1] : halves[0]
        let next = (current.map(generation) ?? 0) + 1
        setGeneration(target, 0)
        clinux_release_fence()
        target.storeBytes(of: UInt64(blob.count), toByteOffset: Slot.lengthOffset, as: UInt64.self)
        let room = UnsafeMutableRawBufferPointer(
            start: target + Slot.blobOffset, count: Slot.words(blob.count) * 8)
        // The checksum runs over whole words: what the blob leaves of the last one is zero.
        if !room.isEmpty { room.storeBytes(of: 0, toByteOffset: room.count - 8, as: UInt64.self) }
        room.copyBytes(from: blob)
        target.storeBytes(of: sum(target, generation: next), toByteOffset: Slot.checksumOffset, as: UInt64.self)
        setGeneration(target, next)
    }

    /// Frees the slot. The older half goes first, so that a kill in between leaves the newer and not a blob of the past.
    func erase() {
        for half in halves.sorted(by: { generation($0) < generation($1) }) { setGeneration(half, 0) }
    }

    private var halves: [UnsafeMutableRawPointer] { [base + Slot.firstHalf, base + Slot.firstHalf + Slot.halfLength] }

    private var validHalves: [UnsafeMutableRawPointer] { halves.filter(isValid) }

    private func generation(_ half: UnsafeMutableRawPointer) -> UInt64 { half.load(as: UInt64.self) }

    private func setGeneration(_ half: UnsafeMutableRawPointer, _ generation: UInt64) {
        clinux_store_release(half.assumingMemoryBound(to: UInt64.self), generation)
    }

    private func blobLength(_ half: UnsafeMutableRawPointer) -> Int {
        Int(clamping: half.load(fromByteOffset: Slot.lengthOffset, as: UInt64.self))
    }

    private func isValid(_ half: UnsafeMutableRawPointer) -> Bool {
        let generation = generation(half)
        return generation != 0 && blobLength(half) <= Slot.maximumBlobLength
            && half.load(fromByteOffset: Slot.checksumOffset, as: UInt64.self) == sum(half, generation: generation)
    }

    /// Bound to the slot's number and the generation, so that a page of another place or time is not taken for this one.
    private func sum(_ half: UnsafeMutableRawPointer, generation: UInt64) -> UInt64 {
        checksum(
            half + Slot.lengthOffset, count: 1 + Slot.words(blobLength(half)),
            seed: UInt64(number) << 48 ^ generation)
    }

    private static func words(_ bytes: Int) -> Int { (bytes + 7) / 8 }
}

/// Where the slots lie and which are taken.
struct SlotTable {
    private(set) var count: Int
    private var firstSlot: UnsafeMutableRawPointer
    private var taken: [Bool]
    /// No slot below this one is free.
    private var lowestFree = 0

    static func length(slots: Int) -> Int { FileHeader.length + slots * Slot.length }

    init(recovering file: MappedFile, path: String, notes: inout [String]) {
        count = (file.length - FileHeader.length) / Slot.length
        firstSlot = file.base + FileHeader.length
        taken = []
        var damaged = 0
        for number in 0..<count {
            let slot = Slot(at: firstSlot + number * Slot.length, number: number)
            taken.append(slot.blob != nil)
            if slot.isDamaged { damaged += 1 }
            // An invalid slot is cleared, or it would be reported as damaged at each start.
            if slot.blob == nil { slot.erase() }
        }
        if damaged > 0 { notes.append("found \(damaged) damaged slots in \(path)") }
    }

    func base(of number: Int) -> UnsafeMutableRawPointer { firstSlot + number * Slot.length }

    func isTaken(_ number: Int) -> Bool { taken.indices.contains(number) && taken[number] }

    mutating func takeLowestFree(below limit: Int) -> Int? {
        while lowestFree < count, taken[lowestFree] { lowestFree += 1 }
        guard lowestFree < min(count, limit) else { return nil }
        taken[lowestFree] = true
        return lowestFree
    }

    mutating func release(_ number: Int) {
        taken[number] = false
        lowestFree = min(lowestFree, number)
    }

    mutating func grow(to newCount: Int, base: UnsafeMutableRawPointer) {
        firstSlot = base + FileHeader.length
        taken.append(contentsOf: repeatElement(false, count: newCount - count))
        count = newCount
    }
}
