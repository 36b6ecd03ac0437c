// SPDX-License-Identifier: Apache-2.0
import Glibc

/// What kept a test from going on.
package struct TestFailure: Error, CustomStringConvertible {
    /// Begins with "cannot".
    package let description: String

    /// A failure that says `description`.
    package init(_ description: String) { self.description = description }

    /// A failed system call.
    static func system(_ what: String, _ code: Int32 = errno) -> TestFailure {
        TestFailure("cannot \(what): \(String(cString: strerror(code)))")
    }
}
