// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
public import LocationModel
package import LocationProtocol

/// A connection to the daemon, which is one location manager there.
///
/// Made for one thread: a request waits for its reply, and notifications that come in between wait in a queue for
/// `nextNotification`. The connection ends with the object. The socket never blocks in the kernel: a request that the
/// daemon does not take yet is written while what the daemon has to say is read, so that the two cannot wait for each other.
public final class LocationConnection {
    /// Where the daemon is.
    public let address: DaemonAddress
    /// How long a reply may take. No reply waits for a person or for a fix.
    public var replyTimeout = TimeSpan.seconds(10)

    private let fd: Int32
    private var framer = LineFramer(limit: 1 << 26)
    private var notifications: [ReceivedNotification] = []
    private var taken = 0
    private var lastRequest: Int64 = 0
    private var end: LocationClientError?

    /// Connects; waits a moment for a daemon whose queue of connections is full. Throws `cannotConnect`.
    public init(to address: DaemonAddress = .standard) throws(LocationClientError) {
        self.address = address
        fd = try LocationConnection.connect(to: address)
    }

    deinit { close(fd) }

    /// The socket, to wait for it together with other things: when it is readable, call `nextNotification` with a
    /// deadline that has passed.
    public var fileDescriptor: Int32 { fd }

    /// The moment, on the clock that all deadlines are on (CLOCK_BOOTTIME).
    public static var now: BootInstant { BootInstant(nanoseconds: clinux_boottime_nanoseconds()) }

    // MARK: Requests

    /// Sends `call` and waits for its reply. Throws the daemon's refusal as `refused`.
    package func send(_ call: Call) throws(LocationClientError) -> ReceivedReply {
        lastRequest += 1
        let id = RequestID.integer(lastRequest)
        let deadline = LocationConnection.now + replyTimeout
        try write(RequestWriter.line(id, call), by: deadline, call)
        while true {
            if let reply = try nextReply(to: id) { return reply }
            if let end { throw end }
            guard wait(for: POLLIN, by: deadline) != .deadline else { throw noReply(call) }
            receive()
        }
    }

    /// Sends `request` and waits for its reply. Throws the daemon's refusal as `refused`.
    package func send(_ request: Request) throws(LocationClientError) -> ReceivedReply { try send(.asked(request)) }

    private func noReply(_ call: Call) -> LocationClientError {
        .noReply(address, method: call.method.name, seconds: replyTimeout.seconds)
    }

    private func write(_ line: [UInt8], by deadline: BootInstant, _ call: Call) throws(LocationClientError) {
        var rest = line[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                guard wait(for: POLLIN | POLLOUT, by: deadline) != .deadline else { throw noReply(call) }
                receive()
            } else if errno != EINTR {
                // Broken. What the daemon said before it left is read first, then the end is found.
                return
            }
        }
    }

    // MARK: Notifications

    /// The reason why a wait for a notification ended.
    public enum Arrival: Sendable {
        /// A notification; the oldest that waits.
        case notification(ReceivedNotification)
        /// The deadline passed.
        case deadline
        /// The other descriptor is readable.
        case interruption
    }

    /// Waits for the next notification until `deadline`, or until `interruption` (a descriptor; -1: none) is readable.
    ///
    /// Throws `disconnected` when the daemon has ended the connection and all that it had said is read.
    public func nextNotification(
        by deadline: BootInstant, orUntilReadable interruption: Int32 = -1
    ) throws(LocationClientError) -> Arrival {
        while true {
            try sortLines()
            if let notification = takeNotification() { return .notification(notification) }
            if let end { throw end }
            switch wait(for: POLLIN, by: deadline, interruption: interruption) {
            case .ready: receive()
            case .deadline: return .deadline
            case .interruption: return .interruption
            }
        }
    }

    private func takeNotification() -> ReceivedNotification? {
        guard taken < notifications.count else { return nil }
        defer {
            taken += 1
            if taken == notifications.count {
                notifications.removeAll(keepingCapacity: true)
                taken = 0
            }
        }
        return notifications[taken]
    }

    // MARK: Lines

    // Takes complete lines up to the reply to `id`.
    private func nextReply(to id: RequestID) throws(LocationClientError) -> ReceivedReply? {
        while let line = nextLine() {
            guard let received = try sort(line) else { continue }
            if let error = received.reply.error {
                if received.reply.id == nil { throw refusal(error) }
                if received.reply.id == id { throw .refused(error) }
            }
            if received.reply.id == id { return received }
        }
        return nil
    }

    // Takes all complete lines. A reply is then one to a request that was given up, or a refusal of the connection.
    private func sortLines() throws(LocationClientError) {
        while let line = nextLine() {
            guard let received = try sort(line), received.reply.id == nil else { continue }
            if let error = received.reply.error { throw refusal(error) }
        }
    }

    // A daemon that answers nobody is as good as none, but says why.
    private func refusal(_ error: RPCError) -> LocationClientError {
        guard error.code == .unavailable else { return .refused(error) }
        // The sentence says so itself.
        let preface = "cannot serve: "
        let reason = error.message.hasPrefix(preface) ? String(error.message.dropFirst(preface.count)) : error.message
        return .doesNotServe(address, reason: reason)
    }

    // Queues a notification; returns a reply.
    private func sort(_ line: [UInt8]) throws(LocationClientError) -> ReceivedReply? {
        do throws(ServerMessageError) {
            switch try ServerMessage.decode(line) {
            case .reply(let reply): return ReceivedReply(reply: reply, line: line)
            case .notification(let notification, let sequence):
                notifications.append(ReceivedNotification(notification, sequence: sequence, line: line))
                return nil
            }
        } catch {
            throw .unreadable(reason: error.description)
        }
    }

    private func nextLine() -> [UInt8]? {
        switch framer.next() {
        case .line(let line): return Array(line)
        case .needsMore: return nil
        case .overlong:
            endConnection("it wrote a line of more than \(framer.limit) bytes")
            return nil
        }
    }

    // MARK: The socket

    private func receive() {
        let room = 65_536
        let count = withUnsafeTemporaryAllocation(byteCount: room, alignment: 16) { buffer in
            let count = recv(fd, buffer.baseAddress, room, 0)
            if count > 0 { framer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
        if count == 0 {
            endConnection("it closed the connection")
        } else if count < 0, errno != EAGAIN, errno != EINTR {
            endConnection(String(cString: strerror(errno)))
        }
    }

    private func endConnection(_ reason: String) {
        if end == nil { end = .disconnected(address, reason: reason) }
    }

    private enum WaitEnd { case ready, deadline, interruption }

    private func wait(for events: Int32, by deadline: BootInstant, interruption: Int32 = -1) -> WaitEnd {
        var waiting = [
            pollfd(fd: fd, events: Int16(events), revents: 0),
            pollfd(fd: interruption, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let left = max(.zero, deadline - LocationConnection.now).nanoseconds
            // Rounded up, or the last millisecond would be spent in a busy loop.
            let count = poll(&waiting, 2, Int32(clamping: left / 1_000_000 + (left % 1_000_000 > 0 ? 1 : 0)))
            if count < 0, errno == EINTR { continue }
            if waiting[1].revents != 0 { return .interruption }
            if waiting[0].revents != 0 { return .ready }
            // poll counts in 32 bits: a longer wait is waited for in parts.
            if deadline <= LocationConnection.now { return .deadline }
        }
    }

    private static func connect(to address: DaemonAddress) throws(LocationClientError) -> Int32 {
        let deadline = now + .seconds(5)
        while true {
            let fd = clinux_connect_unix_nonblocking(address.path)
            if fd >= 0 { return fd }
            let code = errno
            guard code == EAGAIN, now < deadline else {
                throw .cannotConnect(address, reason: reason(code))
            }
            poll(nil, 0, 10)
        }
    }

    static func reason(_ code: Int32) -> String {
        switch code {
        case ENOENT: "no such file; is locationd running?"
        case ECONNREFUSED: "nobody listens there any more; is locationd running?"
        case EAGAIN: "locationd takes no connections right now"
        case EACCES: "this user may not use that socket"
        case ENAMETOOLONG: "the path is too long for a socket, at most 107 bytes are allowed"
        default: String(cString: strerror(code))
        }
    }
}
