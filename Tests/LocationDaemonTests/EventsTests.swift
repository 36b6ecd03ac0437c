// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationTestSupport
import Testing

@Suite("Events of an absent app", .blocking, .needsOtherUsers)
struct EventsTests {
    private static let always = "[App]\nUser=12001\n[Authorization]\nDefault=authorizedAlways\n"
    private static let takes = #","events":true"#

    private static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// A daemon whose only app watches `home`, is inside and has gone.
    private static func left(_ configuration: String = awake, inside: Bool = true) throws -> DaemonFixture {
        let daemon = try DaemonFixture(configuration, step: 1000, manifests: ["gpx": EventsTests.always])
        let app = try daemon.connect(uid: 12001, EventsTests.takes)
        try app.call("startMonitoring", DaemonFixture.region("home"))
        try daemon.stay(at: 0)
        try daemon.waitUntilAccepted()
        app.close()
        try waitUntil("the app is gone") { try daemon.app("gpx uid:12001")?["connections"]?.int == 0 }
        return daemon
    }

    private static func stored(_ daemon: DaemonFixture) throws -> [Int] {
        try daemon.asAdministrator("events", #"{"app":"gpx uid:12001"}"#).array?.compactMap { $0["event"]?.int } ?? []
    }

    @Test("are stored, wake it, and are told oldest first on every connection until each is acknowledged, then never")
    func redelivery() throws {
        let daemon = try EventsTests.left()
        let wake = daemon.directory.file("run/wake/gpx")
        #expect(!EventsTests.exists(wake))
        try daemon.walk(from: 0, to: 400)
        try daemon.walk(from: 400, to: 0)
        try waitUntil("two events are stored") { try EventsTests.stored(daemon).count == 2 }
        let numbers = try EventsTests.stored(daemon)
        #expect(EventsTests.exists(wake) && numbers == numbers.sorted())
        let deaf = try daemon.connect(uid: 12001)
        try deaf.settle()
        #expect(deaf.events.isEmpty && EventsTests.exists(wake))
        for kill in [false, true] {
            if kill { try daemon.restart() }
            for _ in 0..<2 {
                let app = try daemon.connect(uid: 12001, EventsTests.takes)
                try app.settle()
                #expect(app.events == numbers)
                #expect(app.trace() == ["didExitRegion", "didEnterRegion"])
                #expect(!EventsTests.exists(wake))
            }
        }
        let app = try daemon.connect(uid: 12001, EventsTests.takes)
        // Not cumulative, and idempotent.
        for _ in 0..<2 { try app.call("acknowledge", #"{"event":\#(numbers[1])}"#) }
        #expect(try app.refusal("acknowledge", #"{"event":\#(numbers[1] + 100)}"#).code == -32005)
        try daemon.restart()
        let second = try daemon.connect(uid: 12001, EventsTests.takes)
        try second.settle()
        #expect(second.events == [numbers[0]])
        try second.call("acknowledge", #"{"event":\#(numbers[0])}"#)
        try daemon.restart()
        let third = try daemon.connect(uid: 12001, EventsTests.takes)
        try third.call("startMonitoring", DaemonFixture.region("home"))
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        let next = try third.hear("didExitRegion")["event"]?.int ?? 0
        #expect(next > numbers[1], "numbers are never used again")
        #expect(third.events == [next])
    }

    @Test("are bounded, and the app is told how many were lost")
    func dropped() throws {
        let daemon = try EventsTests.left(awake + "[Events]\nPerApp=2\n")
        try daemon.walk(from: 0, to: 400)
        try daemon.walk(from: 400, to: 0)
        try daemon.walk(from: 0, to: 400)
        try waitUntil("one is lost") { try daemon.app("gpx uid:12001")?["eventsDropped"]?.int == 1 }
        try daemon.restart()
        let app = try DaemonClient(path: daemon.socket, uid: 12001)
        let greeting = try app.call("hello", #"{"protocol":1,"events":true}"#)
        #expect(greeting["eventsDropped"]?.int == 1)
        try app.settle()
        #expect(app.trace().filter { $0.hasSuffix("Region") } == ["didEnterRegion", "didExitRegion"])
    }

    @Test("are thrown away with the consent for them, in another process too")
    func revoked() throws {
        let daemon = try EventsTests.left(awake + noRejoin)
        try daemon.walk(from: 0, to: 400)
        try waitUntil("an event is stored") { try EventsTests.stored(daemon).count == 1 }
        try daemon.authorize("gpx uid:12001", "denied")
        #expect(try EventsTests.stored(daemon).isEmpty)
        #expect(!EventsTests.exists(daemon.directory.file("run/wake/gpx")))
        try daemon.authorize("gpx uid:12001", "authorizedAlways")
        try daemon.restart()
        let app = try daemon.connect(uid: 12001, EventsTests.takes)
        try app.settle()
        #expect(app.events.isEmpty)
        // A denial forgets what an absent app had kept.
        #expect(try app.call("monitoredRegions").array?.isEmpty == true)
    }

    @Test("are neither stored nor told later while it may know only in use")
    func whenInUse() throws {
        let daemon = try EventsTests.left()
        try daemon.authorize("gpx uid:12001", "authorizedWhenInUse")
        let live = try daemon.startUpdating()
        try daemon.walk(from: 0, to: 400)
        try daemon.waitUntilAccepted()
        try live.settle()
        #expect(try EventsTests.stored(daemon).isEmpty)
        #expect(!EventsTests.exists(daemon.directory.file("run/wake/gpx")))
        let app = try daemon.connect(uid: 12001, EventsTests.takes)
        try daemon.stay(at: 400)
        try daemon.walk(from: 400, to: 0)
        #expect(try app.hear("didEnterRegion")["event"] == nil)
        try app.settle()
        #expect(app.heard("didEnterRegion").count == 1)
        // A condition is silent until its event is acknowledged, so that this has a number.
        let home = #"{"type":"circle",\#(DaemonFixture.circle(at: 0))}"#
        try app.call("openMonitor", #"{"name":"places"}"#)
        try app.call("addCondition", #"{"monitor":1,"identifier":"home","condition":\#(home)}"#)
        try daemon.stay(at: 0)
        let number = try #require(try app.hear("monitorEvent")["event"]?.int)
        try app.call("acknowledge", #"{"event":\#(number)}"#)
        try daemon.walk(from: 0, to: 400)
        #expect(try app.hear("monitorEvent")["state"]?.string == "unsatisfied")
        #expect(try EventsTests.stored(daemon).isEmpty)
    }

    @Test("hold the newest significant change only, and that is told after the next start of its service")
    func significantChange() throws {
        let daemon = try DaemonFixture(
            awake + noRejoin + "[SignificantChange]\nIntervalSec=0\n", step: 1000,
            manifests: ["gpx": EventsTests.always])
        let app = try daemon.connect(uid: 12001, EventsTests.takes)
        try app.call("startMonitoringSignificantLocationChanges")
        try daemon.fix()
        try app.wait(for: "significantChange 1")
        app.close()
        try waitUntil("the app is gone") { try daemon.app("gpx uid:12001")?["connections"]?.int == 0 }
        let live = try daemon.startUpdating()
        for place in [600.0, 1200, 1800] { try daemon.fix(at: place) }
        try live.waitForStandard(3)
        try waitUntil("one event is stored") { try EventsTests.stored(daemon).count == 1 }
        try daemon.restart()
        let back = try daemon.connect(uid: 12001, EventsTests.takes)
        try back.settle()
        #expect(back.trace().isEmpty)
        try back.call("startMonitoringSignificantLocationChanges")
        try back.wait("the change") { back.events.count == 1 }
        let change = back.heard("didUpdateLocations").first { $0["event"] != nil } ?? .null
        #expect(change["source"]?.string == "significantChange")
        #expect(abs((change["locations"]?.array?.first?["latitude"]?.double ?? 0) - 45.0162) < 0.001)
        try back.call("acknowledge", #"{"event":\#(back.events[0])}"#)
        try back.call("stopMonitoringSignificantLocationChanges")
        try back.call("startMonitoringSignificantLocationChanges")
        try back.settle()
        #expect(back.events.count == 1)
    }

    @Test("never have a number that another one had, whatever the daemon has forgotten of the app meanwhile")
    func numbers() throws {
        let daemon = try EventsTests.left(
            awake + noRejoin + "[SignificantChange]\nIntervalSec=0\n")
        try daemon.walk(from: 0, to: 400)
        try waitUntil("an event is stored") { try EventsTests.stored(daemon) == [1] }
        let app = try daemon.connect(uid: 12001, EventsTests.takes)
        try app.call("acknowledge", #"{"event":1}"#)
        try app.call("stopMonitoring", #"{"identifier":"home"}"#)
        try daemon.restart()
        let second = try daemon.connect(uid: 12001, EventsTests.takes)
        try second.call("startMonitoringSignificantLocationChanges")
        try daemon.fix()
        try second.wait(for: "significantChange 1")
        second.close()
        try waitUntil("the app is gone") { try daemon.app("gpx uid:12001")?["connections"]?.int == 0 }
        let live = try daemon.startUpdating()
        try daemon.fix(at: 600)
        try live.waitForStandard(1)
        try waitUntil("an event is stored") { try EventsTests.stored(daemon).count == 1 }
        #expect(try EventsTests.stored(daemon) == [2])
    }

    @Test("wake their app again when the daemon starts, since files that would are gone after a boot")
    func wokenAgain() throws {
        let daemon = try EventsTests.left()
        try daemon.walk(from: 0, to: 400)
        try waitUntil("an event is stored") { try EventsTests.stored(daemon).count == 1 }
        try daemon.stop(SIGTERM)
        let wake = daemon.directory.file("run/wake/gpx")
        unlink(wake)
        rmdir(daemon.directory.file("run/wake"))
        try daemon.emptyRuntimeDirectory()
        try daemon.start()
        #expect(EventsTests.exists(wake))
        let app = try daemon.connect(uid: 12001, EventsTests.takes)
        #expect(!EventsTests.exists(wake))
        try app.call("acknowledge", #"{"event":1}"#)
        try daemon.restart()
        #expect(!EventsTests.exists(wake))
    }

    @Test("are told at once to all connections that are there, and stay until one that takes them has acknowledged")
    func connected() throws {
        let daemon = try EventsTests.left()
        let deaf = try daemon.connect(uid: 12001)
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        try deaf.hear("didExitRegion")
        #expect(try EventsTests.stored(daemon) == [1])
        #expect(!EventsTests.exists(daemon.directory.file("run/wake/gpx")))
        let takers = try (0..<2).map { _ in try daemon.connect(uid: 12001, EventsTests.takes) }
        try daemon.walk(from: 400, to: 0)
        for taker in takers {
            try taker.hear("didEnterRegion")
            #expect(taker.events == [1, 2])
        }
        try takers[0].call("acknowledge", #"{"event":2}"#)
        try deaf.call("acknowledge", #"{"event":1}"#)
        try daemon.restart()
        let back = try daemon.connect(uid: 12001, EventsTests.takes)
        try back.settle()
        #expect(back.events.isEmpty)
    }

    @Test("begin when somebody decides that they may, for what was asked before that, over a kill too")
    func undecided() throws {
        let daemon = try DaemonFixture(awake, step: 1000, manifests: [:])
        let app = try daemon.connect(uid: 12002, EventsTests.takes)
        let reply = try app.call("startMonitoring", DaemonFixture.region("home"))
        #expect(reply["state"]?.string == "waitingForAuthorization")
        try app.hear("didStartMonitoring")
        try daemon.restart()
        let live = try daemon.startUpdating()
        let back = try daemon.connect(uid: 12002, EventsTests.takes)
        try daemon.stay(at: 0)
        try daemon.walk(from: 0, to: 400)
        try live.waitForStandard(160)
        try back.call("requestState", #"{"identifier":"home"}"#)
        #expect(try back.hear("didDetermineState")["state"]?.string == "unknown")
        try daemon.authorize("uid:12002", "authorizedAlways")
        try daemon.stay(at: 400)
        try daemon.walk(from: 400, to: 0)
        try back.hear("didEnterRegion")
        #expect(back.events.count == 1 && back.heard("didExitRegion").isEmpty)
    }

    @Test("of one label are not another's")
    func labels() throws {
        let daemon = try EventsTests.left()
        try daemon.walk(from: 0, to: 400)
        try waitUntil("an event is stored") { try EventsTests.stored(daemon).count == 1 }
        let labelled = try daemon.connect(uid: 12001, #","app":"helper","events":true"#)
        try labelled.settle()
        #expect(labelled.events.isEmpty)
        #expect(try labelled.refusal("acknowledge", #"{"event":1}"#).code == -32005)
    }
}
