// SPDX-License-Identifier: Apache-2.0

/// Sentences that an administrator was told of one trouble: each once, however many attempts fail for these reasons in turn.
package struct ToldOnce: Sendable {
    /// Reasons that one trouble may have; of more all are told again.
    private static let bound = 16

    private var sentences: Set<String> = []

    /// Nothing was told yet.
    package init() {}

    /// Whether `sentence` was not told yet; from now on it was.
    package mutating func isNew(_ sentence: String) -> Bool {
        if sentences.count >= ToldOnce.bound { sentences.removeAll() }
        return sentences.insert(sentence).inserted
    }

    /// The trouble is over.
    package mutating func forget() { if !sentences.isEmpty { sentences.removeAll() } }
}
