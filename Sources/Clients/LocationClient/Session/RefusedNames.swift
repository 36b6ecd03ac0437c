// SPDX-License-Identifier: Apache-2.0
import Synchronization

/// The names that nobody gave the program and that a daemon did not take: the program is known there by one name or by none, whichever of
/// its sessions asks.
package final class RefusedNames: Sendable {
    private static let byPath = Mutex<[String: RefusedNames]>([:])

    /// Those of the daemon at a socket, for the whole process.
    static func ofDaemon(at path: String) -> RefusedNames {
        byPath.withLock { byPath in
            if let known = byPath[path] { return known }
            let names = RefusedNames()
            byPath[path] = names
            return names
        }
    }

    private let names = Mutex<Set<String>>([])

    /// None yet.
    package init() {}

    func insert(_ name: String) { _ = names.withLock { $0.insert(name) } }

    func contains(_ name: String) -> Bool { names.withLock { $0.contains(name) } }
}
