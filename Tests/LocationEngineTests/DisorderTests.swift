// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

/// Several clients of two apps do anything, consent comes and goes, connections and the daemon die: only what must always hold
/// is checked.
@Suite("Disorder", .tellsSeed)
struct DisorderTests {
    private struct World {
        var bench: EngineBench
        var random: SplitMix64
        var place = 0.0

        init(seed: UInt64) {
            random = SplitMix64(seed: seed)
            var configuration = EngineConfiguration()
            configuration.logCapacity = Int.random(in: 3...40, using: &random)
            configuration.dutyCycle = random.chance(0.5)
            bench = EngineBench(configuration)
            bench.authorize(.always, app: 1)
            bench.wakeMoment = random.chance(0.5) ? .earliest : .latest
            for app in [0, 0, 1, 1] as [Int32] { _ = bench.open(app: app) }
        }

        mutating func step() {
            guard let client = bench.connections.keys.sorted().randomElement(using: &random) else { return }
            let isThere = bench.connections[client]?.isThere ?? false
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45: move()
            case 45..<75: if isThere { bench.ask(client, request()) }
            case 75..<80: bench.advance(by: random.uniform(0...40))
            case 80..<86: authorize()
            case 86..<92: if isThere { bench.detach(client, unwritten: Int.random(in: 0...5, using: &random)) }
            case 92..<96: comeBack(client)
            case 96..<98: bench.kill(skipping: random.chance(0.3) ? 1000 : 0)
            case 98: if isThere { resume(client) }
            default: replace(client)
            }
        }

        private mutating func move() {
            bench.advance(by: random.uniform(0...3))
            place += random.uniform(-50...400)
            bench.fix(
                at: place, accuracy: random.chance(0.05) ? .nan : random.uniform(2...300),
                speed: random.uniform(0...40),
                receiver: random.chance(0.2) ? 1 : 0)
        }

        private mutating func authorize() {
            let all: [Authorization] = [.always, .always, .reduced, .denied, .undetermined]
            bench.authorize(all.randomElement(using: &random) ?? .always, app: random.chance(0.5) ? 0 : 1)
        }

        private mutating func comeBack(_ client: ManagerID) {
            guard bench.connections[client]?.isThere == false, bench.engine.isOpen(client) else { return }
            bench.attach(client, presence: random.chance(0.5) ? .background : .foreground)
        }

        private mutating func resume(_ client: ManagerID) {
            let newest = bench.log.entries.last?.fix.location.sequence ?? 0
            bench.resume(client, after: UInt64.random(in: 0...(newest + 5), using: &random))
        }

        private mutating func replace(_ client: ManagerID) {
            guard bench.connections.count < 12 || !bench.engine.isOpen(client) else { return }
            if bench.engine.isOpen(client) { bench.close(client) }
            bench.connections[client] = nil
            _ = bench.open(app: random.chance(0.5) ? 0 : 1)
        }

        private mutating func request() -> Request {
            let all: [Request] = [
                .start, .start, .start, .stop, .startSignificant, .stopSignificant, .disallow, .foreground, .background,
                .requestLocation(timeout: .seconds(random.uniform(0.1...20))),
                .allow(metres: random.uniform(-1...3000), seconds: random.uniform(-1...100)), .allow(),
                .allow(metres: 50),
                .properties(filter: random.uniform(-10...500)), .properties(), .properties(accuracy: .reduced),
                .properties(accuracy: DesiredAccuracy.named.randomElement(using: &random) ?? .best),
            ]
            return all.randomElement(using: &random) ?? .start
        }
    }

    @Test("whatever happens in whatever order, what must hold holds")
    func holds() {
        for offset in 0..<60 as Range<UInt64> {
            let seed = SplitMix64.seedOfThisRun &+ offset
            var world = World(seed: seed)
            for _ in 0..<250 {
                world.step()
                if !world.bench.violations.isEmpty { break }
            }
            #expect(world.bench.violations == [], "seed \(seed)")
        }
    }
}
