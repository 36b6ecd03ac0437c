// SPDX-License-Identifier: Apache-2.0
import CLinux
import FoundationEssentials
import Glibc
import LocationTestSupport
import Testing

@testable import LocationDaemon

@Suite("Connections on the way to the next process")
struct HandoverTests {
    /// Sockets of clients, and the clients' ends of them.
    private final class Sockets {
        let pairs: [[Int32]]

        init(_ count: Int) throws {
            pairs = try (0..<count).map { _ in
                var ends: [Int32] = [-1, -1]
                guard clinux_message_pair(&ends) == 0 else { throw TestFailure("cannot make a pair: errno \(errno)") }
                return ends
            }
        }

        deinit { for end in pairs.joined() { close(end) } }

        func leaving(_ left: KeptConnection) -> [Handover.Leaving] { pairs.map { ($0[0], left) } }
    }

    private static func connection(version: Int = 2, unread: Int = 0) throws -> KeptConnection {
        let bytes = Data(repeating: 120, count: unread).base64EncodedString()
        let text = """
            {"v":\(version),"input":{"unread":"\(bytes)","isEnded":false,"isRefused":false},"hasAsked":false,
            "outbox":{"counts":{"seq":0,"delivered":0,"deliveredCount":0,"droppedCount":0,"pendingDropped":0},
            "rest":"","items":[]},"awaitsEvents":false,"takesEvents":false,"toldEvent":0,"hasEventBacklog":false,
            "isAgent":false,"temporaryFullAccuracy":{}}
            """
        return try JSONDecoder().decode(KeptConnection.self, from: Data(text.utf8))
    }

    private static func carrier(
        of leaving: [Handover.Leaving], _ surroundings: KeptSurroundings = KeptSurroundings(),
        outputLimit: Int = 1 << 20, canTravel: (Int32) -> Bool = clinux_can_travel
    ) throws -> (carrier: Int32, outcome: Handover.Outcome) {
        try Handover.carrier(of: leaving, surroundings, outputLimit: outputLimit, canTravel)
    }

    private static func arrived(_ handover: Handover) -> [Int] {
        handover.connections.indices.filter { handover.connections[$0] != nil }
    }

    @Test("stay behind where their sockets cannot travel, and no others do")
    func culprits() throws {
        let sockets = try Sockets(300)
        let leaving = sockets.leaving(try Self.connection())
        let culprits = [leaving[1].socket, leaving[299].socket]
        let (carrier, outcome) = try Self.carrier(of: leaving) { !culprits.contains($0) && clinux_can_travel($0) }
        #expect(outcome.count == 298)
        #expect(outcome.leftOut.map(\.socket) == culprits)
        #expect(Self.arrived(Handover(from: [carrier])) == (0..<300).filter { $0 != 1 && $0 != 299 })
    }

    @Test("go on but for each that the kernel refuses, however many messages those take")
    func refused() throws {
        let sockets = try Sockets(450)
        var leaving = sockets.leaving(try Self.connection())
        let refused = [0, 100, 252, 253, 449]
        for place in refused { leaving[place].socket = -1 }
        let (carrier, outcome) = try Self.carrier(of: leaving) { _ in true }
        #expect(outcome.count == 445)
        #expect(outcome.leftOut.count == 5)
        #expect(Self.arrived(Handover(from: [carrier])) == (0..<450).filter { !refused.contains($0) })
    }

    @Test("may have as much waiting as the configuration lets wait, and more stays behind")
    func bound() throws {
        let sockets = try Sockets(3)
        var leaving = sockets.leaving(try Self.connection())
        leaving[0].left = try Self.connection(unread: 5 << 20)
        leaving[1].left = try Self.connection(unread: 1 << 20)
        let (carrier, outcome) = try Self.carrier(of: leaving)
        #expect(outcome.leftOut.map(\.socket) == [leaving[0].socket])
        let handover = Handover(from: [carrier])
        #expect(Self.arrived(handover) == [1, 2])
        #expect(handover.connections[1]?.left.input.unread.bytes.count == 1 << 20)
    }

    @Test("that read take room before those that do not")
    func room() throws {
        let sockets = try Sockets(4)
        var leaving = sockets.leaving(try Self.connection())
        let big = try Self.connection(unread: 24 << 20)
        for place in 0..<3 { leaving[place].left = big }
        let (carrier, outcome) = try Self.carrier(of: leaving, outputLimit: 64 << 20)
        #expect(outcome.leftOut.map(\.socket) == [leaving[1].socket, leaving[2].socket])
        #expect(Self.arrived(Handover(from: [carrier])) == [0, 3])
    }

    @Test("come out of every carrier that is there")
    func carriers() throws {
        let sockets = try Sockets(3)
        let leaving = sockets.leaving(try Self.connection())
        let surroundings = KeptSurroundings(anchor: [1, 2])
        let first = try Self.carrier(of: Array(leaving[..<2])).carrier
        let second = try Self.carrier(of: Array(leaving[2...]), surroundings).carrier
        let handover = Handover(from: [first, second])
        #expect(Self.arrived(handover) == [0, 1, 2])
        #expect(handover.surroundings.anchor == [1, 2])
    }

    @Test("of which a later version left the record are closed, and no others")
    func version() throws {
        let sockets = try Sockets(2)
        var leaving = sockets.leaving(try Self.connection())
        leaving[0].left.v = 3
        #expect(Self.arrived(Handover(from: [try Self.carrier(of: leaving).carrier])) == [1])
    }

    @Test("go on behind a message that cannot be understood")
    func message() throws {
        let sockets = try Sockets(2)
        let leaving = sockets.leaving(try Self.connection())
        let (carrier, _) = try Self.carrier(of: leaving)
        var ends: [Int32] = [-1, -1]
        try #require(clinux_message_pair(&ends) == 0)
        var isFirst = true
        while true {
            var (fds, bytes) = ([Int32](repeating: -1, count: 253), [UInt8](repeating: 0, count: 1012))
            var count = 0
            let length = clinux_receive_descriptors(carrier, &fds, fds.count, &count, &bytes, bytes.count)
            guard length > 0 else { break }
            #expect(clinux_send_descriptors(ends[0], fds, count, bytes, length) == 0)
            // Two bytes are no place.
            if isFirst { #expect(clinux_send_descriptors(ends[0], [fds[0]], 1, bytes, 2) == 0) }
            isFirst = false
            for fd in fds.prefix(count) { close(fd) }
        }
        close(carrier)
        close(ends[0])
        #expect(Self.arrived(Handover(from: [ends[1]])) == [0, 1])
    }
}
