// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("After a restart", .blocking, .needsOtherUsers)
struct AfterRestartTests {
    private static let rules = "[Limits]\nChangesPerSecond=10000\n[Authorization]\nAlwaysUsers=root 12001\n"
    private static let takes = #","events":true"#

    private static func stored(_ daemon: DaemonFixture, _ app: String) throws -> [Int] {
        try daemon.asAdministrator("events", #"{"app":"\#(app)"}"#).array?.compactMap { $0["event"]?.int } ?? []
    }

    /// An app that watches `home`, is inside and has gone.
    private static func leave(_ daemon: DaemonFixture, _ app: String) throws {
        let client = try daemon.connect(uid: 12001, takes)
        try client.call("startMonitoring", DaemonFixture.region("home"))
        try daemon.stay(at: 0)
        try daemon.waitUntilAccepted()
        client.close()
        try waitUntil("the app is gone") { try daemon.app(app)?["connections"]?.int == 0 }
    }

    @Test("the receiver is wanted for the regions of an app that is not there, and its events are stored")
    func receiver() throws {
        let daemon = try DaemonFixture(awake + noRejoin + AfterRestartTests.rules, step: 1000, manifests: [:])
        try AfterRestartTests.leave(daemon, "uid:12001")
        try daemon.restart()
        try daemon.waitForWatch()
        try daemon.walk(from: 0, to: 400)
        try waitUntil("its event is stored") { try AfterRestartTests.stored(daemon, "uid:12001").count == 1 }
        let live = try daemon.startUpdating()
        try daemon.fix(at: 400)
        try live.waitForStandard(1)
    }

    @Test("an open monitor without a condition is still open for who comes back")
    func emptyMonitor() throws {
        let daemon = try DaemonFixture(AfterRestartTests.rules, manifests: [:])
        let (client, token) = try daemon.connectWithToken()
        try client.call("openMonitor", #"{"name":"places"}"#)
        try daemon.restart()
        let (back, rejoined) = try daemon.rejoin(token)
        #expect(rejoined)
        let condition = #"{"type":"circle",\#(DaemonFixture.circle())}"#
        try back.call("addCondition", #"{"monitor":1,"identifier":"home","condition":\#(condition)}"#)
    }

    @Test("events go on with new numbers, also when nothing was kept of their app in between")
    func numbers() throws {
        let daemon = try DaemonFixture(awake + noRejoin + AfterRestartTests.rules, step: 1000, manifests: [:])
        let first = try daemon.connect(uid: 12001, AfterRestartTests.takes)
        try first.call("startMonitoring", DaemonFixture.region("home"))
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        let last = try first.hear("didExitRegion")["event"]?.int ?? 0
        #expect(last > 0)
        try first.call("acknowledge", #"{"event":\#(last)}"#)
        try first.call("stopMonitoring", #"{"identifier":"home"}"#)
        try daemon.restart()
        let back = try daemon.connect(uid: 12001, AfterRestartTests.takes)
        try back.call("startMonitoringSignificantLocationChanges")
        try back.call("startMonitoring", DaemonFixture.region("home"))
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        #expect(try back.hear("didExitRegion")["event"]?.int ?? 0 > last)
    }

    @Test("an app with stored events is woken, although what woke it is gone")
    func waking() throws {
        let always = "[App]\nUser=12001\n[Authorization]\nDefault=authorizedAlways\n"
        let daemon = try DaemonFixture(awake + noRejoin, step: 1000, manifests: ["gpx": always])
        try AfterRestartTests.leave(daemon, "gpx uid:12001")
        try daemon.walk(from: 0, to: 400)
        let wake = daemon.directory.file("run/wake/gpx")
        try waitUntil("it is woken") { access(wake, F_OK) == 0 }
        try daemon.stop()
        unlink(wake)
        try daemon.start()
        #expect(access(wake, F_OK) == 0)
    }

    @Test("an event that came while a client in use was away for a moment is told to it, stored or not")
    func notStored() throws {
        let daemon = try DaemonFixture(awake, step: 1000, manifests: [:])
        try daemon.authorize("uid:12001", "authorizedWhenInUse")
        let client = try DaemonClient(path: daemon.socket, uid: 12001)
        let token = try client.call("hello", #"{"protocol":1,"events":true}"#)["manager"]?.string ?? ""
        try client.call("startBackgroundActivitySession")
        try client.call("startMonitoring", DaemonFixture.region("home"))
        try daemon.stay(at: 0)
        try daemon.waitUntilAccepted()
        client.close()
        try waitUntil("it is away") { try daemon.app("uid:12001")?["connections"]?.int == 0 }
        try daemon.walk(from: 0, to: 400)
        try daemon.waitUntilAccepted()
        let back = try DaemonClient(path: daemon.socket, uid: 12001)
        let greeting = try back.call("hello", #"{"protocol":1,"events":true,"manager":"\#(token)"}"#)
        #expect(greeting["rejoined"]?.bool == true)
        try back.hear("didExitRegion")
    }
}

@Suite(
    "A service that rules for units allow", .serialized, .blocking,
    .enabled(if: OtherUser.isPossible && UnitProcess.isPossible, "needs root and control groups"))
struct UnitRulesTests {
    private static let rules = awake + noRejoin + "[Authorization]\nAlwaysUnits=\(UnitProcess.service)\n"

    @Test(
        "is allowed while no process of it is there, too: over a restart and a reload its events are stored and kept",
        arguments: [nil, "[App]\nUnit=\(UnitProcess.service)\n", "[App]\nUser=12001\nUnit=\(UnitProcess.service)\n"])
    func absent(manifest: String?) throws {
        let daemon = try DaemonFixture(
            UnitRulesTests.rules, step: 1000, manifests: manifest.map { ["logger": $0] } ?? [:])
        chmod(daemon.directory.path, 0o711)
        let app = "\(manifest == nil ? "unit:\(UnitProcess.service)" : "logger") uid:12001"
        let unit = try UnitProcess(daemon, uid: 12001)
        let greeting = try unit.ask(1, "hello", #"{"protocol":1,"events":true}"#)
        #expect(greeting.contains("\"\(app)\"") && greeting.contains("authorizedAlways"), "\(greeting)")
        #expect(try unit.ask(2, "startMonitoring", DaemonFixture.region("home")).contains("result"))
        try daemon.stay(at: 0)
        try daemon.waitUntilAccepted()
        try unit.end()
        try waitUntil("it is gone") { try daemon.app(app)?["connections"]?.int == 0 }
        try daemon.restart()
        #expect(try daemon.app(app)?["authorizationStatus"]?.string == "authorizedAlways")
        try daemon.walk(from: 0, to: 400)
        func stored() throws -> Int { try daemon.asAdministrator("events", #"{"app":"\#(app)"}"#).array?.count ?? 0 }
        try waitUntil("its event is stored") { try stored() == 1 }
        try daemon.reload(UnitRulesTests.rules)
        #expect(try stored() == 1)
        try daemon.restart()
        #expect(try stored() == 1)
    }
}
