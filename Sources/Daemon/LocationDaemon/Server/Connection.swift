// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationModel
import LocationProtocol
import LocationServices

/// One client's socket: bytes in, lines out, and when to read, to wait and to close.
final class Connection {
    /// Its number for people, which no other ever has.
    let number: UInt64
    /// Its place among the server's; also its key in the poll.
    let place: Int
    let channel: SocketChannel
    /// Whom it is charged to.
    let client: ConnectionQuota.Client
    let acceptedAt: BootInstant
    var manager: ClientManager
    private var framer: LineFramer
    /// The peer will send no more.
    private(set) var isInputEnded = false
    /// Ends as soon as everything is written, whatever runs.
    private(set) var isRefused = false
    /// Nobody is there any more, or reads too little; it is closed when the turn is over. Then why, if it is to be said.
    var ending: (isDue: Bool, reason: String?) = (false, nil)
    /// The peer is gone: what it sent whole is carried out now or never.
    var isLeaving = false
    /// How many buffers may still be read of a peer that is gone.
    var readsLeft = 0
    /// The poll has said that there is something to read.
    var isReadable = false
    /// A change beyond its user's allowance, which comes before all that follows.
    var postponed: (request: Result<RequestEnvelope, Refusal>, line: [UInt8])?
    /// Output waits for room in the socket.
    var isBlocked: Bool { manager.awaitsRoom }
    /// The events that the poll was last asked for.
    var interest: UInt32

    init(place: Int, channel: SocketChannel, manager: ClientManager, at now: BootInstant) {
        number = manager.connection
        self.place = place
        self.channel = channel
        client = manager.peer.client
        self.manager = manager
        acceptedAt = now
        framer = LineFramer()
        interest = Connection.readInterest
    }

    static let readInterest = UInt32(clinux_readable) | UInt32(clinux_half_closed)
    static let writeInterest = UInt32(clinux_writable)

    enum Read {
        case bytes
        case nothing
        case broken
    }

    /// Reads what is there, at most one buffer of it.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Read {
        guard !isInputEnded else { return .nothing }
        while true {
            let count = recv(channel.fd, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            if count > 0 {
                framer.append(UnsafeRawBufferPointer(rebasing: buffer[0..<count]))
                return .bytes
            }
            if count == 0 {
                isInputEnded = true
                framer.finish()
                return .bytes
            }
            if errno == EINTR { continue }
            return errno == EAGAIN ? .nothing : .broken
        }
    }

    /// Input that the socket has brought and nobody has carried out, for another process.
    var keptInput: KeptConnection.Input {
        var unread: [UInt8] = []
        if let postponed { unread = postponed.line + [UInt8(ascii: "\n")] }
        unread += framer.pendingBytes
        return KeptConnection.Input(unread: KeptBytes(unread), isEnded: isInputEnded, isRefused: isRefused)
    }

    /// Goes on with what another process left.
    func restore(_ input: KeptConnection.Input) {
        framer.append(input.unread.bytes)
        if input.isEnded { framer.finish() }
        isInputEnded = input.isEnded
        isRefused = input.isRefused
    }

    /// The next complete line.
    func nextLine() -> LineFramer.Output { framer.next() }

    /// Lines longer than this are refused.
    var lineLimit: Int { framer.limit }

    /// A line broke the rules: no further input is taken, and the connection ends with its answer.
    func refuseInput() {
        isInputEnded = true
        isRefused = true
    }
}
