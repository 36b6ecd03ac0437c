// SPDX-License-Identifier: Apache-2.0

/// How locctl ended, for scripts.
package enum ExitCode: Int32, Sendable, CaseIterable {
    /// Done.
    case done = 0
    /// The daemon said no, or there was nothing to print.
    case refused = 1
    /// The command line was wrong.
    case usage = 2
    /// There is no daemon, or none any more.
    case noDaemon = 3
    /// Interrupted before it was done, as shells have it: 128 and the number of SIGINT.
    case interrupted = 130
}

/// Why locctl did not do what it was asked for.
package struct LocctlError: Error, Sendable, Hashable, CustomStringConvertible {
    /// For a person; begins with "cannot".
    package let description: String
    /// The exit code of the process that ends by this error.
    package let exitCode: ExitCode

    /// An error with these words.
    package init(_ description: String, _ exitCode: ExitCode) {
        self.description = description
        self.exitCode = exitCode
    }

    /// The one wrong command line that the whole help answers best.
    static let missingCommand = LocctlError.usage("cannot do anything without a command")

    static func usage(_ description: String) -> LocctlError { LocctlError(description, .usage) }
}
