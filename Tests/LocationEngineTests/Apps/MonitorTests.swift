// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Named monitors")
struct MonitorTests {
    private static let app = AppID(rawValue: 0)

    /// A client that has the monitor `m` open, number 1, with the condition `home`.
    private static func bench(
        _ authorization: Authorization = .always, assuming: ConditionState = .unknown
    ) -> (EngineBench, ManagerID) {
        var bench = EngineBench(authorization: authorization)
        let client = bench.greet()
        bench.ask(client, .openMonitor(name: "m"))
        bench.ask(client, .add("home", .round(), assuming: assuming))
        _ = bench.lines(client)
        return (bench, client)
    }

    private static func refusal(_ bench: EngineBench, _ manager: ManagerID) -> EngineRefusal? {
        guard case .reply(let reply)? = bench.connections[manager]?.lines.last?.line else { return nil }
        return reply.refusal
    }

    private static func lastState(_ bench: EngineBench) -> ConditionState? {
        bench.engine.conditions(ofMonitor: "m", of: app).first?.lastEvent.state
    }

    @Test("only changes are told, and lastEvent moves when one is taken (C1m, C2m)")
    func changes() {
        var (bench, client) = Self.bench()
        bench.travel(60, metres: 0)
        #expect(bench.lines(client) == ["m/home satisfied event 1"])
        #expect(Self.lastState(bench) == .unknown)
        bench.ask(client, .acknowledge(event: 1))
        #expect(Self.lastState(bench) == .satisfied)
        bench.travel(60, metres: 0)
        #expect(bench.lines(client) == ["reply"])
        bench.travel(60, from: 1000, metres: 0)
        #expect(bench.lines(client) == ["m/home unsatisfied event 2"])
        #expect(bench.violations == [])
    }

    @Test("a condition may be larger than a region may be")
    func large() {
        var (bench, client) = Self.bench()
        let wide = RegionShape.round(0, 2 * EngineConfiguration().maximumRegionRadius)
        bench.ask(client, .addCondition(ConditionParameters(monitor: 1, identifier: "wide", condition: wide)))
        bench.travel(60, from: 1000, metres: 0)
        #expect(bench.lines(client).contains("m/wide satisfied event 1"))
    }

    @Test("a condition rests until its event is taken, and tells then what changed meanwhile")
    func rests() {
        var (bench, client) = Self.bench()
        bench.travel(60, metres: 0)
        bench.travel(60, from: 1000, metres: 0)
        #expect(bench.lines(client) == ["m/home satisfied event 1"])
        bench.ask(client, .acknowledge(event: 1))
        #expect(bench.lines(client) == ["reply", "m/home unsatisfied event 2"])
        // To and fro is no change.
        bench.travel(60, metres: 0)
        bench.travel(60, from: 1000, metres: 0)
        bench.ask(client, .acknowledge(event: 2))
        #expect(bench.lines(client) == ["reply"])
        #expect(bench.violations == [])
    }

    @Test("what changed while an event waited has the date of its change, however late that event is taken")
    func dates() {
        var dates: [WallTime] = []
        for isLate in [false, true] {
            var (bench, client) = Self.bench()
            for place in [0.0, 1000, 0, 1000] {
                bench.travel(60, from: place, metres: 0)
                if !isLate, case .event(let event, _)? = bench.connections[client]?.lines.last?.line, event.number < 4 {
                    bench.ask(client, .acknowledge(event: event.number))
                }
            }
            bench.travel(600, from: 1000, metres: 0)
            if isLate { bench.ask(client, .acknowledge(event: 1)) }
            guard case .event(let event, _)? = bench.connections[client]?.lines.last?.line,
                case .monitor(_, _, let told) = event.content, told.state == .unsatisfied, told.date == event.date
            else { return #expect(Bool(false)) }
            dates.append(event.date)
        }
        #expect(dates[0] == dates[1])
    }

    private enum End: CaseIterable { case handOver, killWithRecords, kill }

    /// Ends the daemon; returns the client that holds the monitor then.
    private static func end(_ end: End, _ bench: inout EngineBench, _ client: ManagerID) -> ManagerID {
        if end == .handOver {
            bench.restart()
            return client
        }
        bench.kill()
        guard end == .kill else {
            bench.attach(client)
            return client
        }
        bench.close(client)
        let back = bench.greet()
        bench.ask(back, .openMonitor(name: "m"))
        return back
    }

    private static func lastEvent(_ bench: EngineBench, _ client: ManagerID) -> ConditionEvent? {
        guard case .event(let event, _)? = bench.connections[client]?.lines.last?.line,
            case .monitor(_, _, let told) = event.content
        else { return nil }
        return told
    }

    @Test(
        "what changed while an event waited is told after any end of the daemon, with the date of the change",
        arguments: End.allCases, [false, true])
    private func found(end: End, isAcknowledgedAtOnce: Bool) throws {
        var (bench, client) = Self.bench()
        for place in [0.0, 1000] { bench.travel(60, from: place, metres: 0) }
        let change = bench.wallTime
        client = Self.end(end, &bench, client)
        if !isAcknowledgedAtOnce { bench.travel(60, from: 1000, metres: 0) }
        bench.ask(client, .acknowledge(event: 1))
        let told = try #require(Self.lastEvent(bench, client))
        #expect(told.state == .unsatisfied && told.date < change, "\(told.date) is not before \(change)")
        #expect(bench.violations == [])
    }

    @Test("what changed while an event waited has its date also for an app in use, of which nothing is stored")
    func foundInUse() throws {
        var (bench, client) = Self.bench(.whenInUse)
        for place in [0.0, 1000] { bench.travel(60, from: place, metres: 0) }
        let change = bench.wallTime
        bench.restart()
        bench.ask(client, .acknowledge(event: 1))
        bench.travel(60, from: 1000, metres: 0)
        let told = try #require(Self.lastEvent(bench, client))
        #expect(told.state == .unsatisfied && told.date < change, "\(told.date) is not before \(change)")
        #expect(bench.violations == [])
    }

    @Test("what changed to and fro while a former event waited says nothing of a later one", arguments: End.allCases)
    private func stale(end: End) {
        var (bench, client) = Self.bench()
        for place in [0.0, 1000, 0] { bench.travel(60, from: place, metres: 0) }
        bench.ask(client, .acknowledge(event: 1))
        bench.travel(60, from: 1000, metres: 0)
        client = Self.end(end, &bench, client)
        _ = bench.lines(client)
        bench.ask(client, .acknowledge(event: 2))
        bench.travel(60, from: 1000, metres: 0)
        #expect(bench.lines(client) == ["reply"])
        #expect(bench.violations == [])
    }

    @Test("a wrong assumption is corrected by one event, a right one by none (C3m)")
    func assuming() {
        for (assumed, place, told) in [
            (ConditionState.unsatisfied, 0.0, ["m/home satisfied event 1"]), (.satisfied, 0, []),
            (.satisfied, 1000, ["m/home unsatisfied event 1"]), (.unsatisfied, 1000, []),
        ] {
            var (bench, client) = Self.bench(assuming: assumed)
            bench.travel(60, from: place, metres: 0)
            #expect(bench.lines(client) == told)
            #expect(bench.violations == [])
        }
    }

    @Test("what was not taken is told again when the monitor is opened again, and to who takes its manager back")
    func reopened() {
        var (bench, client) = Self.bench()
        bench.travel(60, metres: 0)
        bench.ask(client, .closeMonitor(monitor: 1))
        _ = bench.lines(client)
        bench.ask(client, .openMonitor(name: "m"))
        #expect(bench.lines(client) == ["reply", "m/home satisfied event 1"])
        bench.detach(client)
        bench.attach(client)
        #expect(
            bench.lines(client) == ["authorization authorizedAlways full initial", "m/home satisfied event 1"])
        bench.kill()
        bench.attach(client)
        #expect(
            bench.lines(client) == ["authorization authorizedAlways full initial", "m/home satisfied event 1"])
        bench.ask(client, .acknowledge(event: 1))
        bench.kill()
        #expect(Self.lastState(bench) == .satisfied)
        bench.attach(client)
        bench.travel(60, metres: 0)
        #expect(bench.lines(client).filter { $0.contains(" event ") } == [])
        #expect(bench.violations == [])
    }

    @Test("a change is told once to a holder that was away when it came")
    func away() {
        var (bench, client) = Self.bench()
        bench.detach(client)
        bench.travel(25, metres: 0)
        bench.attach(client)
        #expect(bench.lines(client).filter { $0.contains(" event ") } == ["m/home satisfied event 1"])
        #expect(bench.violations == [])
    }

    @Test("an absent app is woken, and told when it opens the monitor, not before")
    func absent() {
        var (bench, client) = Self.bench()
        bench.close(client)
        bench.chores = []
        bench.travel(60, metres: 0)
        let wakes = bench.chores.count { if case .wake = $0 { true } else { false } }
        #expect(wakes == 1)
        let back = bench.greet()
        #expect(bench.lines(back) == ["authorization authorizedAlways full initial"])
        bench.ask(back, .openMonitor(name: "m"))
        #expect(bench.lines(back) == ["reply", "m/home satisfied event 1"])
        #expect(bench.violations == [])
    }

    @Test("one holder a name: a second is refused until the first closes, goes, or is away for too long (C4m)")
    func holder() {
        for end in 0..<3 {
            var (bench, client) = Self.bench()
            let other = bench.greet()
            bench.ask(other, .openMonitor(name: "m"))
            #expect(Self.refusal(bench, other) == .held)
            bench.ask(client, .openMonitor(name: "m"))
            #expect(Self.refusal(bench, client) == .held)
            switch end {
            case 0: bench.ask(client, .closeMonitor(monitor: 1))
            case 1: bench.close(client)
            default:
                bench.detach(client)
                bench.advance(by: 33)
            }
            bench.ask(other, .openMonitor(name: "m"))
            #expect(Self.refusal(bench, other) == nil)
            #expect(bench.engine.monitorName(1, of: other) == "m")
            #expect(bench.violations == [])
        }
    }

    @Test("the 21st condition of the app is not watched, and says so; there is room for one of the same name (C5m)")
    func limit() {
        var (bench, client) = Self.bench()
        bench.ask(client, .openMonitor(name: "n"))
        for number in 2...20 { bench.ask(client, .add("c\(number)", .round(), to: UInt64(1 + number % 2))) }
        _ = bench.lines(client)
        bench.ask(client, .add("c21", .round()))
        #expect(bench.lines(client) == ["reply", "m/c21 unmonitored conditionLimitExceeded event 1"])
        bench.ask(client, .add("home", .round()))
        #expect(bench.lines(client) == ["reply"])
        #expect(bench.engine.conditionCount(of: Self.app) == 20)
        #expect(bench.violations == [])
    }

    @Test("a condition of the same name replaces the record and what was not taken")
    func replaced() {
        var (bench, client) = Self.bench()
        bench.travel(60, metres: 0)
        _ = bench.lines(client)
        bench.ask(client, .add("home", .round(), assuming: .satisfied))
        bench.travel(60, metres: 0)
        #expect(bench.lines(client) == ["reply"])
        #expect(Self.lastState(bench) == .satisfied)
        #expect(bench.store.events[Self.app]?.isEmpty == true)
        bench.ask(client, .removeCondition(ConditionName(monitor: 1, identifier: "home")))
        bench.ask(client, .removeCondition(ConditionName(monitor: 1, identifier: "home")))
        #expect(Self.refusal(bench, client) == .notFound)
        #expect(bench.engine.nextWake == nil)
        #expect(bench.violations == [])
    }

    @Test("while in use only: the condition goes on where the app left it")
    func whileInUse() {
        var (bench, client) = Self.bench(Authorization(status: .authorizedWhenInUse))
        bench.travel(60, metres: 0)
        bench.ask(client, .acknowledge(event: 1))
        bench.close(client)
        bench.travel(60, from: 1000, metres: 0)
        let back = bench.greet()
        bench.ask(back, .openMonitor(name: "m"))
        #expect(bench.lines(back).filter { $0.contains(" event ") } == [])
        bench.travel(60, from: 1000, metres: 0)
        #expect(bench.lines(back) == ["m/home unsatisfied event 2"])
        #expect(bench.violations == [])
    }

    @Test("32 monitors, and no more; another's numbers are not found")
    func numbers() {
        var (bench, client) = Self.bench()
        for number in 2...32 { bench.ask(client, .openMonitor(name: "m\(number)")) }
        bench.ask(client, .openMonitor(name: "m33"))
        #expect(Self.refusal(bench, client) == .limitExceeded)
        bench.ask(client, .add("x", .round(), to: 40))
        #expect(Self.refusal(bench, client) == .notFound)
        bench.ask(client, .closeMonitor(monitor: 40))
        #expect(Self.refusal(bench, client) == .notFound)
    }

    @Test("a client that has as many as it may takes no monitor from one that is away")
    func refusedTakesNothing() {
        var (bench, away) = Self.bench()
        let greedy = bench.greet()
        for number in 1...32 { bench.ask(greedy, .openMonitor(name: "g\(number)")) }
        bench.detach(away)
        #expect(!bench.engine.mayOpenMonitor("m", greedy) && !bench.engine.mayOpenMonitor("new", greedy))
        bench.ask(greedy, .openMonitor(name: "m"))
        #expect(Self.refusal(bench, greedy) == .limitExceeded)
        bench.attach(away)
        #expect(bench.engine.monitorName(1, of: away) == "m")
        #expect(bench.violations == [])
    }
}
