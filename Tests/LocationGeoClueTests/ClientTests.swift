// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationProtocol
import LocationTestSupport
import Testing

@testable import LocationGeoClue

@Suite("Clients on the bus", .blocking)
struct ClientTests {
    @Test("a client gets the same object each time it asks for its own, and another for each that it makes")
    func objects() throws {
        let peer = try Desktop().peer()
        func get(_ method: String) throws -> String? {
            try peer.ask(ObjectPaths.manager, ObjectPaths.managerInterface, method).values.first?.string
        }
        let own = try get("GetClient")
        #expect(try get("GetClient") == own)
        let other = try get("CreateClient")
        #expect(other != own)
        #expect(try get("CreateClient") != other)
        #expect(try get("GetClient") == own)
    }

    @Test("before it is started a client has GeoClue's defaults and no location")
    func defaults() throws {
        let peer = try Desktop().peer()
        let path = try #require(
            try peer.ask(ObjectPaths.manager, ObjectPaths.managerInterface, "GetClient").values.first?.string)
        #expect(
            try peer.properties(path, ObjectPaths.client) == [
                "Location": .string("/"), "DistanceThreshold": .number(0), "TimeThreshold": .number(0),
                "DesktopId": .string(""), "RequestedAccuracyLevel": .number(0), "Active": .bool(false),
            ])
        #expect(try peer.start(path) == "org.freedesktop.DBus.Error.AccessDenied", "nobody knows what to ask about")
    }

    @Test(
        "each location is an object of its own, whose values never change, and which the signal names after the one before"
    )
    func locations() throws {
        let desktop = try Desktop()
        let peer = try desktop.peer()
        let client = try peer.client()
        #expect(try peer.start(client) == nil)
        try desktop.drive(until: "a first location") { try !peer.updates(of: client).isEmpty }
        let first = try #require(try peer.updates(of: client).first)
        #expect(first.old == "/")
        let before = try peer.properties(first.new, ObjectPaths.location)
        #expect(Set(before.keys).count == 8)
        try desktop.drive(until: "more locations") { try peer.updates(of: client).count >= 5 }
        #expect(try peer.properties(first.new, ObjectPaths.location) == before)
        let updates = try peer.updates(of: client)
        #expect(zip(updates, updates.dropFirst()).allSatisfy { $0.new == $1.old })
        #expect(Set(updates.map(\.new)).count == updates.count)
        let told = try peer.changes(of: "Location", at: client).compactMap(\.string)
        #expect(Array(told.prefix(updates.count)) == updates.map(\.new))
    }

    @Test("Active and InUse follow Start and Stop, and whoever listens is told")
    func active() throws {
        let desktop = try Desktop()
        let (peer, witness) = (try desktop.peer(), try desktop.peer())
        let client = try peer.client()
        #expect(try peer.start(client) == nil)
        #expect(try peer.property(client, ObjectPaths.client, "Active") == .bool(true))
        #expect(try peer.start(client) == nil, "started already")
        #expect(try peer.ask(client, ObjectPaths.client, "Stop").error == nil)
        try peer.wait("the end") { _ in try? peer.changes(of: "Active", at: client).last == .bool(false) ? true : nil }
        #expect(try peer.changes(of: "Active", at: client) == [.bool(true), .bool(false)])
        try witness.wait("the end") { _ in
            try? witness.changes(of: "InUse", at: ObjectPaths.manager).last == .bool(false) ? true : nil
        }
        #expect(try witness.changes(of: "InUse", at: ObjectPaths.manager) == [.bool(true), .bool(false)])
        #expect(try witness.changes(of: "Active", at: client).isEmpty, "others are told nothing of a client")
    }

    @Test("nobody but its owner sees a client and its locations, not even another connection of the same user")
    func others() throws {
        let desktop = try Desktop()
        let (peer, other) = (try desktop.peer(), try desktop.peer())
        let client = try peer.client()
        #expect(try peer.start(client) == nil)
        try desktop.drive(until: "a location") { try !peer.updates(of: client).isEmpty }
        let location = try #require(try peer.updates(of: client).first?.new)
        #expect(try !peer.properties(location, ObjectPaths.location).isEmpty)
        for (path, interface) in [(client, ObjectPaths.client), (location, ObjectPaths.location)] {
            let answer = try other.ask(path, ObjectPaths.properties, "GetAll", ("s", #"["\#(interface)"]"#))
            #expect(answer.error == "org.freedesktop.DBus.Error.UnknownObject")
        }
        let stolen = try other.ask(
            ObjectPaths.manager, ObjectPaths.managerInterface, "DeleteClient", ("o", #"["\#(client)"]"#))
        #expect(stolen.error == "org.freedesktop.DBus.Error.AccessDenied")
        #expect(try other.updates(of: client).isEmpty)
    }

    @Test("a distance threshold leaves out what is nearer")
    func distance() throws {
        let desktop = try Desktop()
        let peer = try desktop.peer()
        let client = try peer.client()
        #expect(try peer.set(client, ObjectPaths.client, "DistanceThreshold", "u", "100").error == nil)
        #expect(try peer.start(client) == nil)
        try desktop.drive(until: "a few locations") { try peer.updates(of: client).count >= 4 }
        let latitudes = try peer.updates(of: client).map {
            try peer.properties($0.new, ObjectPaths.location)["Latitude"]?.double ?? .nan
        }
        // The first of all comes before the receiver knows its accuracy; a clearly better one follows it whatever the distance.
        for (one, next) in zip(latitudes.dropFirst(2), latitudes.dropFirst(3)) {
            #expect(abs(one - next) * 111_200 > 50)
        }
    }

    @Test("a time threshold leaves out what is earlier, and tells the newest location when the time is over")
    func time() throws {
        let desktop = try Desktop()
        let peer = try desktop.peer()
        let client = try peer.client()
        #expect(try peer.set(client, ObjectPaths.client, "TimeThreshold", "u", "2").error == nil)
        #expect(try peer.start(client) == nil)
        let all = try peer.client("org.example.All")
        #expect(try peer.start(all) == nil)
        try desktop.drive(until: "a few locations") { try peer.updates(of: all).count >= 8 }
        #expect(try peer.updates(of: client).count == 1)
        // The receiver says nothing more.
        try peer.wait("the held location") { _ in (try? peer.updates(of: client).count) == 2 ? true : nil }
        let newest = try #require(try peer.updates(of: all).last?.new)
        let held = try #require(try peer.updates(of: client).last?.new)
        #expect(
            try peer.properties(held, ObjectPaths.location) == peer.properties(newest, ObjectPaths.location))
    }

    @Test("a user has 16 clients and no more")
    func limit() throws {
        let peer = try Desktop().peer()
        for _ in 1...16 { _ = try peer.client() }
        let refused = try peer.ask(ObjectPaths.manager, ObjectPaths.managerInterface, "CreateClient")
        #expect(refused.error == "org.freedesktop.DBus.Error.LimitsExceeded")
    }

    @Test("what a process that died wanted ends with its connection, and without clients the bridge ends, too")
    func vanished() throws {
        let desktop = try Desktop(["--idle", "4"])
        let (peer, witness) = (try desktop.peer(), try desktop.peer())
        let client = try peer.client()
        #expect(try peer.start(client) == nil)
        try witness.wait("its use") { _ in try? witness.changes(of: "InUse", at: ObjectPaths.manager).last }
        try peer.leave()
        try witness.wait("the end of its use") { _ in
            try? witness.changes(of: "InUse", at: ObjectPaths.manager).last == .bool(false) ? true : nil
        }
        #expect(try desktop.bridge.waitForExit() == .exited(0), "\(desktop.bridge.standardError)")
        let status = try desktop.connection().status(.all)
        #expect(status.connections.total == 1, "nobody but this test is left at locationd")
    }

    @Test("a locationd that was killed and started again costs no client its locations, and none is told twice")
    func restart() throws {
        let desktop = try Desktop()
        let peer = try desktop.peer()
        let client = try peer.client()
        #expect(try peer.start(client) == nil)
        try desktop.drive(until: "locations") { try peer.updates(of: client).count >= 3 }
        try desktop.restartDaemon()
        let before = try peer.updates(of: client).count
        try desktop.drive(until: "locations again") { try peer.updates(of: client).count >= before + 3 }
        #expect(try peer.property(client, ObjectPaths.client, "Active") == .bool(true))
        #expect(try peer.changes(of: "Active", at: client) == [.bool(true)])
        let times = try peer.updates(of: client).map {
            try peer.properties($0.new, ObjectPaths.location)["Timestamp"]
        }
        #expect(Set(times).count == times.count)
    }
}
