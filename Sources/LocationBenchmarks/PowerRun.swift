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
    /// Something that was told: seconds since the start of the day.
    struct Told<Content> {
        var second: Int
        var content: Content
    }

    private(set) var onSeconds = 0
    private var onSince = 0
    private(set) var starts = 0
    /// Turns of the engine that nothing but time asked for.
    private(set) var wakeUps = 0
    /// Where the device was thought to be.
    private(set) var significantChanges: [Told<Coordinate>] = []
    private(set) var crossings: [Told<(region: String, state: RegionState)>] = []
    private(set) var visits: [Told<Visit>] = []

    private var engine: Engine
    private var buffer = EffectBuffer()
    private var noise: NoiseGenerator
    private var isOn = false
    /// When the receiver has its first fix if the sky is there.
    private var firstFix = 0
    private var offSince = Int.min / 2

    private static let manager = ManagerID(rawValue: 0)

    init(_ day: PowerDay, _ use: PowerUse, seed: UInt64) {
        noise = NoiseGenerator(seed: seed)
        engine = Engine(configuration: EngineConfiguration(), at: PowerRun.moment(0))
        open(use, day)
        for second in day.seconds.indices {
            while let wake = engine.nextWake?.latest, wake <= PowerRun.moment(second) {
                wakeUps += 1
                handle(.woke, second)
            }
            if isOn, second >= firstFix { hear(day.seconds[second], second) }
        }
        if isOn { onSeconds += day.seconds.count - onSince }
    }

    private static func moment(_ second: Int) -> BootInstant {
        BootInstant(nanoseconds: Int64(10_000 + second) * 1_000_000_000)
    }

    private mutating func open(_ use: PowerUse, _ day: PowerDay) {
        let (identity, app) = (IdentityID(rawValue: 0), AppID(rawValue: 0))
        handle(.identityEntered(identity, decided: Consent(.always), policy: Consent(.undecided)), 0)
        handle(.appEntered(app, AppState(identity: identity)), 0)
        handle(.managerOpened(PowerRun.manager, ManagerState(app: app, presence: .background)), 0)
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
            case .powerReceiver(let isOn): power(isOn, second)
            case .deliver(_, let delivery) where delivery.source == .significantChange:
                guard let accepted = buffer.accepted else { continue }
                significantChanges.append(Told(second: second, content: accepted.location.coordinate))
            case .event(_, let index, _): note(buffer.events[index], second)
            default: continue
            }
        }
        for event in buffer.events { handle(.asked(PowerRun.manager, .acknowledge(event: event.number)), second) }
    }

    private mutating func note(_ event: AppEvent, _ second: Int) {
        switch event.content {
        case .region(let region, let state, _):
            crossings.append(Told(second: second, content: (region.identifier, state)))
        case .visit(let visit): visits.append(Told(second: second, content: visit))
        case .monitor, .significantChange: break
        }
    }

    /// A receiver that has slept long has to search for its satellites.
    private mutating func power(_ isOn: Bool, _ second: Int) {
        self.isOn = isOn
        guard isOn else {
            offSince = second
            onSeconds += second - onSince
            return
        }
        starts += 1
        onSince = second
        let hotStart = noise.uniform(3...8)
        firstFix = second + Int((second - offSince > 1800 ? 30 : hotStart).rounded(.up))
    }
}
