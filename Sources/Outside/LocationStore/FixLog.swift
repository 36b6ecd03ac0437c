// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The ring of accepted fixes, newest `capacity` of them: a memory-mapped file that outlives the process.
///
/// Sequences grow strictly but need not be consecutive. Use from one thread.
package final class FixLog {
    /// Records a log may have.
    package static let allowedCapacities = 16...1_048_576

    /// Repairs and losses on opening, a sentence each, for the journal.
    package let notes: [String]
    /// How many fixes the ring holds at most.
    package let capacity: Int
    /// How many fixes it holds.
    package private(set) var count: Int
    /// Sequence of the newest fix; 0 while empty.
    package private(set) var newest: UInt64

    private let file: MappedFile
    private let records: UnsafeMutableRawPointer
    /// Where the next record goes, 0 to `capacity` - 1.
    private var head: Int

    /// Opens the log at `path` or makes it; one of another capacity is converted and keeps its newest fixes.
    ///
    /// A file that is no such log is set aside as `path.corrupt-N`, see `notes`. If the log turns out empty, the fixes of `copy` (made by
    /// `copy(to:)`, for instance before a reboot) are taken over. Throws if there is no room, no permission, or another process uses it.
    package init(path: String, capacity: Int, importing copy: String? = nil) throws(StoreError) {
        try FixLog.check(capacity)
        var notes: [String] = []
        var contents = try FixLog.openOrCreate(path: path, capacity: capacity, notes: &notes)
        if contents.count == 0, let copy, let old = FixLog.readCopy(at: copy, notes: &notes) {
            contents.append(newestOf: old)
        }
        self.capacity = capacity
        self.notes = notes
        file = contents.file
        records = contents.records
        count = contents.count
        head = contents.head
        newest = contents.newest
    }

    private init(memory: MappedFile, capacity: Int) {
        let contents = RingContents(empty: memory, capacity: capacity)
        self.capacity = capacity
        notes = []
        file = memory
        records = contents.records
        count = 0
        head = 0
        newest = 0
    }

    /// A log that ends with the process, for when no file can be had.
    package static func inMemory(capacity: Int) throws(StoreError) -> FixLog {
        try check(capacity)
        return FixLog(memory: try .anonymous(length: RingContents.length(capacity: capacity)), capacity: capacity)
    }

    /// Adds a fix, in place of the oldest when full. False, and nothing done, unless its sequence is greater than `newest`.
    @discardableResult
    package func append(_ entry: LogEntry) -> Bool {
        guard entry.location.sequence > newest else { return false }
        LogRecord.write(entry, to: records + head * LogRecord.length)
        head = head + 1 == capacity ? 0 : head + 1
        count = min(count + 1, capacity)
        newest = entry.location.sequence
        return true
    }

    /// Sequence of the oldest fix; 0 while empty.
    package var oldest: UInt64 { count == 0 ? 0 : sequence(rank: 0) }

    /// The fix with exactly this number, if the ring holds it.
    package func entry(sequence: UInt64) -> LogEntry? {
        guard sequence > 0, let next = next(after: sequence - 1), next.location.sequence == sequence else { return nil }
        return next
    }

    /// The oldest fix with a number greater than `sequence`: called again with what it returned, it walks forward.
    package func next(after sequence: UInt64) -> LogEntry? {
        let rank = rank(after: sequence)
        return rank < count ? LogRecord.read(at: record(rank: rank)) : nil
    }

    /// Writes a copy that survives a power cut, for `init(path:capacity:importing:)`. The log itself stays as it is.
    package func copy(to path: String) throws(StoreError) { try file.copy(to: path) }

    /// Ranks count from the oldest. The rank of the first record behind `sequence`; `count` if there is none.
    private func rank(after sequence: UInt64) -> Int {
        guard sequence < newest else { return count }
        // Without skipped numbers a record stands as far from the end as its number from the newest.
        let back = newest - sequence
        if back <= UInt64(count) {
            let guess = count - Int(back)
            if self.sequence(rank: guess) == sequence + 1 { return guess }
        }
        var low = 0
        var high = count - 1
        while low < high {
            let middle = (low + high) / 2
            if self.sequence(rank: middle) > sequence { high = middle } else { low = middle + 1 }
        }
        return low
    }

    private func sequence(rank: Int) -> UInt64 { LogRecord.sequence(at: record(rank: rank)) }

    private func record(rank: Int) -> UnsafeRawPointer {
        let position = head - count + rank
        return UnsafeRawPointer(records + (position < 0 ? position + capacity : position) * LogRecord.length)
    }

    private static func check(_ capacity: Int) throws(StoreError) {
        guard allowedCapacities.contains(capacity) else {
            throw StoreError(
                "cannot keep a log of \(capacity) fixes: "
                    + "\(allowedCapacities.lowerBound) to \(allowedCapacities.upperBound) are allowed")
        }
    }
}
