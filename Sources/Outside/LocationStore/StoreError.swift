// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Why something could not be kept or read back. The daemon reports it and serves on with what it has in memory.
package struct StoreError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence that begins "cannot …" and names the file and the reason.
    package let description: String

    /// The file itself is at fault, not the system: it must be set aside, `Database.replaceDamaged(because:)`.
    package let isDamage: Bool

    /// A row does not fit its table.
    package let isConstraint: Bool

    /// An error of these words, "cannot …".
    package init(_ description: String) {
        self.description = description
        isDamage = false
        isConstraint = false
    }

    /// The same, with what is at fault.
    package init(_ description: String, isDamage: Bool, isConstraint: Bool = false) {
        self.description = description
        self.isDamage = isDamage
        self.isConstraint = isConstraint
    }

    /// `cannot ACTION: ` and the system's words for `code`, by default `errno`.
    init(cannot action: String, code: CInt = errno) {
        self.init("cannot \(action): \(StoreError.text(of: code))")
    }

    static func text(of code: CInt) -> String {
        guard let text = strerror(code) else { return "error \(code)" }
        return String(cString: text)
    }
}
