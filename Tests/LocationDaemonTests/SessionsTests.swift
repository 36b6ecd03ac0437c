// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("Sessions and use", .blocking, .needsOtherUsers)
struct SessionsTests {
    private static let texts = #","usageDescriptions":{"whenInUse":"a","always":"b"}"#

    @Test("a service session asks for what it needs and says in-band how that stands")
    func service() throws {
        let daemon = try DaemonFixture(manifests: [:])
        let agent = try daemon.connect()
        try agent.call("registerAgent")
        let app = try daemon.connect(uid: 12001, SessionsTests.texts)
        #expect(try app.call("startServiceSession", #"{"requirement":"none"}"#)["session"]?.int == 1)
        #expect(try app.hear("serviceSessionDiagnostic").names == ["session", "seq"])
        #expect(try app.call("startServiceSession", #"{"requirement":"always"}"#)["session"]?.int == 2)
        let question = try agent.hear("authorizationRequested")
        #expect(question["level"]?.string == "always")
        try app.wait("both say that it is asked") {
            let last = app.heard("serviceSessionDiagnostic").suffix(2)
            return Set(last.map { $0["session"]?.int }) == [1, 2]
                && last.allSatisfy { $0["authorizationRequestInProgress"]?.bool == true }
        }
        try agent.call("answerRequest", #"{"request":\#(question["request"]?.int ?? 0),"answer":"deny"}"#)
        try app.wait("the second says that it is denied") {
            let last = app.heard("serviceSessionDiagnostic").last { $0["session"]?.int == 2 }
            return last?["authorizationDenied"]?.bool == true && last?["authorizationRequestInProgress"] == nil
        }
        try app.call("invalidateServiceSession", #"{"session":2}"#)
        #expect(try app.refusal("invalidateServiceSession", #"{"session":2}"#).code == -32005)
        #expect(try app.refusal("invalidateBackgroundActivitySession", #"{"session":1}"#).code == -32005)
    }

    @Test(
        "a background activity session keeps an app in use until it is back, and a region is told then",
        arguments: [false, true])
    func backgroundActivity(takesEvents: Bool) throws {
        let daemon = try DaemonFixture(awake, step: 1000, manifests: [:])
        try daemon.authorize("uid:12001", "authorizedWhenInUse")
        let app = try DaemonClient(path: daemon.socket, uid: 12001)
        let token = try app.call("hello", #"{"protocol":1,"events":\#(takesEvents)}"#)["manager"]?.string ?? ""
        #expect(try app.call("startBackgroundActivitySession")["session"]?.int == 1)
        try app.call("startMonitoring", DaemonFixture.region("home"))
        let live = try daemon.startUpdating()
        try daemon.stay(at: 0)
        try live.waitForStandard(60)
        app.close()
        try waitUntil("the app is away") { try daemon.app("uid:12001")?["connections"]?.int == 0 }
        #expect(try daemon.app("uid:12001")?["inUse"]?.bool == true)
        try daemon.walk(from: 0, to: 400)
        try daemon.waitUntilAccepted()
        let back = try DaemonClient(path: daemon.socket, uid: 12001)
        let greeting = try back.call(
            "hello", #"{"protocol":1,"manager":"\#(token)","events":\#(takesEvents)}"#)
        #expect(greeting["rejoined"]?.bool == true)
        #expect(try back.hear("didExitRegion")["region"]?["identifier"]?.string == "home")
        try back.call("invalidateBackgroundActivitySession", #"{"session":1}"#)
        back.close()
        try waitUntil("it is not in use") { try daemon.app("uid:12001")?["inUse"]?.bool == false }
    }

    @Test("what a person called always is only while in use until an event happens, which then asks and waits")
    func provisional() throws {
        let daemon = try DaemonFixture(awake + noRejoin, step: 1000, manifests: [:])
        let agent = try daemon.connect()
        try agent.call("registerAgent")
        let app = try daemon.connect(uid: 12001, SessionsTests.texts + #","events":true"#)
        try app.call("requestAlwaysAuthorization")
        let first = try agent.hear("authorizationRequested")
        try agent.call("answerRequest", #"{"request":\#(first["request"]?.int ?? 0),"answer":"whileUsing"}"#)
        try app.call("startMonitoring", DaemonFixture.region("home"))
        try daemon.stay(at: 0)
        try daemon.waitUntilAccepted()
        app.close()
        try waitUntil("the app is gone") { try daemon.app("uid:12001")?["connections"]?.int == 0 }
        try daemon.walk(from: 0, to: 400)
        let second = try agent.hear("authorizationRequested")
        #expect(second["level"]?.string == "always" && second["identity"]?.string == "uid:12001")
        #expect(try daemon.app("uid:12001")?["pendingEvents"]?.int == 0)
        try agent.call("answerRequest", #"{"request":\#(second["request"]?.int ?? 0),"answer":"always"}"#)
        #expect(try daemon.app("uid:12001")?["provisional"]?.bool != true)
        try daemon.restart()
        let back = try daemon.connect(uid: 12001, #","events":true"#)
        #expect(try back.hear("didExitRegion")["region"]?["identifier"]?.string == "home")
    }

    @Test("monitors, sessions and live updates of a connection are bounded")
    func limits() throws {
        let daemon = try DaemonFixture(
            "[Limits]\nChangesPerSecond=1000\nMonitorsPerConnection=2\nSessionsPerConnection=2\nLiveUpdatesPerConnection=2\n"
        )
        let client = try daemon.connect()
        for number in 1...2 {
            try client.call("openMonitor", #"{"name":"m\#(number)"}"#)
            try client.call("startBackgroundActivitySession")
            try client.call("startLiveUpdates")
        }
        let refused = [
            ("openMonitor", #"{"name":"m3"}"#), ("startBackgroundActivitySession", nil),
            ("startServiceSession", #"{"requirement":"none"}"#), ("startLiveUpdates", nil),
        ]
        for (method, params) in refused {
            #expect(try client.refusal(method, params).code == -32004, "\(method)")
        }
        // A refused request changes nothing.
        let other = try daemon.connect()
        #expect(try other.call("openMonitor", #"{"name":"m3"}"#)["monitor"]?.int == 1)
        try client.call("stopLiveUpdates", #"{"updates":1}"#)
        #expect(try client.call("startLiveUpdates")["updates"]?.int == 3)
    }

    @Test("a rejoin within the time brings monitors, sessions, live updates and stored events back, over a kill too")
    func rejoin() throws {
        let daemon = try DaemonFixture(awake, step: 1000)
        let (client, token) = try daemon.connectWithToken(#","events":true"#)
        try client.call("openMonitor", #"{"name":"places"}"#)
        let circle = DaemonFixture.circle()
        try client.call(
            "addCondition", #"{"monitor":1,"identifier":"home","condition":{"type":"circle",\#(circle)}}"#)
        try client.call("startLiveUpdates")
        try client.call("startBackgroundActivitySession")
        try daemon.fix(at: 0)
        try client.hear("didUpdate")
        try daemon.restart()
        let (back, rejoined) = try daemon.rejoin(token, #","events":true"#)
        #expect(rejoined)
        try daemon.stay(at: 0)
        #expect(try back.hear("didUpdate")["updates"]?.int == 1)
        let event = try back.hear("monitorEvent")
        #expect(event["monitor"]?.int == 1 && event["identifier"]?.string == "home")
        back.close()
        try daemon.waitForAbsent()
        let (again, second) = try daemon.rejoin(token, #","events":true"#)
        #expect(second)
        #expect(try again.hear("monitorEvent")["event"] == event["event"])
        #expect(try again.call("startLiveUpdates")["updates"]?.int == 2)
        #expect(try again.call("startBackgroundActivitySession")["session"]?.int == 2)
        try again.call("invalidateBackgroundActivitySession", #"{"session":1}"#)
        #expect(try again.call("openMonitor", #"{"name":"others"}"#)["monitor"]?.int == 2)
        #expect(again.heard("monitorEvent").count == 1)
    }
}
