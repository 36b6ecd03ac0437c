// SPDX-License-Identifier: Apache-2.0

/// Where a manager's lines go: a socket, or the output of a replay.
class Channel {
    enum Written {
        /// So many bytes were taken; fewer than offered: full.
        case bytes(Int)
        /// Nobody is there any more.
        case broken
    }

    /// Nobody was there any more when something was written last.
    var isBroken = false

    /// Takes what it can without waiting.
    func write(_ bytes: UnsafeRawBufferPointer) -> Written { .broken }
}
