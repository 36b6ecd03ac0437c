// SPDX-License-Identifier: Apache-2.0

/// How text for people looks: with colours on a terminal that shows them, and how wide lines may be.
package struct Style: Sendable, Hashable {
    /// Whether to use colours.
    package var usesColor: Bool
    /// Columns.
    package var width: Int

    /// Lines of `width` columns.
    package init(usesColor: Bool = false, width: Int = 80) {
        self.usesColor = usesColor
        self.width = width
    }

    /// The meaning of a colour.
    enum Role: String {
        case good = "32"
        case caution = "33"
        case bad = "31"
        case aside = "2"
        case heading = "1"
    }

    /// `text` in the colour of `role`.
    func paint(_ text: String, _ role: Role) -> String {
        usesColor && !text.isEmpty ? "\u{1B}[\(role.rawValue)m\(text)\u{1B}[0m" : text
    }

    /// `first` and then `text` in lines of at most `width` columns, broken at blanks; all but the first line begin with
    /// as many blanks as `first` is long.
    func wrapped(_ text: String, behind first: String = "") -> String {
        let indent = String(repeating: " ", count: first.count)
        var lines: [String] = []
        var line = first
        var isEmpty = true
        for word in text.split(separator: " ") {
            if !isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = indent
                isEmpty = true
            }
            line += (isEmpty ? "" : " ") + word
            isEmpty = false
        }
        return (lines + [line]).joined(separator: "\n")
    }
}
