// SPDX-License-Identifier: Apache-2.0
import CLinux
import CSystemd
import Glibc
import LocationProtocol
import LocationStore
import SystemSupport

// An orderly stop gives clients' sockets and the records of their connections to systemd.
extension Handover {
    /// A connection as this process leaves it.
    typealias Leaving = (socket: Int32, left: KeptConnection)

    /// The outcome of leaving.
    struct Outcome {
        /// How many connections the carrier holds.
        var count = 0
        /// The sockets of those that it does not hold, and why.
        var leftOut: [(socket: Int32, reason: String)] = []
    }

    /// Microseconds to wait for systemd to have it all.
    private static let patience: UInt64 = 5_000_000
    /// Clients can make their sockets such that they cannot travel also between two looks.
    private static let attempts = 3

    /// Gives everything to systemd; the carrier is there when this returns.
    ///
    /// `outputLimit`: bytes of events that may wait for one connection, from which it follows how much of one is kept.
    /// `canTravel`: whether a socket can be sent over one that is itself sent, as the kernel says by default.
    static func leave(
        _ connections: [Leaving], _ surroundings: KeptSurroundings, outputLimit: Int,
        canTravel: (Int32) -> Bool = clinux_can_travel
    ) throws -> Outcome {
        for _ in 1..<attempts {
            if let outcome = try tryToLeave(connections, surroundings, outputLimit, canTravel) { return outcome }
        }
        guard let outcome = try tryToLeave(connections, surroundings, outputLimit, canTravel) else {
            throw SystemError(cannot: "give clients to systemd, and their connections end", code: ETOOMANYREFS)
        }
        return outcome
    }

    // nil: a socket among them cannot travel that could a moment ago.
    private static func tryToLeave(
        _ connections: [Leaving], _ surroundings: KeptSurroundings, _ outputLimit: Int, _ canTravel: (Int32) -> Bool
    ) throws -> Outcome? {
        let (carrier, outcome) = try carrier(of: connections, surroundings, outputLimit: outputLimit, canTravel)
        defer { close(carrier) }
        return try give(carrier) ? outcome : nil
    }

    /// A carrier with all that can go, which is the caller's to close.
    static func carrier(
        of connections: [Leaving], _ surroundings: KeptSurroundings, outputLimit: Int, _ canTravel: (Int32) -> Bool
    ) throws -> (carrier: Int32, outcome: Outcome) {
        var outcome = Outcome()
        let (bytes, places) = try pack(connections, surroundings, outputLimit, canTravel, &outcome)
        var ends: [Int32] = [-1, -1]
        guard clinux_message_pair(&ends) == 0 else { throw SystemError(cannot: "make a carrier for clients") }
        var isFilled = false
        defer {
            close(ends[0])
            if !isFilled { close(ends[1]) }
        }
        clinux_widen(ends[0])
        let memory = clinux_sealed_memory("locationd-connections", bytes, bytes.count)
        guard memory >= 0 else { throw SystemError(cannot: "keep what clients are still to be sent") }
        defer { close(memory) }
        guard send([memory], [placeOfRecords], over: ends[0]) == 0 else {
            throw SystemError(cannot: "put clients into their carrier")
        }
        send(places[...], of: connections, over: ends[0], &outcome)
        isFilled = true
        return (ends[1], outcome)
    }

    // False: it holds what cannot travel.
    private static func give(_ carrier: Int32) throws -> Bool {
        var carrier = carrier
        // The other end goes with this process, which is no reason to drop the carrier.
        let message = "FDSTORE=1\nFDNAME=\(name)\nFDPOLL=0"
        let sent = sd_pid_notify_with_fds(0, 0, message, &carrier, 1)
        if sent == -ETOOMANYREFS { return false }
        guard sent > 0 else {
            throw SystemError(cannot: "give clients to systemd, and their connections end", code: -sent)
        }
        guard sd_notify_barrier(0, patience) > 0 else {
            throw SystemError(
                "cannot tell whether systemd keeps the connections of clients: it did not answer within 5 s")
        }
        return true
    }

    /// The records, and the places of those whose sockets are to travel.
    private static func pack(
        _ connections: [Leaving], _ surroundings: KeptSurroundings, _ outputLimit: Int, _ canTravel: (Int32) -> Bool,
        _ outcome: inout Outcome
    ) throws -> (bytes: [UInt8], places: [Int]) {
        var records = [[UInt8]](repeating: [], count: connections.count + 1)
        records[0] = try JSONWriter.text(of: surroundings)
        var places: [Int] = []
        var total = records[0].count
        // Bytes are a third longer as text, and short lines need as many again to be told apart.
        let mostBytesOfOne = min(4 * outputLimit + (512 << 10), mostBytes)
        // Those that read come first: no slow reader takes the room of others.
        let sizes = connections.map(\.left.size)
        for place in connections.indices.sorted(by: { (sizes[$0], $0) < (sizes[$1], $1) }) {
            let (socket, left) = connections[place]
            guard canTravel(socket) else {
                outcome.leftOut.append((socket, "its socket cannot travel: \(String(cString: strerror(errno)))"))
                continue
            }
            guard sizes[place] <= mostBytesOfOne, let record = try? JSONWriter.text(of: left),
                record.count <= mostBytesOfOne
            else {
                outcome.leftOut.append((socket, "more than \(mostBytesOfOne) bytes wait for it"))
                continue
            }
            guard total + record.count <= mostBytes else {
                outcome.leftOut.append((socket, "with it, more than \(mostBytes) bytes wait for all"))
                continue
            }
            total += record.count
            records[place + 1] = record
            places.append(place)
        }
        return (RecordBundle.bytes(of: records), places)
    }

    /// Sends as many sockets at a time as one message holds, and without those that cannot be sent.
    private static func send(
        _ places: ArraySlice<Int>, of connections: [Leaving], over carrier: Int32, _ outcome: inout Outcome
    ) {
        guard !places.isEmpty else { return }
        var error = EMSGSIZE
        if places.count <= Int(clinux_most_descriptors) {
            error = send(places.map { connections[$0].socket }, places.map { UInt32($0) }, over: carrier)
        }
        guard error != 0 else {
            outcome.count += places.count
            return
        }
        // With the carrier full, fewer at a time would not fit either.
        guard places.count > 1, error != EAGAIN else {
            let reason = "it cannot be put into the carrier: \(String(cString: strerror(error)))"
            outcome.leftOut += places.map { (connections[$0].socket, reason) }
            return
        }
        let middle =
            error == EMSGSIZE && places.count > Int(clinux_most_descriptors)
            ? places.startIndex + Int(clinux_most_descriptors) : places.startIndex + places.count / 2
        send(places[..<middle], of: connections, over: carrier, &outcome)
        send(places[middle...], of: connections, over: carrier, &outcome)
    }

    // 0, or why not.
    private static func send(_ descriptors: [Int32], _ places: [UInt32], over carrier: Int32) -> Int32 {
        let length = places.count * MemoryLayout<UInt32>.size
        return clinux_send_descriptors(carrier, descriptors, descriptors.count, places, length) == 0 ? 0 : errno
    }
}
