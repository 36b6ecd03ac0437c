// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import Synchronization

/// A server that speaks as much of gpsd's protocol as a test wants to hear, and says exactly what the test tells it to.
///
/// It greets with VERSION, answers `?WATCH=` with DEVICES and WATCH, and `?DEVICES;` with DEVICES.
package final class FakeGPSD: Sendable {
    /// Outlives the object as long as its threads do: a descriptor leaves it in the moment in which it is closed, because a stale one may
    /// be another socket's by then.
    private final class Sockets: Sendable {
        let state = Mutex(State())

        func close(connection number: Int, _ fd: Int32) {
            state.withLock { state in
                state.connections[number] = nil
                Glibc.close(fd)
            }
        }

        func close(listener: Int32) {
            state.withLock { state in
                if state.listener == listener { state.listener = -1 }
                Glibc.close(listener)
            }
        }
    }

    private struct State {
        var listener: Int32 = -1
        var connections: [Int: Int32] = [:]
        var accepted = 0
        var commands: [String] = []
        var answersCommands = true
    }

    /// The TCP port on 127.0.0.1; the same for the whole life of this object.
    package let port: UInt16
    /// What every connection is greeted with.
    package let greeting: String
    /// The paths in its DEVICES line.
    package let devices: [String]
    private let sockets = Sockets()

    /// gpsd 3.22's greeting.
    package static let version =
        #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#

    /// Listens on a free port.
    package init(greeting: String = FakeGPSD.version, devices: [String] = ["/dev/ttyFAKE0"]) throws {
        self.greeting = greeting
        self.devices = devices
        let (listener, port) = try listenOnLoopback(port: 0)
        self.port = port
        try serve(listener)
    }

    deinit { shutDown() }

    /// The DEVICES line.
    package var devicesLine: String {
        let entries = devices.map {
            #"{"class":"DEVICE","path":"\#($0)","driver":"NMEA0183","activated":"2025-03-03T08:00:00.000Z","flags":1,"native":0}"#
        }
        return #"{"class":"DEVICES","devices":[\#(entries.joined(separator: ","))]}"#
    }

    /// How many connections there have been.
    package var acceptedConnections: Int { sockets.state.withLock { $0.accepted } }
    /// How many connections there are.
    package var openConnections: Int { sockets.state.withLock { $0.connections.count } }
    /// The commands received on all connections, in order, without line ends.
    package var commands: [String] { sockets.state.withLock { $0.commands } }
    /// Whether the last `?WATCH=` received asks for data; false before the first.
    package var isWatched: Bool {
        commands.last { $0.hasPrefix("?WATCH=") }.map { !$0.contains(#""enable":false"#) } ?? false
    }

    /// Whether commands are answered; switch it off to play a daemon that hangs.
    package func setAnswersCommands(_ answers: Bool) { sockets.state.withLock { $0.answersCommands = answers } }

    /// Waits until `count` connections are open.
    package func waitForConnections(_ count: Int = 1, within seconds: Double = patience) throws {
        try waitUntil("\(count) clients of the fake gpsd", within: seconds) { openConnections == count }
    }

    /// Waits until a client watches.
    package func waitForWatch(within seconds: Double = patience) throws {
        try waitUntil("a client watches the fake gpsd", within: seconds) { isWatched && openConnections > 0 }
    }

    /// Sends `line` and CR LF to all connections.
    package func push(_ line: String) throws { try push(bytes: Array("\(line)\r\n".utf8)) }

    /// Sends `bytes` as they are to all connections.
    package func push(bytes: [UInt8], within seconds: Double = patience) throws {
        // Duplicates, so that the reading thread may close its own meanwhile.
        let copies = sockets.state.withLock { $0.connections.values.map { fcntl($0, F_DUPFD_CLOEXEC, 3) } }
        defer { for fd in copies { close(fd) } }
        for fd in copies { try writeAll(bytes, to: fd, deadline: .within(seconds)) }
    }

    /// Ends all connections; new ones are welcome.
    package func disconnectAll() {
        sockets.state.withLock { state in
            for fd in state.connections.values { shutdown(fd, Int32(SHUT_RDWR)) }
        }
    }

    /// Stops listening and ends all connections, as if gpsd had been stopped.
    package func shutDown() {
        sockets.state.withLock { state in
            // The accepting thread closes it.
            if state.listener >= 0 { shutdown(state.listener, Int32(SHUT_RDWR)) }
            state.listener = -1
        }
        disconnectAll()
    }

    /// Listens again on the same port after `shutDown()`.
    package func reopen(within seconds: Double = patience) throws {
        var listener: Int32 = -1
        try waitUntil("port \(port) is free again", within: seconds) {
            listener = (try? listenOnLoopback(port: port).fd) ?? -1
            return listener >= 0
        }
        try serve(listener)
    }

    private func serve(_ listener: Int32) throws {
        sockets.state.withLock { $0.listener = listener }
        try startThread { [weak self, sockets] in
            while true {
                // Waiting happens without a hold on the object, or nobody could ever let go of it.
                guard Deadline.within(3600).wait(for: POLLIN, on: listener) else { continue }
                let fd = clinux_accept(listener)
                guard fd >= 0, let self else {
                    if fd >= 0 { close(fd) }
                    break
                }
                self.welcome(fd)
            }
            sockets.close(listener: listener)
        }
    }

    private func welcome(_ fd: Int32) {
        // Else the kernel keeps a small report back until the one before is acknowledged, which takes 40 ms.
        var isPrompt: Int32 = 1
        setsockopt(fd, Int32(IPPROTO_TCP), TCP_NODELAY, &isPrompt, socklen_t(MemoryLayout<Int32>.size))
        let (number, isWelcome) = sockets.state.withLock { state in
            state.accepted += 1
            if state.listener >= 0 { state.connections[state.accepted] = fd }
            return (state.accepted, state.listener >= 0)
        }
        guard isWelcome else {
            close(fd)
            return
        }
        answer([greeting], on: fd)
        do {
            try readCommands(of: number, on: fd)
        } catch {
            sockets.close(connection: number, fd)
        }
    }

    private func readCommands(of number: Int, on fd: Int32) throws {
        try startThread { [weak self, sockets] in
            var buffer = LineBuffer()
            var piece = [UInt8](repeating: 0, count: 4096)
            while true {
                guard Deadline.within(3600).wait(for: POLLIN, on: fd) else { continue }
                let count = recv(fd, &piece, piece.count, 0)
                if count < 0, errno == EAGAIN || errno == EINTR { continue }
                guard count > 0, let self else { break }
                buffer.append(piece[..<count])
                while let line = buffer.nextLine() { self.receive(line, from: fd) }
            }
            sockets.close(connection: number, fd)
        }
    }

    private func receive(_ line: String, from fd: Int32) {
        let answers = sockets.state.withLock { state in
            state.commands.append(line)
            return state.answersCommands
        }
        guard answers else { return }
        if line.hasPrefix("?WATCH=") {
            let isOn = !line.contains(#""enable":false"#)
            answer([devicesLine, #"{"class":"WATCH","enable":\#(isOn),"json":\#(isOn),"nmea":false,"raw":0}"#], on: fd)
        } else if line.hasPrefix("?DEVICES;") {
            answer([devicesLine], on: fd)
        }
    }

    // A client that is gone or does not read is its own affair.
    private func answer(_ lines: [String], on fd: Int32) {
        let bytes = lines.flatMap { Array("\($0)\r\n".utf8) }
        try? writeAll(bytes, to: fd, deadline: .within(1))
    }
}

/// A listening socket on 127.0.0.1 and its port.
func listenOnLoopback(port: UInt16) throws -> (fd: Int32, port: UInt16) {
    var actualPort: UInt16 = 0
    let fd = clinux_listen_loopback(port, &actualPort)
    guard fd >= 0 else { throw TestFailure.system("listen on 127.0.0.1:\(port)") }
    return (fd, actualPort)
}
