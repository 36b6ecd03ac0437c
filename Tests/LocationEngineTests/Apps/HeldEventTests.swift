// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Events that wait for a person or for their app")
struct HeldEventTests {
    private static let app = AppID(rawValue: 0)

    @Test(
        "crossings while a provisional app was not in use are not told to it as conditions, nor can they be taken",
        arguments: [nil, AuthorizationAnswer.whileUsing])
    func conditions(answer: AuthorizationAnswer?) {
        var bench = EngineBench(authorization: Authorization(status: .authorizedAlways, isProvisional: true))
        let client = bench.greet()
        bench.ask(client, .openMonitor(name: "m"))
        for (name, place) in [("a", 1000.0), ("b", 3000)] {
            bench.ask(client, .add(name, .round(place), assuming: .unsatisfied))
        }
        bench.travel(60, metres: 0)
        bench.close(client)
        bench.travel(60, from: 1000, metres: 0)
        bench.travel(60, from: 3000, metres: 0)
        #expect(bench.prompts.count == 1)
        if let answer { bench.answer(answer) }
        let back = bench.greet()
        let since = bench.wallTime
        bench.ask(back, .openMonitor(name: "m"))
        for number in 1..<bench.engine.record(of: Self.app).nextEvent { bench.ask(back, .acknowledge(event: number)) }
        let dates = bench.connections[back]?.lines.compactMap { entry -> WallTime? in
            guard case .event(let event, _) = entry.line, case .monitor(_, _, let said) = event.content else {
                return nil
            }
            return said.date
        }
        #expect(dates?.allSatisfy { $0 >= since } == true, "\(dates ?? [])")
        for condition in bench.engine.conditions(ofMonitor: "m", of: Self.app) {
            #expect(condition.lastEvent.state == .unsatisfied || condition.lastEvent.date >= since)
        }
        #expect(bench.violations == [])
    }

    @Test(
        "what a provisional app was not told is dropped when the person answers a day later (A3)",
        arguments: [23.0, 25])
    func tooOld(hours: Double) {
        var bench = EngineBench(authorization: Authorization(status: .authorizedAlways, isProvisional: true))
        let client = bench.greet()
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(60, metres: 0)
        bench.close(client)
        bench.travel(60, from: 1000, metres: 0)
        #expect(bench.prompts.count == 1)
        bench.advance(by: hours * 3600)
        bench.answer(.always)
        #expect(bench.store.events[Self.app]?.count ?? 0 == (hours < 24 ? 1 : 0))
        #expect(bench.violations == [])
    }

    @Test("a receiver that believes it is years later makes no stored event too old")
    func leap() {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(3, metres: 0)
        bench.close(client)
        bench.travel(60, from: 1000, metres: 0)
        for _ in 0..<60 {
            bench.advance(by: 1)
            let later = WallTime(milliseconds: bench.wallTime.milliseconds + 18 * 365 * 86_400_000)
            bench.fix(
                Fix(
                    receiver: ReceiverID(rawValue: 0),
                    location: Location(coordinate: .origin, horizontalAccuracy: 5, timestamp: later)))
        }
        let back = bench.greet()
        #expect(
            bench.lines(back).filter { $0.contains(" event ") } == ["exit home event 1", "enter home event 2"])
        #expect(bench.violations == [])
    }

    @Test("a stay is not forgotten while those who may know of it in use have not yet come back after a restart")
    func stayAfterRestart() {
        var bench = EngineBench(authorization: Authorization(status: .authorizedWhenInUse))
        bench.authorize(.always, app: 1)
        let (client, other) = (bench.greet(), bench.greet(app: 1))
        bench.ask(other, .start)
        bench.ask(client, .startMonitoringVisits)
        bench.travel(60, metres: 20)
        bench.travel(600, from: 1180, metres: 0)
        #expect(bench.lines(client).last == "arrival event 1")
        bench.kill()
        bench.travel(2, from: 1180, metres: 0)
        let back = bench.greet()
        _ = bench.lines(back)
        bench.travel(280, from: 1200, metres: 20)
        #expect(bench.lines(back).filter { $0.contains(" event ") } == ["departure event 2"])
        #expect(bench.violations == [])
    }
}

@Suite("Significant changes of an app with several clients")
struct SharedSignificantChangeTests {
    private static let app = AppID(rawValue: 0)

    private static func client(_ bench: inout EngineBench, keepsEvents: Bool = true) -> ManagerID {
        let client = bench.greet(keepsEvents: keepsEvents)
        bench.ask(client, .startSignificant)
        bench.travel(2, metres: 0)
        return client
    }

    private static func told(_ bench: inout EngineBench, _ manager: ManagerID) -> [String] {
        bench.lines(manager).filter { $0.hasPrefix("significantChange") && !$0.contains("cached") }
    }

    @Test("a manager that is closed before its time is up owes its app the change as one whose time is up")
    func closedWhileAway() {
        var bench = EngineBench()
        let client = Self.client(&bench)
        bench.detach(client)
        bench.close(client)
        #expect(bench.engine.powerReport(at: bench.now).policy == .dutyCycled)
        bench.travel(700, metres: 2)
        let back = bench.greet()
        bench.ask(back, .startSignificant)
        #expect(Self.told(&bench, back).count == 1)
        #expect(bench.violations == [])
    }

    @Test("what one client was told live is not stored for another that has gone")
    func liveElsewhere() {
        var bench = EngineBench()
        let (gone, stays) = (Self.client(&bench), Self.client(&bench))
        bench.detach(gone)
        bench.advance(by: 32)
        _ = bench.lines(stays)
        bench.travel(700, metres: 2)
        #expect(Self.told(&bench, stays).isEmpty == false)
        #expect(bench.store.events[Self.app]?.isEmpty != false)
        let back = bench.greet()
        bench.ask(back, .startSignificant)
        #expect(Self.told(&bench, back) == [])
        #expect(bench.violations == [])
    }

    @Test("the stored change waits for a client that said `events: true`")
    func withoutEvents() {
        var bench = EngineBench()
        let client = Self.client(&bench)
        bench.detach(client)
        bench.advance(by: 32)
        bench.travel(700, metres: 2)
        let deaf = bench.greet(keepsEvents: false)
        bench.ask(deaf, .startSignificant)
        #expect(Self.told(&bench, deaf) == [])
        let keeper = bench.greet()
        bench.ask(keeper, .startSignificant)
        #expect(Self.told(&bench, keeper).count == 1)
        #expect(bench.violations == [])
    }

    @Test("stopping what does not run has nothing to be kept")
    func idleStop() {
        var bench = EngineBench()
        let client = bench.greet()
        bench.chores = []
        for _ in 0..<3 { bench.ask(client, .stopSignificant) }
        #expect(bench.chores.isEmpty, "\(bench.chores)")
    }
}
