// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel

/// The engine over one day, with a receiver that hears only while it is on and needs some seconds for its first fix.
package struct LivedDay: ~Copyable {
    /// What one client was told.
    package private(set) var told = ToldDay()
    /// The receiver at the end of the day.
    package private(set) var receiver: StartingReceiver
    /// Seconds for which it was on.
    package private(set) var onSeconds = 0
    /// Turns of the engine that nothing but time asked for.
    package private(set) var wakeUps = 0

    private var engine: Engine
    private var buffer = EffectBuffer()

    private static let manager = ManagerID(rawValue: 0)

    /// A day of so many seconds, on which one client in the background asks for `requests` at once. `sky`: what a receiver that is on
    /// can hear in a second.
    package init(
        seconds: Int, _ receiverThatIsOff: StartingReceiver, _ configuration: EngineConfiguration,
        _ requests: [Request], sky: (Int) -> HeardSky
    ) {
        engine = Engine(configuration: configuration, at: LivedDay.moment(0))
        receiver = receiverThatIsOff
        let (identity, app) = (IdentityID(rawValue: 0), AppID(rawValue: 0))
        handle(.identityEntered(identity, decided: Consent(.always), policy: Consent(.undecided)), 0)
        handle(.appEntered(app, AppRecord(identity: identity)), 0)
        handle(.managerOpened(LivedDay.manager, ManagerRecord(app: app, presence: .background)), 0)
        handle(.greeted(LivedDay.manager, keepsEvents: true), 0)
        for request in requests { handle(.asked(LivedDay.manager, request), 0) }
        for second in 0..<seconds {
            while let wake = engine.nextWake?.latest, wake <= LivedDay.moment(second) {
                wakeUps += 1
                handle(.woke, second)
            }
            let heard = sky(second)
            let report = receiver.report(
                hasSky: heard.location != nil, hasSignals: heard.hasSignals, at: second)
            switch (report, heard.location) {
            case (.fix, let location?):
                handle(.fixReceived(Fix(receiver: ReceiverID(rawValue: 0), location: location)), second)
            case (.noFix(let satellites), _): handle(.noFixReported(satellites: satellites), second)
            case (.fix, nil), (nil, _): break
            }
        }
        onSeconds = receiver.onSeconds(at: seconds)
    }

    private static func moment(_ second: Int) -> BootInstant {
        BootInstant(nanoseconds: Int64(10_000 + second) * 1_000_000_000)
    }

    private mutating func handle(_ event: Event, _ second: Int) {
        buffer.removeAll()
        engine.handle(event, at: LivedDay.moment(second), into: &buffer)
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
        for event in buffer.events { handle(.asked(LivedDay.manager, .acknowledge(event: event.number)), second) }
    }

    private mutating func note(_ event: AppEvent, _ second: Int) {
        switch event.content {
        case .region(let region, let state, let place):
            told.crossings.append((second, region.identifier, state, place?.timestamp ?? event.date))
        case .visit(let visit): told.visits.append((second, visit))
        case .monitor, .significantChange, .notice: break
        }
    }
}
