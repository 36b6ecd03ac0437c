// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A service by name or shell pattern: `gpxlogger.service`, `gpxlogger` (the same), `logger@*.service`.
package struct UnitPattern: Sendable, Hashable {
    /// With `.service`.
    package let text: String

    private static let otherKinds = [
        ".scope", ".slice", ".socket", ".timer", ".target", ".mount", ".automount", ".path", ".device", ".swap",
    ]

    /// nil: no service has such a name.
    package init?(_ text: some StringProtocol) {
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII && scalar.value > 0x20 && scalar.value != 0x7F && scalar != "/"
        }
        let isOther = UnitPattern.otherKinds.contains { text.hasSuffix($0) }
        guard isPlain, !isOther, !text.isEmpty, text != ".service", text.utf8.count < 256 else { return nil }
        self.text = text.hasSuffix(".service") ? String(text) : "\(text).service"
    }

    /// Whether the service `name` is meant.
    package func matches(_ name: String) -> Bool { fnmatch(text, name, 0) == 0 }
}
