// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

private let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

private func report(_ minors: ClosedRange<Int> = 1...1, rssi: Int = -59) -> String {
    let sightings = minors.map { #"{"uuid":"\#(uuid)","major":7,"minor":\#($0),"rssi":\#(rssi),"measuredPower":-59}"# }
    return #"{"sightings":[\#(sightings.joined(separator: ","))]}"#
}

/// Providers of the tests are programs of root.
@Suite("Ranging of beacons", .blocking, .needsOtherUsers)
struct RangingTests {
    @Test("answers that nothing here hears beacons, then fails with error 16 and the constraint of the request (H2)")
    func unavailable() throws {
        let daemon = try DaemonFixture(awake)
        let client = try daemon.connect()
        let reply = try client.call(
            "startRangingBeacons", #"{"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":7,"minor":65535}"#)
        #expect(reply["state"]?.string == "unavailable")
        #expect(reply["reason"]?.string == "nothing here hears beacons; locationd-beacons would")
        let failure = try client.hear("rangingDidFail")
        #expect(failure["constraint"]?["uuid"]?.string == uuid)
        #expect(failure["constraint"]?["major"]?.double == 7)
        #expect(failure["constraint"]?["minor"]?.double == 65_535)
        #expect(failure["error"]?["code"]?.double == 16)
        #expect(failure["error"]?["name"]?.string == "rangingUnavailable")
        try client.call("stopRangingBeacons", #"{"uuid":"\#(uuid)","major":7,"minor":65535}"#)
        try client.settle()
        #expect(client.heard("rangingDidFail").count == 1)
        #expect(try client.call("startUpdatingHeading")["reason"]?.string?.contains("ATT") == true)
    }

    @Test("tells what a program hears once a second, to who asks, and the program what is wanted")
    func ranges() throws {
        let daemon = try DaemonFixture(awake)
        let (client, ear) = (try daemon.connect(), try daemon.connect())
        try ear.call("offerBeacons")
        #expect(try ear.hear("beaconsWanted")["uuids"]?.array?.isEmpty == true)
        #expect(try client.call("hello", #"{"protocol":1}"#)["capabilities"]?["ranging"]?.bool == true)
        #expect(try client.call("startRangingBeacons", #"{"uuid":"\#(uuid)"}"#)["state"]?.string == "running")
        try ear.wait("that beacons are wanted") { ear.heard("beaconsWanted").count == 2 }
        #expect(ear.heard("beaconsWanted").last?["uuids"]?.array?.first?.string == uuid)
        try ear.call("reportBeacons", report(3...3))
        try client.wait("a beacon") {
            client.heard("didRangeBeacons").contains { $0["beacons"]?.array?.isEmpty == false }
        }
        let beacon = client.heard("didRangeBeacons").last?["beacons"]?.array?.first
        #expect(beacon?["minor"]?.double == 3 && beacon?["proximity"]?.string == "near")
        #expect(beacon?["accuracy"]?.double == 0.971 && beacon?["rssi"]?.double == -59)
        let services = try daemon.status()["managers"]?.array?.flatMap { $0["services"]?.array ?? [] }
        #expect(services?.map { $0["service"]?.string } == ["ranging"])
        try client.call("stopRangingBeacons", #"{"uuid":"\#(uuid)"}"#)
        try ear.wait("that nothing is wanted") { ear.heard("beaconsWanted").last?["uuids"]?.array?.isEmpty == true }
    }

    @Test("goes on after a crash for a client and a program that come back")
    func crash() throws {
        let daemon = try DaemonFixture(awake)
        var (client, token) = try daemon.connectWithToken()
        var (ear, earsToken) = try daemon.connectWithToken()
        try ear.call("offerBeacons")
        try client.call("startRangingBeacons", #"{"uuid":"\#(uuid)"}"#)
        try daemon.restart()
        client = try daemon.rejoin(token).client
        ear = try daemon.rejoin(earsToken).client
        try ear.wait("what is wanted") { ear.heard("beaconsWanted").last?["uuids"]?.array?.first?.string == uuid }
        try ear.call("reportBeacons", report())
        try client.wait("a beacon") {
            client.heard("didRangeBeacons").contains { $0["beacons"]?.array?.isEmpty == false }
        }
        #expect(client.heard("rangingDidFail").isEmpty)
    }

    @Test("takes reports only of those who may provide and have said that they hear, as many as are allowed")
    func refusals() throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        let refusal = try daemon.connect(uid: 12_002).refusal("offerBeacons")
        #expect(refusal.code == -32_001 && refusal.message.contains("[Providers]"))
        let ear = try daemon.connect()
        #expect(try ear.refusal("reportBeacons", report()).message.contains("offerBeacons comes first"))
        try ear.call("offerBeacons")
        #expect(try ear.refusal("reportBeacons", report(1...101)).message.contains("an array of at most 100"))
        let refused = try (0..<100).map { _ in try ear.send("reportBeacons", report(1...100)) }.filter { id in
            try ear.reply(to: id)["error"]?["code"]?.int == -32_004
        }
        #expect(!refused.isEmpty)
    }

    @Test("hears no longer a program that a reload does not name")
    func reload() throws {
        let daemon = try DaemonFixture(awake + "\n[Providers]\nUsers=12002\n", manifests: [:])
        let (client, ear) = (try daemon.connect(), try daemon.connect(uid: 12_002))
        try ear.call("offerBeacons")
        try client.call("startRangingBeacons", #"{"uuid":"\#(uuid)"}"#)
        try daemon.reload(awake)
        #expect(try client.hear("rangingDidFail")["error"]?["code"]?.double == 16)
        #expect(try ear.refusal("reportBeacons", report()).code == -32_001)
    }
}
