// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport

/// The daemon's side of a socket, played by a test step by step; for one thread.
final class FakeServer {
    let path: String
    private let directory: TemporaryDirectory
    private var listener: Int32 = -1

    /// Listens at `name` in a directory of its own, or at `path`.
    init(in directory: TemporaryDirectory, at name: String = "s") throws {
        self.directory = directory
        path = directory.file(name)
        try start()
    }

    deinit { stop() }

    var address: DaemonAddress { DaemonAddress(path: path) }

    func start() throws {
        listener = clinux_listen_unix(path, 0o600, 64)
        guard listener >= 0 else { throw TestFailure("cannot listen at \(path)") }
    }

    /// Takes no more connections, as a daemon that is gone.
    func stop() {
        guard listener >= 0 else { return }
        close(listener)
        unlink(path)
        listener = -1
    }

    /// The next connection.
    func accept() throws -> ServedClient {
        guard Deadline.within(patience).wait(for: POLLIN, on: listener) else {
            throw TestFailure("cannot see a client connect")
        }
        let fd = clinux_accept(listener)
        guard fd >= 0 else { throw TestFailure("cannot accept a client") }
        return ServedClient(fd)
    }

    /// Whether somebody has connected who was not accepted yet.
    var hasCaller: Bool {
        var waiting = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 0) > 0
    }
}

/// A client of the fake server, as that sees it; for one thread at a time.
final class ServedClient {
    private var fd: Int32
    private var framer = LineFramer()
    // For lines that are longer than a request may be.
    private var skipped = LineFramer(limit: 1 << 20)
    private var sequence: UInt64 = 0

    init(_ fd: Int32) { self.fd = fd }

    deinit { hangUp() }

    func hangUp() {
        if fd >= 0 { close(fd) }
        fd = -1
    }

    /// Whether the client keeps its socket for so many seconds, though it may write no more.
    func isHeld(for seconds: Double) -> Bool {
        var held = pollfd(fd: fd, events: 0, revents: 0)
        return poll(&held, 1, Int32(seconds * 1000)) == 0
    }

    /// The next request; nil when the client has closed.
    func nextRequest() throws -> RequestEnvelope? {
        while true {
            switch framer.next() {
            case .line(let line): return try RequestDecoder().decode(line).get()
            case .overlong: throw TestFailure("cannot read a request: it is too long")
            case .needsMore: break
            }
            guard Deadline.within(patience).wait(for: POLLIN, on: fd) else {
                throw TestFailure("cannot see a request")
            }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = recv(fd, &bytes, bytes.count, 0)
            guard count > 0 else { return nil }
            framer.append(Array(bytes[..<count]))
        }
    }

    /// Passes over the next line, whatever it is; returns its length.
    func skipLine() throws -> Int {
        while true {
            switch skipped.next() {
            case .line(let line): return line.count
            case .overlong: throw TestFailure("cannot pass over a line: it is too long")
            case .needsMore: break
            }
            guard Deadline.within(patience).wait(for: POLLIN, on: fd) else { throw TestFailure("cannot see a line") }
            var bytes = [UInt8](repeating: 0, count: 1 << 16)
            skipped.append(Array(bytes[..<max(recv(fd, &bytes, bytes.count, 0), 0)]))
        }
    }

    /// The next request, which has to be one of `method`.
    func expect(_ method: Method) throws -> RequestEnvelope {
        guard let request = try nextRequest() else {
            throw TestFailure("cannot see \(method.rawValue): the client has closed")
        }
        guard request.method == method else {
            throw TestFailure("cannot see \(method.rawValue): the client asks for \(request.method.rawValue)")
        }
        return request
    }

    /// Answers the next request, which has to be one of `method`; returns what it asked.
    @discardableResult
    func answer(_ method: Method, _ result: some Encodable) throws -> Call {
        let request = try expect(method)
        send(ReplyWriter.result(request.id, result))
        return request.call
    }

    @discardableResult
    func answer(_ method: Method) throws -> Call {
        let request = try expect(method)
        send(ReplyWriter.empty(request.id))
        return request.call
    }

    /// Answers a hello; returns what the client said.
    @discardableResult
    func greet(_ token: UInt64 = 1, rejoined: Bool = false) throws -> HelloParameters {
        guard case .hello(let hello) = try answer(.hello, Lines.greeting(token, rejoined: rejoined)) else {
            throw TestFailure("cannot read the hello")
        }
        return hello
    }

    func notify(_ prefix: [UInt8]) {
        sequence += 1
        var line = prefix
        NotificationWriter.appendTail(sequence, to: &line)
        send(line)
    }

    /// Sends live locations of the standard service.
    func update(_ sequences: UInt64...) {
        notify(
            NotificationWriter.didUpdateLocations(
                UpdateAttributes(source: .standard), sequences.map { Lines.location($0) }
            ).prefix)
    }

    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EAGAIN, Deadline.within(patience).wait(for: POLLOUT, on: fd) { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

/// What a daemon says.
enum Lines {
    static func greeting(_ token: UInt64 = 1, rejoined: Bool = false) -> HelloResult {
        HelloResult(
            version: "9.9", app: nil, identity: "uid:1000", manager: ManagerToken(high: 7, low: token),
            rejoined: rejoined, authorizationStatus: .authorizedAlways, accuracyAuthorization: .full)
    }

    /// A fix a second, each 10 m north of the one before.
    static func location(_ sequence: UInt64) -> Location {
        Location(
            coordinate: Coordinate(latitude: 50, longitude: 8).moved(by: Double(sequence) * 10, course: 0),
            horizontalAccuracy: 4, timestamp: WallTime(milliseconds: 1_700_000_000_000 + Int64(sequence) * 1000),
            sequence: sequence)
    }
}
