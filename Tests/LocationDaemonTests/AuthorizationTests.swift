// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

/// The receiver is always on, so that every fix of a test is seen.
let awake = "[Power]\nDutyCycle=no\n"

@Suite("Consent", .blocking, .needsOtherUsers)
struct AuthorizationTests {
    @Test("who nobody decided about waits, is told which command lets it in, and gets nothing until then")
    func waits() throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        let live = try daemon.startUpdating()
        let app = try daemon.connect(uid: 12001)
        let reply = try app.call("startUpdatingLocation")
        #expect(reply["state"]?.string == "waitingForAuthorization")
        #expect(reply["reason"]?.string?.contains("locctl authorize 'uid:12001' when-in-use") == true)
        try daemon.fix()
        try live.waitForStandard(1)
        #expect(try app.refusal("location").code == -32001)
        #expect(app.trace() == ["-> startUpdatingLocation waitingForAuthorization", "-> location -32001"])
        try daemon.authorize("uid:12001", "authorizedWhenInUse")
        try daemon.fix()
        try app.waitForStandard(1)
        #expect(app.trace() == ["authorization authorizedWhenInUse full", "standard 1 cached", "standard 1"])
    }

    @Test("an agent is asked with the derived identity and the app's words, also about what was asked before it came")
    func agents() throws {
        let daemon = try DaemonFixture(manifests: [:])
        let early = try daemon.connect()
        try early.call("registerAgent")
        let bidirectional = try DaemonClient(path: daemon.socket, uid: 12001).refusal(
            "hello", #"{"protocol":1,"usageDescriptions":{"whenInUse":"Shows\u202eyou."}}"#)
        #expect(bidirectional.code == -32602 && bidirectional.message.contains("usageDescriptions.whenInUse"))
        let app = try daemon.connect(
            uid: 12001, #","app":"maps","usageDescriptions":{"whenInUse":"Shows the way."}"#)
        #expect(try app.call("requestWhenInUseAuthorization")["state"]?.string == "prompted")
        let asked = try early.hear("authorizationRequested")
        let late = try daemon.connect()
        try late.call("registerAgent")
        for question in [asked, try late.hear("authorizationRequested")] {
            #expect(question["identity"]?.string == "uid:12001")
            #expect(question["label"]?.string == "maps")
            #expect(question["uid"]?.int == 12001)
            #expect(question["level"]?.string == "whenInUse")
            #expect(question["usageDescription"]?.string == "Shows the way.")
        }
        let pending = try daemon.asAdministrator("pendingRequests").array ?? []
        #expect(pending.map { $0["request"] } == [asked["request"]])
    }

    @Test("every answer has its effect, closes the question for all, and a later one finds none")
    func answers() throws {
        let daemon = try DaemonFixture(manifests: [:])
        let agents = try (0..<2).map { _ in try daemon.connect() }
        for agent in agents { try agent.call("registerAgent") }
        let cases = [
            ("always", "authorizedAlways"), ("whileUsing", "authorizedWhenInUse"), ("once", "authorizedWhenInUse"),
            ("deny", "denied"),
        ]
        for (index, (answer, status)) in cases.enumerated() {
            let app = try daemon.connect(uid: 12001 + UInt32(index))
            try app.call("startUpdatingLocation")
            let question = try agents[0].hear("authorizationRequested")
            #expect(question["usageDescription"]?.string == "no reason given")
            let number = question["request"]?.int ?? 0
            #expect(number == index + 1)
            let params = #"{"request":\#(number),"answer":"\#(answer)"}"#
            try agents[0].call("answerRequest", params)
            #expect(try app.hear("didChangeAuthorization")["authorizationStatus"]?.string == "\(status)")
            #expect(try agents[1].refusal("answerRequest", params).code == -32005)
            for agent in agents {
                let closed = try agent.hear("authorizationRequestClosed")
                #expect(closed["request"]?.int == number && closed["outcome"]?.string == answer)
            }
            try app.settle()
            #expect(app.trace().contains("fail 1 standard") == (answer == "deny"))
        }
    }

    @Test("always is asked for once more, and what a person means by it is provisional until then")
    func always() throws {
        let daemon = try DaemonFixture(manifests: [:])
        let agent = try daemon.connect()
        try agent.call("registerAgent")
        let app = try daemon.connect(uid: 12001, #","usageDescriptions":{"whenInUse":"a","always":"b"}"#)
        try app.call("requestAlwaysAuthorization")
        let first = try agent.hear("authorizationRequested")
        #expect(first["level"]?.string == "always" && first["usageDescription"]?.string == "b")
        try agent.call("answerRequest", #"{"request":\#(first["request"]?.int ?? 0),"answer":"whileUsing"}"#)
        let granted = try app.hear("didChangeAuthorization")
        #expect(granted["authorizationStatus"]?.string == "authorizedAlways")
        #expect(granted["provisional"]?.bool == true)
        #expect(try app.call("requestAlwaysAuthorization")["state"]?.string == "alreadyDetermined")
        let other = try daemon.connect(uid: 12002, #","usageDescriptions":{"whenInUse":"a","always":"b"}"#)
        try daemon.authorize("uid:12002", "authorizedWhenInUse")
        #expect(try other.call("requestAlwaysAuthorization")["state"]?.string == "prompted")
        let second = try agent.hear("authorizationRequested")
        try agent.call("answerRequest", #"{"request":\#(second["request"]?.int ?? 0),"answer":"deny"}"#)
        #expect(try other.call("requestAlwaysAuthorization")["state"]?.string == "alreadyDetermined")
        #expect(try daemon.app("uid:12002")?["authorizationStatus"]?.string == "authorizedWhenInUse")
    }

    @Test("once lasts as long as the app is in use, whatever happens to the daemon's other clients")
    func once() throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        let app = try daemon.connect(uid: 12001)
        try app.call("startUpdatingLocation")
        try daemon.asAdministrator(
            "authorize", #"{"app":"uid:12001","authorizationStatus":"authorizedWhenInUse","once":true}"#)
        try daemon.fix()
        try app.waitForStandard(1)
        let second = try daemon.connect(uid: 12001)
        app.close()
        try waitUntil("one is gone") { try daemon.app("uid:12001")?["connections"]?.int == 1 }
        #expect(try second.call("startUpdatingLocation")["state"]?.string == "running")
        second.close()
        try waitUntil("it is not in use") { try daemon.app("uid:12001")?["inUse"]?.bool == false }
        #expect(try daemon.app("uid:12001")?["authorizationStatus"]?.string == "notDetermined")
        let third = try daemon.connect(uid: 12001)
        #expect(try third.call("startUpdatingLocation")["state"]?.string == "waitingForAuthorization")
    }

    @Test("decisions outlive a kill and an orderly stop, with who made them", arguments: [Int32(9), 15])
    func persistence(signal: Int32) throws {
        let daemon = try DaemonFixture(manifests: [:])
        try daemon.authorize("uid:12001", "authorizedAlways", "reduced")
        try daemon.authorize("uid:12002", "denied")
        try daemon.authorize("uid:12003", "restricted")
        try daemon.authorize("uid:12004", "authorizedAlways")
        try daemon.asAdministrator("resetAuthorization", #"{"app":"uid:12004"}"#)
        try daemon.restart(kill: signal)
        let expected = [
            "uid:12001": ("authorizedAlways", "reduced"), "uid:12002": ("denied", "full"),
            "uid:12003": ("restricted", "full"),
        ]
        for (identity, (status, accuracy)) in expected {
            let app = try daemon.app(identity) ?? .null
            #expect(app["authorizationStatus"]?.string == status && app["accuracyAuthorization"]?.string == accuracy)
            #expect(app["decidedBy"]?.string == "uid:0" && app["decidedAt"]?.string != nil)
        }
        #expect(try daemon.connect(uid: 12002).call("startUpdatingLocation")["state"]?.string == "denied")
        #expect(try daemon.connect(uid: 12003).call("startUpdatingLocation")["state"]?.string == "denied")
        let reset = try daemon.connect(uid: 12004).call("startUpdatingLocation")
        #expect(reset["state"]?.string == "waitingForAuthorization")
    }

    @Test(
        "services that are off are denied to all, over a kill too, and what was wanted goes on when they are on again")
    func servicesOff() throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        let app = try daemon.startUpdating()
        try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":false}"#)
        try app.wait(for: "fail 1 standard")
        #expect(app.trace() == ["authorization denied full", "fail 1 standard"])
        let refused = try daemon.connect(uid: 0).call("startUpdatingLocation")
        #expect(refused["state"]?.string == "denied")
        #expect(refused["reason"]?.string?.contains("locctl services on") == true)
        try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":true}"#)
        try app.wait(for: "authorization authorizedAlways full")
        try daemon.fix()
        try app.waitForStandard(1)
        try daemon.asAdministrator("setLocationServicesEnabled", #"{"enabled":false}"#)
        try daemon.restart()
        #expect(try daemon.status()["locationServicesEnabled"]?.bool == false)
        #expect(try daemon.connect(uid: 0).call("startUpdatingLocation")["state"]?.string == "denied")
    }

    @Test("a reset asks again what runs, and takes what was not read yet")
    func reset() throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        try daemon.authorize("uid:12001", "authorizedAlways")
        let app = try daemon.connect(uid: 12001)
        let agent = try daemon.connect()
        try agent.call("registerAgent")
        try app.call("startUpdatingLocation")
        try daemon.fix()
        try app.waitForStandard(1)
        try daemon.asAdministrator("resetAuthorization", #"{"app":"uid:12001"}"#)
        #expect(try app.hear("didChangeAuthorization")["authorizationStatus"]?.string == "notDetermined")
        #expect(try agent.hear("authorizationRequested")["identity"]?.string == "uid:12001")
        let live = try daemon.startUpdating()
        try daemon.fix()
        try live.waitForStandard(1)
        try app.settle()
        #expect(app.sequences.count == 1)
    }

    @Test("only administrators decide, and only about what can be an app")
    func administration() throws {
        let daemon = try DaemonFixture(manifests: [:])
        let app = try daemon.connect(uid: 12001)
        let calls = [
            ("apps", nil), ("pendingRequests", nil), ("events", #"{"app":"uid:12001"}"#),
            ("authorize", #"{"app":"uid:12001","authorizationStatus":"authorizedAlways"}"#),
            ("resetAuthorization", #"{"app":"uid:12001"}"#), ("setLocationServicesEnabled", #"{"enabled":false}"#),
            ("registerAgent", nil), ("closeConnection", #"{"connection":1}"#),
            ("answerRequest", #"{"request":1,"answer":"always"}"#),
        ]
        for (method, params) in calls {
            let code = try app.refusal(method, params).code
            #expect(code == -32001, "\(method)")
        }
        let root = try daemon.connect()
        let unknown = try root.refusal("authorize", #"{"app":"gpx","authorizationStatus":"denied"}"#)
        #expect(unknown.code == -32005 && unknown.message.contains("uid:1000"))
        try app.call("startUpdatingLocation")
        // A refused request changes nothing.
        let once = #""app":"uid:12001","authorizationStatus":"authorizedWhenInUse","once":true"#
        #expect(
            try root.refusal("authorize", "{\(once),\"accuracyAuthorization\":\"reduced\"}").code == -32602)
        #expect(try daemon.app("uid:12001")?["authorizationStatus"]?.string == "notDetermined")
        #expect(try app.refusal("answerRequest", #"{"request":1,"answer":"always"}"#).code == -32001)
    }

    @Test("a reduced app gets one coarse place that holds the true one, and neither regions nor anything exact")
    func reduced() throws {
        let daemon = try DaemonFixture(awake + "[Regions]\nDwellSec=0\n", step: 1000, manifests: [:])
        try daemon.authorize("uid:12001", "authorizedAlways", "reduced")
        let app = try daemon.connect(uid: 12001, #","events":true"#)
        try app.call("startUpdatingLocation")
        try app.call("startLiveUpdates", #"{"configuration":"default"}"#)
        try app.call("startMonitoring", DaemonFixture.region("home", radius: 100))
        let live = try daemon.startUpdating()
        try daemon.walk(from: 0, to: 500)
        try live.waitForStandard(110)
        try app.settle()
        let places = app.heard("didUpdateLocations").flatMap { $0["locations"]?.array ?? [] }
        let elements = app.heard("didUpdate").compactMap { $0["location"] }.filter { !$0.isNull }
        #expect(!places.isEmpty && !elements.isEmpty)
        for place in places + elements + [try app.call("location")] {
            let radius = place["horizontalAccuracy"]?.double ?? 0
            #expect((1000...20_000).contains(radius))
            let middle = Coordinate(
                latitude: place["latitude"]?.double ?? 0, longitude: place["longitude"]?.double ?? 0)
            #expect(middle.distance(to: Simulation.home) < radius)
            #expect(place["timestamp"]?.string?.hasSuffix(":00.000Z") == true)
            #expect(
                place.names == [
                    "latitude", "longitude", "horizontalAccuracy", "timestamp", "sequence", "sourceInformation",
                ])
        }
        #expect(Set(places.map { $0["sequence"] }).count == 1)
        #expect(app.heard("didUpdate").allSatisfy { $0["accuracyLimited"]?.bool == true })
        #expect(app.heard("didEnterRegion").isEmpty && app.heard("didExitRegion").isEmpty)
        try app.call("requestState", #"{"identifier":"home"}"#)
        #expect(try app.hear("didDetermineState")["state"]?.string == "unknown")
    }

    @Test("full accuracy for a while is asked for with a reason, ends with use, and is refused as a declined prompt")
    func temporaryFullAccuracy() throws {
        let daemon = try DaemonFixture(manifests: [:])
        let texts =
            #","usageDescriptions":{"whenInUse":"a","temporaryFullAccuracy":{"turns":"Tells you where to turn."}}"#
        try daemon.authorize("uid:12001", "authorizedWhenInUse", "reduced")
        let app = try daemon.connect(uid: 12001, texts)
        func request(_ key: String) throws -> JSON? {
            try app.call("requestTemporaryFullAccuracyAuthorization", #"{"purposeKey":"\#(key)"}"#)
            let told = try app.hear("didRequestTemporaryFullAccuracy")
            #expect(told["purposeKey"]?.string == key)
            return told["error"]
        }
        #expect(try request("turns")?["code"]?.int == 18)
        let agent = try daemon.connect()
        try agent.call("registerAgent")
        #expect(try request("other")?["code"]?.int == 18)
        #expect(try request("turns")?.isNull == true)
        let question = try agent.hear("authorizationRequested")
        #expect(question["level"]?.string == "temporaryFullAccuracy")
        #expect(question["purposeKey"]?.string == "turns")
        #expect(question["usageDescription"]?.string == "Tells you where to turn.")
        try agent.call("answerRequest", #"{"request":\#(question["request"]?.int ?? 0),"answer":"whileUsing"}"#)
        #expect(try app.hear("didChangeAuthorization")["accuracyAuthorization"]?.string == "full")
        #expect(try request("turns")?["code"]?.int == 18)
        app.close()
        try waitUntil("it is not in use") { try daemon.app("uid:12001")?["inUse"]?.bool == false }
        #expect(try daemon.app("uid:12001")?["accuracyAuthorization"]?.string == "reduced")
    }
}
