// SPDX-License-Identifier: Apache-2.0

/// The member names of the objects that a scan is inside of, to find one that is repeated.
///
/// The first names are kept in place and compared one by one; a text with more (no client sends one) goes to a set, so
/// that 64 KiB of short members cost no quadratic time.
struct MemberNames {
    /// Where a name stands in the text, without its quotes.
    struct Name {
        var range: Range<Int>
        var hasEscapes: Bool

        /// Whether it is `name`.
        func matches(_ name: StaticString, in bytes: ArraySlice<UInt8>) -> Bool {
            name.withUTF8Buffer { name in
                hasEscapes ? decodedName(bytes[range]).elementsEqual(name) : bytes[range].elementsEqual(name)
            }
        }

        /// The name for a message, cut to a length that fits one.
        func text(in bytes: ArraySlice<UInt8>) -> String {
            let decoded = decodedName(bytes[range])
            return quoted(String(decoding: decoded, as: UTF8.self))
        }
    }

    /// An object that is being read.
    struct Mark {
        fileprivate var firstName: Int
        fileprivate var object: Int
    }

    private struct OverflowName: Hashable {
        var object: Int
        var name: [UInt8]
    }

    private static let capacity = 32
    private var names = InlineArray<32, Name>(repeating: Name(range: 0..<0, hasEscapes: false))
    private var count = 0
    private var objects = 0
    private var more: Set<OverflowName> = []

    /// Enters an object.
    mutating func open() -> Mark {
        objects += 1
        return Mark(firstName: count, object: objects)
    }

    /// Leaves the object that was entered last.
    mutating func close(_ mark: Mark) { count = mark.firstName }

    /// Notes a name of the object `mark`; false if the object has it already. Escaped and plain spellings are the same name.
    mutating func insert(_ name: Name, in bytes: ArraySlice<UInt8>, _ mark: Mark) -> Bool {
        for index in mark.firstName..<count where isSame(names[index], name, bytes) { return false }
        if count < MemberNames.capacity {
            names[count] = name
            count += 1
            return true
        }
        return more.insert(OverflowName(object: mark.object, name: decodedName(bytes[name.range]))).inserted
    }

    private func isSame(_ left: Name, _ right: Name, _ bytes: ArraySlice<UInt8>) -> Bool {
        if left.hasEscapes || right.hasEscapes {
            return decodedName(bytes[left.range]) == decodedName(bytes[right.range])
        }
        guard left.range.count == right.range.count else { return false }
        let distance = right.range.lowerBound - left.range.lowerBound
        for index in left.range where bytes[index] != bytes[index + distance] { return false }
        return true
    }
}

// Undoes the escapes of a name that has been scanned already.
private func decodedName(_ raw: ArraySlice<UInt8>) -> [UInt8] {
    var decoded: [UInt8] = []
    decoded.reserveCapacity(raw.count)
    var index = raw.startIndex
    func unit(at position: Int) -> UInt32 {
        raw[position..<position + 4].reduce(0) { $0 << 4 | UInt32(hexadecimalValue($1) ?? 0) }
    }
    while index < raw.endIndex {
        guard raw[index] == UInt8(ascii: "\\") else {
            decoded.append(raw[index])
            index += 1
            continue
        }
        switch raw[index + 1] {
        case UInt8(ascii: "b"): decoded.append(0x08)
        case UInt8(ascii: "f"): decoded.append(0x0C)
        case UInt8(ascii: "n"): decoded.append(0x0A)
        case UInt8(ascii: "r"): decoded.append(0x0D)
        case UInt8(ascii: "t"): decoded.append(0x09)
        case UInt8(ascii: "u"):
            var scalar = unit(at: index + 2)
            index += 4
            if (0xD800...0xDBFF).contains(scalar) {
                scalar = 0x10000 + (scalar - 0xD800) << 10 + (unit(at: index + 4) - 0xDC00)
                index += 6
            }
            decoded.append(contentsOf: String(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}")).utf8)
        case let byte: decoded.append(byte)
        }
        index += 2
    }
    return decoded
}
