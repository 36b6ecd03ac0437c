// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationTestSupport
import Testing

@Suite("What an app may use up", .blocking, .needsOtherUsers)
struct AppBoundsTests {
    private static let rules = "[Authorization]\nAlwaysUsers=root 12001 12002\n"
    private static let fast = awake + noRejoin + "[Limits]\nChangesPerSecond=10000\n" + rules

    @Test("names that nobody uses any more make room for new ones, also when something was kept of them")
    func labels() throws {
        let daemon = try DaemonFixture(AppBoundsTests.fast, manifests: [:])
        for number in 1...40 {
            let client = try daemon.connect(uid: 12001, #","app":"tool-\#(number)""#)
            if number.isMultiple(of: 2) {
                try client.call("startMonitoring", DaemonFixture.region("home", at: 9000))
                try client.call("stopMonitoring", #"{"identifier":"home"}"#)
            }
            client.close()
            try waitUntil("it is gone") { try daemon.app("uid:12001")?["connections"]?.int ?? 0 == 0 }
            try waitUntil("it is not waited for") {
                try daemon.status()["managers"]?.array?.contains { $0["identity"]?.string == "uid:12001" } == false
            }
        }
    }

    @Test("monitors that were closed without a condition are no more")
    func monitors() throws {
        let daemon = try DaemonFixture(AppBoundsTests.fast, manifests: [:])
        let client = try daemon.connect(uid: 12001)
        for number in 1...140 {
            let opened = try client.call("openMonitor", #"{"name":"m\#(number)"}"#)["monitor"]?.int ?? 0
            try client.call("closeMonitor", #"{"monitor":\#(opened)}"#)
        }
    }

    @Test("starts and stops of significant changes that are kept are durable changes: those beyond a second's wait")
    func significantChanges() throws {
        let daemon = try DaemonFixture(
            awake + "[Limits]\nChangesPerSecond=1\nChangeBurst=1\n" + AppBoundsTests.rules, manifests: [:])
        let greedy = try daemon.connect(uid: 12001, #","events":true"#)
        let other = try daemon.connect(uid: 12001)
        var last = 0
        for _ in 1...60 {
            try greedy.send("startMonitoringSignificantLocationChanges")
            last = try greedy.send("stopMonitoringSignificantLocationChanges")
        }
        // Long enough for all of them, were they not counted.
        for _ in 1...40 { try other.settle() }
        try greedy.readAvailable()
        #expect(!greedy.hasReply(to: last))
    }

    @Test("two connections of a user that want many changes take turns")
    func turns() throws {
        let daemon = try DaemonFixture(
            awake + "[Limits]\nChangesPerSecond=5\nChangeBurst=5\n" + AppBoundsTests.rules, manifests: [:])
        let (greedy, modest) = (try daemon.connect(uid: 12001), try daemon.connect(uid: 12001))
        var last = 0
        for _ in 1...50 {
            try greedy.send("startMonitoringVisits")
            last = try greedy.send("stopMonitoringVisits")
        }
        try modest.call("openMonitor", #"{"name":"m"}"#)
        try greedy.readAvailable()
        #expect(!greedy.hasReply(to: last), "it waited for all that the other wanted")
    }

    /// A round polygon of a thousand vertices, `metres` north of home.
    private static func polygon(_ identifier: String, at metres: Double) -> String {
        let middle = Simulation.home.moved(by: metres, course: 0)
        let vertices = (0..<1000).map { number in
            let vertex = middle.moved(by: 100, course: Double(number) * 0.36)
            return "[\(vertex.latitude),\(vertex.longitude)]"
        }
        return #"{"region":{"identifier":"\#(identifier)","vertices":[\#(vertices.joined(separator: ","))]}}"#
    }

    @Test(
        "stored events that are larger than what may wait come all, in order, as their client reads them",
        arguments: ["1M", "64K"])
    func largeEvents(limit: String) throws {
        let daemon = try DaemonFixture(
            "[Limits]\nOutputHighWater=32K\nOutputLimit=\(limit)\n" + AppBoundsTests.fast, step: 1000, manifests: [:])
        let app = try daemon.connect(uid: 12001, #","events":true"#)
        for number in 1...20 { try app.call("startMonitoring", AppBoundsTests.polygon("r\(number)", at: 0)) }
        try daemon.stay(at: 0)
        try daemon.waitUntilAccepted()
        app.close()
        try waitUntil("the app is gone") { try daemon.app("uid:12001")?["connections"]?.int == 0 }
        for way in [(0.0, 400.0), (400, 0), (0, 400)] { try daemon.walk(from: way.0, to: way.1) }
        func stored() throws -> [Int] {
            try daemon.asAdministrator("events", #"{"app":"uid:12001"}"#).array?.compactMap { $0["event"]?.int } ?? []
        }
        try daemon.waitUntilAccepted()
        let numbers = try stored()
        #expect(numbers.count == 60)
        let back = try daemon.connect(uid: 12001, #","events":true"#)
        try back.wait("all events, not only \(back.events.count)") { back.events.count >= numbers.count }
        try back.settle()
        #expect(back.events == numbers)
        #expect(back.notifications.reduce(0) { $0 + "\($1)".utf8.count } > 1 << 20)
    }
}
