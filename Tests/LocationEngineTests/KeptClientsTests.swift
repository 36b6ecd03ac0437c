// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

@Suite("Clients that stay connected while the daemon is restarted", .tellsSeed)
struct KeptClientsTests {
    @Test("are told what they would have been told without it: each line, in order", arguments: [1, 3, 10])
    func unnoticed(period: Int) {
        for seed in SplitMix64.seeds(30) {
            let options = RandomSession.Options(canDetach: true, canChangeFilter: true, hasOutages: false)
            var (whole, restarted) = (RandomSession(seed: seed, options), RandomSession(seed: seed, options))
            whole.run(steps: 120)
            restarted.run(steps: 120, restarting: period)
            #expect(restarted.bench.violations == [], "seed \(seed)")
            for client in [whole.deferring, whole.plain] {
                let (expected, lines) = (whole.bench.lines(client), restarted.bench.lines(client))
                #expect(lines == expected, "seed \(seed)")
            }
        }
    }

    @Test("are not told again of a finish that they were told of, which stays unconfirmed")
    func finish() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(3)
        bench.ask(client, .allow(metres: 20))
        bench.travel(4, from: 30)
        _ = bench.lines(client)
        bench.restart()
        #expect(bench.lines(client) == [])
        #expect(bench.engine.unconfirmedFinishes(of: client) == 1)
        bench.travel(1, from: 70)
        #expect(bench.lines(client) == ["standard 8"])
        #expect(bench.violations == [])
    }

    @Test("keep their deferral, whose time may be up at once")
    func deferral() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(3)
        bench.ask(client, .allow(seconds: 10))
        bench.travel(2, from: 30)
        _ = bench.lines(client)
        bench.oversleep(20)
        bench.restart()
        bench.handle(.woke)
        #expect(bench.lines(client) == ["finish 1", "standard 4-5 deferral 1"])
        #expect(bench.violations == [])
    }

    @Test("stay paused where the device rests, and go on when it moves")
    func paused() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.ask(client, .startLiveUpdates(.default))
        for _ in 0..<1200 {
            bench.advance(by: 1)
            bench.fix(at: 0)
        }
        #expect(bench.lines(client).contains("pause stationary"))
        bench.restart()
        bench.travel(5, metres: 0)
        #expect(bench.lines(client) == [])
        bench.travel(10, metres: 40)
        let lines = bench.lines(client)
        #expect(lines.filter { $0.hasPrefix("resume") } == ["resume moved"])
        #expect(lines.contains { $0.hasPrefix("standard") } && lines.contains { $0.hasPrefix("update 1 at") })
    }

    @Test("learn a decision that came meanwhile, and get nothing of what they may no longer see")
    func consent() {
        var (bench, client) = EngineBench.running()
        bench.restart(authorizing: .denied)
        #expect(bench.lines(client) == ["authorization denied full", "fail 1 standard"])
        bench.travel(2)
        #expect(bench.lines(client) == [])
    }

    @Test("that wait for a person go on waiting, and the question keeps its number")
    func question() {
        var bench = EngineBench(authorization: .undetermined)
        let client = bench.open()
        bench.ask(client, .start)
        let asked = bench.engine.authorizationRequests
        #expect(asked.count == 1)
        _ = bench.lines(client)
        bench.restart()
        #expect(bench.engine.authorizationRequests == asked)
        #expect(bench.lines(client) == [])
        bench.answer(.always)
        #expect(bench.lines(client).first == "authorization authorizedAlways full")
        bench.travel(1)
        #expect(bench.lines(client) == ["standard 1"])
    }

    @Test("whose client went take their question with them")
    func abandonedQuestion() {
        var bench = EngineBench(authorization: .undetermined)
        let client = bench.open()
        bench.ask(client, .start)
        bench.connections[client]?.isThere = false
        bench.restart()
        #expect(bench.engine.authorizationRequests == [])
        #expect(bench.engine.isOpen(client) == false)
    }

    @Test("are told how a condition changes whose app holds its service sessions itself, on whichever connection")
    func sessionOfAnother() {
        var bench = EngineBench()
        bench.handle(.sessionsRequired(IdentityID(rawValue: 0), true))
        let (holder, session) = (bench.greet(), bench.greet())
        bench.ask(session, .session(.always))
        bench.ask(holder, .openMonitor(name: "m"))
        bench.ask(holder, .add("home", .round(), assuming: .satisfied))
        bench.travel(60, metres: 0)
        _ = (bench.lines(holder), bench.lines(session))
        let before = bench.engine.record(of: AppID(rawValue: 0)).nextEvent
        bench.restart()
        #expect(bench.engine.record(of: AppID(rawValue: 0)).nextEvent == before)
        bench.travel(60, from: 1000, metres: 0)
        #expect(bench.lines(holder).map { $0.prefix(18) } == ["m/home unsatisfied"])
        #expect(bench.lines(session) == [] && bench.violations == [])
    }

    @Test(
        "leave their regions while no process runs, whatever lets them know: always, while in use, once",
        arguments: [.always, .whenInUse, nil] as [Authorization?])
    func regionOfUse(authorization: Authorization?) {
        var bench = EngineBench(authorization: authorization ?? .undetermined)
        let client = bench.greet()
        if authorization == nil { bench.handle(.allowedOnce(IdentityID(rawValue: 0))) }
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(60, metres: 0)
        _ = bench.lines(client)
        bench.restart()
        bench.restart()
        bench.travel(60, from: 1000, metres: 0)
        #expect(bench.lines(client).contains { $0.hasPrefix("exit home") })
        #expect(bench.violations == [])
    }

    @Test("have what another manager of their app gives them that waits for its client: a session, and use")
    func absentSession() {
        var bench = EngineBench(authorization: .undetermined)
        bench.handle(.sessionsRequired(IdentityID(rawValue: 0), true))
        let (stream, absent) = (bench.greet(), bench.greet())
        bench.ask(absent, .startBackgroundActivitySession)
        bench.ask(absent, .session(.whenInUse))
        bench.ask(stream, .startLiveUpdates(.default))
        bench.travel(3)
        let asked = bench.engine.authorizationRequests
        _ = bench.lines(stream)
        bench.detach(absent)
        bench.restart()
        bench.travel(3)
        #expect(bench.lines(stream) == [])
        bench.detach(stream)
        bench.restart()
        #expect(bench.engine.authorizationRequests == asked && asked.count == 1)
        #expect(bench.violations == [])
    }

    @Test("who may know roughly where the device is get one view in 15 minutes, whatever processes there are in them")
    func reducedView() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(1)
        #expect(bench.lines(client).last == "standard 1 reduced")
        for _ in 0..<5 {
            bench.restart()
            bench.travel(10, from: 20_000)
        }
        #expect(bench.lines(client) == [])
        bench.ask(client, .startLiveUpdates(.default))
        #expect(bench.lines(client).last == "update 1 at 1 accuracyLimited")
        bench.advance(by: 900)
        bench.travel(1, from: 20_000)
        #expect(bench.lines(client).contains("standard 52 reduced"))
        #expect(bench.violations == [])
    }

    @Test("an event that waits for the word \"always\" waits in the next process, too")
    func heldEvent() {
        let app = AppID(rawValue: 0)
        var bench = EngineBench(authorization: Authorization(status: .authorizedAlways, isProvisional: true))
        let client = bench.greet()
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(60, metres: 0)
        bench.close(client)
        bench.travel(60, from: 1000, metres: 0)
        #expect(bench.prompts.count == 1)
        bench.restart()
        bench.answer(.always)
        #expect(bench.store.events[app]?.map(\.words) == ["exit home"])
        #expect(bench.violations == [])
    }

    @Test("keep what was stored for them while full accuracy is allowed for now, and no longer")
    func exactEvents() {
        let app = AppID(rawValue: 0)
        var bench = EngineBench(authorization: .reduced)
        let client = bench.greet()
        bench.ask(client, .requestTemporaryFullAccuracyAuthorization(purposeKey: "k"))
        bench.answer(.once)
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(60, metres: 0)
        bench.travel(60, from: 1000, metres: 0)
        #expect(bench.store.events[app]?.map(\.words) == ["exit home"])
        bench.restart()
        #expect(bench.store.events[app]?.map(\.words) == ["exit home"])
        #expect(bench.engine.events(of: app).map(\.words) == ["exit home"])
        bench.kill(authorizing: .denied)
        #expect(bench.store.events[app] ?? [] == [] && bench.engine.events(of: app) == [])
        #expect(bench.violations == [])
    }
}
