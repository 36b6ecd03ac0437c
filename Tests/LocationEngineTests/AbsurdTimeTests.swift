// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

@Suite("Times and dates that cannot be", .tellsSeed)
struct AbsurdTimeTests {
    /// One client with every service that has a timer.
    private static func bench(_ random: inout SplitMix64) -> EngineBench {
        var bench = EngineBench(.with(\.power.dutyCycle, random.chance(0.7)))
        bench.wakeMoment = random.chance(0.5) ? .earliest : .latest
        let client = bench.greet()
        let away = bench.greet()
        for request in [
            .properties(accuracy: random.chance(0.5) ? .best : .kilometer), .start, .startSignificant,
            .startMonitoringVisits, .startLiveUpdates(.fitness), .startMonitoring(.circle("r", at: 500, radius: 200)),
        ] as [Request] {
            bench.ask(client, request)
            bench.ask(away, request)
        }
        bench.travel(3)
        bench.ask(client, .allow(metres: 100, seconds: 1000))
        bench.ask(away, .stop)
        bench.ask(away, .requestLocation(timeout: .infinity))
        bench.detach(away)
        return bench
    }

    @Test("whatever the clock jumps to, a few wake-ups serve all timers, to the end of time")
    func jumps() {
        for seed in SplitMix64.seeds(100) {
            var random = SplitMix64(seed: seed)
            var bench = Self.bench(&random)
            for _ in 0..<12 {
                let left = Double(Int64.max - bench.now.nanoseconds) / 1e9
                bench.oversleep(random.chance(0.2) ? left * random.uniform(0...1) : random.uniform(0...90_000))
                // Complains of more than three at one instant.
                bench.advance(by: 0)
                bench.fix(at: random.uniform(0...5_000), speed: random.uniform(0...40))
                bench.advance(by: 1)
            }
            bench.oversleep(1e10)
            #expect(bench.now == .distantFuture)
            bench.advance(by: 1)
            #expect(bench.violations == [], "seed \(seed)")
        }
    }

    @Test("an earlier time than that of the turn before is taken for that, and counted")
    func back() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(2)
        var effects = EffectBuffer()
        bench.engine.handle(.asked(client, .requestLocation(timeout: 1)), at: bench.now, into: &effects)
        bench.engine.handle(.asked(client, .stop), at: bench.now - .seconds(5), into: &effects)
        bench.engine.handle(.asked(client, .requestLocation(timeout: 1)), at: bench.now, into: &effects)
        #expect(bench.engine.turnsBack == 1)
        effects.removeAll()
        bench.engine.handle(.asked(client, .startSignificant), at: BootInstant(nanoseconds: .min), into: &effects)
        #expect(bench.engine.turnsBack == 2)
        #expect((bench.engine.nextWake?.earliest ?? .distantFuture) >= bench.now)
    }

    @Test(
        "a fix whose date nobody can write is invalid",
        arguments: [Int64.min, -62_167_219_200_001, 253_402_300_800_000, .max])
    func date(milliseconds: Int64) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(2)
        let sequences = bench.sequences(client)
        let location = Location(
            coordinate: .origin, horizontalAccuracy: 5, timestamp: WallTime(milliseconds: milliseconds))
        bench.fix(Fix(receiver: ReceiverID(rawValue: 0), location: location))
        #expect(bench.sequences(client) == sequences)
        #expect(bench.engine.rejected[FixRejection.invalid.rawValue] == 1)
        #expect(bench.violations == [])
    }
}
