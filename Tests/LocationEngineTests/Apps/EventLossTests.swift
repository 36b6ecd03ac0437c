// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

@Suite("Events over disconnections and kills", .tellsSeed)
struct EventLossTests {
    /// A device that goes in and out of a region in clear-cut scenes, and an app whose clients come, go, die and acknowledge.
    private struct World {
        var bench = EngineBench()
        var random: SplitMix64
        var client: ManagerID
        var crossings = 0
        var told: Set<UInt64> = []

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
            client = bench.greet()
            bench.ask(client, .startMonitoring(.circle("home")))
            bench.travel(3, metres: 0)
        }

        private var isThere: Bool { bench.connections[client]?.isThere ?? false }

        mutating func step() {
            switch Int.random(in: 0..<8, using: &random) {
            case 0...2: cross()
            case 3: bench.kill()
            case 4: if isThere { bench.detach(client) }
            case 5: comeBack()
            case 6: if isThere { bench.close(client) }
            default: acknowledge()
            }
            read()
        }

        mutating func cross() {
            crossings += 1
            bench.travel(30, from: crossings % 2 == 1 ? 1000 : 0, metres: 0)
        }

        mutating func comeBack() {
            if isThere { return }
            if bench.engine.isOpen(client) { bench.attach(client) } else { client = bench.greet() }
        }

        private mutating func acknowledge() {
            guard isThere, let event = bench.connections[client]?.told.randomElement(using: &random)?.first else {
                return
            }
            bench.ask(client, .acknowledge(event: event))
        }

        mutating func read() { told.formUnion(bench.connections[client]?.told.compactMap(\.first) ?? []) }
    }

    @Test("no event is lost, none has the number of another, none comes again after its acknowledgement")
    func complete() {
        for seed in SplitMix64.seeds(40) {
            var world = World(seed: seed)
            for _ in 0..<60 { world.step() }
            world.comeBack()
            world.read()
            #expect(world.told == Set((0..<world.crossings).map { UInt64($0) + 1 }), "seed \(seed)")
            #expect(world.bench.violations == [], "seed \(seed)")
        }
    }
}
