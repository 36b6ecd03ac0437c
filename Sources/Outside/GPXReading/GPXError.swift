// SPDX-License-Identifier: Apache-2.0

/// Why a file is no track in the GPX format, and on which line.
package struct GPXError: Error, Hashable, CustomStringConvertible {
    /// Counted from 1; nil: the file as a whole.
    package let line: Int?
    /// The fault, and what is allowed.
    package let text: String

    init(line: Int?, _ text: String) {
        self.line = line
        self.text = text
    }

    package var description: String { line.map { "line \($0): \(text)" } ?? text }
}
