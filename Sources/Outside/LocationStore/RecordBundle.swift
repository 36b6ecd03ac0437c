// SPDX-License-Identifier: Apache-2.0

/// Records that one process leaves to the next, in one piece of memory. Each is checked on its own: one that is damaged takes no other with
/// it.
///
/// A header (kind, version, number of records), a table of their lengths and checksums, a checksum of all that, then the records, each
/// filled up to whole words.
package enum RecordBundle {
    private static let kind: UInt64 = 0x7470_656B_6463_6F6C
    private static let version: UInt64 = 1
    /// Words before the table.
    private static let headerWords = 3
    /// A daemon has no more clients than this.
    private static let mostRecords: UInt64 = 1 << 20

    /// The bytes that hold `records`.
    package static func bytes(of records: [[UInt8]]) -> [UInt8] {
        var table: [UInt64] = [kind, version, UInt64(records.count)]
        for record in records { table += [UInt64(record.count), checksum(of: record)] }
        var bytes: [UInt8] = []
        bytes.reserveCapacity((table.count + 1) * 8 + records.reduce(0) { $0 + padded($1.count) })
        for word in table { append(word, to: &bytes) }
        append(checksum(of: bytes), to: &bytes)
        for record in records {
            bytes += record
            bytes += repeatElement(0, count: padded(record.count) - record.count)
        }
        return bytes
    }

    /// The records in `bytes`, nil for each that is damaged; nil: nothing can be told of any of them.
    package static func records(in bytes: [UInt8]) -> [[UInt8]?]? {
        guard bytes.count >= (headerWords + 1) * 8, word(0, of: bytes) == kind, word(1, of: bytes) == version,
            case let count = word(2, of: bytes), count <= mostRecords
        else { return nil }
        let tableWords = headerWords + 2 * Int(count)
        guard bytes.count >= (tableWords + 1) * 8,
            word(tableWords, of: bytes) == checksum(of: Array(bytes[..<(tableWords * 8)]))
        else { return nil }
        var start = (tableWords + 1) * 8
        return (0..<Int(count)).map { index in
            let length = Int(clamping: word(headerWords + 2 * index, of: bytes))
            guard length <= bytes.count - start else {
                start = bytes.count
                return nil
            }
            let record = Array(bytes[start..<(start + length)])
            start = min(start + padded(length), bytes.count)
            return checksum(of: record) == word(headerWords + 2 * index + 1, of: bytes) ? record : nil
        }
    }

    private static func padded(_ count: Int) -> Int { (count + 7) / 8 * 8 }

    private static func append(_ word: UInt64, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) }
    }

    private static func word(_ index: Int, of bytes: [UInt8]) -> UInt64 {
        bytes.withUnsafeBytes { UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self)) }
    }
}
