// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationGeoClue

@Suite("Consent", .blocking, .enabled(if: Desktop.canBeOthers))
struct ConsentTests {
    private static let denied = "org.freedesktop.DBus.Error.AccessDenied"

    @Test("a user without an agent is refused, and told nothing")
    func noAgent() throws {
        let desktop = try Desktop(["--agents", "nobody"])
        let (root, peer) = (try desktop.peer(), try desktop.peer(uid: Desktop.user))
        let (allowed, client) = (try root.client(), try peer.client())
        #expect(try root.start(allowed) == nil)
        #expect(try peer.start(client) == ConsentTests.denied)
        try desktop.drive(until: "others are told") { try root.updates(of: allowed).count >= 3 }
        #expect(try peer.updates(of: client).isEmpty)
        #expect(try peer.property(client, ObjectPaths.client, "Active") == .bool(false))
    }

    @Test(
        "nobody can be an agent whom the configuration does not know, and where agents are heard, a start waits for one only a moment"
    )
    func unheard() throws {
        let desktop = try Desktop()
        let stranger = try desktop.peer(uid: Desktop.user + 1)
        #expect(throws: TestFailure.self) { try stranger.beAgent(true) }
        #expect(try stranger.start(try stranger.client()) == ConsentTests.denied)
        let peer = try desktop.peer(uid: Desktop.user)
        #expect(try peer.start(try peer.client()) == ConsentTests.denied)
    }

    @Test(
        "an agent that comes in time is asked about the program by name, for what it will be told",
        arguments: [
            (8, 8), (6, 8), (5, 8), (4, 4), (1, 1), (0, 1),
        ])
    func asked(level: Int, asked: Int) throws {
        let desktop = try Desktop()
        let peer = try desktop.peer(uid: Desktop.user)
        let client = try peer.client("org.example.Map", level: level)
        let start = try peer.call(client, ObjectPaths.client, "Start")
        let agent = try desktop.peer(uid: Desktop.user)
        try agent.beAgent(true)
        #expect(try peer.answer(to: start).error == nil)
        let question = try agent.wait("a question") { $0["asked"]?.array }
        #expect(question == [.string("org.example.Map"), .number(Double(asked))])
        try desktop.drive(until: "locations") { try !peer.updates(of: client).isEmpty }
    }

    @Test("no is no, and a program is not its own agent")
    func no() throws {
        let desktop = try Desktop()
        let (peer, agent) = (try desktop.peer(uid: Desktop.user), try desktop.peer(uid: Desktop.user))
        try agent.beAgent(false)
        #expect(try peer.start(try peer.client()) == ConsentTests.denied)
        try peer.beAgent(true)
        #expect(try peer.start(try peer.client()) == ConsentTests.denied, "the first agent is asked")
        try agent.leave()
        #expect(try peer.start(try peer.client()) == ConsentTests.denied, "and then nobody else is there")
    }

    @Test("who is allowed less than the exact place gets the reduced view, however much it wants later")
    func lessThanWanted() throws {
        let desktop = try Desktop()
        let (peer, agent) = (try desktop.peer(uid: Desktop.user), try desktop.peer(uid: Desktop.user))
        try agent.beAgent(true, 6)
        let client = try peer.client()
        #expect(try peer.start(client) == nil)
        #expect(try peer.set(client, ObjectPaths.client, "RequestedAccuracyLevel", "u", "8").error == nil)
        try desktop.drive(until: "a location") { try !peer.updates(of: client).isEmpty }
        let place = try peer.properties(try #require(try peer.updates(of: client).first?.new), ObjectPaths.location)
        #expect((place["Accuracy"]?.double ?? 0) >= 1000)
    }

    @Test("what a person switches off for all programs ends at once, and goes on when it is switched on again")
    func ceiling() throws {
        let desktop = try Desktop()
        let (peer, agent) = (try desktop.peer(uid: Desktop.user), try desktop.peer(uid: Desktop.user))
        try agent.beAgent(true)
        let client = try peer.client()
        #expect(try peer.start(client) == nil)
        try agent.beAgent(true, ceiling: 0)
        try peer.wait("the end") { _ in try? peer.changes(of: "Active", at: client).last == .bool(false) ? true : nil }
        try agent.beAgent(true, ceiling: 8)
        try peer.wait("the return") { _ in try? peer.changes(of: "Active", at: client).last == .bool(true) ? true : nil
        }
        let before = try peer.updates(of: client).count
        try desktop.drive(until: "locations again") { try peer.updates(of: client).count > before }
    }

    @Test("where a person has switched location off for all programs, nobody is asked, and a start is refused")
    func switchedOff() throws {
        let desktop = try Desktop()
        let (peer, agent) = (try desktop.peer(uid: Desktop.user), try desktop.peer(uid: Desktop.user))
        try agent.beAgent(true, ceiling: 0)
        #expect(try peer.start(try peer.client()) == ConsentTests.denied)
        // Also with a question that was open when it was switched off.
        try agent.beAgent(nil, ceiling: 8)
        let client = try peer.client("org.example.Late")
        let start = try peer.call(client, ObjectPaths.client, "Start")
        let question = try agent.wait("a question") { $0["asked"]?.array }
        #expect(question.first == .string("org.example.Late"), "the first start asked nobody")
        try agent.beAgent(nil, ceiling: 0)
        #expect(try peer.answer(to: start).error == ConsentTests.denied)
        #expect(try peer.property(client, ObjectPaths.client, "Active") == .bool(false))
    }

    @Test("who wants a street gets one: neither the exact place, nor height and movement")
    func street() throws {
        let desktop = try Desktop()
        let root = try desktop.peer()
        let (street, exact) = (try root.client("org.example.Street", level: 6), try root.client())
        for client in [street, exact] { #expect(try root.start(client) == nil) }
        try desktop.drive(until: "both are told") {
            try [street, exact].allSatisfy { try root.updates(of: $0).count >= 2 }
        }
        let place = try root.properties(try #require(try root.updates(of: street).last?.new), ObjectPaths.location)
        #expect((150..<1000).contains(place["Accuracy"]?.double ?? 0), "\(place)")
        #expect(place["Speed"]?.double == -1 && place["Heading"]?.double == -1)
        let precise = try root.properties(try #require(try root.updates(of: exact).last?.new), ObjectPaths.location)
        #expect((precise["Accuracy"]?.double ?? 1000) < 100)
    }

    @Test("from the moment a person allows less, nothing finer is told, not even what was on its way or held back")
    func lowered() throws {
        let desktop = try Desktop()
        let (peer, agent) = (try desktop.peer(uid: Desktop.user), try desktop.peer(uid: Desktop.user))
        try agent.beAgent(true)
        let (client, late) = (try peer.client(), try peer.client("org.example.Late"))
        _ = try peer.set(late, ObjectPaths.client, "TimeThreshold", "u", "2")
        for path in [client, late] { #expect(try peer.start(path) == nil) }
        try desktop.drive(until: "exact locations") { try peer.updates(of: client).count >= 3 }
        try agent.beAgent(true, ceiling: 4)
        try desktop.drive(until: "both know roughly where they are") {
            try [client, late].allSatisfy { path in
                let newest = try peer.updates(of: path).last?.new ?? path
                return (try peer.properties(newest, ObjectPaths.location)["Accuracy"]?.double ?? 0) >= 1000
            }
        }
        for path in [client, late] {
            let radii = try peer.updates(of: path).compactMap {
                try peer.properties($0.new, ObjectPaths.location)["Accuracy"]?.double
            }
            #expect(radii.drop { $0 < 1000 }.allSatisfy { $0 >= 1000 }, "\(radii)")
        }
    }

    @Test("a question whose client is gone, or was stopped, is answered to nobody")
    func stopped() throws {
        let desktop = try Desktop()
        let (peer, agent) = (try desktop.peer(uid: Desktop.user), try desktop.peer(uid: Desktop.user))
        try agent.beAgent(nil)
        let client = try peer.client()
        let start = try peer.call(client, ObjectPaths.client, "Start")
        try agent.wait("a question") { $0["asked"] }
        #expect(
            try peer.set(client, ObjectPaths.client, "DesktopId", "s", #""org.example.Other""#).error
                == ConsentTests.denied)
        #expect(try peer.ask(client, ObjectPaths.client, "Stop").error == nil)
        #expect(try peer.answer(to: start).error == "org.freedesktop.DBus.Error.Failed")
        #expect(try peer.property(client, ObjectPaths.client, "Active") == .bool(false))
    }

    @Test(
        "what locationd does not let the bridge know nobody on the desktop is told, and what it lets it know again goes on"
    )
    func bridge() throws {
        let desktop = try Desktop(configuration: "[Authorization]\nAlwaysUsers=none\nDefault=denied\n")
        let peer = try desktop.peer()
        let client = try peer.client()
        #expect(
            try peer.property(ObjectPaths.manager, ObjectPaths.managerInterface, "AvailableAccuracyLevel") == .number(0)
        )
        #expect(try peer.start(client) == ConsentTests.denied)
        try desktop.authorize(.authorizedAlways)
        #expect(
            try peer.property(ObjectPaths.manager, ObjectPaths.managerInterface, "AvailableAccuracyLevel") == .number(8)
        )
        #expect(try peer.start(client) == nil)
        try desktop.drive(until: "locations") { try peer.updates(of: client).count >= 2 }
        try desktop.authorize(.denied)
        try peer.wait("the end") { _ in try? peer.changes(of: "Active", at: client).last == .bool(false) ? true : nil }
        try peer.wait("the news") { _ in
            (try? peer.changes(of: "AvailableAccuracyLevel", at: ObjectPaths.manager))?.last == .number(0) ? true : nil
        }
        let before = try peer.updates(of: client).count
        try desktop.authorize(.authorizedAlways, .reduced)
        try peer.wait("the return") { _ in try? peer.changes(of: "Active", at: client).last == .bool(true) ? true : nil
        }
        try desktop.drive(until: "locations again") { try peer.updates(of: client).count > before }
        let place = try peer.properties(try #require(try peer.updates(of: client).last?.new), ObjectPaths.location)
        #expect((place["Accuracy"]?.double ?? 0) >= 1000)
    }
}
