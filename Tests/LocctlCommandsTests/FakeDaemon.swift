// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationTestSupport

/// The daemon's side of a socket, played by a test step by step; for one thread.
final class FakeDaemon {
    /// Where clients connect.
    let path: String
    private let directory: TemporaryDirectory
    private var listener: Int32

    /// Listens in `directory`.
    init(in directory: TemporaryDirectory) throws {
        self.directory = directory
        path = directory.file("s")
        listener = try FakeDaemon.listen(at: path)
    }

    deinit { stop() }

    /// Takes no more connections, as a daemon that is gone.
    func stop() {
        if listener >= 0 { close(listener) }
        listener = -1
        unlink(path)
    }

    /// The next connection.
    func accept() throws -> FakeDaemonClient {
        guard Deadline.within(patience).wait(for: POLLIN, on: listener) else {
            throw TestFailure("cannot see a client connect")
        }
        let fd = Glibc.accept(listener, nil, nil)
        guard fd >= 0 else { throw TestFailure("cannot accept a client: \(String(cString: strerror(errno)))") }
        return FakeDaemonClient(fd)
    }

    private static func listen(at path: String) throws -> Int32 {
        let fd = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(fd, $0, size) }
        }
        guard fd >= 0, code == 0, Glibc.listen(fd, 8) == 0 else {
            throw TestFailure("cannot listen at \(path): \(String(cString: strerror(errno)))")
        }
        return fd
    }
}

/// A client of the fake daemon, as that sees it; for one thread at a time.
final class FakeDaemonClient: @unchecked Sendable {
    private var fd: Int32
    private var framer = LineFramer()
    private var sequence: UInt64 = 0

    init(_ fd: Int32) { self.fd = fd }

    deinit { hangUp() }

    /// Ends the connection.
    func hangUp() {
        if fd >= 0 { close(fd) }
        fd = -1
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

    /// Answers the next request with nothing to say.
    @discardableResult
    func answer(_ method: Method) throws -> Call {
        let request = try expect(method)
        send(ReplyWriter.empty(request.id))
        return request.call
    }

    /// Refuses the next request.
    func refuse(_ method: Method, _ error: RPCError) throws {
        send(ReplyWriter.refusal(try expect(method).id, error))
    }

    /// Answers a hello; returns what the client said.
    @discardableResult
    func greet(_ token: UInt64, rejoined: Bool = false, eventsDropped: UInt64 = 0) throws -> HelloParameters {
        let call = try answer(
            .hello,
            HelloResult(
                version: "9.9", app: nil, identity: "uid:1000", manager: ManagerToken(high: 7, low: token),
                rejoined: rejoined, authorizationStatus: .authorizedAlways, accuracyAuthorization: .full,
                eventsDropped: eventsDropped))
        guard case .hello(let hello) = call else { throw TestFailure("cannot read the hello") }
        return hello
    }

    /// Sends a notification, whose number is added; returns the whole line without its end.
    @discardableResult
    func notify(_ prefix: [UInt8]) -> String {
        sequence += 1
        var line = prefix
        NotificationWriter.appendTail(sequence, to: &line)
        send(line)
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// Sends live locations of the standard service.
    @discardableResult
    func update(_ sequences: UInt64...) -> String { update(UpdateAttributes(source: .standard), sequences) }

    /// Sends locations.
    @discardableResult
    func update(_ attributes: UpdateAttributes, _ sequences: UInt64...) -> String { update(attributes, sequences) }

    private func update(_ attributes: UpdateAttributes, _ sequences: [UInt64]) -> String {
        notify(NotificationWriter.didUpdateLocations(attributes, sequences.map { Sample.location($0) }).prefix)
    }

    /// Sends bytes.
    func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
