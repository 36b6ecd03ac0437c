// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Where a program writes for people and other programs.
package enum StandardStream: Int32, Sendable {
    /// Standard output.
    case output = 1
    /// Standard error; systemd puts what is written to it into the journal.
    case error = 2

    /// Writes all of `text`; what nobody takes is lost.
    package func write(_ text: String) { write(Array(text.utf8)) }

    /// Writes all of `bytes`; what nobody takes is lost.
    package func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(rawValue, $0.baseAddress, $0.count) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
