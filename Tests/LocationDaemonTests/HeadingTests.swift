// SPDX-License-Identifier: Apache-2.0
import LocationTestSupport
import Testing

@Suite("Headings", .blocking)
struct HeadingTests {
    @Test("are unavailable until a device has told one, and then come through the filter of their connection")
    func filtered() throws {
        let daemon = try DaemonFixture(awake)
        let live = try daemon.startUpdating()
        let client = try daemon.connect()
        #expect(try client.call("startUpdatingHeading")["state"]?.string == "unavailable")
        try daemon.heading(10)
        try daemon.fix()
        try live.waitForStandard(1)
        let greeted = try daemon.connect()
        #expect(try greeted.call("hello", #"{"protocol":1}"#)["capabilities"]?["heading"]?.bool == true)
        #expect(try client.call("startUpdatingHeading")["state"]?.string == "running")
        try client.call("setProperties", #"{"headingFilter":20}"#)
        try greeted.call("setProperties", #"{"headingFilter":0}"#)
        try greeted.call("startUpdatingHeading")
        // 350 and 10 are 20 degrees apart.
        for degrees in [350.0, 9, 10, 12, 29.5, 30] {
            try daemon.heading(degrees)
            #expect(try greeted.hear("didUpdateHeading")["heading"]?["trueHeading"]?.double == degrees)
        }
        #expect(try client.hear("didUpdateHeading")["heading"]?["trueHeading"]?.double == 350)
        #expect(try client.hear("didUpdateHeading")["heading"]?["trueHeading"]?.double == 10)
        #expect(try client.hear("didUpdateHeading")["heading"]?["trueHeading"]?.double == 30)
        let heading = client.heard("didUpdateHeading").last?["heading"] ?? .null
        // gpsd tells the direction, not how good it is, and nothing of the magnet.
        #expect(heading.names == ["trueHeading", "timestamp"])
        try client.call("stopUpdatingHeading")
        try daemon.heading(180)
        try greeted.hear("didUpdateHeading")
        try client.settle()
        #expect(client.heard("didUpdateHeading").count == 3)
    }

    @Test("need consent as places do", .needsOtherUsers)
    func consent() throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        let live = try daemon.startUpdating()
        try live.call("startUpdatingHeading")
        try daemon.heading(10)
        try daemon.fix()
        try live.waitForStandard(1)
        try live.call("startUpdatingHeading")
        let app = try daemon.connect(uid: 12001)
        #expect(try app.call("startUpdatingHeading")["state"]?.string == "waitingForAuthorization")
        try daemon.heading(90)
        try live.hear("didUpdateHeading")
        try app.settle()
        #expect(app.heard("didUpdateHeading").isEmpty)
        try daemon.authorize("uid:12001", "authorizedWhenInUse")
        try daemon.heading(180)
        #expect(try app.hear("didUpdateHeading")["heading"]?["trueHeading"]?.double == 180)
        try daemon.authorize("uid:12001", "denied")
        try app.wait(for: "fail 1 null")
        try daemon.heading(270)
        try live.hear("didUpdateHeading")
        try live.hear("didUpdateHeading")
        try app.settle()
        #expect(app.heard("didUpdateHeading").count == 1)
        #expect(try app.call("startUpdatingHeading")["state"]?.string == "denied")
    }
}
