// SPDX-License-Identifier: Apache-2.0
import Glibc

/// A system call that failed where the daemon cannot go on with what it was doing.
package struct SystemError: Error, CustomStringConvertible {
    /// "cannot …" and why.
    package let description: String

    /// `description`: "cannot …" and why.
    package init(_ description: String) { self.description = description }

    /// `cannot ACTION: ` and the system's words for `code`, by default `errno`.
    package init(cannot action: String, code: Int32 = errno) {
        description = "cannot \(action): \(String(cString: strerror(code)))"
    }
}
