// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationTestSupport
import Synchronization

/// A relay between the uplink and the broker, which writes down each message that the broker has acknowledged: what a broker that is killed
/// forgets afterwards is not the uplink's fault. It can cut the way, too.
final class BrokerTap: Sendable {
    /// A PUBLISH that the broker answered with PUBACK.
    struct Message: Sendable, Hashable {
        var topic: String
        var payload: [UInt8]
        var isRetained: Bool
        /// Which connection brought it, from 1.
        var connection: Int

        /// The member `name` of its payload.
        subscript(name: String) -> JSON? {
            (try? JSON(parsing: String(decoding: payload, as: UTF8.self))).flatMap { $0[name] }
        }
    }

    private struct State {
        var acknowledged: [Message] = []
        var isCut = false
        var isSilent = false
        var mostInFlight = 0
        var connections = 0
    }

    /// Where the uplink connects, on 127.0.0.1.
    let port: UInt16
    private let broker: UInt16
    private let listener: Int32
    private let isV5: Bool
    private let state = Mutex(State())

    /// Relays to the broker at `broker`.
    init(to broker: UInt16, isV5: Bool = true) throws {
        self.broker = broker
        self.isV5 = isV5
        var port: UInt16 = 0
        listener = clinux_listen_loopback(0, &port)
        guard listener >= 0 else { throw TestFailure("cannot listen on 127.0.0.1") }
        self.port = port
        let (listener, broker, isV5) = (listener, broker, isV5)
        try startThread { [weak self] in
            while true {
                guard Deadline.within(3600).wait(for: POLLIN, on: listener) else { continue }
                let client = clinux_accept(listener)
                guard client >= 0, let self else { break }
                self.relay(client, broker, isV5)
            }
        }
    }

    deinit { shutdown(listener, Int32(SHUT_RDWR)) }

    /// What the broker has acknowledged, in that order.
    var acknowledged: [Message] { state.withLock { $0.acknowledged } }
    /// The same behind the first `count`.
    func acknowledged(behind count: Int) -> [Message] { state.withLock { Array($0.acknowledged[count...]) } }
    /// The most messages that waited for their acknowledgement at a time.
    var mostInFlight: Int { state.withLock { $0.mostInFlight } }

    /// Ends all connections and refuses new ones, or lets them through again.
    func cut(_ isCut: Bool) { state.withLock { $0.isCut = isCut } }

    /// Keeps everything to itself, as a network that is gone, or passes it on again.
    func silence(_ isSilent: Bool) { state.withLock { $0.isSilent = isSilent } }

    private func relay(_ client: Int32, _ broker: UInt16, _ isV5: Bool) {
        var error: Int32 = 0
        let server = state.withLock { $0.isCut } ? -1 : clinux_connect_tcp("127.0.0.1", "\(broker)", &error)
        guard server >= 0 else {
            close(client)
            return
        }
        let connection = state.withLock { state in
            state.connections += 1
            return state.connections
        }
        try? startThread { [weak self] in
            BrokerTap.run(client, server, connection, isV5: isV5) { self }
            close(client)
            close(server)
        }
    }

    private static func run(
        _ client: Int32, _ server: Int32, _ connection: Int, isV5: Bool, _ tap: () -> BrokerTap?
    ) {
        var (sent, answered) = (PacketReader(), PacketReader())
        var inFlight: [UInt16: Message] = [:]
        while let tap = tap(), !tap.state.withLock({ $0.isCut }) {
            if tap.state.withLock({ $0.isSilent }) {
                poll(nil, 0, 5)
                continue
            }
            var ready = [
                pollfd(fd: client, events: Int16(POLLIN), revents: 0),
                pollfd(fd: server, events: Int16(POLLIN), revents: 0),
            ]
            guard poll(&ready, 2, 20) > 0 else { continue }
            if ready[0].revents != 0 {
                guard let bytes = move(from: client, to: server) else { return }
                for packet in sent.take(bytes) {
                    guard let (number, message) = packet.publication(isV5: isV5, connection) else { continue }
                    inFlight[number] = message
                    tap.state.withLock { $0.mostInFlight = max($0.mostInFlight, inFlight.count) }
                }
            }
            if ready[1].revents != 0 {
                guard let bytes = move(from: server, to: client) else { return }
                for packet in answered.take(bytes) {
                    guard let number = packet.acknowledgedNumber, let message = inFlight.removeValue(forKey: number)
                    else { continue }
                    tap.state.withLock { $0.acknowledged.append(message) }
                }
            }
        }
    }

    // nil: one of them is gone.
    private static func move(from source: Int32, to target: Int32) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 65_536)
        let count = recv(source, &bytes, bytes.count, 0)
        guard count > 0 else { return nil }
        bytes.removeLast(bytes.count - count)
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { send(target, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if written < 0, errno == EAGAIN {
                guard Deadline.within(patience).wait(for: POLLOUT, on: target) else { return nil }
                continue
            }
            guard written > 0 else { return nil }
            rest = rest.dropFirst(written)
        }
        return bytes
    }
}

/// MQTT's packets out of a stream of bytes.
struct PacketReader {
    struct Packet {
        var head: UInt8
        var body: ArraySlice<UInt8>

        /// The number and the content of a PUBLISH with quality 1; nil: it is something else.
        func publication(isV5: Bool, _ connection: Int) -> (UInt16, BrokerTap.Message)? {
            guard head >> 4 == 3, head >> 1 & 3 == 1 else { return nil }
            var rest = body
            let length = Int(PacketReader.number(&rest))
            let topic = String(decoding: rest.prefix(length), as: UTF8.self)
            rest = rest.dropFirst(length)
            let number = PacketReader.number(&rest)
            if isV5 {
                let properties = PacketReader.length(&rest) ?? 0
                rest = rest.dropFirst(properties)
            }
            return (
                number,
                BrokerTap.Message(
                    topic: topic, payload: Array(rest), isRetained: head & 1 == 1, connection: connection)
            )
        }

        /// The number in a PUBACK that says yes.
        var acknowledgedNumber: UInt16? {
            guard head >> 4 == 4 else { return nil }
            var rest = body
            let number = PacketReader.number(&rest)
            return rest.first ?? 0 < 0x80 ? number : nil
        }
    }

    private var bytes: [UInt8] = []

    mutating func take(_ piece: [UInt8]) -> [Packet] {
        bytes += piece
        var packets: [Packet] = []
        var rest = bytes[...]
        while let head = rest.first {
            var behind = rest.dropFirst()
            guard let length = PacketReader.length(&behind), behind.count >= length else { break }
            packets.append(Packet(head: head, body: behind.prefix(length)))
            rest = behind.dropFirst(length)
        }
        bytes = Array(rest)
        return packets
    }

    static func number(_ bytes: inout ArraySlice<UInt8>) -> UInt16 {
        guard bytes.count >= 2 else { return 0 }
        return UInt16(bytes.removeFirst()) << 8 | UInt16(bytes.removeFirst())
    }

    // Seven bits a byte, the least first; nil: it is not there yet.
    static func length(_ bytes: inout ArraySlice<UInt8>) -> Int? {
        var (value, shift) = (0, 0)
        var rest = bytes
        while let byte = rest.popFirst() {
            value |= Int(byte & 0x7F) << shift
            shift += 7
            guard byte & 0x80 != 0 else {
                bytes = rest
                return value
            }
        }
        return nil
    }
}
