// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

@Suite("Few events with numbers that nobody expects", .tellsSeed)
struct AbsurdInputTests {
    private static let app = AppID(rawValue: 0)
    private static let numbers = [0, 1e-9, 1, 1e5, 1e7, 1e15, 1e300, .greatestFiniteMagnitude]
    private static let spans = [
        TimeSpan.zero, .unlimited, TimeSpan(nanoseconds: 1), .seconds(1e9), .seconds(60), .seconds(2_000),
    ]

    private static func number(_ random: inout SplitMix64) -> Double {
        random.chance(0.2) ? numbers.randomElement(using: &random) ?? 0 : random.uniform(0...1_000)
    }

    private static func span(_ random: inout SplitMix64) -> TimeSpan { spans.randomElement(using: &random) ?? .zero }

    private static func place(_ random: inout SplitMix64) -> Coordinate {
        guard random.chance(0.2) else {
            return Coordinate.origin.moved(by: random.uniform(0...3_000), course: random.uniform(0...360))
        }
        return Coordinate(latitude: random.uniform(-90...90), longitude: random.uniform(-180...180))
    }

    private static func fix(_ step: Int, _ random: inout SplitMix64) -> Event {
        let late = random.chance(0.1) ? Int64(min(number(&random), 1e12)) : 0
        let location = Location(
            coordinate: place(&random), horizontalAccuracy: random.chance(0.7) ? 5 : max(number(&random), 1e-9),
            timestamp: WallTime(milliseconds: 1_700_000_000_000 + Int64(step) * 1_000 + late),
            speed: random.chance(0.5) ? number(&random) : nil)
        return .fixReceived(Fix(receiver: ReceiverID(rawValue: 0), location: location))
    }

    private static func request(_ step: Int, _ random: inout SplitMix64) -> Request {
        switch random.next() % 8 {
        case 0: return .start
        case 1: return .startSignificant
        case 2: return .startMonitoringVisits
        case 3: return .startLiveUpdates(.fitness)
        case 4: return .requestLocation(timeout: span(&random).seconds)
        case 5: return .allow(metres: number(&random), seconds: span(&random).seconds)
        case 6: return .stop
        default:
            let hysteresis = RegionHysteresis(
                cushion: random.chance(0.3) ? number(&random) : nil, dwell: random.chance(0.3) ? span(&random) : nil)
            let shape = RegionShape.circle(center: place(&random), radius: max(number(&random), 1))
            return .startMonitoring(Region(identifier: "r\(step)", shape: shape, hysteresis: hysteresis))
        }
    }

    @Test("cause few effects each, and few wake-ups at one time")
    func bounded() {
        for seed in SplitMix64.seeds(200) {
            var random = SplitMix64(seed: seed)
            var now = BootInstant(nanoseconds: 1_000_000_000_000)
            var engine = Engine(configuration: .with(\.power.dutyCycle, random.chance(0.7)), at: now)
            var effects = EffectBuffer()
            func handle(_ event: Event) {
                effects.removeAll()
                engine.handle(event, at: now, into: &effects)
                #expect(effects.effects.count <= 100, "seed \(seed): \(event)")
            }
            let identity = IdentityID(rawValue: 0)
            handle(.identityEntered(identity, decided: Consent(.always), policy: Consent(.undecided)))
            handle(.appEntered(AbsurdInputTests.app, AppRecord(identity: identity)))
            let managers = (0..<4).map { ManagerID(rawValue: $0) }
            for manager in managers {
                handle(.managerOpened(manager, ManagerRecord(app: AbsurdInputTests.app, presence: .background)))
                handle(.greeted(manager, keepsEvents: random.chance(0.5)))
            }
            for step in 0..<80 {
                let manager = managers[Int(random.next() % 4)]
                switch random.next() % 10 {
                case 0...2 where engine.isOpen(manager):
                    handle(.asked(manager, AbsurdInputTests.request(step, &random)))
                case 3 where engine.isOpen(manager): handle(.managerDetached(manager))
                case 4 where engine.isOpen(manager):
                    let resumption = ResumePoint(sequence: 0, location: nil)
                    handle(.managerAttached(manager, delivered: resumption, presence: .background))
                case 5: now = now + AbsurdInputTests.span(&random)
                default: handle(AbsurdInputTests.fix(step, &random))
                }
                var wakeUps = 0
                while let wake = engine.nextWake, wake.earliest <= now, wakeUps <= 5 {
                    handle(.woke)
                    wakeUps += 1
                }
                #expect(wakeUps <= 5, "seed \(seed), step \(step)")
                guard wakeUps <= 5 else { return }
            }
        }
    }
}
