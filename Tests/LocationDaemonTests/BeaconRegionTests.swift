// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

private let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"

/// Providers of the tests are programs of root.
@Suite("Monitoring of beacons", .blocking, .needsOtherUsers)
struct BeaconRegionTests {
    private static let keeping = awake + "\n[History]\nKeep=30\n[Regions]\nBeaconExitSec=10s\n"
    private static let region = #"{"region":{"identifier":"desk","uuid":"\#(uuid)","major":7}}"#
    private static let report = #"{"sightings":[{"uuid":"\#(uuid)","major":7,"minor":1,"measuredPower":-59}]}"#

    private static func ear(_ daemon: DaemonFixture) throws -> (client: DaemonClient, token: String) {
        let ear = try daemon.connectWithToken()
        try ear.client.call("offerBeacons")
        return ear
    }

    @Test(
        "enters with a report, leaves after silence, also over a crash, and keeps what was told until it is acknowledged"
    )
    func crossings() throws {
        let daemon = try DaemonFixture(BeaconRegionTests.keeping)
        var app = try daemon.connect(uid: 0, #","app":"a","events":true"#)
        let reply = try app.call("startMonitoring", BeaconRegionTests.region)
        #expect(reply["state"]?.string == "running")
        #expect(reply["reason"]?.string == "nothing here hears beacons; locationd-beacons would")
        let service = try daemon.status()["managers"]?.array?.first?["services"]?.array?.first
        #expect(service?["reason"]?.string == "nothing here hears beacons; locationd-beacons would")
        #expect(service?["onlyBeacons"]?.bool == true)
        var (ear, token) = try BeaconRegionTests.ear(daemon)
        #expect(try ear.hear("beaconsWanted")["uuids"]?.array?.first?.string == uuid)
        #expect(ear.heard("beaconsWanted").last?["onlyMonitored"]?.bool == true)
        let asked = try daemon.status()["managers"]?.array?.compactMap { $0["beaconsWanted"]?["uuids"]?.array?.first }
        #expect(asked?.map(\.string) == [uuid])
        try app.call("requestState", #"{"identifier":"desk"}"#)
        #expect(try app.hear("didDetermineState")["state"]?.string == "unknown")
        #expect(try app.hear("didDetermineState")["state"]?.string == "outside")
        try ear.call("reportBeacons", BeaconRegionTests.report)
        let entry = try app.hear("didEnterRegion")
        #expect(entry["region"]?["uuid"]?.string == uuid && entry["region"]?["major"]?.int == 7)
        #expect(entry["location"] == nil && entry["date"]?.string != nil && entry["event"]?.int == 1)
        try daemon.restart()
        ear = try daemon.rejoin(token).client
        app = try daemon.connect(uid: 0, #","app":"a","events":true"#)
        #expect(try app.hear("didEnterRegion")["event"]?.int == 1)
        #expect(try app.call("monitoredRegions").array?.first?["uuid"]?.string == uuid)
        #expect(try app.hear("didExitRegion")["event"]?.int == 2)
        for event in 1...2 { try app.call("acknowledge", #"{"event":\#(event)}"#) }
        #expect(try app.call("requestState", #"{"identifier":"desk"}"#)["state"]?.string == "running")
        #expect(try app.hear("didDetermineState")["state"]?.string == "outside")
        let kept = try app.call("historyEvents", "{}")["events"]?.array
        #expect(kept?.map { $0["method"]?.string } == ["didEnterRegion", "didExitRegion"])
        #expect(kept?.first?["params"]?["date"]?.string == entry["date"]?.string)
        withExtendedLifetime(ear) {}
    }

    @Test("is a condition of a monitor, too, whose refinement is the beacon that was heard")
    func condition() throws {
        let daemon = try DaemonFixture(BeaconRegionTests.keeping)
        let ear = try BeaconRegionTests.ear(daemon).client
        let app = try daemon.connect(uid: 0, #","app":"a","events":true"#)
        let monitor = try #require(try app.call("openMonitor", #"{"name":"m"}"#)["monitor"]?.int)
        let condition = #"{"type":"beacon","uuid":"\#(uuid)"}"#
        try app.call(
            "addCondition", #"{"monitor":\#(monitor),"identifier":"desk","condition":\#(condition)}"#)
        try ear.wait("that beacons are wanted") {
            ear.heard("beaconsWanted").last?["uuids"]?.array?.first?.string == uuid
        }
        try ear.call("reportBeacons", BeaconRegionTests.report)
        let event = try app.hear("monitorEvent")
        #expect(event["state"]?.string == "satisfied")
        #expect(event["refinement"]?["major"]?.int == 7 && event["refinement"]?["minor"]?.int == 1)
        let name = #"{"monitor":\#(monitor),"identifier":"desk"}"#
        try app.call("acknowledge", #"{"event":\#(try #require(event["event"]?.int))}"#)
        let record = try app.call("monitorRecord", name)
        #expect(record["condition"]?["type"]?.string == "beacon" && record["condition"]?["major"] == nil)
        #expect(record["lastEvent"]?["refinement"]?["minor"]?.int == 1)
    }
}
