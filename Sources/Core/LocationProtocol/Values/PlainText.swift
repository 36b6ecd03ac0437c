// SPDX-License-Identifier: Apache-2.0

/// Whether a terminal or a dialog shows `scalar` as one more character and nothing else: no control character (C0, C1,
/// line and paragraph separators) and none that turns the direction of the text.
package func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029: false
    case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: false
    default: true
    }
}

/// Whether `scalar` is a control character (C0, DEL, C1).
func isControl(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
}

/// `text` in quotes for a message: cut to 40 characters, and without anything that a terminal would obey.
func quoted(_ text: String) -> String {
    let shown = text.unicodeScalars.prefix(40).map { isPlain($0) ? Character($0) : "\u{FFFD}" }
    let rest = text.unicodeScalars.count > 40 ? "…" : ""
    return "\"" + String(shown) + rest + "\""
}
