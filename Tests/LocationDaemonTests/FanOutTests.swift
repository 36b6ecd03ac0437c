// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("A live location that hundreds are owed")
struct FanOutTests {
    /// 150 clients of three rows, who have been told from one to 150 locations: some before others in each order.
    private static func clients(of house: ServiceInMemory) -> [(manager: ClientManager, channel: CountingChannel)] {
        let clients = (0..<150).map { _ in
            let channel = CountingChannel()
            let manager = house.connect(channel)
            house.ask(.startUpdatingLocation(resumeAfter: nil), from: manager)
            house.fix()
            return (manager, channel)
        }
        // Each that begins again comes behind all others, and the last one comes to its place.
        for client in clients[10..<20] {
            house.ask(.stopUpdatingLocation, from: client.0)
            house.ask(.startUpdatingLocation(resumeAfter: nil), from: client.0)
        }
        return clients
    }

    /// Each line is whole, the notifications are numbered without a hole, and so are the live locations up to `last`.
    private static func check(_ channel: CountingChannel, through last: Int) throws {
        let told = try channel.lines.compactMap { $0["params"] }
        #expect(told.compactMap { $0["seq"]?.int } == Array(1...told.count))
        let live = told.filter { $0["cached"] == nil }.flatMap { $0["locations"]?.array ?? [] }
            .compactMap { $0["sequence"]?.int }
        #expect(try live == Array(#require(live.first)...last))
    }

    @Test("comes to each whole and once, numbered for its connection, however many digits its neighbours' numbers have")
    func numbers() throws {
        let house = try ServiceInMemory()
        let clients = Self.clients(of: house)
        for _ in 0..<3 { house.fix() }
        for client in clients { try Self.check(client.channel, through: 153) }
    }

    @Test("comes to all others, and later to those who take nothing or a part of the line, when one of a row is gone")
    func troubled() throws {
        let house = try ServiceInMemory()
        let clients = Self.clients(of: house)
        for (index, client) in clients.enumerated() {
            if index % 7 == 3 { client.channel.room = 0 }
            if index % 11 == 5 { client.channel.room = 40 }
            client.channel.isBroken = index % 13 == 8
        }
        for _ in 0..<3 { house.fix() }
        for (manager, channel) in clients where channel.room != nil && !channel.isBroken {
            #expect(manager.flushed == .full && !manager.outbox.isEmpty)
            channel.room = nil
            house.service.channelHasRoom(manager)
        }
        house.service.flush()
        for (manager, channel) in clients {
            if channel.isBroken {
                #expect(manager.flushed == .broken)
            } else {
                #expect(manager.outbox.isEmpty && manager.outbox.droppedCount == 0)
                try Self.check(channel, through: 153)
            }
        }
    }
}
