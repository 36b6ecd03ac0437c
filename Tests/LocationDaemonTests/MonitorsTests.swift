// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

/// Who loses the connection is gone.
let noRejoin = "[Deferral]\nRejoinSec=0\n"

@Suite("Monitors", .blocking)
struct MonitorsTests {
    private static func client(_ daemon: DaemonFixture, _ app: String = "a") throws -> DaemonClient {
        try daemon.connect(uid: 0, #","app":"\#(app)","events":true"#)
    }

    private static func condition(_ name: String, monitor: Int = 1, at metres: Double = 0, _ more: String = "")
        -> String
    {
        let circle = DaemonFixture.circle(at: metres)
        return #"{"monitor":\#(monitor),"identifier":"\#(name)","condition":{"type":"circle",\#(circle)}\#(more)}"#
    }

    private static func record(_ client: DaemonClient, _ name: String = "home", monitor: Int = 1) throws -> String? {
        let record = try client.call("monitorRecord", #"{"monitor":\#(monitor),"identifier":"\#(name)"}"#)
        return record.isNull ? nil : record["lastEvent"]?["state"]?.string ?? "none"
    }

    @Test("move the last event when the new one is acknowledged, over kills too, and tell it until then")
    func acknowledged() throws {
        let daemon = try DaemonFixture(awake + noRejoin, step: 1000)
        let client = try MonitorsTests.client(daemon)
        let opened = try client.call("openMonitor", #"{"name":"places"}"#)
        #expect(opened["monitor"]?.int == 1 && opened["identifiers"]?.array?.isEmpty == true)
        try client.call("addCondition", MonitorsTests.condition("home"))
        #expect(try MonitorsTests.record(client) == "unknown")
        #expect(try MonitorsTests.record(client, "nothing") == nil)
        try daemon.stay(at: 0)
        let first = try client.hear("monitorEvent")
        #expect(first["monitor"]?.int == 1 && first["identifier"]?.string == "home")
        #expect(first["state"]?.string == "satisfied" && first["refinement"]?["type"]?.string == "circle")
        #expect(try MonitorsTests.record(client) == "unknown")
        try daemon.restart()
        let second = try MonitorsTests.client(daemon)
        let again = try second.call("openMonitor", #"{"name":"places"}"#)
        #expect(again["identifiers"]?.array == [.string("home")])
        let told = try second.hear("monitorEvent")
        #expect(told["event"] == first["event"] && told["state"]?.string == "satisfied")
        #expect(try MonitorsTests.record(second) == "unknown")
        try second.call("acknowledge", #"{"event":\#(told["event"]?.int ?? 0)}"#)
        #expect(try MonitorsTests.record(second) == "satisfied")
        try daemon.restart()
        let third = try MonitorsTests.client(daemon)
        try third.call("openMonitor", #"{"name":"places"}"#)
        #expect(try MonitorsTests.record(third) == "satisfied")
        #expect(third.events.isEmpty)
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        let left = try third.hear("monitorEvent")
        #expect(left["state"]?.string == "unsatisfied" && left["refinement"] == nil)
        #expect((left["event"]?.int ?? 0) > told["event"]?.int ?? 0)
        #expect(third.events.count == 1)
    }

    @Test("tell what changed while an event waited, though the daemon began anew between, and before any fix")
    func found() throws {
        let daemon = try DaemonFixture(awake + noRejoin, step: 1000)
        let client = try MonitorsTests.client(daemon)
        try client.call("openMonitor", #"{"name":"places"}"#)
        try client.call("addCondition", MonitorsTests.condition("home"))
        try daemon.stay(at: 0)
        let event = try client.hear("monitorEvent")["event"]?.int ?? 0
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        try daemon.waitUntilAccepted()
        try daemon.restart()
        let back = try MonitorsTests.client(daemon)
        try back.call("openMonitor", #"{"name":"places"}"#)
        #expect(try back.hear("monitorEvent")["event"]?.int == event)
        try back.call("acknowledge", #"{"event":\#(event)}"#)
        #expect(try back.hear("monitorEvent")["state"]?.string == "unsatisfied")
    }

    @Test("whose event is not stored take nothing when it is acknowledged after a restart, and tell the change anew")
    func eventOfFormerRun() throws {
        let daemon = try DaemonFixture(awake + noRejoin, step: 1000)
        try daemon.authorize("uid:0", "authorizedWhenInUse")
        let client = try MonitorsTests.client(daemon)
        try client.call("openMonitor", #"{"name":"places"}"#)
        try client.call("addCondition", MonitorsTests.condition("home"))
        try daemon.stay(at: 0)
        let event = try client.hear("monitorEvent")["event"]?.int ?? 0
        try daemon.restart()
        let back = try MonitorsTests.client(daemon)
        try back.call("openMonitor", #"{"name":"places"}"#)
        for _ in 0..<2 { try back.call("acknowledge", #"{"event":\#(event)}"#) }
        #expect(try MonitorsTests.record(back) == "unknown")
        #expect(try back.refusal("acknowledge", #"{"event":\#(event + 1_000_000)}"#).code == -32005)
        try daemon.stay(at: 0)
        let again = try back.hear("monitorEvent")
        #expect(again["state"]?.string == "satisfied" && again["event"]?.int ?? 0 > event, "\(again)")
        try back.call("acknowledge", #"{"event":\#(again["event"]?.int ?? 0)}"#)
        #expect(try MonitorsTests.record(back) == "satisfied")
    }

    @Test("have one holder in an app, as long as it may have them")
    func holder() throws {
        let daemon = try DaemonFixture(noRejoin)
        let (first, second) = (try MonitorsTests.client(daemon), try MonitorsTests.client(daemon))
        let other = try MonitorsTests.client(daemon, "b")
        try first.call("openMonitor", #"{"name":"places"}"#)
        let refusal = try second.refusal("openMonitor", #"{"name":"places"}"#)
        #expect(refusal.code == -32007 && refusal.name == "unavailable")
        try other.call("openMonitor", #"{"name":"places"}"#)
        try second.call("openMonitor", #"{"name":"elsewhere"}"#)
        #expect(try second.refusal("closeMonitor", #"{"monitor":2}"#).code == -32005)
        try first.call("closeMonitor", #"{"monitor":1}"#)
        #expect(try second.call("openMonitor", #"{"name":"places"}"#)["monitor"]?.int == 2)
        second.close()
        try waitUntil("the name is free again") {
            (try? first.call("openMonitor", #"{"name":"places"}"#)) != nil
        }
    }

    @Test(
        "say why nothing comes when consent or accuracy is lost, and how conditions stand when it is back",
        .needsOtherUsers)
    func unmonitored() throws {
        let daemon = try DaemonFixture(awake, step: 1000, manifests: [:])
        try daemon.authorize("uid:12001", "authorizedAlways")
        let client = try daemon.connect(uid: 12001, #","events":true"#)
        try client.call("openMonitor", #"{"name":"places"}"#)
        try client.call("addCondition", MonitorsTests.condition("home", #","assuming":"satisfied""#))
        for (status, accuracy, flag) in [
            ("denied", "full", "authorizationDenied"), ("restricted", "full", "authorizationRestricted"),
            ("authorizedAlways", "reduced", "accuracyLimited"),
        ] {
            try daemon.authorize("uid:12001", status, accuracy)
            let lost = try client.hear("monitorEvent")
            #expect(lost["state"]?.string == "unmonitored" && lost[flag]?.bool == true, "\(lost)")
            #expect(lost["refinement"] == nil && lost["event"]?.int != nil)
            try client.call("acknowledge", #"{"event":\#(lost["event"]?.int ?? 0)}"#)
            #expect(try MonitorsTests.record(client) == "unmonitored")
            try daemon.authorize("uid:12001", "authorizedAlways", "full")
            try daemon.stay(at: 0)
            let back = try client.hear("monitorEvent")
            #expect(back["state"]?.string == "satisfied", "\(back)")
            try client.call("acknowledge", #"{"event":\#(back["event"]?.int ?? 0)}"#)
        }
        try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":false}"#)
        let off = try client.hear("monitorEvent")
        #expect(off["authorizationDenied"]?.bool == true && off["authorizationDeniedGlobally"]?.bool == true)
    }

    @Test("tell an app that it has too many conditions, and forget what is removed")
    func limit() throws {
        let daemon = try DaemonFixture("[Limits]\nChangesPerSecond=1000\n" + noRejoin)
        let client = try MonitorsTests.client(daemon)
        try client.call("openMonitor", #"{"name":"places"}"#)
        for number in 1...20 { try client.call("addCondition", MonitorsTests.condition("c\(number)")) }
        try client.call("addCondition", MonitorsTests.condition("more"))
        let refused = try client.hear("monitorEvent")
        #expect(refused["state"]?.string == "unmonitored" && refused["conditionLimitExceeded"]?.bool == true)
        #expect(refused["identifier"]?.string == "more")
        #expect(try MonitorsTests.record(client, "more") == nil)
        let name = #"{"monitor":1,"identifier":"c3"}"#
        try client.call("removeCondition", name)
        #expect(try client.refusal("removeCondition", name).code == -32005)
        try client.call("addCondition", MonitorsTests.condition("more", #","assuming":"satisfied""#))
        #expect(try MonitorsTests.record(client, "more") == "satisfied")
        try daemon.restart()
        let back = try MonitorsTests.client(daemon)
        let identifiers = try back.call("openMonitor", #"{"name":"places"}"#)["identifiers"]?.array ?? []
        #expect(
            identifiers.count == 20 && identifiers.contains(.string("more")) && !identifiers.contains(.string("c3")))
        #expect(try MonitorsTests.record(back, "more") == "satisfied")
    }
}
