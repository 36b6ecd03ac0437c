// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationStore
import LocationTestSupport
import Testing

@testable import LocationDaemon

@Suite("What is answered as done is on the disk")
struct DurabilityTests {
    /// An app that a person let have locations always as far as it knows, and that something happened to while it was away.
    private static func provisional() throws -> (bench: ServiceBench, agent: BenchClient) {
        let bench = try ServiceBench()
        let agent = bench.connect(uid: 0, isAdmin: true)
        try agent.ask("registerAgent")
        let app = bench.connect(uid: 12001)
        try app.ask("hello", #"{"protocol":1,"usageDescriptions":{"whenInUse":"a","always":"b"}}"#)
        try app.ask("requestAlwaysAuthorization")
        try agent.ask("answerRequest", #"{"request":1,"answer":"whileUsing"}"#)
        try app.ask("startMonitoring", DaemonFixture.region("home"))
        bench.stay(at: 1000)
        app.disconnect()
        bench.advance(seconds: 60)
        bench.stay(at: 0)
        return (bench, agent)
    }

    @Test("or nobody is told that it is, also where an answer settles what happened meanwhile and old events are due")
    func heldEvent() throws {
        let (bench, agent) = try DurabilityTests.provisional()
        #expect(agent.notifications("authorizationRequested").count == 2)
        bench.advance(seconds: 4000)
        try bench.whileTheDiskTakesNothing {
            let reply = try agent.ask("answerRequest", #"{"request":2,"answer":"always"}"#)
            #expect(reply["error"]?["code"]?.int == -32007, "\(reply)")
        }
        let status = try agent.ask("apps")["result"]?.array?.first { $0["app"]?.string == "uid:12001" }
        #expect(status?["provisional"]?.bool == true)
        // The question is still there.
        let reply = try agent.ask("answerRequest", #"{"request":2,"answer":"always"}"#)
        #expect(reply["result"]?["stored"]?.bool == true)
        #expect(try agent.ask("events", #"{"app":"uid:12001"}"#)["result"]?.array?.count == 1)
    }

    @Test("once: a decision, a switch, visits and an acknowledgement take one transaction each")
    func once() throws {
        let bench = try ServiceBench()
        let admin = bench.connect(uid: 0, isAdmin: true)
        func authorize(_ status: String) throws {
            let reply = try admin.ask("authorize", #"{"app":"uid:12001","authorizationStatus":"\#(status)"}"#)
            #expect(reply["result"]?["stored"]?.bool == true)
        }
        #expect(try bench.countTransactions { try authorize("authorizedAlways") } == 1)
        #expect(try bench.countTransactions { try authorize("authorizedWhenInUse") } == 1)
        #expect(try bench.countTransactions { try authorize("authorizedAlways") } == 1)
        for isOn in [false, true] {
            let count = try bench.countTransactions {
                try admin.ask("setLocationServicesEnabled", #"{"enabled":\#(isOn)}"#)
            }
            #expect(count == 1)
        }
        let app = bench.connect(uid: 12001)
        try app.ask("hello", #"{"protocol":1,"events":true}"#)
        try app.ask("startMonitoring", DaemonFixture.region("home"))
        #expect(try bench.countTransactions { try app.ask("startMonitoringVisits") } == 1)
        #expect(try bench.countTransactions { try app.ask("stopMonitoringVisits") } == 1)
        bench.stay(at: 1000)
        bench.stay(at: 0)
        let event = try #require(app.notifications("didEnterRegion").first?["params"]?["event"]?.int)
        #expect(try bench.countTransactions { try app.ask("acknowledge", #"{"event":\#(event)}"#) } == 1)
        #expect(try admin.ask("events", #"{"app":"uid:12001"}"#)["result"]?.array?.isEmpty == true)
    }

    @Test("with what follows from it: the last that an app owned goes in the transaction in which the app goes")
    func together() throws {
        let bench = try ServiceBench()
        try bench.connect(uid: 0, isAdmin: true).ask(
            "authorize", #"{"app":"uid:12001","authorizationStatus":"authorizedAlways"}"#)
        let app = bench.connect(uid: 12001)
        try app.ask("hello", #"{"protocol":1,"events":true}"#)
        // The app goes on using the location, so that nothing is noted of that.
        try app.ask("startUpdatingLocation")
        func storedApps() throws -> Int? { try bench.keeper.records.database?.apps().count }
        try app.ask("startMonitoring", DaemonFixture.region("home"))
        bench.stay(at: 1000)
        bench.stay(at: 0)
        let entry = try #require(app.notifications("didEnterRegion").first?["params"]?["event"]?.int)
        #expect(try bench.countTransactions { try app.ask("stopMonitoring", #"{"identifier":"home"}"#) } == 1)
        #expect(try storedApps() == 1, "the event waits")
        #expect(try bench.countTransactions { try app.ask("acknowledge", #"{"event":\#(entry)}"#) } == 1)
        #expect(try storedApps() == 0)
        try app.ask("startMonitoringVisits")
        #expect(try storedApps() == 1)
        #expect(try bench.countTransactions { try app.ask("stopMonitoringVisits") } == 1)
        #expect(try storedApps() == 0)
    }

    @Test("or nobody is told that it is: a refusal holds, and is written when the disk takes it, by itself")
    func owed() throws {
        let bench = try ServiceBench()
        let admin = bench.connect(uid: 0, isAdmin: true)
        try bench.whileTheDiskTakesNothing {
            let deny = #"{"app":"uid:12001","authorizationStatus":"denied"}"#
            #expect(try admin.ask("authorize", deny)["result"]?["stored"]?.bool == false)
            #expect(try admin.ask("authorize", deny)["result"]?["stored"]?.bool == false)
            #expect(bench.keeper.records.owedDecisions == 1)
            let due = try #require(bench.keeper.records.nextRetry)
            #expect(due > bench.now)
        }
        bench.advance(seconds: 30)
        #expect(bench.keeper.records.owedDecisions == 0 && bench.keeper.records.nextRetry == nil)
        #expect(try bench.keeper.records.database?.consents().map(\.uid) == [12001])
    }

    @Test("a disk that took nothing is asked again soon, then less and less often, and five minutes are the longest")
    func retries() {
        var clock = RetryClock()
        var now = BootInstant(nanoseconds: 0)
        var waits: [Double] = []
        var isDue = clock.isDue(at: now)
        #expect(!isDue)
        for _ in 0..<8 {
            guard let next = clock.next else { break }
            waits.append((next - now).seconds)
            isDue = clock.isDue(at: next - .milliseconds(1))
            #expect(!isDue)
            now = next
            isDue = clock.isDue(at: now)
            #expect(isDue)
        }
        #expect(waits == [10, 20, 40, 80, 160, 300, 300, 300])
    }
}
