// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Gathers values into bytes: numbers with the least significant byte first, texts behind their length.
struct BlobWriter {
    private(set) var bytes: [UInt8] = []

    mutating func append(byte: UInt8) { bytes.append(byte) }

    mutating func append(_ word: UInt64) { withUnsafeBytes(of: word.littleEndian) { bytes.append(contentsOf: $0) } }

    mutating func append(_ number: Int64) { append(UInt64(bitPattern: number)) }

    mutating func append(_ number: Double) { append(number.bitPattern) }

    mutating func append(_ coordinate: Coordinate) {
        append(coordinate.latitude)
        append(coordinate.longitude)
    }

    mutating func append(_ text: String) { append(bytes: Array(text.utf8)) }

    mutating func append(bytes piece: [UInt8]) {
        append(UInt64(piece.count))
        bytes.append(contentsOf: piece)
    }

    /// Whether there is a value, and the value.
    mutating func append<Value>(_ value: Value?, _ write: (inout BlobWriter, Value) -> Void) {
        append(byte: value == nil ? 0 : 1)
        if let value { write(&self, value) }
    }
}

/// Takes the bytes of a `BlobWriter` apart. Every answer is nil once the bytes are not what they should be.
struct BlobReader {
    private var rest: Slice<UnsafeRawBufferPointer>
    private(set) var isBroken = false

    init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

    /// Whether all bytes were read and nothing was amiss.
    var isComplete: Bool { !isBroken && rest.isEmpty }
    var remaining: Int { rest.count }

    mutating func byte() -> UInt8? { take(1)?.first }

    mutating func word() -> UInt64? {
        take(8).map { UInt64(littleEndian: UnsafeRawBufferPointer(rebasing: $0).loadUnaligned(as: UInt64.self)) }
    }

    mutating func integer() -> Int64? { word().map { Int64(bitPattern: $0) } }

    mutating func real() -> Double? { word().map { Double(bitPattern: $0) } }

    mutating func coordinate() -> Coordinate? {
        guard let latitude = real(), let longitude = real() else { return nil }
        return Coordinate(latitude: latitude, longitude: longitude)
    }

    mutating func text() -> String? {
        bytes().flatMap { bytes in
            let text = String(validating: bytes, as: UTF8.self)
            if text == nil { isBroken = true }
            return text
        }
    }

    mutating func bytes() -> [UInt8]? {
        guard let count = word(), let piece = take(Int(clamping: count)) else { return nil }
        return Array(piece)
    }

    /// The value where there is one; sets `isBroken` where it should be and is not.
    mutating func optional<Value>(_ read: (inout BlobReader) -> Value?) -> Value? {
        guard let mark = byte() else { return nil }
        guard mark == 1 else {
            if mark != 0 { isBroken = true }
            return nil
        }
        let value = read(&self)
        if value == nil { isBroken = true }
        return value
    }

    private mutating func take(_ count: Int) -> Slice<UnsafeRawBufferPointer>? {
        guard !isBroken, rest.count >= count else {
            isBroken = true
            return nil
        }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}
