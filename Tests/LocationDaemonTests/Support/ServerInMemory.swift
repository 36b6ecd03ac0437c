// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationModel
import LocationTestSupport
import SystemSupport
import SystemdSupport
import Testing

@testable import LocationDaemon

/// A server in this thread: its loop takes a turn when the test says so, and sockets are real.
final class ServerInMemory {
    let service: ServiceInMemory
    let server: Server
    let loop: EventLoop
    private let directory: TemporaryDirectory
    let socket: String

    init(_ change: (inout Configuration) -> Void = { _ in }) throws {
        directory = try TemporaryDirectory()
        socket = directory.path + "/socket"
        let listener = clinux_listen_unix(socket, 0o666, 128)
        guard listener >= 0 else { throw TestFailure("cannot listen at \(socket): errno \(errno)") }
        chmod(directory.path, 0o711)
        loop = try EventLoop()
        service = try ServiceInMemory(change)
        server = try Server(
            service: service.service, loop: loop, listener: listener,
            subordinates: SubordinateUserFile(path: directory.file("subuid")))
    }

    /// Writes the file of subordinate users, as subuid(5) has it.
    func writeSubordinateUsers(_ text: String) throws { try directory.write(text, to: "subuid") }

    /// A client, which is accepted when the loop takes its turns.
    func connect(uid: UInt32 = getuid()) throws -> JSONLineConnection {
        try OtherUser.run(as: uid) { try JSONLineConnection(path: socket) }
    }

    /// Lets the loop take turns until a fact holds. Returns how many it took.
    @discardableResult
    func serve(until condition: () throws -> Bool) throws -> Int {
        let deadline = Deadline.within(patience)
        var turns = 0
        while try !condition() {
            guard deadline.milliseconds > 0 else { throw TestFailure("cannot see the fact after \(turns) turns") }
            if try loop.runOnce(within: .milliseconds(10)) { turns += 1 }
        }
        return turns
    }
}
