// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Events of an app")
struct AppEventTests {
    private static let app = AppID(rawValue: 0)
    private static let whenInUse = Authorization(status: .authorizedWhenInUse)
    private static let provisional = Authorization(status: .authorizedAlways, isProvisional: true)

    /// A client with a region at the origin, which the device is in.
    private static func bench(
        _ authorization: Authorization = .always, _ configuration: EngineConfiguration = EngineConfiguration()
    ) -> (EngineBench, ManagerID) {
        var bench = EngineBench(configuration, authorization: authorization)
        let client = bench.greet()
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(3, metres: 0)
        _ = bench.lines(client)
        return (bench, client)
    }

    /// A clear-cut crossing: a minute a kilometre away, or a minute in the middle.
    private static func cross(_ bench: inout EngineBench, times: Int = 1) {
        for time in 0..<times { bench.travel(60, from: time % 2 == 0 ? 1000 : 0, metres: 0) }
    }

    private static func events(_ bench: inout EngineBench, _ manager: ManagerID) -> [String] {
        bench.lines(manager).filter { $0.contains(" event ") }
    }

    @Test(
        "of an absent app are stored before it is woken, and told oldest first, once a connection, until acknowledged")
    func stored() {
        var (bench, client) = Self.bench()
        bench.close(client)
        bench.chores = []
        Self.cross(&bench, times: 2)
        let words = bench.chores.compactMap { chore -> String? in
            switch chore {
            case .storeEvent: "store"
            case .wake: "wake"
            default: nil
            }
        }
        #expect(words == ["store", "wake", "store", "wake"])
        let first = bench.greet()
        #expect(Self.events(&bench, first) == ["exit home event 1", "enter home event 2"])
        bench.ask(first, .acknowledge(event: 2))
        let second = bench.greet()
        #expect(Self.events(&bench, second) == ["exit home event 1"])
        bench.ask(second, .acknowledge(event: 1))
        bench.ask(second, .acknowledge(event: 1))
        #expect(bench.lines(second) == ["reply", "reply"])
        let third = bench.greet()
        #expect(Self.events(&bench, third) == [])
        #expect(bench.violations == [])
    }

    @Test(
        "start an app once more that goes before it has taken them, once for each, and not while another of it is there"
    )
    func leftBehind() {
        var (bench, client) = Self.bench()
        let other = bench.greet()
        Self.cross(&bench)
        bench.chores = []
        bench.detach(client)
        #expect(bench.wakes == 0)
        bench.detach(other)
        #expect(bench.wakes == 1)
        // The app that crashes each time.
        for _ in 1...3 { bench.detach(bench.greet()) }
        #expect(bench.wakes == 1)
        bench.travel(60, metres: 0)
        #expect(bench.wakes == 2)
        let last = bench.greet()
        for number in 1...2 { bench.ask(last, .acknowledge(event: UInt64(number))) }
        bench.close(last)
        #expect(bench.wakes == 2 && bench.violations == [])
    }

    @Test("are told again after a kill, with the same numbers, and new ones get new numbers")
    func killed() {
        var (bench, _) = Self.bench()
        Self.cross(&bench)
        bench.kill()
        let back = bench.greet()
        #expect(Self.events(&bench, back) == ["exit home event 1"])
        bench.ask(back, .acknowledge(event: 1))
        bench.kill()
        let again = bench.greet()
        Self.cross(&bench, times: 2)
        #expect(Self.events(&bench, again) == ["enter home event 2"])
        #expect(bench.violations == [])
    }

    @Test("are told to who took part without `events: true`, and stored for who says it")
    func withoutEvents() {
        var bench = EngineBench()
        let client = bench.greet(keepsEvents: false)
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(3, metres: 0)
        _ = bench.lines(client)
        Self.cross(&bench)
        #expect(Self.events(&bench, client) == ["exit home event 1"])
        let other = bench.greet(keepsEvents: false)
        #expect(Self.events(&bench, other) == [])
        let keeper = bench.greet()
        #expect(Self.events(&bench, keeper) == ["exit home event 1"])
        #expect(bench.violations == [])
    }

    @Test("come once to a client that was away for a moment", arguments: [true, false])
    func away(keepsEvents: Bool) {
        var bench = EngineBench()
        let client = bench.greet(keepsEvents: keepsEvents)
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(3, metres: 0)
        _ = bench.lines(client)
        bench.detach(client)
        bench.travel(25, from: 1000, metres: 0)
        bench.attach(client)
        #expect(Self.events(&bench, client) == ["exit home event 1"])
        #expect(bench.violations == [])
    }

    @Test(
        "of an app that may know while in use are not stored, and out of use there are none; regions begin silently anew"
    )
    func whileInUse() {
        var (bench, client) = Self.bench(Self.whenInUse)
        Self.cross(&bench)
        #expect(Self.events(&bench, client) == ["exit home event 1"])
        bench.chores = []
        bench.close(client)
        Self.cross(&bench, times: 2)
        #expect(bench.engine.powerReport(at: bench.now).policy == .off)
        let stored = bench.chores.contains {
            switch $0 {
            case .storeEvent, .wake: true
            default: false
            }
        }
        #expect(!stored)
        let back = bench.greet()
        bench.travel(30, metres: 0)
        #expect(Self.events(&bench, back) == [])
        Self.cross(&bench)
        #expect(Self.events(&bench, back) == ["exit home event 2"])
        #expect(bench.violations == [])
    }

    @Test(
        "that wait for the second word: only the newest, told when it is always, dropped when it is not (A3)",
        arguments: [true, false])
    func held(isAlways: Bool) {
        var (bench, client) = Self.bench(Self.provisional)
        Self.cross(&bench)
        #expect(Self.events(&bench, client) == ["exit home event 1"])
        #expect(bench.prompts.isEmpty)
        bench.close(client)
        bench.travel(60, metres: 0)
        #expect(bench.prompts.values.map(\.level) == [.always])
        Self.cross(&bench)
        #expect(bench.newestPrompt == 1)
        bench.chores = []
        bench.answer(isAlways ? .always : .whileUsing)
        let isWoken = bench.chores.contains { if case .wake = $0 { true } else { false } }
        #expect(isWoken == isAlways)
        let back = bench.greet()
        #expect(Self.events(&bench, back) == (isAlways ? ["exit home event 3"] : []))
        #expect(bench.engine.authorization(of: back).status == (isAlways ? .authorizedAlways : .authorizedWhenInUse))
        #expect(bench.violations == [])
    }

    @Test(
        "the second word says nothing where the status stays, and tells where it does not (A4)",
        arguments: [true, false])
    func secondWord(isAlways: Bool) {
        var (bench, client) = Self.bench(Self.provisional)
        bench.close(client)
        Self.cross(&bench)
        let back = bench.greet()
        _ = bench.lines(back)
        bench.answer(isAlways ? .always : .whileUsing)
        #expect(
            bench.lines(back) == (isAlways ? ["exit home event 1"] : ["authorization authorizedWhenInUse full"]))
        #expect(bench.violations == [])
    }

    @Test("are bounded: the oldest go, and their number is told")
    func bounded() {
        var (bench, client) = Self.bench(.always, .with(\.eventsPerApp, 3))
        bench.close(client)
        Self.cross(&bench, times: 5)
        #expect(bench.engine.eventsDropped(of: Self.app) == 2)
        bench.kill()
        #expect(bench.engine.eventsDropped(of: Self.app) == 2)
        let back = bench.greet()
        #expect(Self.events(&bench, back) == ["exit home event 3", "enter home event 4", "exit home event 5"])
        #expect(bench.violations == [])
    }

    @Test("are bounded for all apps together: where others hold all the room there is, the app's own oldest goes")
    func boundedTogether() {
        let home = Region.circle("home")
        var (bench, client) = Self.bench(.always, .with(\.eventBytes, 2_000))
        bench.authorize(.always, app: 1)
        let other = bench.greet(app: 1)
        bench.ask(other, .startMonitoring(home))
        bench.travel(3, metres: 0)
        bench.close(client)
        bench.close(other)
        Self.cross(&bench, times: 12)
        let apps = [Self.app, AppID(rawValue: 1)]
        let stored = apps.map { bench.engine.events(of: $0).count }
        let dropped = apps.map { bench.engine.eventsDropped(of: $0) }
        #expect(zip(stored, dropped).allSatisfy { UInt64($0) + $1 == 12 && $1 > 0 }, "\(stored) \(dropped)")
        #expect(stored.reduce(0, +) >= 2)
        #expect(bench.violations == [])
    }

    @Test("expire")
    func expired() {
        var (bench, client) = Self.bench(.always)
        bench.close(client)
        Self.cross(&bench)
        let before = bench.wallTime
        bench.advance(by: 3600)
        Self.cross(&bench, times: 2)
        bench.handle(.eventsAged(before: before))
        #expect(bench.engine.eventsDropped(of: Self.app) == 1)
        let back = bench.greet()
        #expect(Self.events(&bench, back) == ["enter home event 2"])
        #expect(bench.violations == [])
    }

    @Test(
        "are discarded with consent, and exact ones with accuracy",
        arguments: [.denied, .undetermined, .reduced, whenInUse])
    func discarded(_ authorization: Authorization) {
        var (bench, client) = Self.bench()
        bench.close(client)
        Self.cross(&bench)
        bench.authorize(authorization)
        bench.authorize(.always)
        #expect(bench.store.events[Self.app]?.isEmpty == true)
        let back = bench.greet()
        #expect(Self.events(&bench, back) == [])
        #expect(bench.violations == [])
    }

    @Test(
        "a significant change of an absent app waits for the second word, too, and comes with the start of its service (G5)"
    )
    func heldSignificantChange() {
        var bench = EngineBench(authorization: Self.provisional)
        let client = bench.greet()
        bench.ask(client, .startSignificant)
        bench.travel(2, metres: 0)
        bench.detach(client)
        bench.advance(by: 33)
        bench.travel(700, metres: 2)
        #expect(bench.prompts.values.map(\.level) == [.always])
        bench.answer(.always)
        let back = bench.greet()
        #expect(Self.events(&bench, back) == [])
        bench.ask(back, .startSignificant)
        #expect(Self.events(&bench, back).count == 1)
        #expect(bench.violations == [])
    }

    @Test("a significant change out of use is not told to an app that may know while in use")
    func significantOutOfUse() {
        var bench = EngineBench(.with(\.rejoinTime, .seconds(7200)), authorization: Self.whenInUse)
        let client = bench.greet()
        bench.ask(client, .startSignificant)
        bench.travel(2, metres: 0)
        _ = bench.lines(client)
        bench.detach(client)
        bench.travel(700, metres: 2)
        bench.attach(client)
        #expect(bench.lines(client) == ["authorization authorizedWhenInUse full initial"])
        bench.travel(1, from: 1400)
        #expect(bench.lines(client) == ["significantChange 703"])
        #expect(bench.violations == [])
    }

    @Test("that were never given cannot be acknowledged", arguments: [0, 2] as [UInt64])
    func unknown(number: UInt64) {
        var (bench, client) = Self.bench()
        Self.cross(&bench)
        bench.ask(client, .acknowledge(event: number))
        guard case .reply(let reply)? = bench.connections[client]?.lines.last?.line else { return #expect(Bool(false)) }
        #expect(reply.refusal == .notFound)
    }

    @Test(
        "visits serve all clients of the app, and stop for all (V3); times back-dated, nothing known is invented (V1, V2)"
    )
    func visits() throws {
        var bench = EngineBench()
        let (client, other) = (bench.greet(), bench.greet())
        bench.ask(client, .startMonitoringVisits)
        bench.travel(60, metres: 20)
        let begun = bench.wallTime
        bench.travel(600, from: 1180, metres: 0)
        #expect(Self.events(&bench, other) == ["arrival event 1"])
        let stored = try #require(bench.store.events[Self.app]?.first)
        guard case .visit(let visit) = stored.content else { return #expect(Bool(false)) }
        let arrival = try #require(visit.arrival)
        #expect(abs(arrival.milliseconds - begun.milliseconds) <= 30_000 && visit.departure == nil)
        bench.kill()
        #expect(bench.engine.monitorsVisits(Self.app) == true)
        bench.travel(280, from: 1200, metres: 20)
        let back = bench.greet()
        #expect(Self.events(&bench, back) == ["arrival event 1", "departure event 2"])
        bench.ask(back, .stopMonitoringVisits)
        bench.travel(900, metres: 0)
        #expect(Self.events(&bench, back) == [])
        bench.kill()
        #expect(bench.engine.monitorsVisits(Self.app) == false)
        #expect(bench.engine.nextWake == nil)
        #expect(bench.violations == [])
    }

    @Test("a short halt is no visit (V4)")
    func shortHalt() {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .startMonitoringVisits)
        bench.travel(60, metres: 20)
        bench.travel(120, from: 1200, metres: 0)
        bench.travel(60, from: 1220, metres: 20)
        #expect(Self.events(&bench, client) == [])
    }

    @Test("a visit under reduced accuracy has its place from the coarse view, and survives no more than it must")
    func coarseVisit() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.greet()
        bench.ask(client, .startMonitoringVisits)
        bench.travel(400, metres: 0)
        #expect(Self.events(&bench, client) == ["arrival event 1"])
        bench.authorize(.always)
        bench.authorize(.reduced)
        let back = bench.greet()
        #expect(Self.events(&bench, back) == ["arrival event 1"])
        #expect(bench.violations == [])
    }
}

extension EngineBench {
    var wakes: Int { chores.count { if case .wake = $0 { true } else { false } } }
}
