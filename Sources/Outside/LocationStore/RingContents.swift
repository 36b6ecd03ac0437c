// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A mapped ring and what recovery found in it.
struct RingContents {
    let file: MappedFile
    let capacity: Int
    private(set) var head = 0
    private(set) var count = 0
    private(set) var newest: UInt64 = 0
    /// Records that were torn, damaged, or cut off from the newest by such a one.
    private(set) var dropped = 0

    var records: UnsafeMutableRawPointer { file.base + FileHeader.length }

    static func header(capacity: Int) -> FileHeader {
        FileHeader(kind: "locdring", version: 1, recordLength: LogRecord.length, capacity: capacity)
    }

    static func length(capacity: Int) -> Int { FileHeader.length + capacity * LogRecord.length }

    /// A new ring in zeroed memory.
    init(empty file: MappedFile, capacity: Int) {
        self.file = file
        self.capacity = capacity
        RingContents.header(capacity: capacity).write(to: file.base)
    }

    /// The trustworthy part of a ring whose header was found good: the run of valid records with growing numbers that ends
    /// with the greatest number. All others are erased, so that they can never be taken for part of a later run.
    init(recovering file: MappedFile, capacity: Int) {
        self.file = file
        self.capacity = capacity
        var last = -1
        for position in 0..<capacity {
            let record = records + position * LogRecord.length
            guard LogRecord.isSound(at: record), LogRecord.sequence(at: record) > newest else { continue }
            newest = LogRecord.sequence(at: record)
            last = position
        }
        if last >= 0 { takeRun(endingAt: last) }
        eraseOthers()
    }

    private mutating func takeRun(endingAt last: Int) {
        head = last + 1 == capacity ? 0 : last + 1
        var position = last
        var following = UInt64.max
        while count < capacity {
            let record = records + position * LogRecord.length
            guard LogRecord.isSound(at: record), LogRecord.sequence(at: record) < following else { break }
            following = LogRecord.sequence(at: record)
            count += 1
            position = position == 0 ? capacity - 1 : position - 1
        }
    }

    private mutating func eraseOthers() {
        var position = head
        for _ in count..<capacity {
            let record = records + position * LogRecord.length
            if LogRecord.sequence(at: record) != 0 {
                LogRecord.erase(at: record)
                dropped += 1
            }
            position = position + 1 == capacity ? 0 : position + 1
        }
    }

    /// Appends the newest records of another ring, as many as fit. This one must be empty.
    mutating func append(newestOf other: RingContents) {
        let taken = min(other.count, capacity)
        var position = other.head - taken
        if position < 0 { position += other.capacity }
        for index in 0..<taken {
            let entry = LogRecord.read(at: other.records + position * LogRecord.length)
            LogRecord.write(entry, to: records + index * LogRecord.length)
            position = position + 1 == other.capacity ? 0 : position + 1
        }
        count = taken
        head = taken == capacity ? 0 : taken
        newest = other.newest
    }
}

extension FixLog {
    static func openOrCreate(path: String, capacity: Int, notes: inout [String]) throws(StoreError) -> RingContents {
        switch try MappedFile.open(path: path) {
        case .missing:
            return try create(path: path, capacity: capacity, keeping: nil)
        case .unusable(let reason):
            notes.append("set aside as \(try setAside(path)): \(reason)")
            return try create(path: path, capacity: capacity, keeping: nil)
        case .mapped(let file):
            if let reason = objection(to: file) {
                notes.append("set aside as \(try setAside(path)): \(reason)")
                return try create(path: path, capacity: capacity, keeping: nil)
            }
            let found = recover(file, path, &notes)
            if found.capacity == capacity { return found }
            return try create(path: path, capacity: capacity, keeping: found)
        }
    }

    /// The copy is a help, not a need: what is wrong with it becomes a note.
    static func readCopy(at path: String, notes: inout [String]) -> RingContents? {
        do throws(StoreError) {
            guard let file = try MappedFile.contents(of: path) else { return nil }
            if let reason = objection(to: file) {
                notes.append("cannot take over \(path): \(reason)")
                return nil
            }
            return recover(file, path, &notes)
        } catch {
            notes.append(error.description)
            return nil
        }
    }

    private static func create(
        path: String, capacity: Int, keeping old: RingContents?
    ) throws(StoreError) -> RingContents {
        let file = try MappedFile.create(path: path, length: RingContents.length(capacity: capacity))
        var contents = RingContents(empty: file, capacity: capacity)
        if let old { contents.append(newestOf: old) }
        try file.publish()
        return contents
    }

    private static func recover(_ file: MappedFile, _ path: String, _ notes: inout [String]) -> RingContents {
        let capacity = (file.length - FileHeader.length) / LogRecord.length
        let contents = RingContents(recovering: file, capacity: capacity)
        if contents.dropped > 0 {
            notes.append("dropped \(contents.dropped) damaged or unconnected records of \(path)")
        }
        return contents
    }

    private static func objection(to file: MappedFile) -> String? {
        let found = FileHeader(at: file.base)
        if let reason = RingContents.header(capacity: 0).objection(to: found, length: file.length) { return reason }
        let capacity = Int(clamping: found?.capacity ?? 0)
        return allowedCapacities.contains(capacity) ? nil : "it claims \(capacity) records"
    }
}
