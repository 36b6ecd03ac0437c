// SPDX-License-Identifier: Apache-2.0

/// A JSON text that was read once, strictly by RFC 8259.
///
/// One pass notes where each value begins and ends; what a value says is found out when somebody asks for it. Refuses what
/// different readers would understand differently (repeated members, lone surrogates, broken UTF-8, a byte order mark) and
/// what could exhaust a reader (depth).
package final class JSONText: Sendable {
    /// Why bytes are not JSON that this protocol takes.
    package struct Failure: Error, Sendable, Hashable {
        /// The fault, in words for an error.
        package var reason: String
        /// At which byte, counted from 0.
        package var offset: Int
    }

    /// A number that is JSON but that a double cannot hold.
    package struct BadNumber: Sendable, Hashable {
        /// The fault of the number, in words for an error.
        package var reason: String
        /// Its first byte, counted from 0.
        package var offset: Int
        /// The member that it stands in; empty in none.
        package var member: String
    }

    /// A value, or the name of a member, whose value follows it.
    struct Node: Sendable, BitwiseCopyable {
        enum Kind: UInt8, Sendable, BitwiseCopyable { case object, array, string, number, yes, no, null }

        var kind: Kind
        /// Of a string.
        var hasEscapes = false
        /// Its bytes; of a string those between the quotes.
        var start: UInt32
        var end: UInt32
        /// The node behind it and all that it contains.
        var next: UInt32
    }

    /// The deepest nesting of arrays and objects that is read.
    package static let maximumDepth = 16

    /// The first number that a double cannot hold.
    package let badNumber: BadNumber?
    let bytes: ArraySlice<UInt8>
    /// In the order of the text; the first is the text's own value.
    let nodes: [Node]

    /// Reads all of `bytes`.
    package init(_ bytes: ArraySlice<UInt8>) throws(Failure) {
        var scanner = JSONScanner(bytes)
        try scanner.document()
        self.bytes = bytes
        nodes = scanner.nodes
        badNumber = scanner.badNumber
    }
}

// Values of nodes.
extension JSONText {
    /// The text of a string or name.
    func string(_ node: Int) -> String { JSONText.string(nodes[node], in: bytes) }

    static func string(_ node: Node, in bytes: ArraySlice<UInt8>) -> String {
        let raw = bytes[Int(node.start)..<Int(node.end)]
        return String(decoding: node.hasEscapes ? unescaped(raw)[...] : raw, as: UTF8.self)
    }

    /// Whether the string or name at `node` is `text`, byte by byte.
    func isString(_ node: Int, _ text: StaticString) -> Bool {
        let found = nodes[node]
        guard found.kind == .string else { return false }
        return text.withUTF8Buffer { text in
            found.hasEscapes
                ? string(node).utf8.elementsEqual(text)
                : bytes[Int(found.start)..<Int(found.end)].elementsEqual(text)
        }
    }

    /// The member `name` of the object at `object`; nil: it has none.
    func member(_ name: StaticString, of object: Int) -> Int? {
        var node = object + 1
        while node < Int(nodes[object].next) {
            if isString(node, name) { return node + 1 }
            node = Int(nodes[node + 1].next)
        }
        return nil
    }

    /// The names of the members of the object at `object`, in the order of the text.
    func names(of object: Int) -> [Int] {
        var names: [Int] = []
        var node = object + 1
        while node < Int(nodes[object].next) {
            names.append(node)
            node = Int(nodes[node + 1].next)
        }
        return names
    }

    /// The elements of the array at `array`.
    func elements(of array: Int) -> [Int] {
        var elements: [Int] = []
        var node = array + 1
        while node < Int(nodes[array].next) {
            elements.append(node)
            node = Int(nodes[node].next)
        }
        return elements
    }

    /// The number at `node`; nil: it is none, or one that a double cannot hold.
    func double(_ node: Int) -> Double? {
        guard nodes[node].kind == .number else { return nil }
        let text = number(node)
        return JSONText.shortDecimal(text) ?? (JSONText.misfit(text) == nil ? JSONText.parsed(text) : nil)
    }

    /// The whole number at `node`, however it is written; nil: it is none, or beyond `Integer`.
    func integer<Integer: FixedWidthInteger>(_ node: Int, _ type: Integer.Type = Integer.self) -> Integer? {
        guard nodes[node].kind == .number else { return nil }
        if let integer = Integer(String(decoding: number(node), as: UTF8.self)) { return integer }
        // Beyond this a double is not the number that was written.
        guard let double = double(node), abs(double) < 0x1p53 else { return nil }
        return Integer(exactly: double)
    }

    /// The digits of the number at `node`.
    func number(_ node: Int) -> ArraySlice<UInt8> { bytes[Int(nodes[node].start)..<Int(nodes[node].end)] }

    /// A value as a message shows it; nil: a number that a double cannot hold.
    func given(_ node: Int) -> String? {
        switch nodes[node].kind {
        case .array: "an array"
        case .object: "an object"
        case .null: "null"
        case .yes: "true"
        case .no: "false"
        case .string: quoted(string(node))
        case .number: double(node).map { Int64(exactly: $0).map(String.init) ?? String($0) }
        }
    }

    // Digits and powers of ten are exact, so that the division, which rounds once, gives the nearest double.
    private static func shortDecimal(_ text: ArraySlice<UInt8>) -> Double? {
        var mantissa: UInt64 = 0
        var places: Int?
        let isNegative = text.first == UInt8(ascii: "-")
        for byte in isNegative ? text.dropFirst() : text {
            if byte == UInt8(ascii: ".") { places = 0; continue }
            guard isDigit(byte), mantissa < 1 << 49, places ?? 0 < 9 else { return nil }
            mantissa = mantissa * 10 + UInt64(byte - UInt8(ascii: "0"))
            places = places.map { $0 + 1 }
        }
        let magnitude = Double(mantissa) / DecimalPlaces.factors[places ?? 0]
        return isNegative ? -magnitude : magnitude
    }

    private static func parsed(_ text: ArraySlice<UInt8>) -> Double {
        Double(String(decoding: text, as: UTF8.self)) ?? .infinity
    }

    /// Why a double cannot hold the number; nil: it can. A 0 with an exponent is refused, too: readers differ about it.
    static func misfit(_ text: ArraySlice<UInt8>) -> String? {
        let number = parsed(text)
        guard number.isFinite else { return "beyond a double" }
        guard number == 0, text.contains(where: { $0 | 0x20 == UInt8(ascii: "e") }) else { return nil }
        let mantissa = text.prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let isZero = !mantissa.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
        return isZero ? "0 with an exponent" : "nearer to 0 than a double can be"
    }

    // Of a string that was read already.
    private static func unescaped(_ raw: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(raw.count)
        var index = raw.startIndex
        func unit(at position: Int) -> UInt32 {
            raw[position..<position + 4].reduce(0) { $0 << 4 | UInt32(hexadecimalValue($1) ?? 0) }
        }
        while index < raw.endIndex {
            guard raw[index] == UInt8(ascii: "\\") else {
                bytes.append(raw[index])
                index += 1
                continue
            }
            switch raw[index + 1] {
            case UInt8(ascii: "b"): bytes.append(0x08)
            case UInt8(ascii: "f"): bytes.append(0x0C)
            case UInt8(ascii: "n"): bytes.append(0x0A)
            case UInt8(ascii: "r"): bytes.append(0x0D)
            case UInt8(ascii: "t"): bytes.append(0x09)
            case UInt8(ascii: "u"):
                var scalar = unit(at: index + 2)
                index += 4
                if (0xD800...0xDBFF).contains(scalar) {
                    scalar = 0x10000 + (scalar - 0xD800) << 10 + (unit(at: index + 4) - 0xDC00)
                    index += 6
                }
                bytes.append(contentsOf: String(Character(Unicode.Scalar(scalar) ?? "\u{FFFD}")).utf8)
            case let byte: bytes.append(byte)
            }
            index += 2
        }
        return bytes
    }
}

/// Whether `byte` is a digit in ASCII.
func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

/// The value of a hexadecimal digit in ASCII, nil for other bytes.
func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
