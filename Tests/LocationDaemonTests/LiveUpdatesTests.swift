// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("Live updates", .blocking)
struct LiveUpdatesTests {
    private static func elements(_ client: DaemonClient, _ updates: Int) -> [JSON] {
        client.heard("didUpdate").filter { $0["updates"]?.int == updates }
    }

    @Test("run several at once, each until it is stopped")
    func streams() throws {
        let daemon = try DaemonFixture(awake)
        let client = try daemon.connect()
        for (number, configuration) in ["default", "fitness", "airborne"].enumerated() {
            let reply = try client.call("startLiveUpdates", #"{"configuration":"\#(configuration)"}"#)
            #expect(reply["state"]?.string == "running" && reply["updates"]?.int == number + 1)
        }
        #expect(try client.refusal("startLiveUpdates", #"{"configuration":"flying"}"#).code == -32602)
        try daemon.fix()
        try client.wait("three elements") { client.heard("didUpdate").count == 3 }
        #expect(client.heard("didUpdate").compactMap { $0["updates"]?.int } == [1, 2, 3])
        try client.call("stopLiveUpdates", #"{"updates":2}"#)
        for number in [2, 9] {
            #expect(try client.refusal("stopLiveUpdates", #"{"updates":\#(number)}"#).code == -32005)
        }
        try daemon.fix(at: 50)
        try client.wait("two more") { client.heard("didUpdate").count == 5 }
        #expect(LiveUpdatesTests.elements(client, 2).count == 1)
        for element in client.heard("didUpdate") {
            #expect(element.names == ["updates", "location", "stationary", "seq"])
            #expect(element["stationary"]?.bool == false && element["location"]?["latitude"] != nil)
        }
        #expect(try client.call("startLiveUpdates")["updates"]?.int == 4)
    }

    @Test("say in-band that they are denied or wait, and go on with consent")
    func flags() throws {
        let daemon = try DaemonFixture(awake)
        let client = try daemon.connect()
        try daemon.authorize("uid:0", "denied")
        #expect(try client.call("startLiveUpdates")["state"]?.string == "denied")
        let denied = try client.hear("didUpdate")
        #expect(denied["authorizationDenied"]?.bool == true && denied["location"]?.isNull == true)
        #expect(denied["authorizationDeniedGlobally"] == nil)
        try daemon.authorize("uid:0", "authorizedAlways")
        try daemon.fix()
        let element = try client.hear("didUpdate")
        #expect(element["authorizationDenied"] == nil && element["location"]?["sequence"] != nil)
        try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":false}"#)
        let off = try client.hear("didUpdate")
        #expect(off["authorizationDenied"]?.bool == true && off["authorizationDeniedGlobally"]?.bool == true)
    }

    @Test("end with one element at rest and are silent then; standard updates pause, with reasons, and both go on")
    func rest() throws {
        let daemon = try DaemonFixture(awake + "[Stationary]\nOtherSec=10s\nOtherMeters=20\n", step: 1000)
        let (live, standard) = (try daemon.connect(), try daemon.connect())
        try live.call("startLiveUpdates")
        try standard.call("startUpdatingLocation")
        let witness = try daemon.connect()
        try witness.call("setProperties", #"{"pausesLocationUpdatesAutomatically":false}"#)
        try witness.call("startUpdatingLocation")
        try waitUntil("both rest") {
            try daemon.fix()
            try witness.waitForStandard(witness.sequences.count + 1)
            try live.readAvailable()
            try standard.readAvailable()
            return live.heard("didUpdate").last?["stationary"]?.bool == true
                && !standard.heard("didPauseLocationUpdates").isEmpty
        }
        #expect(standard.heard("didPauseLocationUpdates").first?["reason"]?.string == "stationary")
        #expect(live.heard("didUpdate").count { $0["stationary"]?.bool == true } == 1)
        #expect(live.heard("didUpdate").last?["location"]?["latitude"] != nil)
        let told = (live.heard("didUpdate").count, standard.sequences.count)
        try daemon.fixes(count: 5)
        try daemon.waitUntilAccepted()
        for client in [live, standard, witness] { try client.settle() }
        #expect(told == (live.heard("didUpdate").count, standard.sequences.count))
        let status = try daemon.status()
        #expect(status["device"]?["stationary"]?.bool == true)
        #expect((status["device"]?["lastCheckAge"]?.double ?? 99) < 20)
        let paused = (status["managers"]?.array ?? []).count { $0["paused"]?.bool == true }
        #expect(paused == 1)
        try daemon.fixes([120, 240, 360])
        try live.wait("movement") { live.heard("didUpdate").last?["stationary"]?.bool == false }
        #expect(try standard.hear("didResumeLocationUpdates")["reason"]?.string == "moved")
        try standard.waitForStandard(told.1 + 1)
    }
}
