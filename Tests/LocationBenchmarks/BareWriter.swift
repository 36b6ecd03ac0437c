// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// The floor of a fan-out, in a process of its own: waits in a poll for a byte on its first connection, and writes one line to all
/// others for each.
enum BareWriter {
    static let argument = "--bare-writer"

    /// `PATH CONNECTIONS LENGTH`.
    static func run(_ arguments: [String]) -> Int32 {
        guard arguments.count == 3, let count = Int(arguments[1]), let length = Int(arguments[2]) else { return 64 }
        clinux_raise_file_limit()
        let listener = clinux_listen_unix(arguments[0], 0o600, 4096)
        guard listener >= 0, fcntl(listener, F_SETFL, 0) == 0 else { return 1 }
        let bell = accept(listener, nil, nil)
        let ends = (0..<count).map { _ in clinux_accept(listener) }
        var line = [UInt8](repeating: UInt8(ascii: "x"), count: length)
        line[length - 1] = UInt8(ascii: "\n")
        let poll = clinux_epoll_create()
        clinux_epoll_add(poll, bell, UInt32(clinux_readable), 0)
        var ready = clinux_ready()
        var ring: UInt8 = 0
        while true {
            clinux_epoll_wait(poll, &ready, 1, -1)
            guard recv(bell, &ring, 1, 0) == 1 else { return 0 }
            for end in ends { send(end, line, length, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) }
        }
    }
}
