// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc

/// A client that writes and reads lines over a socket, for one thread.
package class LineConnection {
    private var fd: Int32
    private var buffer = LineBuffer()
    private var isAtEnd = false

    init(adopting fd: Int32) { self.fd = fd }

    deinit { close() }

    /// Sends `line` and a LF in one write.
    package func send(_ line: String, within seconds: Double = patience) throws {
        try send(bytes: Array("\(line)\n".utf8), within: seconds)
    }

    /// Sends `bytes` as they are.
    package func send(bytes: [UInt8], within seconds: Double = patience) throws {
        try writeAll(bytes, to: fd, deadline: .within(seconds))
    }

    /// The next line without its end; an error if none comes in time or the other side closed.
    package func nextLine(within seconds: Double = patience) throws -> String {
        guard let line = try nextLineOrEnd(within: seconds) else {
            throw TestFailure("cannot read a line: the other side closed")
        }
        return line
    }

    /// The next line, nil when the other side closed; an error if neither happens in time.
    package func nextLineOrEnd(within seconds: Double = patience) throws -> String? {
        let deadline = Deadline.within(seconds)
        while true {
            if let line = buffer.nextLine() { return line }
            if isAtEnd { return nil }
            guard deadline.wait(for: POLLIN, on: fd) else {
                throw TestFailure("cannot read a line within \(seconds) s; unfinished: \"\(buffer.unfinished)\"")
            }
            receive()
        }
    }

    /// The first line that `condition` likes; those before it are dropped.
    package func nextLine(
        within seconds: Double = patience, where condition: (String) throws -> Bool
    ) throws -> String {
        let deadline = Deadline.within(seconds)
        while true {
            let line = try nextLine(within: Double(deadline.milliseconds) / 1000)
            if try condition(line) { return line }
        }
    }

    /// The lines that have arrived already; does not wait.
    package func linesSoFar() -> [String] {
        while !isAtEnd, Deadline.within(0).wait(for: POLLIN, on: fd) { receive() }
        var lines: [String] = []
        while let line = buffer.nextLine() { lines.append(line) }
        return lines
    }

    /// All lines until the other side closes.
    package func remainingLines(within seconds: Double = patience) throws -> [String] {
        let deadline = Deadline.within(seconds)
        var lines: [String] = []
        while let line = try nextLineOrEnd(within: Double(deadline.milliseconds) / 1000) { lines.append(line) }
        return lines
    }

    /// Says that this side will send no more.
    package func halfClose() { shutdown(fd, Int32(SHUT_WR)) }

    /// Ends the connection; harmless if it has ended.
    package func close() {
        if fd >= 0 {
            // A process that is being started elsewhere in the test holds a copy until it execs: the peer must not write to that.
            shutdown(fd, Int32(SHUT_RDWR))
            Glibc.close(fd)
        }
        fd = -1
        isAtEnd = true
    }

    /// Makes the kernel's buffers small, so that a client that does not read is noticed soon.
    package func setReceiveBuffer(bytes: Int32) {
        var size = bytes
        setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    private func receive() {
        var piece = [UInt8](repeating: 0, count: 65536)
        let count = recv(fd, &piece, piece.count, Int32(MSG_DONTWAIT))
        if count > 0 { return buffer.append(piece[..<count]) }
        if count == 0 || (errno != EAGAIN && errno != EINTR) { isAtEnd = true }
    }
}

/// A client of the daemon's Unix socket.
package final class JSONLineConnection: LineConnection {
    /// Connects to the socket at `path`.
    package init(path: String) throws {
        let fd = clinux_connect_unix(path)
        guard fd >= 0 else { throw TestFailure.system("connect to \(path)") }
        super.init(adopting: fd)
    }

    /// Connects as soon as something listens at `path`.
    package convenience init(waitingFor path: String, within seconds: Double = patience) throws {
        try waitUntil("something listens at \(path)", within: seconds) {
            let fd = clinux_connect_unix(path)
            if fd >= 0 { Glibc.close(fd) }
            return fd >= 0
        }
        try self.init(path: path)
    }
}

/// A client of a TCP port on this machine.
package final class LoopbackConnection: LineConnection {
    /// Connects to `port` of 127.0.0.1.
    package init(port: UInt16, within seconds: Double = patience) throws {
        var resolverError: Int32 = 0
        let fd = clinux_connect_tcp("127.0.0.1", "\(port)", &resolverError)
        guard fd >= 0 else { throw TestFailure.system("connect to 127.0.0.1:\(port)") }
        let isDone = Deadline.within(seconds).wait(for: POLLOUT, on: fd)
        let code = isDone ? clinux_socket_error(fd) : ETIMEDOUT
        guard code == 0 else {
            Glibc.close(fd)
            throw TestFailure.system("connect to 127.0.0.1:\(port)", code)
        }
        super.init(adopting: fd)
    }
}
