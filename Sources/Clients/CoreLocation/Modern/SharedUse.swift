// SPDX-License-Identifier: Apache-2.0
internal import LocationClient
import Synchronization

/// A stream, monitor or session at the daemon; it ends there when it is let go.
final class SharedUse: Sendable {
    let handle: SessionHandle
    private let connection: Mutex<SharedConnection?>

    /// Begins what `commands` makes of its handle. `receive` must not keep this object.
    init(
        of shared: SharedSession, _ commands: (SessionHandle) -> SharedConnection.Commands,
        receive: @escaping @Sendable (SharedEvent) -> Void
    ) {
        let connection = shared.connection()
        self.connection = Mutex(connection)
        handle = connection.begin(commands, receive: receive)
    }

    deinit { end() }

    /// The session; nil after the end.
    var session: LocationSession? { connection.withLock { $0?.session } }

    /// Ends it; what is told is silent from now on. Once is enough.
    func end() {
        let connection = connection.withLock { connection in
            defer { connection = nil }
            return connection
        }
        connection?.end(handle)
    }
}
