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
            configuration.power.dutyCycle = random.chance(0.5)
            bench = EngineBench(configuration, isRecording: true)
            bench.authorize(.always, app: 1)
            bench.wakeMoment = random.chance(0.5) ? .earliest : .latest
            for app in [0, 0, 1, 1] as [Int32] { begin(app) }
        }

        private mutating func begin(_ app: Int32) {
            let client = bench.greet(app: app, keepsEvents: random.chance(0.7))
            bench.ask(client, .openMonitor(name: "m1"))
            let shape = RegionShape.round(1000, 800)
            bench.ask(client, .add("c1", shape, assuming: .unsatisfied))
            bench.ask(client, .startMonitoring(.circle("r1", at: 2000, radius: 900)))
        }

        mutating func step() {
            guard let client = bench.connections.keys.sorted().randomElement(using: &random) else { return }
            let isThere = bench.connections[client]?.isThere ?? false
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45: move()
            case 45..<75: if isThere { bench.ask(client, request(of: client)) }
            case 75..<80: bench.advance(by: random.uniform(0...40))
            case 80..<83: authorize()
            case 83..<86: decideOtherwise()
            case 86..<92: if isThere { bench.detach(client, unwritten: Int.random(in: 0...5, using: &random)) }
            case 92..<96: comeBack(client)
            case 96: bench.kill(skipping: random.chance(0.3) ? 1000 : 0)
            case 97: bench.restart()
            case 98: if isThere { resume(client) }
            default: replace(client)
            }
        }

        /// A new client of each app stops what belongs to the app; all others go.
        mutating func stopEverything() {
            for client in bench.connections.keys.sorted() where bench.engine.isOpen(client) { bench.close(client) }
            for app in [0, 1] as [Int32] {
                let client = bench.greet(app: app)
                bench.ask(client, .stopSignificant)
                bench.ask(client, .stopMonitoringVisits)
                for number in 1...4 { bench.ask(client, .stopMonitoring(identifier: "r\(number)")) }
                for (number, name) in [(1, "m1"), (2, "m2")] as [(UInt64, String)] {
                    bench.ask(client, .openMonitor(name: name))
                    for identifier in ["c", "c1", "c2", "c3", "c4"] {
                        bench.ask(client, .removeCondition(ConditionName(monitor: number, identifier: identifier)))
                    }
                }
                bench.close(client)
            }
        }

        /// Steps that stay, and drives of a kilometre to and fro: regions are entered and left, rest and visits begin and end.
        private mutating func move() {
            bench.advance(by: random.uniform(0...3))
            if random.chance(0.1) { return linger() }
            if random.chance(0.1) {
                let degrees = random.uniform(0...359)
                bench.handle(.headingReceived(Heading(trueHeading: degrees, timestamp: bench.wallTime)))
            }
            place += random.uniform(-50...400)
            if place > 4000 { place = 0 }
            fix()
        }

        private mutating func linger() {
            for _ in 0..<Int.random(in: 2...8, using: &random) {
                bench.advance(by: random.uniform(10...120))
                fix()
            }
        }

        private mutating func fix() {
            bench.fix(
                at: place, accuracy: random.chance(0.05) ? .nan : random.uniform(2...300),
                speed: random.uniform(0...40),
                receiver: random.chance(0.2) ? 1 : 0)
        }

        private mutating func authorize() {
            let all: [Authorization] = [
                .always, .always, .reduced, .denied, .undetermined, Authorization(status: .authorizedWhenInUse),
                Authorization(status: .authorizedWhenInUse, accuracy: .reduced),
                Authorization(status: .authorizedAlways, isProvisional: true),
            ]
            bench.authorize(all.randomElement(using: &random) ?? .always, app: random.chance(0.5) ? 0 : 1)
        }

        private mutating func decideOtherwise() {
            let app: Int32 = random.chance(0.5) ? 0 : 1
            switch Int.random(in: 0..<9, using: &random) {
            case 0: bench.switchServices(random.chance(0.3))
            case 1: bench.reset(app: app)
            case 2: bench.handle(.allowedOnce(IdentityID(rawValue: app)))
            case 3: bench.switchServices(true)
            case 4: bench.handle(.sessionsRequired(IdentityID(rawValue: app), random.chance(0.5)))
            default: bench.answer(AuthorizationAnswer.allCases.randomElement(using: &random) ?? .deny)
            }
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
            _ = bench.greet(app: random.chance(0.5) ? 0 : 1, keepsEvents: random.chance(0.7))
        }

        private mutating func request(of client: ManagerID) -> Request {
            let all: [Request] = [
                .start, .start, .start, .stop, .startSignificant, .stopSignificant, .disallow, .foreground, .background,
                .requestLocation(timeout: random.uniform(0.1...20)),
                .allow(metres: random.uniform(-1...3000), seconds: random.uniform(-1...100)), .allow(),
                .allow(metres: 50),
                .properties(filter: random.uniform(-10...500)), .properties(), .properties(accuracy: .reduced),
                .properties(accuracy: DesiredAccuracy.named.randomElement(using: &random) ?? .best),
            ]
            let told = bench.connections[client]?.told ?? []
            if let event = told.last(where: { $0.last != 0 }) ?? told.randomElement(using: &random), random.chance(0.2)
            {
                return .acknowledge(event: event[0])
            }
            if random.chance(0.6) { return laterRequest() }
            return all.randomElement(using: &random) ?? .start
        }

        private mutating func laterRequest() -> Request {
            let beacon = UInt32.random(in: 1...4, using: &random)
            let number = UInt64(beacon)
            let name = "m\(Int.random(in: 1...2, using: &random))"
            let shape = RegionShape.round(random.uniform(0...4000), random.uniform(100...1500))
            let region = Region(identifier: "r\(number)", shape: shape, notifyOnExit: random.chance(0.8))
            let all: [Request] = [
                .requestWhenInUseAuthorization, .requestAlwaysAuthorization,
                .requestTemporaryFullAccuracyAuthorization(purposeKey: "k"),
                .startMonitoring(region), .startMonitoring(region), .startMonitoring(region),
                .stopMonitoring(identifier: "r\(number)"), .requestState(identifier: "r\(number)"),
                .startMonitoringVisits, .startMonitoringVisits, .stopMonitoringVisits, .startUpdatingHeading,
                .stopUpdatingHeading,
                .startMonitoring(Region(identifier: "r\(number)", shape: .beacon(.some(beacon)))),
                .add("c", .beacon(.some(beacon)), to: number),
                .startRangingBeacons(.some(beacon)), .stopRangingBeacons(.some(beacon)), .offerBeacons,
                .withdrawBeacons(reason: nil),
                .reportBeacons([
                    BeaconSighting(
                        Beacon(uuid: BeaconIdentity.some(beacon).uuid, major: 1, minor: 2), rssi: -60,
                        measuredPower: -59)
                ]),
                .startLiveUpdates(LiveConfiguration.allCases.randomElement(using: &random) ?? .default),
                .stopLiveUpdates(updates: number), .openMonitor(name: name), .openMonitor(name: name),
                .closeMonitor(monitor: number),
                .add(
                    "c\(number)", shape, to: number,
                    assuming: ConditionState.allCases.randomElement(using: &random) ?? .unknown),
                .add("c", shape, to: number),
                .removeCondition(ConditionName(monitor: number, identifier: "c\(number)")),
                .startBackgroundActivitySession,
                .session(.always, for: random.chance(0.5) ? "k" : nil),
                .session(.whenInUse), .invalidateServiceSession(session: number),
                .invalidateBackgroundActivitySession(session: number),
                .acknowledge(event: UInt64.random(in: 0...30, using: &random)),
                .properties(activity: ActivityType(rawValue: Int.random(in: 1...5, using: &random)) ?? .other),
            ]
            return all.randomElement(using: &random) ?? .startMonitoringVisits
        }
    }

    @Test("whatever happens in whatever order, what must hold holds, and everything happens")
    func holds() {
        var said: Set<String> = []
        for seed in SplitMix64.seeds(60) {
            var world = World(seed: seed)
            for _ in 0..<250 {
                world.step()
                if !world.bench.violations.isEmpty { break }
            }
            #expect(world.bench.violations == [], "seed \(seed)")
            said.formUnion(world.bench.recording.flatMap { $0.split { !$0.isLetter }.map(String.init) })
        }
        for word in [
            "pause", "liveUpdate", "isStationary", "sessionDiagnostic", "temporaryFullAccuracy", "region",
            "visit",
            "monitor", "significantChange", "regionState", "regionStarted", "regionFailed", "ask", "closeRequest",
            "noteUse", "storeEvent", "forgetEvent", "saveCondition", "saveStay", "wake", "held",
        ] {
            let isSaid = said.contains(word)
            #expect(isSaid, "no \(word)")
        }
    }

    /// An event told twice to a client that was back, ones that had waited for their client when another acknowledged them, wishes for
    /// beacons that were told to somebody absent, and ones that were told twice when services were switched off.
    @Test(
        "worlds in which something once did not hold",
        arguments: [
            2_465_277_111, 162_042_207_069, 1_062_408_540_057, 166_085_738_435_988, 3_980_348_850_019,
            2_315_924_941_053,
        ])
    func former(seed: UInt64) {
        var world = World(seed: seed)
        for _ in 0..<250 { world.step() }
        world.stopEverything()
        #expect(world.bench.violations == [], "seed \(seed)")
        world = World(seed: seed)
        for number in 1...150 {
            world.step()
            if number.isMultiple(of: 7) { world.bench.restart() }
        }
        #expect(world.bench.violations == [], "seed \(seed), restarted")
    }

    @Test("the same disorder has the same effects twice")
    func deterministic() {
        for seed in SplitMix64.seeds(4) {
            var (first, second) = (World(seed: seed), World(seed: seed))
            for _ in 0..<250 {
                first.step()
                second.step()
            }
            #expect(first.bench.recording == second.bench.recording, "seed \(seed)")
        }
    }

    @Test("when everything is stopped the receiver is off and nothing wakes")
    func stopped() {
        for seed in SplitMix64.seeds(20) {
            var world = World(seed: seed)
            for _ in 0..<150 { world.step() }
            world.stopEverything()
            #expect(world.bench.engine.powerReport(at: world.bench.now).policy == .off, "seed \(seed)")
            #expect(world.bench.engine.nextWake == nil, "seed \(seed)")
            #expect(world.bench.violations == [], "seed \(seed)")
        }
    }

    @Test("processes that go on with the clients of the one before, one after each few steps", arguments: [1, 7])
    func restarted(period: Int) {
        for seed in SplitMix64.seeds(20) {
            var world = World(seed: seed)
            for number in 1...150 {
                world.step()
                if number.isMultiple(of: period) { world.bench.restart() }
                if !world.bench.violations.isEmpty { break }
            }
            #expect(world.bench.violations == [], "seed \(seed)")
        }
    }
}
