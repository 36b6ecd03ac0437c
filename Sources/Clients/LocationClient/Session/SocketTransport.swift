// SPDX-License-Identifier: Apache-2.0
import CLinux
package import Dispatch
import Glibc

/// The way to the real daemon: its Unix socket, without a thread of its own and without waiting.
package struct SocketTransport: SessionTransport {
    private let address: DaemonAddress

    /// Leads to the daemon at `address`.
    package init(to address: DaemonAddress = .standard) { self.address = address }

    /// Those of all sessions of the process that lead there.
    package var refusedNames: RefusedNames? { RefusedNames.ofDaemon(at: address.path) }

    /// It is a process of its own.
    package var outlivesProgram: Bool { true }

    /// Connects; a Unix socket does so at once or not at all.
    package func open(
        on queue: DispatchQueue, handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
        let fd = clinux_connect_unix_nonblocking(address.path)
        let reason = fd < 0 ? LocationConnection.reason(errno) : nil
        let connection = SocketConnection(fd, to: address, on: queue, handler: handler)
        queue.async {
            if let reason {
                connection.fail(.cannotConnect(address, reason: reason))
            } else {
                connection.begin()
            }
        }
        return connection
    }

    /// Watches the directory of the socket, or the nearest one above it that is there.
    package func watch(on queue: DispatchQueue, handler: @escaping @Sendable () -> Void) -> (any Sendable)? {
        SharedSocketWatch.listen(to: address.path, on: queue, handler)
    }
}
