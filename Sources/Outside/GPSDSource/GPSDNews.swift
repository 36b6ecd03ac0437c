// SPDX-License-Identifier: Apache-2.0

/// Journal entries about the connection to gpsd: each change between connected and lost once, but not each attempt.
package struct GPSDNews: Sendable {
    /// An entry in the journal.
    package enum Entry: Sendable, Equatable {
        /// gpsd answers.
        case connected
        /// gpsd does not answer, for a reason that was not given before.
        case lost(reason: String)
    }

    private var isThere = false
    private var lastReason: String?
    private var unusableLines = 0

    /// Nothing was said yet.
    package init() {}

    /// Returns the entry for a connection that is in another state now; `reason`: why it is not there, if it is not. nil: nothing new.
    package mutating func entry(for state: GPSDConnectionState, reason: String?) -> Entry? {
        switch state {
        // Watching comes and goes with every sleep of the receiver.
        case .connected, .watching:
            lastReason = nil
            defer { isThere = true }
            return isThere ? nil : .connected
        case .disconnected, .waiting:
            isThere = false
            guard let reason, reason != lastReason else { return nil }
            lastReason = reason
            return .lost(reason: reason)
        case .connecting, .subscribing: return nil
        }
    }

    /// Whether so many lines that could not be used are worth an entry: the first, and then each time ten times as many.
    package mutating func isNews(unusableLines count: Int) -> Bool {
        guard count > 0, count / 10 >= unusableLines else { return false }
        unusableLines = count
        return true
    }
}
