// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTracks

/// What somebody asks of the service for a whole day.
enum PowerUse: String, CaseIterable {
    case alwaysOn = "always on, all three"
    case significantChange = "significant change"
    case regions = "regions"
    case visits = "visits"
    case coarse = "all three"
    case paused = "standard, pauses"

    var hasStandard: Bool { self == .alwaysOn || self == .paused }
    var hasSignificantChange: Bool { self == .alwaysOn || self == .significantChange || self == .coarse }
    var hasRegions: Bool { self == .alwaysOn || self == .regions || self == .coarse }
    var hasVisits: Bool { self == .alwaysOn || self == .visits || self == .coarse }
}

/// The engine over one day, with a receiver that hears only while it is switched on and needs some seconds for its first fix.
struct PowerRun {
    /// Turns of the engine that nothing but time asked for.
    private(set) var wakeUps = 0
    private(set) var told = ToldDay()
    private(set) var receiver: StartingReceiver
    private(set) var onSeconds = 0

    private var engine: Engine
    private var buffer = EffectBuffer()

    private static let manager = ManagerID(rawValue: 0)

    init(
        _ day: PowerDay, _ use: PowerUse, seed: UInt64, configuration: EngineConfiguration = EngineConfiguration()
    ) {
        receiver = StartingReceiver(seed: seed)
        engine = Engine(configuration: configuration, at: PowerRun.moment(0))
        open(use, day)
        for second in day.seconds.indices {
            while let wake = engine.nextWake?.latest, wake <= PowerRun.moment(second) {
                wakeUps += 1
                handle(.woke, second)
            }
            let seen = day.seconds[second]
            if receiver.hears(sky: seen.measured != nil, at: second) { hear(seen, second) }
        }
        onSeconds = receiver.onSeconds(at: day.seconds.count)
    }

    private static func moment(_ second: Int) -> BootInstant {
        BootInstant(nanoseconds: Int64(10_000 + second) * 1_000_000_000)
    }

    private mutating func open(_ use: PowerUse, _ day: PowerDay) {
        let (identity, app) = (IdentityID(rawValue: 0), AppID(rawValue: 0))
        handle(.identityEntered(identity, decided: Consent(.always), policy: Consent(.undecided)), 0)
        handle(.appEntered(app, AppRecord(identity: identity)), 0)
        handle(.managerOpened(PowerRun.manager, ManagerRecord(app: app, presence: .background)), 0)
        handle(.greeted(PowerRun.manager, keepsEvents: true), 0)
        if use.hasStandard {
            var properties = ManagerProperties()
            properties.pausesLocationUpdatesAutomatically = use == .paused
            handle(.asked(PowerRun.manager, .setProperties(properties)), 0)
            handle(.asked(PowerRun.manager, .startUpdatingLocation(resumeAfter: nil)), 0)
        }
        if use.hasSignificantChange { handle(.asked(PowerRun.manager, .startMonitoringSignificantLocationChanges), 0) }
        if use.hasVisits { handle(.asked(PowerRun.manager, .startMonitoringVisits), 0) }
        guard use.hasRegions else { return }
        for circle in day.circles { handle(.asked(PowerRun.manager, .startMonitoring(circle)), 0) }
    }

    private mutating func hear(_ seen: PowerDay.Second, _ second: Int) {
        guard let place = seen.measured else { return }
        let location = Location(
            coordinate: place, horizontalAccuracy: seen.accuracy,
            timestamp: WallTime(milliseconds: PowerDay.start.milliseconds + Int64(second) * 1000), speed: seen.speed)
        handle(.fixReceived(Fix(receiver: ReceiverID(rawValue: 0), location: location)), second)
    }

    private mutating func handle(_ event: Event, _ second: Int) {
        buffer.removeAll()
        engine.handle(event, at: PowerRun.moment(second), into: &buffer)
        for effect in buffer.effects {
            switch effect {
            case .powerReceiver(let isOn): receiver.power(isOn, at: second)
            case .deliver(_, let delivery) where delivery.source == .significantChange:
                guard let accepted = buffer.accepted else { continue }
                told.changes.append((second, accepted.location.coordinate))
            case .event(_, let index, _): note(buffer.events[index], second)
            default: continue
            }
        }
        for event in buffer.events { handle(.asked(PowerRun.manager, .acknowledge(event: event.number)), second) }
    }

    private mutating func note(_ event: AppEvent, _ second: Int) {
        switch event.content {
        case .region(let region, let state, let place):
            told.crossings.append((second, region.identifier, state, place.timestamp))
        case .visit(let visit): told.visits.append((second, visit))
        case .monitor, .significantChange: break
        }
    }
}
