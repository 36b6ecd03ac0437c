// SPDX-License-Identifier: Apache-2.0

/// A JSON text as a stranger would read it: by RFC 8259, without any of the daemon's own code. Repeated members are refused.
package enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([JSON])
    case object([String: JSON])

    /// Reads a whole document.
    package init(parsing text: some StringProtocol) throws {
        var reader = JSONReader(bytes: Array(text.utf8))
        self = try reader.document()
    }

    /// A member of an object.
    package subscript(_ name: String) -> JSON? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// Whether it is null.
    package var isNull: Bool { self == .null }
    /// true or false, if it is one of them.
    package var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    /// The number, if it is one.
    package var double: Double? { if case .number(let value) = self { value } else { nil } }
    /// The number, if it is a whole one.
    package var int: Int? { double.flatMap { Int(exactly: $0) } }
    /// The text of a string.
    package var string: String? { if case .string(let value) = self { value } else { nil } }
    /// The elements of an array.
    package var array: [JSON]? { if case .array(let value) = self { value } else { nil } }
    /// The members of an object.
    package var object: [String: JSON]? { if case .object(let value) = self { value } else { nil } }
    /// The names of an object's members.
    package var names: Set<String> { Set((object ?? [:]).keys) }
}

private struct JSONReader {
    let bytes: [UInt8]
    private var index = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var current: UInt8 { index < bytes.count ? bytes[index] : 0 }

    private func failure(_ reason: String) -> TestFailure {
        TestFailure("cannot read as JSON, byte \(index): \(reason) in \(String(decoding: bytes, as: UTF8.self))")
    }

    mutating func document() throws -> JSON {
        let value = try value()
        skipSpace()
        guard index == bytes.count else { throw failure("something follows the value") }
        return value
    }

    private mutating func skipSpace() {
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { index += 1 }
    }

    private mutating func take(_ byte: Character) throws {
        guard let ascii = byte.asciiValue, current == ascii else { throw failure("\(byte) is missing") }
        index += 1
    }

    private mutating func value() throws -> JSON {
        skipSpace()
        switch current {
        case UInt8(ascii: "{"): return try object()
        case UInt8(ascii: "["): return try array()
        case UInt8(ascii: "\""): return .string(try string())
        case UInt8(ascii: "t"): return try word("true", .bool(true))
        case UInt8(ascii: "f"): return try word("false", .bool(false))
        case UInt8(ascii: "n"): return try word("null", .null)
        default: return try number()
        }
    }

    private mutating func word(_ word: String, _ value: JSON) throws -> JSON {
        guard bytes[index...].starts(with: Array(word.utf8)) else { throw failure("an unknown word") }
        index += word.utf8.count
        return value
    }

    private mutating func number() throws -> JSON {
        let start = index
        while index < bytes.count, "+-.0123456789eE".utf8.contains(bytes[index]) { index += 1 }
        let text = String(decoding: bytes[start..<index], as: UTF8.self)
        guard let number = Double(text), number.isFinite, !text.hasPrefix("+"), !text.hasPrefix("."),
            !text.hasSuffix(".")
        else { throw failure("no number: \(text)") }
        return .number(number)
    }

    private mutating func string() throws -> String {
        try take("\"")
        var text: [UInt8] = []
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let string = String(validating: text, as: UTF8.self) else { throw failure("invalid UTF-8") }
                return string
            case UInt8(ascii: "\\"): try escape(into: &text)
            case 0..<0x20: throw failure("a control character in a string")
            default: text.append(byte)
            }
        }
        throw failure("a string without end")
    }

    private mutating func escape(into text: inout [UInt8]) throws {
        let byte = current
        index += 1
        switch byte {
        case UInt8(ascii: "n"): text.append(10)
        case UInt8(ascii: "t"): text.append(9)
        case UInt8(ascii: "r"): text.append(13)
        case UInt8(ascii: "b"): text.append(8)
        case UInt8(ascii: "f"): text.append(12)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "u"):
            guard index + 4 <= bytes.count,
                let unit = UInt32(String(decoding: bytes[index..<index + 4], as: UTF8.self), radix: 16),
                let scalar = Unicode.Scalar(unit)
            else { throw failure("an escape outside the basic plane") }
            index += 4
            text += Array(String(Character(scalar)).utf8)
        default: throw failure("an unknown escape")
        }
    }

    private mutating func array() throws -> JSON {
        try take("[")
        var elements: [JSON] = []
        skipSpace()
        if current == UInt8(ascii: "]") {
            index += 1
            return .array([])
        }
        while true {
            elements.append(try value())
            skipSpace()
            if current == UInt8(ascii: "]") {
                index += 1
                return .array(elements)
            }
            try take(",")
        }
    }

    private mutating func object() throws -> JSON {
        try take("{")
        var members: [String: JSON] = [:]
        skipSpace()
        if current == UInt8(ascii: "}") {
            index += 1
            return .object([:])
        }
        while true {
            skipSpace()
            let name = try string()
            skipSpace()
            try take(":")
            let value = try value()
            guard members.updateValue(value, forKey: name) == nil else { throw failure("\(name) is repeated") }
            skipSpace()
            if current == UInt8(ascii: "}") {
                index += 1
                return .object(members)
            }
            try take(",")
        }
    }
}
