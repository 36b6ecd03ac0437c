// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("Decisions", .blocking, .needsOtherUsers)
struct DecisionsTests {
    private static let agent = "[App]\nUser=12001\nGroup=12900\nAgent=yes\n"

    @Test("that are refused change nothing: once takes no accuracy, and accuracy alone is no decision")
    func refused() throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        let app = try daemon.connect(uid: 12001)
        try app.call("startUpdatingLocation")
        let root = try daemon.connect()
        let words = [
            #""authorizationStatus":"authorizedWhenInUse","once":true,"accuracyAuthorization":"reduced""#,
            #""authorizationStatus":"authorizedWhenInUse","once":true,"accuracyAuthorization":"full""#,
            #""accuracyAuthorization":"reduced""#,
        ]
        for word in words {
            #expect(try root.refusal("authorize", #"{"app":"uid:12001",\#(word)}"#).code == -32602, "\(word)")
            let status = try daemon.app("uid:12001")
            #expect(status?["authorizationStatus"]?.string == "notDetermined")
            #expect(status?["decidedBy"]?.string == nil)
        }
        try app.settle()
        #expect(app.heard("didChangeAuthorization").count == 1)
    }

    @Test("for once are no more precise than those on record, which a restart finds as they were")
    func once() throws {
        let daemon = try DaemonFixture(awake + noRejoin, manifests: [:])
        try daemon.authorize("uid:12001", "denied", "reduced")
        let app = try daemon.connect(uid: 12001)
        try daemon.asAdministrator(
            "authorize", #"{"app":"uid:12001","authorizationStatus":"authorizedWhenInUse","once":true}"#)
        try app.wait(for: "authorization authorizedWhenInUse reduced")
        try daemon.restart()
        let status = try daemon.app("uid:12001")
        #expect(status?["authorizationStatus"]?.string == "denied")
        #expect(status?["accuracyAuthorization"]?.string == "reduced")
        #expect(status?["decidedBy"]?.string == "uid:0")
    }

    @Test(
        "outlive all else: what is configured does not outweigh a refusal whose database is damaged or gone",
        arguments: ["schema", "gone"])
    func damaged(how: String) throws {
        let daemon = try DaemonFixture(
            awake + noRejoin + "[Authorization]\nAlwaysUsers=root 12001 12002\n", manifests: [:])
        try daemon.authorize("uid:12001", "denied", "reduced")
        try daemon.authorize("uid:12002", "restricted")
        try daemon.asAdministrator("resetAuthorization", #"{"app":"uid:12002"}"#)
        try daemon.stop()
        let state = daemon.directory.file("state/locationd.sqlite")
        for suffix in ["-wal", "-shm"] { unlink(state + suffix) }
        unlink(state)
        if how == "schema" {
            try daemon.directory.write([UInt8](repeating: 0xA5, count: 40_960), to: "state/locationd.sqlite")
        }
        try daemon.start()
        #expect(try daemon.connect(uid: 12001).call("startUpdatingLocation")["state"]?.string == "denied")
        #expect(try daemon.connect(uid: 12002).call("startUpdatingLocation")["state"]?.string == "running")
        let status = try daemon.app("uid:12001")
        #expect(status?["accuracyAuthorization"]?.string == "reduced" && status?["decidedBy"]?.string == "uid:0")
        let note = "took 1 decision of people from \(state).decisions"
        #expect(daemon.journal.contains(note), "\(daemon.journal)")
        let repairs = try daemon.status()["daemon"]?["stateRepairs"]?.array?.compactMap(\.string) ?? []
        #expect(repairs.contains { $0.hasPrefix(note) }, "\(repairs)")
        try daemon.restart()
        #expect(try daemon.connect(uid: 12001).call("startUpdatingLocation")["state"]?.string == "denied")
        #expect(try daemon.status()["daemon"]?["stateRepairs"] == nil)
    }

    @Test("that nothing can be written beside hold, too, when their database cannot be read")
    func readOnly() throws {
        let daemon = try DaemonFixture(
            awake + noRejoin + "[Authorization]\nAlwaysUsers=root 12001\n", manifests: [:], stateKilobytes: 512)
        try daemon.authorize("uid:12001", "denied")
        try daemon.stop()
        try daemon.directory.write([UInt8](repeating: 0xA5, count: 40_960), to: "state/locationd.sqlite")
        let state = daemon.directory.file("state")
        let isReadOnly = mount("locationd-test", state, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0
        try #require(isReadOnly)
        try daemon.start()
        #expect(try daemon.connect(uid: 12001).call("startUpdatingLocation")["state"]?.string == "denied")
    }

    @Test("for once hold for a client that takes its manager back from the next daemon, and for nobody who comes anew")
    func onceOverRestart() throws {
        let daemon = try DaemonFixture(awake, manifests: [:])
        let app = try DaemonClient(path: daemon.socket, uid: 12001)
        let token = try app.call("hello", #"{"protocol":1}"#)["manager"]?.string ?? ""
        try app.call("startUpdatingLocation")
        try daemon.asAdministrator(
            "authorize", #"{"app":"uid:12001","authorizationStatus":"authorizedWhenInUse","once":true}"#)
        try app.wait(for: "authorization authorizedWhenInUse full")
        try daemon.restart()
        let back = try DaemonClient(path: daemon.socket, uid: 12001)
        let reply = try back.call("hello", #"{"protocol":1,"manager":"\#(token)"}"#)
        #expect(reply["rejoined"]?.bool == true)
        #expect(reply["authorizationStatus"]?.string == "authorizedWhenInUse")
        try daemon.fix()
        try back.waitForStandard(1)
        back.close()
        try waitUntil("its use is over") {
            try daemon.app("uid:12001")?["authorizationStatus"]?.string == "notDetermined"
        }
        try daemon.restart()
        let late = try DaemonClient(path: daemon.socket, uid: 12001)
        let again = try late.call("hello", #"{"protocol":1,"manager":"\#(token)"}"#)
        #expect(again["authorizationStatus"]?.string == "notDetermined")
    }

    @Test("that a manifest takes back at a reload hold for apps that are connected, too, and for agents")
    func manifest() throws {
        let daemon = try DaemonFixture(
            awake,
            manifests: [
                "desk": DecisionsTests.agent,
                "gpx": "[App]\nUser=12002\n[Authorization]\nDefault=authorizedAlways\n",
            ])
        let app = try daemon.connect(uid: 12002)
        let agent = try daemon.connect(uid: 12001, gid: 12900)
        try agent.call("registerAgent")
        let asking = try daemon.connect(uid: 12001)
        try asking.call("startUpdatingLocation")
        let question = try agent.hear("authorizationRequested")["request"]?.int ?? 0
        #expect(try app.call("startUpdatingLocation")["state"]?.string == "running")
        try daemon.directory.write("[App]\nUser=12002\n[Authorization]\nDefault=denied\n", to: "apps.d/gpx.conf")
        try daemon.directory.write("[App]\nUser=12001\nGroup=12900\n", to: "apps.d/desk.conf")
        try daemon.reload(awake)
        try app.wait(for: "fail 1 standard")
        #expect(try daemon.app("gpx uid:12002")?["authorizationStatus"]?.string == "denied")
        let refusal = try agent.refusal("answerRequest", #"{"request":\#(question),"answer":"always"}"#)
        #expect(refusal.code == -32001)
        #expect(try agent.refusal("registerAgent").code == -32001)
        #expect(try daemon.app("uid:12001")?["authorizationStatus"]?.string == "notDetermined")
    }

    @Test("are asked for with the words of the client that asks, also where it is not the first of its app")
    func words() throws {
        let daemon = try DaemonFixture(manifests: [:])
        let agent = try daemon.connect()
        try agent.call("registerAgent")
        let first = try DaemonClient(path: daemon.socket, uid: 12001)
        try first.call("getProperties")
        let second = try daemon.connect(uid: 12001, #","usageDescriptions":{"whenInUse":"for the map"}"#)
        try second.call("requestWhenInUseAuthorization")
        #expect(try agent.hear("authorizationRequested")["usageDescription"]?.string == "for the map")
    }

    @Test("of other users' questions are not an agent's to hear")
    func closed() throws {
        let daemon = try DaemonFixture(manifests: ["desk": DecisionsTests.agent])
        let agent = try daemon.connect(uid: 12001, gid: 12900)
        try agent.call("registerAgent")
        let (own, other) = (try daemon.connect(uid: 12001), try daemon.connect(uid: 12002))
        for (client, app) in [(other, "uid:12002"), (own, "uid:12001")] {
            try client.call("startUpdatingLocation")
            try daemon.authorize(app, "denied")
        }
        let heard = try agent.hear("authorizationRequestClosed")
        let asked = try agent.hear("authorizationRequested")
        #expect(heard["request"] == asked["request"] && asked["identity"]?.string == "uid:12001")
        try agent.settle()
        #expect(agent.heard("authorizationRequestClosed").count == 1)
    }

    @Test("bear the name of who made them, whatever others do later")
    func decider() throws {
        let daemon = try DaemonFixture(manifests: ["desk": DecisionsTests.agent])
        let agent = try daemon.connect(uid: 12001, gid: 12900)
        try agent.call("registerAgent")
        let app = try daemon.connect(
            uid: 12001, #","usageDescriptions":{"whenInUse":"for the map","always":"for the trail"}"#)
        try app.call("requestWhenInUseAuthorization")
        let question = try agent.hear("authorizationRequested")["request"]?.int ?? 0
        try agent.call("answerRequest", #"{"request":\#(question),"answer":"whileUsing"}"#)
        try daemon.authorize("uid:12002", "denied")
        #expect(try app.call("requestAlwaysAuthorization")["state"]?.string == "prompted")
        #expect(try daemon.app("uid:12001")?["decidedBy"]?.string == "desk uid:12001")
    }
}
