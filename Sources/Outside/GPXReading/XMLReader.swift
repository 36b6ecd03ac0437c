// SPDX-License-Identifier: Apache-2.0

/// Takes XML apart, piece by piece, with the lines on which the pieces begin: what recorded tracks need of XML 1.0 in UTF-8.
///
/// Prefixes of namespaces are left out. Document type declarations are refused: entities of one's own can make little of much.
struct XMLReader {
    enum Piece: Equatable {
        case start(String, attributes: [String: String])
        case end(String)
        case text(String)
    }

    // Deeper than any track, and shallow enough for whoever reads it.
    private static let deepest = 64

    private let bytes: [UInt8]
    private var index = 0
    /// Of the piece that was read last.
    private(set) var line = 1
    private var newestLine = 1
    /// Open elements, as written.
    private var open: [String] = []
    private var hasRoot = false
    /// Of an element that ends where it begins.
    private var pendingEnd: String?

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// The next piece; nil at the end of the document.
    mutating func next() throws(GPXError) -> Piece? {
        if let name = pendingEnd {
            pendingEnd = nil
            return .end(name)
        }
        while index < bytes.count {
            line = newestLine
            if bytes[index] != UInt8(ascii: "<") {
                let text = try characters()
                if !open.isEmpty { return .text(text) }
                guard text.allSatisfy(\.isWhitespace) else { throw error("cannot read text outside of the elements") }
            } else if starts(with: "<!--") {
                try skip(behind: "-->", from: 4, "a comment")
            } else if starts(with: "<![CDATA["), !open.isEmpty {
                let begin = index + 9
                try skip(behind: "]]>", from: 9, "a CDATA section")
                return .text(String(decoding: bytes[begin..<index - 3], as: UTF8.self))
            } else if starts(with: "<?") {
                try instruction()
            } else if starts(with: "<!") {
                throw error("cannot read a document type declaration: tracks have none")
            } else if starts(with: "</") {
                return try endTag()
            } else {
                return try startTag()
            }
        }
        line = newestLine
        if let last = open.last { throw error("cannot read on: the file ends inside of <\(last)>") }
        guard hasRoot else { throw error("cannot find an element: the file is empty") }
        return nil
    }

    private func error(_ text: String) -> GPXError { GPXError(line: line, text) }

    private func starts(with text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes[index...].starts(with: $0) }
    }

    private mutating func step(_ count: Int = 1) {
        for byte in bytes[index..<index + count] where byte == 0x0A { newestLine += 1 }
        index += count
    }

    private mutating func skip(behind end: StaticString, from offset: Int, _ what: String) throws(GPXError) {
        step(offset)
        while index < bytes.count {
            if starts(with: end) { return step(end.utf8CodeUnitCount) }
            step()
        }
        throw error("cannot read on: the file ends inside of \(what)")
    }

    // `<?xml … ?>` and others; of the first only the encoding matters.
    private mutating func instruction() throws(GPXError) {
        let begin = index
        try skip(behind: "?>", from: 2, "an instruction")
        let text = String(decoding: bytes[begin..<index], as: UTF8.self)
        guard text.hasPrefix("<?xml "), let name = text.split(separator: "encoding").dropFirst().first else { return }
        let encoding = name.drop { !$0.isLetter }.prefix { $0 != "\"" && $0 != "'" }.uppercased()
        guard ["UTF-8", "UTF8", "US-ASCII", "ASCII"].contains(encoding) else {
            throw error("cannot read the encoding \(encoding): UTF-8 is allowed; iconv -t UTF-8 makes it so")
        }
    }

    // MARK: Elements

    private mutating func endTag() throws(GPXError) -> Piece {
        step(2)
        let name = try name()
        skipSpace()
        try expect(">", "the end tag </\(name)")
        guard let last = open.popLast() else { throw error("cannot close <\(name)>: it is not open") }
        guard last == name else { throw error("cannot close <\(name)>: <\(last)> is still open") }
        return .end(local(name))
    }

    private mutating func startTag() throws(GPXError) -> Piece {
        step()
        let name = try name()
        guard !open.isEmpty || !hasRoot else { throw error("cannot read <\(name)>: the document has ended before") }
        var attributes: [String: String] = [:]
        while true {
            let isApart = skipSpace()
            if starts(with: ">") {
                step()
                open.append(name)
                break
            }
            if starts(with: "/>") {
                step(2)
                pendingEnd = local(name)
                break
            }
            guard isApart, index < bytes.count else { throw error("cannot read on inside of the tag <\(name)") }
            let (key, value) = try attribute(of: name)
            guard attributes.updateValue(value, forKey: key) == nil else {
                throw error("cannot read <\(name)>: it has two attributes \(key)")
            }
        }
        guard open.count <= XMLReader.deepest else { throw error("cannot read <\(name)>: elements are too deep") }
        hasRoot = true
        return .start(local(name), attributes: attributes)
    }

    private mutating func attribute(of element: String) throws(GPXError) -> (String, String) {
        let name = try name()
        skipSpace()
        try expect("=", "the attribute \(name) of <\(element)>")
        skipSpace()
        guard index < bytes.count, [UInt8(ascii: "\""), UInt8(ascii: "'")].contains(bytes[index]) else {
            throw error("cannot read the attribute \(name) of <\(element)>: its value is not in quotes")
        }
        let quote = bytes[index]
        step()
        let begin = index
        while index < bytes.count, bytes[index] != quote, bytes[index] != UInt8(ascii: "<") { step() }
        guard index < bytes.count, bytes[index] == quote else {
            throw error("cannot read the attribute \(name) of <\(element)>: its value does not end")
        }
        let value = try unescaped(bytes[begin..<index])
        step()
        return (name, value)
    }

    private mutating func expect(_ text: StaticString, _ what: String) throws(GPXError) {
        guard starts(with: text) else { throw error("cannot read \(what): \(text) is missing") }
        step()
    }

    @discardableResult
    private mutating func skipSpace() -> Bool {
        let begin = index
        while index < bytes.count, [0x20, 0x09, 0x0A, 0x0D].contains(bytes[index]) { step() }
        return index > begin
    }

    private mutating func name() throws(GPXError) -> String {
        let begin = index
        let ends = Array(" \t\r\n/>=<\"'".utf8)
        while index < bytes.count, !ends.contains(bytes[index]) { step() }
        guard index > begin else { throw error("cannot read a tag without a name") }
        return String(decoding: bytes[begin..<index], as: UTF8.self)
    }

    private func local(_ name: String) -> String { name.split(separator: ":").last.map(String.init) ?? name }

    // MARK: Text

    private mutating func characters() throws(GPXError) -> String {
        let begin = index
        while index < bytes.count, bytes[index] != UInt8(ascii: "<") { step() }
        return try unescaped(bytes[begin..<index])
    }

    private func unescaped(_ bytes: ArraySlice<UInt8>) throws(GPXError) -> String {
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw error("cannot read bytes that are not UTF-8")
        }
        guard text.contains("&") else { return text }
        var result = ""
        var rest = text[...]
        while let mark = rest.firstIndex(of: "&") {
            result += rest[..<mark]
            guard let end = rest[mark...].firstIndex(of: ";"),
                let character = named(rest[rest.index(after: mark)..<end])
            else { throw error("cannot read a lone &: it is written &amp;") }
            result.append(character)
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private func named(_ name: Substring) -> Character? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard name.first == "#" else { return nil }
            let digits = name.dropFirst()
            let number = digits.first == "x" ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init).map(Character.init)
        }
    }
}
