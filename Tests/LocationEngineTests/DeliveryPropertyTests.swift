// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

@Suite("What always holds", .tellsSeed)
struct DeliveryPropertyTests {
    private static func check(_ session: RandomSession, _ seed: UInt64) {
        let (bench, client) = (session.bench, session.deferring)
        #expect(bench.violations == [], "seed \(seed)")
        #expect(bench.sequences(client) == bench.sequences(session.plain), "seed \(seed)")
        var finishes: [FinishedDeferral] = []
        // A finish may be said again, and then says the same.
        for finish in bench.finishes(client) where !finishes.contains(finish) { finishes.append(finish) }
        #expect(
            finishes.map { Int($0.number) }
                == Array(1...max(session.allowances.count, 1)).prefix(finishes.count).map { $0 })
        #expect(finishes.count == session.allowances.count, "seed \(seed)")
    }

    @Test(
        "a deferring client gets what an undeferred one gets, each once and in order, and one finish for each allow (F7, F21)"
    )
    func deferredEqualsUndeferred() {
        for seed in SplitMix64.seeds(40) {
            var session = RandomSession(seed: seed, RandomSession.Options(canChangeFilter: true))
            session.run(steps: 120)
            Self.check(session, seed)
        }
    }

    @Test("a small log changes nothing but how early it comes (F12, F21)")
    func smallLog() {
        for seed in SplitMix64.seeds(20) {
            var session = RandomSession(seed: seed, RandomSession.Options(hasOutages: false, logCapacity: 7))
            session.run(steps: 120)
            #expect(session.bench.violations == [], "seed \(seed)")
            #expect(session.bench.sequences(session.deferring) == session.bench.sequences(session.plain))
        }
    }

    @Test("lost connections lose and repeat nothing", arguments: [-1.0, 20])
    func detached(filter: Double) {
        for seed in SplitMix64.seeds(40) {
            var session = RandomSession(
                seed: seed, RandomSession.Options(filter: filter, canDetach: true, hasOutages: false))
            session.run(steps: 120)
            Self.check(session, seed)
        }
    }

    @Test("kill -9 loses and repeats nothing", arguments: [-1.0, 20])
    func killed(filter: Double) {
        for seed in SplitMix64.seeds(40) {
            var session = RandomSession(
                seed: seed, RandomSession.Options(filter: filter, canDetach: true, canKill: true, hasOutages: false))
            session.run(steps: 120)
            Self.check(session, seed)
        }
    }

    @Test("a finish has no error if and only if a criterion was met (F8)")
    func errorIffUnmet() {
        for seed in SplitMix64.seeds(40) {
            var session = RandomSession(seed: seed, RandomSession.Options())
            session.run(steps: 120)
            for (at, line) in session.bench.connections[session.deferring]?.lines ?? [] {
                guard case .finish(let finished) = line else { continue }
                let allowance = session.allowances[Int(finished.number) - 1]
                // Timers that are due come before the fix of their turn.
                let isMet = finished.error == nil
                let travelled = session.bench.log.entries.last { $0.at < at || isMet && $0.at == at }?.fix.odometer ?? 0
                let (time, way) = ((at - allowance.at).seconds, travelled - allowance.travelled)
                let isTimeMet = time >= allowance.seconds - 1e-6
                let isWayMet = way >= allowance.metres - 0.001
                let isUnfit = finished.error == .deferredFailed && finished.through == 0
                if !isUnfit {
                    #expect(
                        (finished.error == nil) == (isTimeMet || isWayMet),
                        "seed \(seed): \(finished), \(time) of \(allowance.seconds) s, \(way) of \(allowance.metres) m")
                }
            }
        }
    }

    @Test("the same events have the same effects twice")
    func deterministic() {
        for seed in SplitMix64.seeds(5) {
            let options = RandomSession.Options(canDetach: true, canKill: true, canChangeFilter: true)
            var (first, second) = (
                RandomSession(seed: seed, options, isRecording: true),
                RandomSession(seed: seed, options, isRecording: true)
            )
            first.run(steps: 200)
            second.run(steps: 200)
            #expect(first.bench.recording.count > 200)
            #expect(first.bench.recording == second.bench.recording)
        }
    }

    @Test("recorded events, handled by another engine, have the recorded effects")
    func replayed() {
        for seed in SplitMix64.seeds(2) {
            var session = RandomSession(
                seed: seed, RandomSession.Options(canChangeFilter: true), isRecording: true)
            session.run(steps: 300)
            var engine = Engine(configuration: session.bench.configuration, at: EngineBench.start)
            var buffer = EffectBuffer()
            for ((at, event), expected) in zip(session.bench.events, session.bench.recording) {
                buffer.removeAll()
                engine.handle(event, at: at, into: &buffer)
                #expect("\(at.nanoseconds) " + buffer.text == expected, "seed \(seed)")
            }
        }
    }

    @Test("a turn with a thousand filtered clients needs no more room than it had")
    func noGrowth() {
        var bench = EngineBench()
        for _ in 0..<1000 {
            let client = bench.open()
            bench.ask(client, .properties(filter: 1e6))
            bench.ask(client, .start)
        }
        bench.travel(3, metres: 0)
        let room = bench.buffer.effects.capacity
        bench.travel(50)
        #expect(bench.buffer.effects.capacity == room)
        #expect(bench.buffer.effects.count == 1)
    }
}
