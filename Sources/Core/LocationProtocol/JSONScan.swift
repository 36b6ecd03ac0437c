// SPDX-License-Identifier: Apache-2.0

/// A strict reading of a request's bytes by RFC 8259, before a decoder that forgives too much.
///
/// One pass. Refuses what different readers would understand differently (repeated members, lone surrogates, broken
/// UTF-8, a byte order mark) and what could exhaust a reader (depth). Nothing is allocated for requests as clients
/// send them.
package enum JSONScan {
    /// Why bytes are not JSON that this protocol takes.
    package struct Failure: Error, Sendable, Hashable {
        /// What is wrong.
        package var reason: String
        /// At which byte, counted from 0.
        package var offset: Int
    }

    /// A number that is JSON but that a double, or the decoder, cannot hold.
    package struct BadNumber: Sendable, Hashable {
        /// What is wrong with it.
        package var reason: String
        /// Its first byte, counted from 0.
        package var offset: Int
        /// The member that it stands in; empty in none.
        package var member: String
    }

    /// What a reading notes of a text that is JSON.
    package struct Notes: Sendable, Hashable {
        /// The first number that cannot be held.
        package var badNumber: BadNumber?
        /// The member `id` of the outermost object is a number that is not written as integers are: with a fraction or an
        /// exponent, or as -0. It could not be echoed as it was given.
        package var hasUnusualID = false
    }

    /// The deepest nesting of arrays and objects that is read.
    package static let maximumDepth = 16

    /// Reads all of `bytes` and tells what is noteworthy.
    package static func read(_ bytes: ArraySlice<UInt8>) throws(Failure) -> Notes {
        var scanner = JSONScanner(bytes)
        try scanner.document()
        return scanner.notes
    }
}

// The recursion follows the nesting and is bounded by `JSONScan.maximumDepth`.
private struct JSONScanner {
    private let bytes: ArraySlice<UInt8>
    private let end: Int
    private var index: Int
    private var names = MemberNames()
    private var lastName = MemberNames.Name(range: 0..<0, hasEscapes: false)
    private(set) var notes = JSONScan.Notes()

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
        end = bytes.endIndex
    }

    // 0 stands for the end of input: no JSON text holds that byte outside a string, and strings check it themselves.
    private var current: UInt8 { index < end ? bytes[index] : 0 }

    private func failure(_ reason: String, at position: Int? = nil) -> JSONScan.Failure {
        JSONScan.Failure(reason: reason, offset: (position ?? index) - bytes.startIndex)
    }

    private func unexpected(wanted: String) -> JSONScan.Failure {
        guard index < end else { return failure("the text ends where \(wanted) must stand") }
        let byte = bytes[index]
        let given =
            (0x21...0x7E).contains(byte)
            ? "\"\(Character(Unicode.Scalar(byte)))\"" : "byte 0x" + String(byte, radix: 16, uppercase: true)
        return failure("\(given) stands where \(wanted) must stand")
    }

    mutating func document() throws(JSONScan.Failure) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { throw failure("a byte order mark is not allowed") }
        skipSpace()
        try value(depth: 0)
        skipSpace()
        if index < end { throw unexpected(wanted: "the end of the line") }
    }

    private mutating func skipSpace() {
        while index < end {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func value(depth: Int) throws(JSONScan.Failure) {
        switch current {
        case UInt8(ascii: "\""): _ = try string()
        case UInt8(ascii: "{"): try object(depth: depth + 1)
        case UInt8(ascii: "["): try array(depth: depth + 1)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: throw unexpected(wanted: "a value")
        }
    }

    private mutating func word(_ word: StaticString) throws(JSONScan.Failure) {
        let start = index
        let matches = word.withUTF8Buffer { bytes[index...].starts(with: $0) }
        guard matches else { throw failure("only true, false and null are words", at: start) }
        index += word.utf8CodeUnitCount
    }

    private func checkDepth(_ depth: Int) throws(JSONScan.Failure) {
        if depth > JSONScan.maximumDepth { throw failure("nested deeper than \(JSONScan.maximumDepth)") }
    }

    private mutating func array(depth: Int) throws(JSONScan.Failure) {
        try checkDepth(depth)
        index += 1
        skipSpace()
        if current == UInt8(ascii: "]") { index += 1; return }
        while true {
            skipSpace()
            try value(depth: depth)
            skipSpace()
            switch current {
            case UInt8(ascii: ","): index += 1
            case UInt8(ascii: "]"): index += 1; return
            default: throw unexpected(wanted: "\",\" or \"]\"")
            }
        }
    }

    private mutating func object(depth: Int) throws(JSONScan.Failure) {
        try checkDepth(depth)
        index += 1
        skipSpace()
        if current == UInt8(ascii: "}") { index += 1; return }
        let mark = names.open()
        while true {
            skipSpace()
            try memberName(mark)
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw unexpected(wanted: "\":\"") }
            index += 1
            skipSpace()
            let (start, isID) = (index, depth == 1 && lastName.matches("id", in: bytes))
            try value(depth: depth)
            if isID { lookAtID(start..<index) }
            skipSpace()
            switch current {
            case UInt8(ascii: ","): index += 1
            case UInt8(ascii: "}"):
                index += 1
                names.close(mark)
                return
            default: throw unexpected(wanted: "\",\" or \"}\"")
            }
        }
    }

    private mutating func memberName(_ mark: MemberNames.Mark) throws(JSONScan.Failure) {
        let start = index
        guard current == UInt8(ascii: "\"") else { throw unexpected(wanted: "a member's name") }
        let hasEscapes = try string()
        lastName = MemberNames.Name(range: start + 1..<index - 1, hasEscapes: hasEscapes)
        if !names.insert(lastName, in: bytes, mark) {
            throw failure("the member \(lastName.text(in: bytes)) is repeated", at: start)
        }
    }

    // Returns whether there are escapes.
    private mutating func string() throws(JSONScan.Failure) -> Bool {
        let start = index
        var hasEscapes = false
        index += 1
        while index < end {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return hasEscapes
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try escape()
            case 0x20...0x7F: index += 1
            case 0..<0x20: throw failure("a control character in a string must be escaped")
            default: try multibyte(byte)
            }
        }
        throw failure("a string has no end", at: start)
    }

    private mutating func escape() throws(JSONScan.Failure) {
        let start = index
        index += 1
        switch current {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        case UInt8(ascii: "u"):
            index += 1
            let unit = try hexadecimalDigits(start)
            if (0xDC00...0xDFFF).contains(unit) { throw failure("half a surrogate pair", at: start) }
            guard (0xD800...0xDBFF).contains(unit) else { return }
            guard index + 1 < end, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else {
                throw failure("half a surrogate pair", at: start)
            }
            index += 2
            let low = try hexadecimalDigits(start)
            guard (0xDC00...0xDFFF).contains(low) else { throw failure("half a surrogate pair", at: start) }
        default: throw failure("an unknown escape in a string", at: start)
        }
    }

    private mutating func hexadecimalDigits(_ start: Int) throws(JSONScan.Failure) -> UInt32 {
        var unit: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = hexadecimalValue(current) else {
                throw failure("\\u needs four hexadecimal digits", at: start)
            }
            unit = unit << 4 | UInt32(digit)
            index += 1
        }
        return unit
    }

    // The well-formed sequences of the Unicode standard, table 3-7: no overlong forms, surrogates or planes over 16.
    private mutating func multibyte(_ first: UInt8) throws(JSONScan.Failure) {
        let length: Int
        var second: ClosedRange<UInt8> = 0x80...0xBF
        switch first {
        case 0xC2...0xDF: length = 2
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: length = 3
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        case 0xF1...0xF3: length = 4
        default: throw failure("invalid UTF-8")
        }
        guard index + length <= end, second.contains(bytes[index + 1]) else { throw failure("invalid UTF-8") }
        for position in index + 1..<index + length where bytes[position] & 0xC0 != 0x80 {
            throw failure("invalid UTF-8")
        }
        index += length
    }

    private mutating func digits() throws(JSONScan.Failure) {
        guard isDigit(current) else { throw unexpected(wanted: "a digit") }
        while isDigit(current) { index += 1 }
    }

    private mutating func number() throws(JSONScan.Failure) {
        let start = index
        if current == UInt8(ascii: "-") { index += 1 }
        if current == UInt8(ascii: "0") {
            index += 1
            if isDigit(current) { throw failure("a number must not begin with 0", at: start) }
        } else {
            try digits()
        }
        // Fewer digits than this cannot exceed a double without an exponent.
        var needsLook = index - start > 300
        if current == UInt8(ascii: ".") {
            index += 1
            try digits()
        }
        if current | 0x20 == UInt8(ascii: "e") {
            needsLook = true
            index += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { index += 1 }
            try digits()
        }
        if needsLook { look(at: start..<index) }
    }

    private mutating func look(at range: Range<Int>) {
        let number = Double(String(decoding: bytes[range], as: UTF8.self)) ?? .infinity
        if number.isInfinite { note("beyond a double", range.lowerBound) }
        guard number == 0 else { return }
        // The decoder refuses what would silently become 0, and takes a 0 with an exponent for a leading zero.
        let mantissa = bytes[range].prefix { $0 | 0x20 != UInt8(ascii: "e") }
        let isZero = !mantissa.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
        note(isZero ? "0 with an exponent" : "nearer to 0 than a double can be", range.lowerBound)
    }

    private mutating func lookAtID(_ range: Range<Int>) {
        let text = bytes[range]
        guard let first = text.first, first == UInt8(ascii: "-") || isDigit(first) else { return }
        notes.hasUnusualID =
            text.contains { $0 == UInt8(ascii: ".") || $0 | 0x20 == UInt8(ascii: "e") } || text.elementsEqual("-0".utf8)
    }

    private mutating func note(_ reason: String, _ start: Int) {
        guard notes.badNumber == nil else { return }
        notes.badNumber = JSONScan.BadNumber(
            reason: reason, offset: start - bytes.startIndex,
            member: lastName.range.isEmpty ? "" : lastName.text(in: bytes))
    }
}

private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

/// The value of a hexadecimal digit in ASCII, nil for other bytes.
func hexadecimalValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
}
