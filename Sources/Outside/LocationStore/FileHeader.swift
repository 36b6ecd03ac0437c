// SPDX-License-Identifier: Apache-2.0

/// The first page of a mapped file: what it is, so that a file of another kind, version or machine is never misread.
struct FileHeader: Equatable {
    /// Bytes before the first record: a page, so that records never share one with the header.
    static let length = 4096

    /// Eight letters read as one word of this machine: another byte order is another kind.
    var kind: UInt64
    /// Grows with every change of the layout.
    var version: UInt64
    /// Bytes per record.
    var recordLength: UInt64
    /// Records in the file; 0 where the length of the file says it.
    var capacity: UInt64

    private static let checksumOffset = 32
    // Not covered by the checksum: it is replaced by one store while the rest stays.
    private static let bootOffset = 40

    /// Reads the header at `base`; nil if it is damaged.
    init?(at base: UnsafeRawPointer) {
        kind = base.load(as: UInt64.self)
        version = base.load(fromByteOffset: 8, as: UInt64.self)
        recordLength = base.load(fromByteOffset: 16, as: UInt64.self)
        capacity = base.load(fromByteOffset: 24, as: UInt64.self)
        let stored = base.load(fromByteOffset: FileHeader.checksumOffset, as: UInt64.self)
        guard stored == checksum(base, count: 4, seed: 0) else { return nil }
    }

    init(kind: StaticString, version: UInt64, recordLength: Int, capacity: Int) {
        precondition(kind.utf8CodeUnitCount == 8)
        self.kind = UnsafeRawPointer(kind.utf8Start).loadUnaligned(as: UInt64.self)
        self.version = version
        self.recordLength = UInt64(recordLength)
        self.capacity = UInt64(capacity)
    }

    func write(to base: UnsafeMutableRawPointer) {
        base.storeBytes(of: kind, as: UInt64.self)
        base.storeBytes(of: version, toByteOffset: 8, as: UInt64.self)
        base.storeBytes(of: recordLength, toByteOffset: 16, as: UInt64.self)
        base.storeBytes(of: capacity, toByteOffset: 24, as: UInt64.self)
        let sum = checksum(base, count: 4, seed: 0)
        base.storeBytes(of: sum, toByteOffset: FileHeader.checksumOffset, as: UInt64.self)
    }

    /// The word that tells the boots apart.
    static func bootWord(at base: UnsafeMutableRawPointer) -> UnsafeMutablePointer<UInt64> {
        (base + bootOffset).assumingMemoryBound(to: UInt64.self)
    }

    /// Says why a file of `length` bytes with the header `found` cannot be used as this one, whatever its capacity; nil if it can.
    func objection(to found: FileHeader?, length: Int) -> String? {
        guard let found, found.kind == kind else { return "it does not begin with a valid header" }
        guard found.version == version else { return "it has version \(found.version), this is version \(version)" }
        guard found.recordLength == recordLength else { return "its records have \(found.recordLength) bytes" }
        guard found.capacity > 0 else { return nil }
        let (records, overflow) = found.capacity.multipliedReportingOverflow(by: recordLength)
        guard !overflow, UInt64(length - FileHeader.length) == records else {
            return "its \(length) bytes do not fit the \(found.capacity) records it claims"
        }
        return nil
    }
}
