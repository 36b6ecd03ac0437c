// SPDX-License-Identifier: Apache-2.0
import LocationStore
import LocationTestSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("What arises while an event is handled")
struct NestedTurnTests {
    private static func greeted(_ bench: ServiceBench, _ uid: UInt32) throws -> BenchClient {
        let client = bench.connect(uid: uid)
        try client.ask("hello", #"{"protocol":1,"usageDescriptions":{"whenInUse":"a","always":"b"}}"#)
        return client
    }

    @Test("waits until that is over: of clients that are given up together none stays because another's records go")
    func together() throws {
        let bench = try ServiceBench()
        let admin = bench.connect(uid: 0, isAdmin: true)
        try admin.ask("authorize", #"{"app":"uid:1001","authorizationStatus":"authorizedAlways"}"#)
        let refused = try NestedTurnTests.greeted(bench, 1001)
        try refused.ask("startMonitoring", DaemonFixture.region("home"))
        let others = try (1002...1004).map { try NestedTurnTests.greeted(bench, $0) }
        try admin.ask("authorize", #"{"app":"uid:1001","authorizationStatus":"denied"}"#)
        for client in [refused] + others { client.disconnect() }
        #expect(bench.service.managers.all.count == 5)
        // Nobody comes back, and the last of a refused app takes its records along.
        bench.advance(seconds: 86_400)
        #expect(bench.service.managers.all.count == 1)
        #expect(try bench.keeper.records.database?.apps().isEmpty == true)
    }

    @Test("is not answered as done where the disk does not take it")
    func notStored() throws {
        let bench = try ServiceBench()
        let admin = bench.connect(uid: 0, isAdmin: true)
        try admin.ask("authorize", #"{"app":"uid:1001","authorizationStatus":"authorizedWhenInUse"}"#)
        let app = try NestedTurnTests.greeted(bench, 1001)
        try app.ask("startUpdatingLocation")
        try bench.whileTheDiskTakesNothing {
            // That it has asked for always is on record, so that it asks once.
            let reply = try app.ask("requestAlwaysAuthorization")
            #expect(reply["error"]?["code"]?.int == -32007, "\(reply)")
            #expect(reply["error"]?["message"]?.string?.hasPrefix("cannot keep that") == true, "\(reply)")
        }
    }

    @Test("saves a client once, however much of it a request changes")
    func savedOnce() throws {
        let bench = try ServiceBench()
        try bench.connect(uid: 0, isAdmin: true).ask(
            "authorize", #"{"app":"uid:1001","authorizationStatus":"authorizedAlways"}"#)
        let app = try NestedTurnTests.greeted(bench, 1001)
        try app.ask("startUpdatingLocation")
        bench.stay(at: 0)
        try app.ask("allowDeferredLocationUpdates", #"{"untilTraveled":1000}"#)
        let before = bench.keeper.managerSaves
        // Ends the deferral, too.
        try app.ask("setProperties", #"{"distanceFilter":10}"#)
        #expect(app.notifications("didFinishDeferredUpdates").count == 1)
        #expect(bench.keeper.managerSaves == before + 1)
    }
}
