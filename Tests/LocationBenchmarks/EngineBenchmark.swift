// SPDX-License-Identifier: Apache-2.0
import CAllocationCount
import LocationEngine
import LocationModel

/// Fixes per second through the engine alone, and what a fix allocates.
enum EngineBenchmark {
    static func run() {
        print("engine: one fix of a walk at 1 m/s, 10 Hz")
        print("  clients  filter    ns/fix   fixes/s    allocations/fix   deliveries/fix")
        for clients in [1, 64, 1_000, 10_000] {
            for filter in [-1.0, 1_000_000.0] { measure(clients: clients, filter: filter, defers: false) }
        }
        measure(clients: 10_000, filter: -1, defers: true)
        print("")
    }

    private static func measure(clients: Int, filter: Double, defers: Bool) {
        var configuration = EngineConfiguration()
        configuration.logCapacity = 1 << 40
        var now = BootInstant(nanoseconds: 1_000_000_000_000)
        var engine = Engine(configuration: configuration, at: now)
        var effects = EffectBuffer()
        let app = AppID(rawValue: 0)
        let identity = IdentityID(rawValue: 0)
        engine.handle(
            .identityEntered(identity, decided: Consent(.always), policy: Consent(.undecided)), at: now, into: &effects)
        engine.handle(.appEntered(app, AppRecord(identity: identity)), at: now, into: &effects)
        var fix = Fix(
            receiver: ReceiverID(rawValue: 0),
            location: Location(
                coordinate: Coordinate(latitude: 45, longitude: -30), horizontalAccuracy: 4,
                timestamp: WallTime(milliseconds: 1_700_000_000_000)))
        func step() {
            now = now + .milliseconds(100)
            fix.location.timestamp.milliseconds += 100
            fix.location.coordinate.latitude += 1e-6
            effects.removeAll()
            engine.handle(.fixReceived(fix), at: now, into: &effects)
        }
        for index in 0..<clients {
            let manager = ManagerID(rawValue: Int32(index))
            engine.handle(
                .managerOpened(manager, ManagerRecord(app: app, presence: .background)), at: now, into: &effects)
            let patch = PropertiesPatch(distanceFilter: filter)
            engine.handle(.asked(manager, .setProperties(patch)), at: now, into: &effects)
            engine.handle(.asked(manager, .startUpdatingLocation(resumeAfter: nil)), at: now, into: &effects)
        }
        step()
        if defers {
            for index in 0..<clients {
                let request = Request.allowDeferredLocationUpdates(DeferralParameters())
                engine.handle(.asked(ManagerID(rawValue: Int32(index)), request), at: now, into: &effects)
            }
        }
        for _ in 0..<3 { step() }
        let steps = max(20_000_000 / (clients + 20), 200)
        let allocations = callocationcount_allocations()
        let begin = nanoseconds()
        var deliveries = 0
        for _ in 0..<steps {
            step()
            deliveries += effects.effects.count - 1
        }
        let time = Double(nanoseconds() - begin) / Double(steps)
        let perFix = Double(callocationcount_allocations() - allocations) / Double(steps)
        print(
            "  \(padded("\(clients)", 8)) \(padded(defers ? "deferred" : filter < 0 ? "none" : "1000 km", 9)) \(padded(fixed(time, 0), 8)) \(padded(fixed(1e9 / time, 0), 10)) \(padded(fixed(perFix, 3), 17)) \(fixed(Double(deliveries) / Double(steps), 1))"
        )
    }
}
