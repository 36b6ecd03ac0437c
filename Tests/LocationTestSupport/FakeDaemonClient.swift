// SPDX-License-Identifier: Apache-2.0
import Glibc
package import LocationModel
package import LocationProtocol

/// A client of the fake daemon, as that sees it; for one thread at a time.
package final class FakeDaemonClient: @unchecked Sendable {
    private var fd: Int32
    private var framer = LineFramer()
    // For lines that are longer than a request may be.
    private var skipped = LineFramer(limit: 1 << 20)
    private var sequence: UInt64 = 0

    init(_ fd: Int32) { self.fd = fd }

    deinit { hangUp() }

    /// Ends the connection.
    package func hangUp() {
        if fd >= 0 { close(fd) }
        fd = -1
    }

    /// Whether the client keeps its socket for so many seconds, though it may write no more.
    package func isHeld(for seconds: Double) -> Bool {
        var held = pollfd(fd: fd, events: 0, revents: 0)
        return poll(&held, 1, Int32(seconds * 1000)) == 0
    }

    // MARK: What the client asks

    /// The next request; nil when the client has closed.
    package func nextRequest() throws -> RequestEnvelope? {
        while true {
            switch framer.next() {
            case .line(let line): return try RequestDecoder().decode(line).get()
            case .overlong: throw TestFailure("cannot read a request: it is too long")
            case .needsMore: break
            }
            guard let bytes = try receive() else { return nil }
            framer.append(bytes)
        }
    }

    /// Passes over the next line, whatever it is; returns its length.
    package func skipLine() throws -> Int {
        while true {
            switch skipped.next() {
            case .line(let line): return line.count
            case .overlong: throw TestFailure("cannot pass over a line: it is too long")
            case .needsMore: break
            }
            guard let bytes = try receive() else { throw TestFailure("cannot see a line: the client has closed") }
            skipped.append(bytes)
        }
    }

    private func receive() throws -> [UInt8]? {
        guard Deadline.within(patience).wait(for: POLLIN, on: fd) else { throw TestFailure("cannot see a request") }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(fd, &bytes, bytes.count, 0)
        return count > 0 ? Array(bytes[..<count]) : nil
    }

    /// The next request, which has to be one of `method`.
    package func expect(_ method: Method) throws -> RequestEnvelope {
        guard let request = try nextRequest() else {
            throw TestFailure("cannot see \(method.name): the client has closed")
        }
        guard request.method == method else {
            throw TestFailure("cannot see \(method.name): the client asks for \(request.method.name)")
        }
        return request
    }

    // MARK: What the daemon says

    /// Answers the next request, which has to be one of `method`; returns what it asked.
    @discardableResult
    package func answer(_ method: Method, _ result: some Encodable) throws -> Call {
        let request = try expect(method)
        send(ReplyWriter.result(request.id, result))
        return request.call
    }

    /// Answers the next request with nothing to say.
    @discardableResult
    package func answer(_ method: Method) throws -> Call {
        let request = try expect(method)
        send(ReplyWriter.empty(request.id))
        return request.call
    }

    /// Refuses the next request.
    package func refuse(_ method: Method, _ error: RPCError) throws {
        send(ReplyWriter.refusal(try expect(method).id, error))
    }

    /// Answers a hello; returns what the client said.
    @discardableResult
    package func greet(
        _ token: UInt64 = 1, rejoined: Bool = false, eventsDropped: UInt64 = 0
    ) throws -> HelloParameters {
        let call = try answer(.hello, HelloResult.greeting(token, rejoined: rejoined, eventsDropped: eventsDropped))
        guard case .hello(let hello) = call else { throw TestFailure("cannot read the hello") }
        return hello
    }

    /// Sends a notification, whose number is added; returns the whole line without its end.
    @discardableResult
    package func notify(_ prefix: [UInt8]) -> String {
        sequence += 1
        var line = prefix
        NotificationWriter.appendTail(sequence, to: &line)
        send(line)
        return String(decoding: line.dropLast(), as: UTF8.self)
    }

    /// Sends locations, of the standard service if nothing else is said; returns the whole line without its end.
    @discardableResult
    package func update(
        _ attributes: UpdateAttributes = UpdateAttributes(source: .standard), with locations: [Location]
    ) -> String {
        notify(NotificationWriter.didUpdateLocations(attributes, locations).prefix)
    }

    /// Sends bytes.
    package func send(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count < 0, errno == EAGAIN, Deadline.within(patience).wait(for: POLLOUT, on: fd) { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}

extension HelloResult {
    /// What a daemon says to a program that may always have locations.
    package static func greeting(
        _ token: UInt64 = 1, rejoined: Bool = false, eventsDropped: UInt64 = 0
    ) -> HelloResult {
        HelloResult(
            version: "9.9", app: nil, identity: "uid:1000", manager: ManagerToken(high: 7, low: token),
            rejoined: rejoined, authorizationStatus: .authorizedAlways, accuracyAuthorization: .full,
            eventsDropped: eventsDropped)
    }
}
