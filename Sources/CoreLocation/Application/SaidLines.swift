// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// What has been said, so that it need not be said again.
final class SaidLines: Sendable {
    /// So much is remembered; then all of it is forgotten. A program that runs for months may have ever new things said of it.
    static let limit = 1000

    private let said = Mutex<Set<String>>([])

    /// Whether `matter` is to be said now; not the next time.
    func isNews(_ matter: String) -> Bool {
        said.withLock { said in
            if said.count >= SaidLines.limit { said = [] }
            return said.insert(matter).inserted
        }
    }

    func forget() { said.withLock { $0 = [] } }
}
