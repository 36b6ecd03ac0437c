// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationEngine
import LocationModel
import LocationStore
import LocationTestSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

@Suite("What apps keep")
struct BudgetTests {
    private static func configuration(_ change: (inout ServiceLimits) -> Void) -> Configuration {
        var configuration = Configuration()
        configuration.regions.regionsPerApp = 10_000
        change(&configuration.limits)
        return configuration
    }

    /// Keeps regions until that is refused; how many were kept, and the refusal.
    private static func fill(_ app: BenchClient) throws -> (count: Int, refusal: JSON?) {
        for number in 0..<5000 {
            let reply = try app.ask("startMonitoring", DaemonFixture.region("region \(number)"))
            if let error = reply["error"] { return (number, error) }
        }
        return (5000, nil)
    }

    private static func client(_ bench: ServiceBench, _ uid: UInt32, _ label: String) throws -> BenchClient {
        let client = bench.connect(uid: uid)
        try client.ask("hello", #"{"protocol":1,"app":"\#(label)"}"#)
        return client
    }

    @Test(
        "while nobody has allowed them anything is little for each user and for all, and the refusal names the budget")
    func undecided() throws {
        let bench = try ServiceBench(
            BudgetTests.configuration {
                $0.undecidedBytesPerUser = 8 << 10
                $0.undecidedBytes = 12 << 10
            })
        let first = try BudgetTests.fill(try BudgetTests.client(bench, 1001, "a"))
        #expect((20...70).contains(first.count))
        #expect(first.refusal?["code"]?.int == -32004)
        #expect(first.refusal?["message"]?.string?.contains("8K for each user (UndecidedBytesPerUser=") == true)
        // Another name is no other user.
        let again = try BudgetTests.fill(try BudgetTests.client(bench, 1001, "b"))
        #expect(again.count == 0)
        let second = try BudgetTests.fill(try BudgetTests.client(bench, 1002, "a"))
        #expect((5...50).contains(second.count))
        #expect(second.refusal?["message"]?.string?.contains("12K in all (UndecidedBytes=") == true)
        // Who is allowed is none of them.
        let admin = bench.connect(uid: 0, isAdmin: true)
        try admin.ask("authorize", #"{"app":"uid:1003","authorizationStatus":"authorizedAlways"}"#)
        let third = try BudgetTests.client(bench, 1003, "a")
        for number in 0..<200 {
            #expect(try third.ask("startMonitoring", DaemonFixture.region("r\(number)"))["error"] == nil)
        }
    }

    @Test("when somebody has allowed them is bounded for an app, for a user and for all")
    func decided() throws {
        let bench = try ServiceBench(
            BudgetTests.configuration {
                $0.storedBytesPerApp = 8 << 10
                $0.storedBytesPerUser = 12 << 10
                $0.storedBytes = 64 << 10
            })
        let admin = bench.connect(uid: 0, isAdmin: true)
        for uid in 1001...1008 {
            try admin.ask("authorize", #"{"app":"uid:\#(uid)","authorizationStatus":"authorizedAlways"}"#)
        }
        var refusals: [String] = []
        for uid: UInt32 in 1001...1008 {
            for label in ["a", "b"] {
                let filled = try BudgetTests.fill(try BudgetTests.client(bench, uid, label))
                refusals.append(filled.refusal?["message"]?.string ?? "")
            }
        }
        #expect(refusals[0].contains("an app may keep 8K (StoredBytesPerApp="))
        #expect(refusals[1].contains("the apps of a user may keep 12K (StoredBytesPerUser="))
        #expect(refusals.last?.contains("all apps together may keep 64K (StoredBytes=") == true)
    }

    @Test("counts what is there now: what is removed or replaced makes room")
    func replaced() throws {
        let bench = try ServiceBench(BudgetTests.configuration { $0.undecidedBytesPerUser = 4 << 10 })
        let app = try BudgetTests.client(bench, 1001, "a")
        let (count, _) = try BudgetTests.fill(app)
        for _ in 0..<50 {
            #expect(try app.ask("startMonitoring", DaemonFixture.region("region 0", at: 5))["error"] == nil)
        }
        try app.ask("stopMonitoring", #"{"identifier":"region 0"}"#)
        #expect(try app.ask("startMonitoring", DaemonFixture.region("region \(count)"))["error"] == nil)
        #expect(try app.ask("startMonitoring", DaemonFixture.region("region x"))["error"] != nil)
    }

    @Test("without being allowed anything is forgotten days after they were there last, and not while they are")
    func aged() throws {
        let bench = try ServiceBench(BudgetTests.configuration { $0.undecidedBytesPerUser = 4 << 10 })
        let gone = try BudgetTests.client(bench, 1001, "gone")
        try gone.ask("startMonitoring", DaemonFixture.region("home"))
        gone.disconnect()
        let there = try BudgetTests.client(bench, 1001, "there")
        _ = try BudgetTests.fill(there)
        bench.advance(seconds: 6 * 86_400)
        #expect(try there.ask("startMonitoring", DaemonFixture.region("more"))["error"] != nil)
        bench.advance(seconds: 2 * 86_400)
        #expect(try there.ask("startMonitoring", DaemonFixture.region("more"))["error"] == nil)
        #expect(try bench.keeper.records.database?.apps().map(\.label) == ["there"])
    }

    @Test("is not forgotten while nobody can tell whom people allowed")
    func unreadable() throws {
        var configuration = BudgetTests.configuration { $0.undecidedBytesPerUser = 4 << 10 }
        configuration.authorization.always.users = ["root", "1001"]
        let bench = try ServiceBench(configuration)
        let gone = try BudgetTests.client(bench, 1001, "gone")
        try gone.ask("startMonitoring", DaemonFixture.region("home"))
        gone.disconnect()
        bench.advance(seconds: 60)
        bench.service.distrustRules(because: "cannot tell what people decided")
        bench.service.refreshPolicies(at: bench.now)
        bench.advance(seconds: 30 * 86_400)
        let there = try BudgetTests.client(bench, 1001, "there")
        #expect(try BudgetTests.fill(there).refusal?["code"]?.int == -32004)
        #expect(try bench.keeper.records.database?.apps().map(\.label).contains("gone") == true)
    }

    @Test("is gone when somebody says no, on the disk, too; for those that are there, when they go")
    func denied() throws {
        let bench = try ServiceBench()
        let admin = bench.connect(uid: 0, isAdmin: true)
        try admin.ask("authorize", #"{"app":"uid:1001","authorizationStatus":"authorizedAlways"}"#)
        let app = try BudgetTests.client(bench, 1001, "a")
        try app.ask("startMonitoring", DaemonFixture.region("home"))
        try app.ask("startMonitoringVisits")
        let monitor = try app.ask("openMonitor", #"{"name":"m"}"#)["result"]?["monitor"]?.int ?? 0
        let condition =
            #"{"monitor":\#(monitor),"identifier":"c","condition":{"type":"circle",\#(DaemonFixture.circle())}}"#
        #expect(try app.ask("addCondition", condition)["error"] == nil)
        let absent = try BudgetTests.client(bench, 1001, "b")
        try absent.ask("startMonitoring", DaemonFixture.region("home"))
        absent.disconnect()
        bench.advance(seconds: 60)
        try admin.ask("authorize", #"{"app":"uid:1001","authorizationStatus":"denied"}"#)
        // Who is there is told how its conditions stand, and may be allowed again.
        #expect(try bench.keeper.records.database?.apps().map(\.label) == ["a"])
        app.disconnect()
        bench.advance(seconds: 60)
        #expect(try bench.keeper.records.database?.apps().isEmpty == true)
        try admin.ask("authorize", #"{"app":"uid:1001","authorizationStatus":"authorizedAlways"}"#)
        let anew = try BudgetTests.client(bench, 1001, "a")
        #expect(try anew.ask("monitoredRegions")["result"]?.array?.isEmpty == true)
        let status = try admin.ask("apps")["result"]?.array?.first { $0["app"]?.string == "uid:1001" }
        #expect(status?["conditions"]?.int == 0 && status?["visits"]?.bool == false)
        #expect(try anew.ask("startMonitoring", DaemonFixture.region("home"))["error"] == nil)
    }

    @Test("is removed on an administrator's word, who is told what it was")
    func forgotten() throws {
        let bench = try ServiceBench()
        let admin = bench.connect(uid: 0, isAdmin: true)
        try admin.ask("authorize", #"{"app":"uid:1001","authorizationStatus":"authorizedAlways"}"#)
        let app = try BudgetTests.client(bench, 1001, "walks")
        try app.ask("startMonitoring", DaemonFixture.region("home"))
        bench.stay(at: 1000)
        bench.stay(at: 0)
        app.disconnect()
        bench.advance(seconds: 60)
        #expect(try bench.connect(uid: 1002).ask("forgetApp", #"{"app":"uid:1001"}"#)["error"]?["code"]?.int == -32001)
        let result = try admin.ask("forgetApp", #"{"app":"uid:1001"}"#)["result"]
        #expect(result?["app"]?.string == "uid:1001" && result?["decision"]?.bool == true)
        #expect(result?["regions"]?.int == 1 && result?["events"]?.int == 1)
        #expect(result?["labels"]?.array?.compactMap(\.string) == ["walks"])
        #expect(try bench.keeper.records.database?.apps().isEmpty == true)
        #expect(try bench.keeper.records.database?.consents().isEmpty == true)
        #expect(try admin.ask("forgetApp", #"{"app":"uid:7777"}"#)["error"]?["code"]?.int == -32005)
        let anew = try BudgetTests.client(bench, 1001, "walks")
        #expect(try anew.ask("startUpdatingLocation")["result"]?["state"]?.string == "waitingForAuthorization")
        try anew.ask("startMonitoring", DaemonFixture.region("home"))
        let event = try bench.keeper.records.database?.apps().first?.nextEvent ?? 0
        #expect(event > 1, "a number of an event is given again")
    }

    @Test("shows in status when it was used last, whoever allowed it and however often the daemon was restarted")
    func lastUse() throws {
        var configuration = Configuration()
        configuration.authorization.always.users = ["root", "1001"]
        let bench = try ServiceBench(configuration)
        let app = bench.connect(uid: 1001)
        try app.ask("startUpdatingLocation")
        bench.stay(at: 0)
        let next = try ServiceBench(configuration, after: bench)
        let admin = next.connect(uid: 0, isAdmin: true)
        try next.connect(uid: 1001).ask("getProperties")
        let status = try admin.ask("apps")["result"]?.array?.first { $0["app"]?.string == "uid:1001" }
        #expect(status?["lastUse"]?.string != nil)
    }
}

@Suite("A start with much to read", .blocking)
struct LoadingTests {
    /// A state directory with more than can be read in no time.
    private static func fill(_ path: String) throws {
        let database = try Database(path: path)
        try database.transaction(.process) { () throws(StoreError) in
            let app = try database.app(uid: 0, name: nil, label: nil)
            for number in 0..<60_000 {
                let shape = RegionShape.circle(center: Simulation.home, radius: 100)
                let region = Region(identifier: "region \(number)", shape: shape)
                try database.save(StoredRegion(app: app.id, region: region))
            }
        }
    }

    @Test("tells the service manager that it goes on, and hears that it is to end, which changes nothing")
    func ended() throws {
        let daemon = try DaemonFixture("[Regions]\nRegionsPerApp=1000000\n", isManaged: true)
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        let path = daemon.directory.file("state/locationd.sqlite")
        try LoadingTests.fill(path)
        let before = daemon.manager?.heard.count ?? 0
        try daemon.launch()
        try waitUntil("it reads") {
            daemon.manager?.heard.dropFirst(before).contains { $0.contains("EXTEND_TIMEOUT_USEC=") } == true
        }
        #expect(try daemon.stop(SIGTERM) == .exited(0))
        #expect(daemon.manager?.heard.dropFirst(before).contains { $0.contains("READY=1") } == false)
        #expect(daemon.journal.contains("stopped while reading"))
        var regions = 0
        try Database(path: path).forEachRegion { _ in regions += 1 }
        #expect(regions == 60_000)
    }
}
