// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// The daemon's side of a socket, played by a test step by step; for one thread.
package final class FakeDaemon {
    /// Where clients connect.
    package let path: String
    private let directory: TemporaryDirectory
    private var listener: Int32 = -1

    /// Listens at `name` in `directory`.
    package init(in directory: TemporaryDirectory, at name: String = "s") throws {
        self.directory = directory
        path = directory.file(name)
        try start()
    }

    deinit { stop() }

    /// Listens again after `stop()`.
    package func start() throws {
        listener = clinux_listen_unix(path, 0o600, 64)
        guard listener >= 0 else { throw TestFailure.system("listen at \(path)") }
    }

    /// Takes no more connections, as a daemon that is gone.
    package func stop() {
        guard listener >= 0 else { return }
        close(listener)
        unlink(path)
        listener = -1
    }

    /// The next connection.
    package func accept() throws -> FakeDaemonClient {
        guard Deadline.within(patience).wait(for: POLLIN, on: listener) else {
            throw TestFailure("cannot see a client connect")
        }
        let fd = clinux_accept(listener)
        guard fd >= 0 else { throw TestFailure.system("accept a client") }
        return FakeDaemonClient(fd)
    }

    /// Whether somebody has connected who was not accepted yet.
    package var hasCaller: Bool {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) > 0
    }
}
