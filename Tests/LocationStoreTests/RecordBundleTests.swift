// SPDX-License-Identifier: Apache-2.0
import LocationStore
import LocationTestSupport
import Testing

@Suite("Records for the next process", .tellsSeed)
struct RecordBundleTests {
    private static let records: [[UInt8]] = [Array("first".utf8), [], Array(repeating: 7, count: 8), Array(0...200)]

    @Test("come back as they were", arguments: [[], [[]], records])
    func roundTrip(records: [[UInt8]]) {
        #expect(RecordBundle.records(in: RecordBundle.bytes(of: records)) == records)
    }

    @Test("are lost one by one when they are damaged, and all at once when the table is; none comes back changed")
    func damage() {
        let bytes = RecordBundle.bytes(of: Self.records)
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0x10
            guard let found = RecordBundle.records(in: damaged) else { continue }
            #expect(found.count == Self.records.count)
            #expect(zip(found, Self.records).count { $0 != $1 } <= 1, "byte \(index)")
            for (record, original) in zip(found, Self.records) { #expect(record == nil || record == original) }
        }
    }

    @Test("that were cut off, or are none, are none")
    func truncated() {
        let bytes = RecordBundle.bytes(of: Self.records)
        for length in bytes.indices {
            for (record, original) in zip(RecordBundle.records(in: Array(bytes[..<length])) ?? [], Self.records) {
                #expect(record == nil || record == original)
            }
        }
        var random = SplitMix64()
        for _ in 0..<100 {
            let noise = (0..<Int.random(in: 0..<200, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            #expect(RecordBundle.records(in: noise) == nil)
        }
    }
}
