// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@Suite("The ledger", .blocking)
struct LedgerTests {
    /// Sums of a member by app; the device is "".
    private static func sums(_ client: DaemonClient, _ member: String) throws -> [String: Double] {
        let entries = try client.call("ledger")["entries"]?.array ?? []
        return entries.reduce(into: [:]) { sums, entry in
            if let amount = entry[member]?.double { sums[entry["app"]?.string ?? "", default: 0] += amount }
        }
    }

    @Test func `tells for whom the receiver was on, and how many locations that app was told`() throws {
        let daemon = try DaemonFixture(awake)
        let client = try daemon.startUpdating()
        try daemon.fixes(count: 5)
        try client.waitForStandard(5)
        try waitUntil("a second of the receiver is accounted for") {
            try Self.sums(client, "receiver").values.contains { $0 >= 1 }
        }
        let app = try #require(
            try client.call("status")["app"]?["app"]?.string ?? Self.sums(client, "locations").keys.first)
        #expect(try Self.sums(client, "locations") == [app: 5])
        let receiver = try Self.sums(client, "receiver")
        #expect(Set(receiver.keys) == ["", app] && receiver[""] == receiver[app])
        try daemon.fixes(count: 2)
        try client.waitForStandard(7)
        client.close()
        try daemon.waitForNoWatch()
        let after = try daemon.connect()
        let settled = try Self.sums(after, "receiver")
        #expect(try Self.sums(after, "receiver") == settled, "nothing is accounted for while the receiver is off")
        #expect(try Self.sums(after, "locations") == [app: 7], "a client that is gone counts still")
    }

    @Test func `outlives a restart where history is kept, and is forgotten with it`() throws {
        let daemon = try DaemonFixture(HistoryTests.keeping, step: 1000)
        let client = try daemon.startUpdating()
        try daemon.fixes(count: 3)
        try client.waitForStandard(3)
        try daemon.restart(kill: 15)
        #expect(try Self.sums(daemon.connect(), "locations").values.reduce(0, +) == 3)
        let again = try daemon.startUpdating()
        try daemon.fixes(count: 2)
        try again.waitForStandard(2)
        _ = try daemon.asAdministrator("forgetHistory")
        #expect(try Self.sums(daemon.connect(), "locations").isEmpty)
    }

    @Test(.needsOtherUsers) func `tells an app its own, and administrators all`() throws {
        let daemon = try DaemonFixture(awake, manifests: ["one": "[App]\nUser=12001\n", "two": "[App]\nUser=12002\n"])
        for name in ["one uid:12001", "two uid:12002"] { try daemon.authorize(name, "authorizedAlways") }
        let clients = try [12001, 12002].map { try daemon.connect(uid: $0) }
        for client in clients { try client.call("startUpdatingLocation") }
        try daemon.fixes(count: 4)
        for client in clients { try client.waitForStandard(4) }
        #expect(try Self.sums(clients[0], "locations") == ["one uid:12001": 4])
        #expect(try Self.sums(clients[0], "receiver")[""] == nil)
        #expect(try Self.sums(daemon.connect(), "locations") == ["one uid:12001": 4, "two uid:12002": 4])
        #expect(try Self.sums(clients[0], "receiver").keys.contains("one uid:12001"))
        try daemon.authorize("one uid:12001", "authorizedAlways", "reduced")
        #expect(try Self.sums(clients[0], "receiver").isEmpty, "it was on for others, too")
        #expect(try Self.sums(clients[0], "locations").keys.contains("one uid:12001"))
    }

    @Test func `what a client was told counts when it is gone, though another stays`() throws {
        let daemon = try DaemonFixture(awake)
        let (stays, goes) = (try daemon.startUpdating(), try daemon.startUpdating())
        #expect(try Self.sums(daemon.connect(), "locations").isEmpty)
        try daemon.fixes(count: 3)
        for client in [stays, goes] { try client.waitForStandard(3) }
        func connections() throws -> Int { try daemon.status()["connections"]?["total"]?.int ?? 0 }
        let before = try connections()
        goes.close()
        try waitUntil("a client is gone") { try connections() < before }
        #expect(try Self.sums(daemon.connect(), "locations").values.map { $0 } == [6])
    }

    @Test func `a log of a daemon that keeps no history is told to administrators who ask for it`() throws {
        let daemon = try DaemonFixture(awake)
        let updating = try daemon.startUpdating()
        defer { updating.close() }
        try daemon.fixes(count: 5)
        try daemon.waitUntilAccepted()
        #expect(try HistoryTests.sequences(daemon.connect(), #","log":true"#, pageSize: 2) == [1, 2, 3, 4, 5])
        #expect(try daemon.connect().refusal("history").name == "unavailable")
    }

    @Test(.needsOtherUsers) func `a log of a daemon that keeps no history is told to no app`() throws {
        let daemon = try DaemonFixture(awake, manifests: ["logger": "[App]\nUser=12001\nHistory=yes\n"])
        try daemon.authorize("logger uid:12001", "authorizedAlways")
        let client = try daemon.connect(uid: 12001)
        #expect(try client.refusal("history", #"{"log":true}"#).name == "unavailable")
    }
}
