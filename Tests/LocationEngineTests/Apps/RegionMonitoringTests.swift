// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Regions of an app")
struct RegionMonitoringTests {
    private static func bench(_ authorization: Authorization = .always) -> (EngineBench, ManagerID) {
        var bench = EngineBench(authorization: authorization)
        let client = bench.greet()
        _ = bench.lines(client)
        return (bench, client)
    }

    @Test("starting says so; inside at the start is no entry, and requestState knows (M4)")
    func inside() {
        var (bench, client) = Self.bench()
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.ask(client, .requestState(identifier: "home"))
        #expect(bench.lines(client) == ["reply running", "home started", "reply running", "home is unknown"])
        bench.travel(3, metres: 0)
        #expect(bench.lines(client) == ["home is inside"])
        bench.ask(client, .requestState(identifier: "home"))
        #expect(bench.lines(client) == ["reply running", "home is inside"])
        bench.ask(client, .requestState(identifier: "work"))
        guard case .reply(let reply)? = bench.connections[client]?.lines.last?.line else { return #expect(Bool(false)) }
        #expect(reply.refusal == .notFound)
        #expect(bench.violations == [])
    }

    @Test("a crossing is told to every client of the app, then the state (M8)")
    func everyone() {
        var (bench, client) = Self.bench()
        let other = bench.greet()
        bench.authorize(.always, app: 1)
        let stranger = bench.greet(app: 1)
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(3, metres: 0)
        _ = (bench.lines(client), bench.lines(other), bench.lines(stranger))
        bench.travel(60, from: 1000, metres: 0)
        for listener in [client, other] {
            #expect(bench.lines(listener) == ["exit home event 1", "home is outside"])
        }
        #expect(bench.lines(stranger) == [])
        #expect(bench.violations == [])
    }

    @Test(
        "the flags gate the callbacks and not the state (M7)",
        arguments: [(true, false), (false, true), (false, false)])
    func flags(entry: Bool, exit: Bool) {
        var (bench, client) = Self.bench()
        bench.ask(client, .startMonitoring(.circle("home", entry: entry, exit: exit)))
        bench.travel(3, metres: 0)
        _ = bench.lines(client)
        bench.travel(60, from: 1000, metres: 0)
        bench.travel(60, metres: 0)
        var expected = exit ? ["exit home event 1"] : []
        expected.append("home is outside")
        if entry { expected.append("enter home event 1") }
        #expect(bench.lines(client) == expected + ["home is inside"])
        #expect(bench.violations == [])
    }

    @Test("the 21st fails with 5 and the others go on; one of the same name replaces and has room (M1, M3)")
    func limit() {
        var (bench, client) = Self.bench()
        let other = bench.greet()
        for number in 1...20 { bench.ask(number % 2 == 0 ? client : other, .startMonitoring(.circle("r\(number)"))) }
        _ = bench.lines(client)
        bench.ask(client, .startMonitoring(.circle("r21")))
        bench.ask(client, .startMonitoring(.circle("r7", at: 5000)))
        #expect(bench.lines(client) == ["reply running", "r21 failed 5", "reply running", "r7 started"])
        let app = AppID(rawValue: 0)
        #expect(bench.engine.monitoredRegions(of: app).count == 20)
        #expect(bench.engine.region("r7", of: app)?.region == .circle("r7", at: 5000))
        bench.travel(3, from: 5000, metres: 0)
        #expect(bench.engine.region("r7", of: app)?.state == .inside)
        #expect(bench.engine.region("r8", of: app)?.state == .outside)
        bench.ask(client, .stopMonitoring(identifier: "r7"))
        bench.ask(client, .startMonitoring(.circle("r21")))
        #expect(bench.lines(client) == ["reply", "reply running", "r21 started"])
        #expect(bench.violations == [])
    }

    @Test("a radius over the greatest fails with 5 (M2)")
    func radius() {
        var (bench, client) = Self.bench()
        let greatest = EngineConfiguration().maximumRegionRadius
        bench.ask(client, .startMonitoring(.circle("wide", radius: greatest + 1)))
        bench.ask(client, .startMonitoring(.circle("wide", radius: greatest)))
        #expect(bench.lines(client) == ["reply running", "wide failed 5", "reply running", "wide started"])
    }

    @Test("denied fails with 4; undetermined asks, and begins with consent")
    func consent() {
        var (bench, client) = Self.bench(.denied)
        bench.ask(client, .startMonitoring(.circle("home")))
        #expect(bench.lines(client) == ["reply denied", "home failed 4"])
        bench.authorize(.undetermined)
        _ = bench.lines(client)
        bench.ask(client, .startMonitoring(.circle("home")))
        #expect(bench.lines(client) == ["reply waitingForAuthorization", "home started"])
        bench.travel(60, metres: 0)
        bench.travel(60, from: 1000, metres: 0)
        bench.answer(.always)
        bench.travel(60, metres: 0)
        bench.travel(60, from: 1000, metres: 0)
        // The first state after consent is silent.
        #expect(
            bench.lines(client) == ["authorization authorizedAlways full", "exit home event 1", "home is outside"])
        #expect(bench.violations == [])
    }

    @Test("reduced accuracy gives no events, and costs nothing (A9)")
    func reduced() {
        var (bench, client) = Self.bench(.reduced)
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(60, metres: 0)
        bench.travel(60, from: 1000, metres: 0)
        #expect(bench.lines(client) == ["reply running", "home started"])
        #expect(bench.engine.powerReport(at: bench.now).policy == .off)
        #expect(bench.violations == [])
    }

    @Test("outlive the client and the daemon; a crossing meanwhile is told once (M9)")
    func killed() {
        var (bench, client) = Self.bench()
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(3, metres: 0)
        bench.close(client)
        bench.kill()
        #expect(bench.engine.monitoredRegions(of: AppID(rawValue: 0)) == [.circle("home")])
        bench.travel(60, from: 1000, metres: 0)
        bench.kill()
        bench.travel(60, from: 1000, metres: 0)
        let back = bench.greet()
        #expect(bench.lines(back).last == "exit home event 1")
        #expect(bench.violations == [])
    }

    @Test("what happened between two consents is not told, in another process neither")
    func consentBetween() {
        var (bench, client) = Self.bench()
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(3, metres: 0)
        bench.authorize(.denied)
        bench.authorize(.always)
        bench.kill()
        bench.travel(60, from: 1000, metres: 0)
        let back = bench.greet()
        #expect(bench.lines(back) == ["authorization authorizedAlways full initial"])
        #expect(bench.violations == [])
    }

    @Test("far away the receiver sleeps, and is off when the last region is gone")
    func power() {
        var (bench, client) = Self.bench()
        bench.ask(client, .startMonitoring(.circle("far", at: 20_000)))
        bench.receive(for: 3600) { _ in 0 }
        #expect(bench.onSeconds < 360)
        #expect(bench.engine.powerReport(at: bench.now).policy == .dutyCycled)
        bench.ask(client, .stopMonitoring(identifier: "far"))
        #expect(bench.engine.powerReport(at: bench.now).policy == .off)
        #expect(bench.engine.nextWake == nil)
        #expect(bench.violations == [])
    }
}
