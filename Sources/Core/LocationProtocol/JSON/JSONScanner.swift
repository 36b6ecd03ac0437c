// SPDX-License-Identifier: Apache-2.0

/// Reads a text for `JSONText`. The recursion follows the nesting and is bounded by `JSONText.maximumDepth`.
struct JSONScanner {
    private let bytes: ArraySlice<UInt8>
    private let end: Int
    private var index: Int
    private(set) var nodes: [JSONText.Node] = []
    // The node of the name that was read last.
    private var lastName: Int?
    private(set) var badNumber: JSONText.BadNumber?

    init(_ bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
        index = bytes.startIndex
        end = bytes.endIndex
        // As many as a request of some members has.
        nodes.reserveCapacity(min(32, bytes.count))
    }

    // 0 stands for the end of input: no JSON text holds that byte outside a string, and strings check it themselves.
    private var current: UInt8 { index < end ? bytes[index] : 0 }

    private func failure(_ reason: String, at position: Int? = nil) -> JSONText.Failure {
        JSONText.Failure(reason: reason, offset: (position ?? index) - bytes.startIndex)
    }

    private func unexpected(wanted: String) -> JSONText.Failure {
        guard index < end else { return failure("the text ends where \(wanted) must stand") }
        let byte = bytes[index]
        let given =
            (0x21...0x7E).contains(byte)
            ? "\"\(Character(Unicode.Scalar(byte)))\"" : "byte 0x" + String(byte, radix: 16, uppercase: true)
        return failure("\(given) stands where \(wanted) must stand")
    }

    mutating func document() throws(JSONText.Failure) {
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

    private mutating func value(depth: Int) throws(JSONText.Failure) {
        switch current {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "{"): try object(depth: depth + 1)
        case UInt8(ascii: "["): try array(depth: depth + 1)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        case UInt8(ascii: "t"): try word("true", .yes)
        case UInt8(ascii: "f"): try word("false", .no)
        case UInt8(ascii: "n"): try word("null", .null)
        default: throw unexpected(wanted: "a value")
        }
    }

    private mutating func word(_ word: StaticString, _ kind: JSONText.Node.Kind) throws(JSONText.Failure) {
        let start = index
        let matches = word.withUTF8Buffer { bytes[index...].starts(with: $0) }
        guard matches else { throw failure("only true, false and null are words", at: start) }
        index += word.utf8CodeUnitCount
        append(kind, start..<index)
    }

    private mutating func append(_ kind: JSONText.Node.Kind, _ range: Range<Int>, hasEscapes: Bool = false) {
        nodes.append(
            JSONText.Node(
                kind: kind, hasEscapes: hasEscapes, start: UInt32(range.lowerBound), end: UInt32(range.upperBound),
                next: UInt32(nodes.count + 1)))
    }

    // Closes the array or object at `place`: the nodes appended since are inside of it.
    private mutating func close(_ place: Int) {
        nodes[place].end = UInt32(index)
        nodes[place].next = UInt32(nodes.count)
    }

    private func checkDepth(_ depth: Int) throws(JSONText.Failure) {
        if depth > JSONText.maximumDepth { throw failure("nested deeper than \(JSONText.maximumDepth)") }
    }

    private mutating func array(depth: Int) throws(JSONText.Failure) {
        try checkDepth(depth)
        let place = nodes.count
        append(.array, index..<index)
        defer { close(place) }
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

    private mutating func object(depth: Int) throws(JSONText.Failure) {
        try checkDepth(depth)
        let place = nodes.count
        append(.object, index..<index)
        defer { close(place) }
        index += 1
        skipSpace()
        if current == UInt8(ascii: "}") { index += 1; return }
        var names = MemberNames(of: place)
        while true {
            skipSpace()
            try memberName(&names)
            skipSpace()
            guard current == UInt8(ascii: ":") else { throw unexpected(wanted: "\":\"") }
            index += 1
            skipSpace()
            try value(depth: depth)
            skipSpace()
            switch current {
            case UInt8(ascii: ","): index += 1
            case UInt8(ascii: "}"): index += 1; return
            default: throw unexpected(wanted: "\",\" or \"}\"")
            }
        }
    }

    private mutating func memberName(_ names: inout MemberNames) throws(JSONText.Failure) {
        let start = index
        guard current == UInt8(ascii: "\"") else { throw unexpected(wanted: "a member's name") }
        let name = nodes.count
        try string()
        lastName = name
        if !names.insert(name, of: nodes, bytes) {
            throw failure("the member \(quoted(JSONText.string(nodes[name], in: bytes))) is repeated", at: start)
        }
    }

    private mutating func string() throws(JSONText.Failure) {
        let start = index
        var hasEscapes = false
        index += 1
        while index < end {
            let byte = bytes[index]
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return append(.string, start + 1..<index - 1, hasEscapes: hasEscapes)
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

    private mutating func escape() throws(JSONText.Failure) {
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

    private mutating func hexadecimalDigits(_ start: Int) throws(JSONText.Failure) -> UInt32 {
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
    private mutating func multibyte(_ first: UInt8) throws(JSONText.Failure) {
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

    private mutating func digits() throws(JSONText.Failure) {
        guard isDigit(current) else { throw unexpected(wanted: "a digit") }
        while isDigit(current) { index += 1 }
    }

    private mutating func number() throws(JSONText.Failure) {
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
        append(.number, start..<index)
        if needsLook { look(at: start..<index) }
    }

    private mutating func look(at range: Range<Int>) {
        guard badNumber == nil, let reason = JSONText.misfit(bytes[range]) else { return }
        badNumber = JSONText.BadNumber(
            reason: reason, offset: range.lowerBound - bytes.startIndex,
            member: lastName.map { JSONText.string(nodes[$0], in: bytes) }.flatMap { $0.isEmpty ? nil : quoted($0) }
                ?? "")
    }
}

/// The member names of an object that is being read, to find one that is repeated.
///
/// The first are compared one by one; an object with more (no client sends one) has a set, so that 64 KiB of short
/// members cost no quadratic time.
private struct MemberNames {
    private static let mostCompared = 32
    private let object: Int
    private var count = 0
    private var all: Set<[UInt8]> = []

    init(of object: Int) { self.object = object }

    /// Takes the name at the node `name`; false if the object has it already. Escaped and plain spellings are the same name.
    mutating func insert(_ name: Int, of nodes: [JSONText.Node], _ bytes: ArraySlice<UInt8>) -> Bool {
        count += 1
        if count > MemberNames.mostCompared { return insertIntoSet(name, nodes, bytes) }
        var other = object + 1
        while other < name {
            if isSame(nodes[other], nodes[name], bytes) { return false }
            other = Int(nodes[other + 1].next)
        }
        return true
    }

    private mutating func insertIntoSet(_ name: Int, _ nodes: [JSONText.Node], _ bytes: ArraySlice<UInt8>) -> Bool {
        if all.isEmpty {
            var other = object + 1
            while other < name {
                all.insert(Array(JSONText.string(nodes[other], in: bytes).utf8))
                other = Int(nodes[other + 1].next)
            }
        }
        return all.insert(Array(JSONText.string(nodes[name], in: bytes).utf8)).inserted
    }

    private func isSame(_ left: JSONText.Node, _ right: JSONText.Node, _ bytes: ArraySlice<UInt8>) -> Bool {
        if left.hasEscapes || right.hasEscapes {
            return JSONText.string(left, in: bytes).utf8.elementsEqual(JSONText.string(right, in: bytes).utf8)
        }
        return bytes[Int(left.start)..<Int(left.end)].elementsEqual(bytes[Int(right.start)..<Int(right.end)])
    }
}
