// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationTestSupport
import Synchronization

/// What systemd is to the daemon: it has the listening socket, hears what the daemon says of itself, and keeps descriptors for it.
final class ServiceManager: Sendable {
    private struct State {
        var store: [(name: String, fd: Int32)] = []
        var heard: [String] = []
        var keeps = true
    }

    private let state = Mutex(State())
    private let listener: Int32
    private let notifications: Int32
    private let notifyPath: String

    init(_ directory: TemporaryDirectory) throws {
        let path = directory.file("notify")
        listener = clinux_listen_unix(directory.file("socket"), 0o666, 4096)
        guard listener >= 0 else { throw TestFailure("cannot listen for clients: errno \(errno)") }
        let notifications = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(notifications, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw TestFailure("cannot listen at \(path): errno \(errno)") }
        self.notifications = notifications
        notifyPath = path
        try startThread { [weak self, notifications] in
            var ready = pollfd(fd: notifications, events: Int16(POLLIN), revents: 0)
            while poll(&ready, 1, -1) > 0 || errno == EINTR {
                guard let self, self.hear() else { break }
            }
            close(notifications)
        }
    }

    deinit {
        close(listener)
        shutdown(notifications, Int32(SHUT_RDWR))
        emptyStore()
    }

    /// Starts the daemon as a service.
    func start(_ program: String, _ arguments: [String]) throws -> ChildProcess {
        let kept = state.withLock { $0.store }
        return try ChildProcess(
            try requireProgram("sh"), ["-c", #"LISTEN_PID=$$ exec "$0" "$@""#, program] + arguments,
            environment: [
                "NOTIFY_SOCKET": notifyPath, "JOURNAL_STREAM": nil, "LISTEN_FDS": "\(1 + kept.count)",
                "LISTEN_FDNAMES": (["clients"] + kept.map(\.name)).joined(separator: ":"),
            ], passing: [listener] + kept.map(\.fd))
    }

    /// What it keeps, by name.
    var kept: [String] { state.withLock { $0.store.map(\.name) } }

    /// Everything that it heard.
    var heard: [String] { state.withLock { $0.heard } }

    /// From now on it keeps nothing, as without FileDescriptorStoreMax=.
    func refuse() { state.withLock { $0.keeps = false } }

    /// What a full stop of the service does.
    func emptyStore() {
        state.withLock { state in
            for kept in state.store { close(kept.fd) }
            state.store = []
        }
    }

    /// Changes the bytes of the records that it keeps.
    func tamper(_ change: (inout [UInt8]) -> Void) throws {
        let carrier = state.withLock { $0.store.first?.fd ?? -1 }
        var messages: [(fds: [Int32], bytes: [UInt8])] = []
        while true {
            var (fds, bytes) = ([Int32](repeating: -1, count: 253), [UInt8](repeating: 0, count: 1012))
            var count = 0
            let length = clinux_receive_descriptors(carrier, &fds, fds.count, &count, &bytes, bytes.count)
            guard length > 0 else { break }
            messages.append((Array(fds.prefix(count)), Array(bytes.prefix(length))))
        }
        guard let memory = messages.first?.fds.first else { throw TestFailure("cannot find records to change") }
        var content = [UInt8](repeating: 0, count: Int(clinux_sealed_length(memory)))
        pread(memory, &content, content.count, 0)
        change(&content)
        messages[0].fds = [clinux_sealed_memory("changed", content, content.count)]
        close(memory)
        var ends: [Int32] = [-1, -1]
        guard clinux_message_pair(&ends) == 0 else { throw TestFailure("cannot make a pair: errno \(errno)") }
        for (fds, bytes) in messages {
            guard clinux_send_descriptors(ends[0], fds, fds.count, bytes, bytes.count) == 0 else {
                throw TestFailure("cannot put descriptors back: errno \(errno)")
            }
            for fd in fds { close(fd) }
        }
        close(ends[0])
        state.withLock { state in
            close(state.store[0].fd)
            state.store[0].fd = ends[1]
        }
    }

    // False: there is nobody to hear for.
    private func hear() -> Bool {
        var (fds, bytes) = ([Int32](repeating: -1, count: 253), [UInt8](repeating: 0, count: 8192))
        var count = 0
        let length = clinux_receive_descriptors(notifications, &fds, fds.count, &count, &bytes, bytes.count)
        guard length > 0 else { return length < 0 && errno == EAGAIN }
        let lines = String(decoding: bytes.prefix(length), as: UTF8.self).split(separator: "\n").map(String.init)
        let name = lines.first { $0.hasPrefix("FDNAME=") }.map { String($0.dropFirst(7)) } ?? "stored"
        state.withLock { state in
            state.heard += lines
            var unwanted = Array(fds.prefix(count))
            if lines.contains("FDSTORE=1"), state.keeps {
                state.store += unwanted.map { (name, $0) }
                unwanted = []
            }
            if lines.contains("FDSTOREREMOVE=1") {
                unwanted += state.store.filter { $0.name == name }.map(\.fd)
                state.store.removeAll { $0.name == name }
            }
            // A barrier is passed by closing its end.
            for fd in unwanted { close(fd) }
        }
        return true
    }
}
