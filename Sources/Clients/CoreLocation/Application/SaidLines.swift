// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// Lines that were written, so that none is repeated.
final class SaidLines: Sendable {
    /// So much is remembered; then all of it is forgotten. A program that runs for months may have ever new things said of it.
    static let limit = 1000

    private let said = Mutex<Set<String>>([])

    /// Whether `matter` is to be said now; not the next time.
    func isNews(_ matter: String) -> Bool {
        said.withLock { said in
            guard !said.contains(matter) else { return false }
            if said.count >= SaidLines.limit { said = [] }
            said.insert(matter)
            return true
        }
    }

    func forget() { said.withLock { $0 = [] } }
}
