// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("Ranging of beacons", .blocking)
struct RangingTests {
    @Test("answers that nothing here hears beacons, then fails with error 16 and the constraint of the request (H2)")
    func unavailable() throws {
        let daemon = try DaemonFixture(awake)
        let client = try daemon.connect()
        let reply = try client.call(
            "startRangingBeacons", #"{"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0","major":7,"minor":65535}"#)
        #expect(reply["state"]?.string == "unavailable")
        #expect(reply["reason"]?.string == "nothing here hears beacons")
        let failure = try client.hear("rangingDidFail")
        #expect(failure["constraint"]?["uuid"]?.string == "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0")
        #expect(failure["constraint"]?["major"]?.double == 7)
        #expect(failure["constraint"]?["minor"]?.double == 65_535)
        #expect(failure["error"]?["code"]?.double == 16)
        #expect(failure["error"]?["name"]?.string == "rangingUnavailable")
        try client.call("stopRangingBeacons", #"{"uuid":"e2c56db5-dffb-48d2-b060-d0f5a71096e0"}"#)
        try client.settle()
        #expect(client.heard("rangingDidFail").count == 1)
        #expect(try client.call("startUpdatingHeading")["reason"]?.string?.contains("ATT") == true)
    }
}
