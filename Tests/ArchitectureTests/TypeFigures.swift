// SPDX-License-Identifier: Apache-2.0

/// How large a type is, over its declaration and all its extensions in a module.
struct TypeFigures {
    var lines = 0
    var storedProperties = 0

    /// The types of `files` by module and name, `LocationEngine.Engine`; a nested type's lines count for the outer one, its properties for
    /// itself. Found by braces and keywords, which is exact enough for code that the formatter has laid out.
    static func all(in files: [SourceFile]) -> [String: TypeFigures] {
        var found: [String: TypeFigures] = [:]
        for file in files {
            var depth = 0
            var open: [(depth: Int, kind: String, name: String)] = []
            var isInText = false
            for line in file.lines {
                let code = code(of: line, isInText: &isInText)
                let words = words(of: code)
                if let kind = words.first, kinds.contains(kind), words.count > 1, !members.contains(words[1]) {
                    open.append((depth, kind, words[1]))
                }
                if let outer = open.first, let inner = open.last {
                    found["\(file.target).\(outer.name)", default: TypeFigures()].lines += 1
                    if depth == inner.depth + 1, inner.kind != "enum", inner.kind != "extension", isStored(code, words)
                    {
                        let name = open.map(\.name).joined(separator: ".")
                        found["\(file.target).\(name)", default: TypeFigures()].storedProperties += 1
                    }
                }
                depth += code.count { $0 == UInt8(ascii: "{") } - code.count { $0 == UInt8(ascii: "}") }
                while let last = open.last, depth <= last.depth, code.contains(UInt8(ascii: "}")) { open.removeLast() }
            }
        }
        return found
    }

    private static let kinds: Set = ["struct", "class", "enum", "actor", "extension"]
    private static let members: Set = ["func", "var", "let", "subscript"]
    private static let modifiers: Set = [
        "public", "package", "internal", "private", "fileprivate", "open", "final", "indirect", "nonisolated", "weak",
        "unowned", "lazy", "set", "unsafe",
    ]

    /// The bytes of a line without comments and what stands between quotation marks. `isInText`: within a text of several lines.
    private static func code(of line: String, isInText: inout Bool) -> [UInt8] {
        let marks = line.utf8.count { $0 == UInt8(ascii: "\"") }
        if marks >= 3, line.contains("\"\"\"") {
            defer { if line.times("\"\"\"") % 2 == 1 { isInText.toggle() } }
            return []
        }
        guard !isInText else { return [] }
        var code: [UInt8] = []
        var (isQuoted, previous) = (false, UInt8(0))
        for byte in line.utf8 {
            if byte == UInt8(ascii: "\""), previous != UInt8(ascii: "\\") { isQuoted.toggle() }
            if byte == UInt8(ascii: "/"), previous == byte, !isQuoted {
                code.removeLast()
                break
            }
            if !isQuoted { code.append(byte) }
            previous = byte
        }
        return code
    }

    /// The words of a declaration behind attributes and modifiers.
    private static func words(of code: [UInt8]) -> [String] {
        let words = code.split { byte in
            " \t(){}:=,<>@[]?!&".utf8.contains(byte)
        }.prefix(8).map { String(decoding: $0, as: UTF8.self) }
        return Array(words.drop { modifiers.contains($0) || $0 == "MainActor" || $0 == "unchecked" || $0 == "Stored" })
    }

    private static func isStored(_ code: [UInt8], _ words: [String]) -> Bool {
        guard words.first == "var" || words.first == "let" else { return false }
        guard let brace = code.firstIndex(of: UInt8(ascii: "{")) else { return true }
        let behind = String(decoding: code[brace...], as: UTF8.self)
        return code[..<brace].contains(UInt8(ascii: "=")) || behind.contains("didSet") || behind.contains("willSet")
    }
}

extension String {
    /// How many times `part` is in it.
    fileprivate func times(_ part: String) -> Int { split(separator: part, omittingEmptySubsequences: false).count - 1 }
}
