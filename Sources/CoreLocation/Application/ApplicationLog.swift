// SPDX-License-Identifier: Apache-2.0
internal import Foundation
import Synchronization

/// What the library has to say to whoever runs or writes the program, where Core Location's interface has no way to say it.
package enum ApplicationLog {
    private static let replacement = Mutex<(@Sendable (String) -> Void)?>(nil)

    /// Writes a line to standard error, named after this library.
    package static func write(_ line: String) {
        if let replacement = replacement.withLock({ $0 }) { return replacement(line) }
        // A write to a closed standard error is nobody's fault.
        try? FileHandle.standardError.write(contentsOf: Data("CoreLocation: \(line)\n".utf8))
    }

    /// Takes the lines that would be written from now on, in tests; nil: they are written again.
    package static func redirect(to body: (@Sendable (String) -> Void)?) {
        replacement.withLock { $0 = body }
    }
}
