// SPDX-License-Identifier: Apache-2.0

/// Where a manager's lines go: a socket, the output of a replay, or the app of a simulation.
package protocol Channel: AnyObject {
    /// Takes what it can without waiting. It may be called within a turn, so it calls nothing of the service.
    func write(_ bytes: UnsafeRawBufferPointer) -> ChannelWritten
}

/// How much a channel has taken.
package enum ChannelWritten {
    /// So many bytes; fewer than offered: full.
    case bytes(Int)
    /// None: nobody is there any more.
    case broken
}
