// SPDX-License-Identifier: Apache-2.0
import CLinux
import CSystemd
import FoundationEssentials
import Glibc
import LocationStore
import SystemSupport

/// Clients' sockets and what is left of their connections, on the way from one process to the next through systemd's descriptor store
/// (`FileDescriptorStoreMax=`, sd_notify(3)).
///
/// All of it travels in the queue of one socket, the carrier, which is the only descriptor that systemd keeps: first sealed memory with
/// the records, then the clients' sockets with their places. So systemd need not compare each descriptor with all others, a process that
/// fails in the middle of going on does not find the same again, and no socket of a client stays open anywhere but in the process that
/// serves it.
struct Handover {
    /// What systemd calls the carrier.
    static let name = "connections"
    /// Bytes of one connection that are kept; who left more unread is closed.
    private static let mostBytesOfOne = 512 << 10
    /// Bytes in all.
    private static let mostBytes = 64 << 20
    /// Microseconds to wait for systemd to have it all.
    private static let patience: UInt64 = 5_000_000
    /// The place that the sealed memory travels with.
    private static let placeOfRecords = UInt32.max

    /// The connections, by their place; nil: its socket or its record is not there.
    private(set) var connections: [(channel: SocketChannel, left: KeptConnection)?] = []
    private(set) var surroundings = KeptSurroundings()

    // MARK: Leaving

    /// Gives everything to systemd; the carrier is there when this returns. Returns how many connections it holds.
    static func leave(
        _ connections: [(socket: Int32, left: KeptConnection)], _ surroundings: KeptSurroundings
    ) throws -> Int {
        let (bytes, sockets) = try pack(connections, surroundings)
        var ends: [Int32] = [-1, -1]
        guard clinux_message_pair(&ends) == 0 else { throw SystemError(cannot: "make a carrier for clients") }
        defer { for end in ends { close(end) } }
        let memory = clinux_sealed_memory("locationd-connections", bytes, bytes.count)
        guard memory >= 0 else { throw SystemError(cannot: "keep what clients are still to be sent") }
        defer { close(memory) }
        guard send([memory], placeOfRecords, over: ends[0]) else {
            throw SystemError(cannot: "put clients into their carrier")
        }
        let count = send(sockets, over: ends[0])
        // The other end goes with this process, which is no reason to drop the carrier.
        let message = "FDSTORE=1\nFDNAME=\(name)\nFDPOLL=0"
        guard sd_pid_notify_with_fds(0, 0, message, &ends[1], 1) > 0, sd_notify_barrier(0, patience) > 0 else {
            throw SystemError("cannot give clients to systemd: it does not take them")
        }
        return count
    }

    /// The records, and the socket at each place; -1: what is left of that one is too much, or cannot be said.
    private static func pack(
        _ connections: [(socket: Int32, left: KeptConnection)], _ surroundings: KeptSurroundings
    ) throws -> (bytes: [UInt8], sockets: [Int32]) {
        let encoder = JSONEncoder()
        var records = [Array(try encoder.encode(surroundings))]
        var sockets: [Int32] = []
        var total = records[0].count
        for (socket, left) in connections {
            let record = (try? encoder.encode(left)).map { Array($0) } ?? []
            let isKept = !record.isEmpty && record.count <= mostBytesOfOne && total + record.count <= mostBytes
            records.append(isKept ? record : [])
            sockets.append(isKept ? socket : -1)
            if isKept { total += record.count }
        }
        return (RecordBundle.bytes(of: records), sockets)
    }

    /// Sends as many sockets at a time as one message holds. Returns how many went.
    private static func send(_ sockets: [Int32], over carrier: Int32) -> Int {
        var (place, sent) = (0, 0)
        while place < sockets.count {
            guard sockets[place] >= 0 else {
                place += 1
                continue
            }
            let batch = Array(sockets[place...].prefix(Int(clinux_most_descriptors)).prefix { $0 >= 0 })
            if send(batch, UInt32(place), over: carrier) {
                sent += batch.count
            } else {
                // A client can make its socket one that cannot travel (unix(7), ETOOMANYREFS): the others can.
                for (offset, socket) in batch.enumerated() where send([socket], UInt32(place + offset), over: carrier) {
                    sent += 1
                }
            }
            place += batch.count
        }
        return sent
    }

    private static func send(_ descriptors: [Int32], _ place: UInt32, over carrier: Int32) -> Bool {
        var place = place
        return clinux_send_descriptors(carrier, descriptors, descriptors.count, &place, MemoryLayout<UInt32>.size) == 0
    }

    // MARK: Going on

    /// Takes everything out of the carrier, which systemd then need not keep any more. What cannot be understood is closed.
    init(from carrier: Int32) {
        defer {
            close(carrier)
            sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(Handover.name)")
        }
        var records: [[UInt8]?] = []
        while let (place, descriptors) = Handover.receive(from: carrier) {
            guard place != Handover.placeOfRecords else {
                records = descriptors.first.flatMap { Handover.records(in: $0) } ?? []
                for descriptor in descriptors { close(descriptor) }
                surroundings = Handover.decode(records.first ?? nil) ?? KeptSurroundings()
                connections = records.dropFirst().map { _ in nil }
                continue
            }
            for (offset, descriptor) in descriptors.enumerated() {
                // Closes it if nobody wants it.
                let channel = SocketChannel(fd: descriptor)
                let index = Int(place) + offset
                guard connections.indices.contains(index),
                    let left: KeptConnection = Handover.decode(records[index + 1])
                else { continue }
                connections[index] = (channel, left)
            }
        }
    }

    private static func receive(from carrier: Int32) -> (place: UInt32, descriptors: [Int32])? {
        var place: UInt32 = 0
        var (descriptors, count) = ([Int32](repeating: -1, count: Int(clinux_most_descriptors)), 0)
        let received = clinux_receive_descriptors(
            carrier, &descriptors, descriptors.count, &count, &place, MemoryLayout<UInt32>.size)
        guard received == MemoryLayout<UInt32>.size else {
            for descriptor in descriptors.prefix(count) { close(descriptor) }
            return nil
        }
        return (place, Array(descriptors.prefix(count)))
    }

    private static func records(in memory: Int32) -> [[UInt8]?]? {
        let length = clinux_sealed_length(memory)
        guard length > 0, length <= 2 * mostBytes else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        guard pread(memory, &bytes, length, 0) == length, let records = RecordBundle.records(in: bytes),
            // Without what all share, nobody can go on.
            records.first.flatMap({ $0 }) != nil
        else { return nil }
        return records
    }

    private static func decode<Value: Decodable>(_ record: [UInt8]?) -> Value? {
        record.flatMap { try? JSONDecoder().decode(Value.self, from: Data($0)) }
    }
}
