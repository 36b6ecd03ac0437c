// SPDX-License-Identifier: Apache-2.0

/// An import of Swift source.
struct ImportStatement: Equatable {
    /// The module's name, without submodule or symbol.
    let module: String
    /// The kind of a scoped import, `func` in `import func Glibc.sin`; empty if the whole module is imported.
    let scope: String

    /// The import that stands on `line`; nil for everything else. Attributes and access modifiers may precede it.
    init?(line: String) {
        var words = line.split { $0 == " " || $0 == "\t" }[...]
        while let word = words.first, word.first == "@" || ImportStatement.modifiers.contains(String(word)) {
            words.removeFirst()
        }
        guard words.first == "import" else { return nil }
        words.removeFirst()
        var scope = ""
        if words.count > 1, let kind = words.first, ImportStatement.kinds.contains(String(kind)) {
            scope = String(kind)
            words.removeFirst()
        }
        guard let path = words.first, let module = path.split(whereSeparator: { $0 == "." || $0 == ";" }).first else {
            return nil
        }
        self.module = module.filter { $0 != "`" }
        self.scope = scope
    }

    private static let modifiers: Set = ["public", "package", "internal", "fileprivate", "private"]
    private static let kinds: Set = ["typealias", "struct", "class", "enum", "protocol", "let", "var", "func"]
}
