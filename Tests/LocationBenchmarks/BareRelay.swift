// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// The floor of the added latency, in a process of its own: writes what gpsd says to its one client, and looks at none of it.
enum BareRelay {
    static let argument = "--bare-relay"

    /// `PATH PORT`.
    static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 2, let port = UInt16(arguments[1]) else { return 64 }
        let listener = clinux_listen_unix(arguments[0], 0o600, 1)
        guard listener >= 0, fcntl(listener, F_SETFL, 0) == 0 else { return 1 }
        let client = accept(listener, nil, nil)
        guard let gpsd = try? GPSDUnderTest.subscribe(port) else { return 1 }
        let poll = clinux_epoll_create()
        clinux_epoll_add(poll, gpsd, UInt32(clinux_readable), 0)
        var (ready, buffer) = (clinux_ready(), [UInt8](repeating: 0, count: 65_536))
        while true {
            clinux_epoll_wait(poll, &ready, 1, -1)
            let count = recv(gpsd, &buffer, buffer.count, 0)
            guard count > 0 else { return 0 }
            send(client, buffer, count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
    }
}
