// SPDX-License-Identifier: Apache-2.0
internal import Foundation
import Synchronization

/// Lines on standard error for those who write or run the program, about what Core Location's interface cannot tell.
package enum ApplicationLog {
    private static let replacement = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Writes a line to standard error, named after this library.
    package static func write(_ line: String) {
        if let replacement = replacement.withLock({ $0 }) { return replacement(line) }
        // A write to a closed standard error is nobody's fault.
        try? FileHandle.standardError.write(contentsOf: Data("CoreLocation: \(line)\n".utf8))
    }

    private static let said = SaidLines()

    /// Writes a line the first time that there is something to say of `matter`.
    static func writeOnce(_ matter: String, _ line: String) {
        if said.isNews(matter) { write(line) }
    }

    /// Writes a line that has not been written so before.
    static func writeOnce(_ line: String) { writeOnce(line, line) }

    /// The daemon did not take the executable's name for the program.
    static func noteNameRefused(_ error: some Error) {
        writeOnce(
            "name",
            """
            the program has no name of its own at locationd, and shares its regions, monitors and events with others of its \
            identity that have none: \(error); declare CFBundleIdentifier or LOCATIOND_APP
            """)
    }

    /// Takes the lines that would be written from now on, in tests, also those that were written once here; nil: they are written
    /// again.
    package static func redirect(to body: (@Sendable (String) -> Void)?) {
        said.forget()
        replacement.withLock { $0 = body }
    }
}
