// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
import Synchronization

/// The one session that streams, monitors and sessions of a process share: made for the first of them, closed after the
/// last, so that nothing idle stays connected.
final class SharedSession: Sendable {
    /// Makes a session that tells the given handler.
    typealias Maker = @Sendable (@escaping @Sendable (SessionEvent) -> Void) -> LocationSession

    private struct Current {
        // Its users keep it.
        weak var connection: SharedConnection?
    }

    private let current = Mutex(Current())
    private let makeSession: Maker
    private let requiresServiceSession: @Sendable () -> Bool

    /// `requiresServiceSession`: whether the application wants nothing delivered while it holds no `CLServiceSession`.
    init(requiresServiceSession: @autoclosure @escaping @Sendable () -> Bool, makeSession: @escaping Maker) {
        self.requiresServiceSession = requiresServiceSession
        self.makeSession = makeSession
    }

    /// Whether anything uses the session now.
    var isConnected: Bool { current.withLock { $0.connection != nil } }

    /// The connection in use, or a new one.
    func connection() -> SharedConnection {
        current.withLock { current in
            if let connection = current.connection { return connection }
            let connection = SharedConnection(
                requiresServiceSession: requiresServiceSession(), makeSession: makeSession)
            current.connection = connection
            return connection
        }
    }
}
