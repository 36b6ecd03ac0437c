// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("Regions", .blocking)
struct RegionsTests {
    private static func client(_ daemon: DaemonFixture, _ app: String, _ more: String = "") throws -> DaemonClient {
        try daemon.connect(uid: 0, #","app":"\#(app)"\#(more)"#)
    }

    @Test("tell all clients of their app that they were entered and left, and each where it is; no other app")
    func crossing() throws {
        let daemon = try DaemonFixture(awake, step: 1000)
        let (first, second) = (try RegionsTests.client(daemon, "a"), try RegionsTests.client(daemon, "a"))
        let other = try RegionsTests.client(daemon, "b")
        #expect(
            try first.call("startMonitoring", DaemonFixture.region("home"))["state"]?.string == "running")
        #expect(try first.hear("didStartMonitoring")["region"]?["identifier"]?.string == "home")
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        try daemon.walk(from: 400, to: 0)
        for client in [first, second] {
            let exit = try client.hear("didExitRegion")
            let entry = try client.hear("didEnterRegion")
            for event in [exit, entry] {
                #expect(event["region"]?["identifier"]?.string == "home" && event["region"]?["radius"]?.double == 100)
                #expect(event["location"]?["latitude"] != nil)
            }
            #expect((entry["event"]?.int ?? 0) > exit["event"]?.int ?? 0)
            #expect(try client.hear("didDetermineState")["state"]?.string == "outside")
            #expect(try client.hear("didDetermineState")["state"]?.string == "inside")
            let order = client.trace().filter { $0.hasSuffix("Region") || $0 == "didDetermineState" }
            #expect(order == ["didExitRegion", "didDetermineState", "didEnterRegion", "didDetermineState"])
        }
        try other.settle()
        #expect(other.heard("didExitRegion").isEmpty)
        #expect(try second.call("monitoredRegions").array?.count == 1)
        #expect(try other.call("monitoredRegions").array?.isEmpty == true)
        #expect(try other.refusal("requestState", #"{"identifier":"home"}"#).code == -32005)
        try second.call("stopMonitoring", #"{"identifier":"home"}"#)
        try other.call("startUpdatingLocation")
        try daemon.walk(from: 0, to: 400)
        try daemon.waitUntilAccepted()
        try first.settle()
        #expect(first.heard("didExitRegion").count == 1)
    }

    @Test("with many corners are as good, and tell only what they were asked to tell")
    func polygon() throws {
        let daemon = try DaemonFixture(awake, step: 1000)
        let client = try RegionsTests.client(daemon, "a")
        // About 220 m by 160 m around home.
        let square = "[[44.999,-30.001],[45.001,-30.001],[45.001,-29.999],[44.999,-29.999]]"
        try client.call(
            "startMonitoring", #"{"region":{"identifier":"square","vertices":\#(square),"notifyOnExit":false}}"#)
        let twisted = "[[44.999,-30.001],[45.001,-29.999],[45.001,-30.001],[44.999,-29.999]]"
        let refusal = try client.refusal(
            "startMonitoring", #"{"region":{"identifier":"twisted","vertices":\#(twisted)}}"#)
        #expect(refusal.code == -32602 && refusal.message.contains("vertices"))
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        try daemon.walk(from: 400, to: 0)
        let entry = try client.hear("didEnterRegion")
        #expect(entry["region"]?["vertices"]?.array?.count == 4 && entry["region"]?["center"] == nil)
        #expect(client.heard("didExitRegion").isEmpty)
    }

    @Test("beyond the limit fail with 5 and with 4 where they are denied; the others stay")
    func limits() throws {
        let daemon = try DaemonFixture("[Limits]\nChangesPerSecond=1000\n", manifests: [:])
        let client = try RegionsTests.client(daemon, "a")
        for number in 1...20 { try client.call("startMonitoring", DaemonFixture.region("r\(number)")) }
        try client.call("startMonitoring", DaemonFixture.region("r7", radius: 50))
        #expect(try client.call("startMonitoring", DaemonFixture.region("one more"))["state"]?.string == "running")
        let failure = try client.hear("monitoringDidFail")
        #expect(failure["error"]?["code"]?.int == 5 && failure["region"]?["identifier"]?.string == "one more")
        let regions = try client.call("monitoredRegions").array ?? []
        #expect(regions.count == 20)
        #expect(regions.first { $0["identifier"]?.string == "r7" }?["radius"]?.double == 50)
        #expect(client.heard("didStartMonitoring").count == 21)
        // Another app has its own twenty.
        try RegionsTests.client(daemon, "b").call("startMonitoring", DaemonFixture.region("mine"))
        try client.call("stopMonitoring", #"{"identifier":"r7"}"#)
        try client.call("startMonitoring", DaemonFixture.region("one more"))
        try client.settle()
        #expect(client.heard("monitoringDidFail").count == 1)
        try daemon.authorize("uid:0", "denied")
        #expect(try client.call("startMonitoring", DaemonFixture.region("late"))["state"]?.string == "denied")
        #expect(try client.hear("monitoringDidFail")["error"]?["code"]?.int == 4)
    }

    @Test("and where the device was outlive a kill; what was crossed meanwhile is told once")
    func killed() throws {
        let daemon = try DaemonFixture(awake, step: 1000)
        let client = try RegionsTests.client(daemon, "a", #","events":true"#)
        try client.call("startMonitoring", DaemonFixture.region("home"))
        try client.call("startMonitoring", DaemonFixture.region("far", at: 900))
        try daemon.stay(at: 0)
        try daemon.waitUntilAccepted()
        try client.call("requestState", #"{"identifier":"home"}"#)
        #expect(try client.hear("didDetermineState")["state"]?.string == "inside")
        try daemon.restart()
        let back = try RegionsTests.client(daemon, "a", #","events":true"#)
        for (identifier, state) in [("home", "inside"), ("far", "outside")] {
            try back.call("requestState", #"{"identifier":"\#(identifier)"}"#)
            #expect(try back.hear("didDetermineState")["state"]?.string == state)
        }
        try daemon.stop()
        daemon.simulation.skip(seconds: 600)
        try daemon.start()
        let witness = try RegionsTests.client(daemon, "a", #","events":true"#)
        try daemon.stay(at: 900)
        let (exit, entry) = (try witness.hear("didExitRegion"), try witness.hear("didEnterRegion"))
        #expect(exit["region"]?["identifier"]?.string == "home" && entry["region"]?["identifier"]?.string == "far")
        try daemon.restart()
        let last = try RegionsTests.client(daemon, "a", #","events":true"#)
        try daemon.stay(at: 900)
        try daemon.waitUntilAccepted()
        try last.settle()
        #expect(Set(last.events) == Set([exit, entry].compactMap { $0["event"]?.int }), "told twice as something new")
        #expect(try last.call("monitoredRegions").array?.count == 2)
    }
}
