// SPDX-License-Identifier: Apache-2.0

/// All that is wrong with the configuration.
package struct ConfigurationError: Error, Sendable, Equatable, CustomStringConvertible {
    /// A sentence for each fault, in the order of the files: `cannot use FILE:LINE: …`, with what was given and what is allowed.
    package let problems: [String]

    /// These faults.
    package init(problems: [String]) { self.problems = problems }

    /// The sentences, a line each.
    package var description: String { problems.joined(separator: "\n") }
}
