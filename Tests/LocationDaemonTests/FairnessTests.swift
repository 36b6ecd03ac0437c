// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationTestSupport
import SystemSupport
import SystemdSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("A user that asks more than can be answered", .blocking)
struct FairnessTests {
    private static let (flooder, other): (UInt32, UInt32) = (12_345, 12_346)

    private static let polygon: String = {
        // A star: neighbours lie apart, and nothing of it crosses.
        let vertices = (0..<1000).map { index in
            let angle = Double(index) / 1000 * 2 * Double.pi
            let radius = index % 2 == 0 ? 0.01 : 0.008
            return "[\(52 + radius * sin(angle)),\(13 + radius * cos(angle))]"
        }
        let list = vertices.joined(separator: ",")
        return #"{"jsonrpc":"2.0","id":1,"method":"startMonitoring","params":{"region":"#
            + #"{"identifier":"a","vertices":[\#(list)]}}}"#
    }()

    /// Bytes of lines, some 60 kB.
    static let floods: [(name: String, text: String)] = [
        ("status", String(repeating: #"{"jsonrpc":"2.0","id":1,"method":"status"}"# + "\n", count: 1_395)),
        ("garbage", String(repeating: "x\n", count: 30_000)),
        ("polygons", polygon + "\n" + polygon.prefix(20_000)),
    ]

    /// One process may have so many connections here, and make as many changes.
    private static func house() throws -> ServerInMemory {
        try ServerInMemory {
            $0.limits.connectionsPerUser = 128
            $0.limits.changesPerSecond = 10_000
        }
    }

    /// Sixty connections of a user, each with as much to ask as a socket takes.
    private static func flood(_ house: ServerInMemory, _ text: String) throws -> [JSONLineConnection] {
        let others = house.server.count
        let clients = try (0..<60).map { _ in try house.connect(uid: flooder) }
        try house.serve { house.server.count == others + clients.count }
        for client in clients { try client.send(bytes: Array(text.utf8)) }
        return clients
    }

    @Test(
        "does not keep another user's request, nor its new connection, from being answered next", .needsOtherUsers,
        arguments: floods)
    func next(_ flood: (name: String, text: String)) throws {
        let house = try FairnessTests.house()
        let present = try house.connect(uid: FairnessTests.other)
        try house.serve { house.server.count == 1 }
        let clients = try FairnessTests.flood(house, flood.text)
        // It is under way.
        for _ in 0..<5 { _ = try house.loop.runOnce(within: .zero) }
        let before = clients.reduce(0) { $0 + $1.linesSoFar().count }
        let new = try house.connect(uid: FairnessTests.other)
        for client in [present, new] { try client.send(#"{"jsonrpc":"2.0","id":1,"method":"getProperties"}"#) }
        var waiting = [present, new]
        let turns = try house.serve {
            waiting.removeAll { !$0.linesSoFar().isEmpty }
            return waiting.isEmpty
        }
        // Whatever a turn takes, few of the flood's go before: the poll, the listener and the poll again.
        #expect(turns <= 8, "the loop took \(turns) turns")
        let answered = clients.reduce(0) { $0 + $1.linesSoFar().count } - before
        #expect(answered < 1_000, "\(answered) of the flood's requests went before")
    }

    @Test(
        "does not get around it by closing its connections, and has what it sent carried out all the same",
        .needsOtherUsers)
    func closed() throws {
        let house = try FairnessTests.house()
        // Cheap ones: all of them are worked off here.
        let request = #"{"jsonrpc":"2.0","id":1,"method":"getProperties"}"# + "\n"
        let clients = try FairnessTests.flood(house, String(repeating: request, count: 50))
        for client in clients { client.close() }
        let new = try house.connect(uid: FairnessTests.other)
        try new.send(#"{"jsonrpc":"2.0","id":1,"method":"getProperties"}"#)
        try house.serve { !new.linesSoFar().isEmpty }
        #expect(house.server.count > 50, "of sixty, few are worked off")
        try house.serve { house.server.count == 1 }
    }

    @Test(
        "is closed on a word although its clients are gone and have requests left, which are not carried out",
        .needsOtherUsers)
    func closedOnAWord() throws {
        let house = try FairnessTests.house()
        let clients = try FairnessTests.flood(house, FairnessTests.floods[0].text)
        for client in clients { client.close() }
        // The first answers find that nobody is there.
        for _ in 0..<50 { _ = try house.loop.runOnce(within: .zero) }
        let left = house.server.connectionsStatus(all: true, at: bootClock()).clients?.map(\.connection) ?? []
        #expect(left.count > 50)
        for number in left { #expect(house.server.close(number, "an administrator wants it closed")) }
        let turns = try house.serve { house.server.count == 0 }
        #expect(turns <= 4, "the loop took \(turns) turns")
    }

    @Test("has one share with all users whom it can become, and one count of connections", .needsOtherUsers)
    func subordinates() throws {
        let house = try ServerInMemory { $0.limits.connectionsPerUser = 3 }
        try house.writeSubordinateUsers("\(FairnessTests.flooder):200000:10\n")
        let clients = try [FairnessTests.flooder, 200_000, 200_001].map { try house.connect(uid: $0) }
        try house.serve { house.server.count == clients.count }
        let late = try house.connect(uid: 200_002)
        var heard: [String] = []
        try house.serve {
            heard += late.linesSoFar()
            return !heard.isEmpty
        }
        #expect(heard.first?.contains("user \(FairnessTests.flooder) has its 3 already") == true, "\(heard)")
        let status = house.server.connectionsStatus(all: true, at: bootClock())
        #expect(status.users?.map(\.uid) == [FairnessTests.flooder])
        #expect(status.refused == 1, "an administrator sees that somebody was refused")
    }

    @Test("is seen in status with its connections, and others are not", .needsOtherUsers)
    func status() throws {
        let house = try FairnessTests.house()
        let quiet = try house.connect(uid: FairnessTests.other)
        try house.serve { house.server.count == 1 }
        let clients = try FairnessTests.flood(house, FairnessTests.floods[0].text)
        for _ in 0..<5 { _ = try house.loop.runOnce(within: .zero) }
        let status = house.server.connectionsStatus(all: true, at: bootClock())
        let users = status.users ?? []
        #expect(users.map(\.uid) == [FairnessTests.flooder, FairnessTests.other])
        #expect(users.map(\.connections) == [clients.count, 1])
        #expect(users[0].waitingForTurn > 50)
        #expect(users[1].waitingForTurn == 0)
        #expect(status.clients?.count { $0.waitingForTurn != nil } == users[0].waitingForTurn)
        #expect(status.clients?.map(\.connection) == Array(1...61))
        #expect(house.server.connectionsStatus(all: false, at: bootClock()).clients == nil)
        quiet.close()
    }
}

@Suite("An administrator and a connection", .blocking)
struct CloseConnectionTests {
    @Test("closes it by the number that status tells, which is never used again")
    func closes() throws {
        let daemon = try DaemonFixture()
        let client = try daemon.startUpdating()
        let administrator = try daemon.connect()
        func clients() throws -> [JSON] {
            try administrator.call("status", #"{"scope":"all"}"#)["connections"]?["clients"]?.array ?? []
        }
        let numbers = try clients().compactMap { $0["connection"]?.int }
        #expect(numbers.count == 2 && Set(numbers).count == 2)
        let managers = try administrator.call("status", #"{"scope":"all"}"#)["managers"]?.array ?? []
        #expect(managers.contains { $0["connection"]?.int == numbers.min() })
        let number = numbers.min() ?? 0
        try administrator.call("closeConnection", #"{"connection":\#(number)}"#)
        try client.readToEnd()
        #expect(try administrator.refusal("closeConnection", #"{"connection":\#(number)}"#).code == -32005)
        let next = try daemon.startUpdating()
        let after = try clients().compactMap { $0["connection"]?.int }
        #expect(after.count == 2 && !after.contains(number))
        #expect(daemon.journal.contains("wants it closed"))
        next.close()
    }
}
