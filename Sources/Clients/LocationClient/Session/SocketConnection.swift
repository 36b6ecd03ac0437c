// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Glibc
import LocationProtocol

/// A connected socket on a queue. All of it is used on that queue.
final class SocketConnection: TransportConnection, @unchecked Sendable {
    // Replies may be long; more than this is no reply.
    private static let lineLimit = 1 << 26
    private static let readLength = 65_536
    // As this project's daemon writes replies; of one that writes them otherwise nothing more is waited for than `farewell`.
    private static let replyPrefix = Array(#"{"jsonrpc":"2.0","id":"#.utf8)
    // Then others on the queue have their turn.
    private static let readsPerTurn = 4
    // The daemon may take so long to carry out what was asked last.
    private static let farewell = DispatchTimeInterval.seconds(1)

    private let fd: Int32
    private let address: DaemonAddress
    private let queue: DispatchQueue
    private var handler: (@Sendable (TransportEvent) -> Void)?
    private var framer = LineFramer(limit: SocketConnection.lineLimit)
    private var reader: (any DispatchSourceRead)?
    // Only while something is unwritten.
    private var writer: (any DispatchSourceWrite)?
    private var unwritten: [UInt8] = []
    // Requests whose replies have not come.
    private var unanswered = 0
    // How many replies came since it was closed: each gives the next one its time.
    private var lateReplies = 0
    // Sources that watch the descriptor: it is closed when the last is cancelled.
    private var sources = 0

    /// Takes `fd` over; -1: nothing will be done but `fail`.
    init(
        _ fd: Int32, to address: DaemonAddress, on queue: DispatchQueue,
        handler: @escaping @Sendable (TransportEvent) -> Void
    ) {
        self.fd = fd
        self.address = address
        self.queue = queue
        self.handler = handler
        guard fd >= 0 else { return }
        let reader = DispatchSource.makeReadSource(fileDescriptor: fd, queue: queue)
        hold(reader)
        reader.setEventHandler { [weak self] in self?.read() }
        self.reader = reader
    }

    func begin() {
        guard handler != nil else { return }
        handler?(.opened)
        reader?.activate()
        StartupPages.releaseSoon()
    }

    func fail(_ reason: LocationClientError) {
        let handler = handler
        abandon()
        handler?(.closed(reason))
    }

    // A socket that is closed with something unread in it loses what the daemon has not read either: it stays open until what was
    // asked last, which ends services, is answered.
    func close() {
        guard handler != nil else { return }
        handler = nil
        // A connection that was never made has nothing to end, and its failure is on its way.
        guard reader != nil else { return }
        guard unanswered > 0 else { return abandon() }
        reader?.activate()
        if unwritten.isEmpty { endWriting() }
        awaitReply()
    }

    // The daemon carries out so many lasting changes a second and lets the others wait.
    private func awaitReply() {
        let known = lateReplies
        queue.asyncAfter(deadline: .now() + SocketConnection.farewell) { [weak self] in
            guard let self, reader != nil else { return }
            if lateReplies == known { abandon() } else { awaitReply() }
        }
    }

    private func abandon() {
        handler = nil
        // A source that was never activated is not told of its end.
        reader?.activate()
        reader?.cancel()
        reader = nil
        stopWriting()
    }

    // Holds the object until it is closed, which whoever opened it has to do.
    private func hold(_ source: any DispatchSourceProtocol) {
        sources += 1
        source.setCancelHandler { [self] in
            sources -= 1
            if sources == 0 { _ = Glibc.close(fd) }
        }
    }

    // MARK: Reading

    // Until nothing is left: of an end that came together with the last bytes, a source does not tell a second time.
    private func read() {
        for _ in 0..<SocketConnection.readsPerTurn {
            guard reader != nil, readOnce() else { return }
        }
        queue.async { [weak self] in self?.read() }
    }

    /// False: nothing is left, or nothing will come.
    private func readOnce() -> Bool {
        let count = withUnsafeTemporaryAllocation(byteCount: SocketConnection.readLength, alignment: 16) { buffer in
            let count = recv(fd, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 { framer.append(UnsafeRawBufferPointer(rebasing: buffer[..<count])) }
            return count
        }
        let code = errno
        if count > 0 {
            takeLines()
            return true
        }
        if count < 0, code == EINTR { return true }
        if count == 0 {
            fail(.disconnected(address, reason: "it closed the connection"))
        } else if code != EAGAIN {
            fail(.disconnected(address, reason: String(cString: strerror(code))))
        }
        return false
    }

    private func takeLines() {
        while reader != nil {
            switch framer.next() {
            case .line(let line):
                if line.starts(with: SocketConnection.replyPrefix) {
                    unanswered -= 1
                    if handler == nil { lateReplies += 1 }
                }
                handler?(.line(Array(line)))
                if handler == nil, unanswered <= 0 { abandon() }
            case .needsMore: return
            case .overlong:
                fail(.disconnected(address, reason: "it wrote a line of more than \(framer.limit) bytes"))
            }
        }
    }

    // MARK: Writing

    func send(_ call: Call, as id: RequestID) {
        guard handler != nil else { return }
        let line = RequestWriter.line(id, call)
        unanswered += 1
        guard unwritten.isEmpty else {
            unwritten += line
            return
        }
        let written = write(line[...])
        guard written < line.count else { return }
        unwritten = Array(line[written...])
        startWriting()
    }

    // A broken socket takes everything: what the daemon said before it left is read first, and then the end is found.
    private func write(_ bytes: ArraySlice<UInt8>) -> Int {
        while true {
            let count = bytes.withUnsafeBytes {
                Glibc.send(fd, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
            }
            if count >= 0 { return count }
            switch errno {
            case EINTR: continue
            case EAGAIN: return 0
            default: return bytes.count
            }
        }
    }

    private func startWriting() {
        let writer = DispatchSource.makeWriteSource(fileDescriptor: fd, queue: queue)
        hold(writer)
        writer.setEventHandler { [weak self] in self?.writeRest() }
        self.writer = writer
        writer.activate()
    }

    private func writeRest() {
        unwritten.removeFirst(write(unwritten[...]))
        guard unwritten.isEmpty else { return }
        stopWriting()
        if handler == nil { endWriting() }
    }

    private func endWriting() { shutdown(fd, Int32(SHUT_WR)) }

    private func stopWriting() {
        writer?.cancel()
        writer = nil
        unwritten = []
    }
}
