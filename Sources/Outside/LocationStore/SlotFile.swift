// SPDX-License-Identifier: Apache-2.0
import CLinux

/// The state from which client managers are taken back after the daemon was killed: numbered slots in a memory-mapped file.
///
/// A slot holds one blob, replaced as a whole, and one word that changes often: the last delivered sequence. Use from one thread.
package final class SlotFile {
    /// Bytes that a blob may have.
    package static let maximumBlobLength = Slot.maximumBlobLength
    /// The file grows by so many slots at a time.
    package static let slotsPerChunk = 64

    /// One slot in use.
    package struct Occupied: Sendable, Equatable {
        /// The slot's number.
        package let slot: Int
        /// The blob that was last written completely.
        package let blob: [UInt8]
        /// The last delivered sequence.
        package let delivered: UInt64
    }

    /// Repairs and losses on opening, a sentence each, for the journal.
    package let notes: [String]
    /// Slots that can be in use at once; more are kept only if they were found in the file.
    package let maximumSlots: Int
    /// Whether the contents were written since this boot, so that their instants on the boot clock mean something.
    ///
    /// Stays false after a reboot until `adoptCurrentBoot()`, however often the daemon is killed in between.
    package private(set) var isSameBoot: Bool

    private let file: MappedFile
    private let bootWord: UInt64
    private var slots: SlotTable

    /// Opens the file at `path` or makes it. One that is no such file is set aside as `path.corrupt-N`, see `notes`.
    ///
    /// If no file is there, the slots of `copy` (made by `copy(to:)`) are taken over, with the boot they were written in.
    /// Throws if there is no room, no permission, or another process uses the file.
    package init(
        path: String, maximumSlots: Int, importing copy: String? = nil, boot: BootIdentifier = .current
    ) throws(StoreError) {
        var notes: [String] = []
        let opened = try SlotFile.openOrCreate(path: path, copy: copy, boot: boot, notes: &notes)
        file = opened
        slots = SlotTable(recovering: opened, path: path, notes: &notes)
        bootWord = boot.word
        isSameBoot = FileHeader.bootWord(at: opened.base).pointee == boot.word
        self.maximumSlots = maximumSlots
        self.notes = notes
    }

    private init(memory: MappedFile, maximumSlots: Int) {
        var notes: [String] = []
        SlotFile.header.write(to: memory.base)
        file = memory
        slots = SlotTable(recovering: memory, path: "", notes: &notes)
        bootWord = 0
        isSameBoot = true
        self.maximumSlots = maximumSlots
        self.notes = notes
    }

    /// Slots that end with the process, for when no file can be had.
    package static func inMemory(maximumSlots: Int) throws(StoreError) -> SlotFile {
        SlotFile(memory: try .anonymous(length: SlotTable.length(slots: slotsPerChunk)), maximumSlots: maximumSlots)
    }

    /// The slots in use, by number: after opening, those to take back.
    package var occupied: [Occupied] {
        (0..<slots.count).compactMap { number in
            guard slots.isTaken(number), let blob = Slot(at: slots.base(of: number), number: number).blob else {
                return nil
            }
            return Occupied(slot: number, blob: blob, delivered: slots.base(of: number).load(as: UInt64.self))
        }
    }

    /// Returns the blob of a slot; nil: the slot is free, or was never written.
    package func blob(_ slot: Int) -> [UInt8]? {
        slots.isTaken(slot) ? Slot(at: slots.base(of: slot), number: slot).blob : nil
    }

    /// Takes a free slot, the lowest. It is found again after a kill only once it was written.
    package func allocate() throws(StoreError) -> Int {
        if let number = slots.takeLowestFree(below: maximumSlots) {
            setDelivered(number, 0)
            return number
        }
        let count = min(slots.count + SlotFile.slotsPerChunk, maximumSlots)
        guard count > slots.count else {
            throw StoreError("cannot keep another client: all \(maximumSlots) slots are in use")
        }
        try file.grow(to: SlotTable.length(slots: count))
        slots.grow(to: count, base: file.base)
        return try allocate()
    }

    /// Replaces the blob of a slot; a kill in the middle leaves the old one.
    package func write(_ slot: Int, blob: [UInt8]) throws(StoreError) {
        guard blob.count <= SlotFile.maximumBlobLength else {
            throw StoreError(
                "cannot keep \(blob.count) bytes of a client: at most \(SlotFile.maximumBlobLength) are allowed")
        }
        guard slots.isTaken(slot) else { throw StoreError("cannot write slot \(slot): it is not in use") }
        Slot(at: slots.base(of: slot), number: slot).write(blob)
    }

    /// Notes the last delivered sequence of a slot in use: one store, no check of the contents.
    @inline(__always)
    package func setDelivered(_ slot: Int, _ sequence: UInt64) {
        guard slots.isTaken(slot) else { return }
        clinux_store_release(slots.base(of: slot).assumingMemoryBound(to: UInt64.self), sequence)
    }

    /// Gives a slot back; nothing happens if it is free already.
    package func free(_ slot: Int) {
        guard slots.isTaken(slot) else { return }
        Slot(at: slots.base(of: slot), number: slot).erase()
        slots.release(slot)
    }

    /// Says that all slots in use were rewritten with this boot's instants, or hold none.
    package func adoptCurrentBoot() {
        clinux_store_release(FileHeader.bootWord(at: file.base), bootWord)
        isSameBoot = true
    }

    /// Writes a copy that survives a power cut, for `init(path:maximumSlots:importing:)`. The slots themselves stay.
    package func copy(to path: String) throws(StoreError) { try file.copy(to: path) }

    static let header = FileHeader(kind: "locdslot", version: 1, recordLength: Slot.length, capacity: 0)

    private static func openOrCreate(
        path: String, copy: String?, boot: BootIdentifier, notes: inout [String]
    ) throws(StoreError) -> MappedFile {
        switch try MappedFile.open(path: path) {
        case .missing:
            if let copy, let contents = readCopy(at: copy, notes: &notes) {
                let file = try MappedFile.create(path: path, length: contents.length)
                file.base.copyMemory(from: contents.base, byteCount: contents.length)
                try file.publish()
                return file
            }
        case .unusable(let reason):
            notes.append("set aside as \(try setAside(path)): \(reason)")
        case .mapped(let file):
            guard let reason = header.objection(to: FileHeader(at: file.base), length: file.length) else {
                return file
            }
            notes.append("set aside as \(try setAside(path)): \(reason)")
        }
        let file = try MappedFile.create(path: path, length: SlotTable.length(slots: slotsPerChunk))
        header.write(to: file.base)
        FileHeader.bootWord(at: file.base).pointee = boot.word
        try file.publish()
        return file
    }

    private static func readCopy(at path: String, notes: inout [String]) -> MappedFile? {
        do throws(StoreError) {
            guard let contents = try MappedFile.contents(of: path) else { return nil }
            guard let reason = header.objection(to: FileHeader(at: contents.base), length: contents.length) else {
                return contents
            }
            notes.append("cannot take over \(path): \(reason)")
        } catch {
            notes.append(error.description)
        }
        return nil
    }
}
