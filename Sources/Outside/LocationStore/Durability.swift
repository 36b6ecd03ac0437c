// SPDX-License-Identifier: Apache-2.0

/// The events that a stored change survives.
package enum Durability: Sendable, BitwiseCopyable {
    /// A power cut, too: it is on the disk before the call returns, at the cost of one fsync.
    case power
    /// The end of the process, however it ends; a power cut only after the next change that survives one.
    case process
}
