// SPDX-License-Identifier: Apache-2.0

/// The form of an app's own name. People read it beside the app's identity, so that it must be seen, and must not look like an identity.
package let labelRule =
    "a string of 1 to 128 bytes with something visible in it, without control or bidirectional characters, that does not "
    + "begin with uid: or unit:"

/// Whether an app may call itself `text`, see `labelRule`.
package func isLabel(_ text: String) -> Bool {
    guard isName(text), text.unicodeScalars.allSatisfy(isPlain) else { return false }
    let shown = text.unicodeScalars.drop { !isVisible($0) }
    let beginning = String(String.UnicodeScalarView(shown.prefix(5))).lowercased()
    return !shown.isEmpty && !beginning.hasPrefix("uid:") && beginning != "unit:"
}

func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator, .nonspacingMark, .enclosingMark,
        .unassigned, .privateUse, .surrogate:
        return false
    default:
        // The blank of Braille is a symbol by its category.
        return !scalar.properties.isDefaultIgnorableCodePoint && scalar != "\u{2800}"
    }
}
