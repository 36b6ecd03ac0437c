// SPDX-License-Identifier: Apache-2.0
import CLinux
import CSystemd
import Glibc
import LocationProtocol
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
    /// The carrier's name in systemd's descriptor store.
    static let name = "connections"
    /// Bytes in all.
    static let mostBytes = 64 << 20
    /// The place that the sealed memory travels with.
    static let placeOfRecords = UInt32.max

    /// The connections, by their place; nil: its socket or its record is not there.
    private(set) var connections: [(channel: SocketChannel, left: KeptConnection)?] = []
    private(set) var surroundings = KeptSurroundings()

    // MARK: Going on

    /// Takes everything out of the carriers, which systemd then need not keep any more. What cannot be understood is closed. There is
    /// more than one if a former process could not take its own back in time; each holds what nobody has taken.
    init(from carriers: [Int32]) {
        for carrier in carriers {
            add(Handover.contents(of: carrier))
            close(carrier)
        }
        sd_notify(0, "FDSTOREREMOVE=1\nFDNAME=\(Handover.name)")
    }

    private mutating func add(_ contents: Contents) {
        let first = connections.count
        connections += contents.connections
        surroundings.requests += contents.surroundings.requests.map { request in
            var request = request
            request.connection = request.connection.map { $0 + first }
            return request
        }
        surroundings.held += contents.surroundings.held
        surroundings.view = contents.surroundings.view ?? surroundings.view
        surroundings.rests += contents.surroundings.rests
        if !contents.surroundings.anchor.isEmpty { surroundings.anchor = contents.surroundings.anchor }
    }

    private struct Contents {
        var connections: [(channel: SocketChannel, left: KeptConnection)?] = []
        var surroundings = KeptSurroundings()
    }

    private static func contents(of carrier: Int32) -> Contents {
        var contents = Contents()
        var records: [[UInt8]?] = []
        while let message = receive(from: carrier) {
            guard message.places != [placeOfRecords] else {
                records = message.descriptors.first.flatMap { Handover.records(in: $0) } ?? []
                for descriptor in message.descriptors { close(descriptor) }
                // Without what all share, nobody can go on.
                guard let surroundings: KeptSurroundings = decode(records.first ?? nil) else {
                    records = []
                    continue
                }
                contents.surroundings = surroundings
                contents.connections = records.dropFirst().map { _ in nil }
                continue
            }
            for (place, descriptor) in zip(message.places, message.descriptors) {
                // Closes it if nobody wants it.
                let channel = SocketChannel(fd: descriptor)
                let index = Int(place)
                guard contents.connections.indices.contains(index),
                    let left: KeptConnection = decode(records[index + 1])
                else { continue }
                contents.connections[index] = (channel, left)
            }
        }
        return contents
    }

    /// One message; without descriptors if it cannot be understood, which says nothing of those behind it. nil: there is none.
    private static func receive(from carrier: Int32) -> (places: [UInt32], descriptors: [Int32])? {
        var places = [UInt32](repeating: 0, count: Int(clinux_most_descriptors))
        var (descriptors, count) = ([Int32](repeating: -1, count: Int(clinux_most_descriptors)), 0)
        let received = clinux_receive_descriptors(
            carrier, &descriptors, descriptors.count, &count, &places, places.count * MemoryLayout<UInt32>.size)
        if received < 0 { return errno == EMSGSIZE ? ([], []) : nil }
        guard received > 0 || count > 0 else { return nil }
        guard received == count * MemoryLayout<UInt32>.size else {
            for descriptor in descriptors.prefix(count) { close(descriptor) }
            return ([], [])
        }
        return (Array(places.prefix(count)), Array(descriptors.prefix(count)))
    }

    private static func records(in memory: Int32) -> [[UInt8]?]? {
        let length = clinux_sealed_length(memory)
        guard length > 0, length <= 2 * mostBytes else { return nil }
        var bytes = [UInt8](repeating: 0, count: length)
        guard pread(memory, &bytes, length, 0) == length else { return nil }
        return RecordBundle.records(in: bytes)
    }

    private static func decode<Value: Decodable>(_ record: [UInt8]?) -> Value? {
        record.flatMap { try? JSONText.value(of: $0) }
    }
}
