// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

// The form in which the store keeps what the visit detector watches: a version, flags, and eight bytes a number.
extension StoredStay {
    private static let version: UInt8 = 1
    private static let length = 2 + 5 * 8

    var encoded: [UInt8] {
        var bytes: [UInt8] = [StoredStay.version, (isTold ? 1 : 0) | (arrival == nil ? 0 : 2)]
        for number in [coordinate.latitude.bitPattern, coordinate.longitude.bitPattern, horizontalAccuracy.bitPattern] {
            bytes.append(number)
        }
        for date in [arrival?.milliseconds ?? 0, lastInside.milliseconds] { bytes.append(UInt64(bitPattern: date)) }
        return bytes
    }

    /// nil: not what this version writes.
    init?(decoding bytes: [UInt8]) {
        guard bytes.count == StoredStay.length, bytes[0] == StoredStay.version else { return nil }
        func number(_ index: Int) -> UInt64 {
            bytes[(2 + index * 8)..<(10 + index * 8)].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
        func date(_ index: Int) -> WallTime { WallTime(milliseconds: Int64(bitPattern: number(index))) }
        self.init(
            coordinate: Coordinate(
                latitude: Double(bitPattern: number(0)), longitude: Double(bitPattern: number(1))),
            horizontalAccuracy: Double(bitPattern: number(2)), arrival: bytes[1] & 2 == 0 ? nil : date(3),
            lastInside: date(4), isTold: bytes[1] & 1 != 0)
        guard coordinate.isValid, horizontalAccuracy > 0, horizontalAccuracy.isFinite, arrival?.isWritable ?? true,
            lastInside.isWritable
        else { return nil }
    }
}

extension [UInt8] {
    fileprivate mutating func append(_ number: UInt64) {
        for shift in stride(from: UInt64(0), to: 64, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
}
