// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The power policy in force.
package enum PowerPolicy: Sendable, Equatable {
    /// Nobody needs a location: the receiver is off, and nothing wakes the process.
    case off
    /// Somebody needs every fix.
    case fullRate
    /// Those who need locations can wait: the receiver sleeps between fixes.
    case dutyCycled
}

/// How often services need a fix, merged over all of them.
enum ReceiverDemand: Sendable, Equatable {
    case none
    case periodic(sleep: TimeSpan)
    /// Something is about to be decided: every fix for as long as there are any.
    case awake
    case continuous

    func merged(with other: ReceiverDemand) -> ReceiverDemand {
        switch (self, other) {
        case (.none, let some), (let some, .none): some
        case (.continuous, _), (_, .continuous): .continuous
        case (.awake, _), (_, .awake): .awake
        case (.periodic(let one), .periodic(let two)): .periodic(sleep: min(one, two))
        }
    }

    /// The demand of a desired accuracy.
    init(for wish: DesiredAccuracy, _ settings: PowerSettings) {
        self =
            switch wish.number {
            case DesiredAccuracy.reduced.number: .periodic(sleep: ReducedViewClock.period)
            case 3_000...: .periodic(sleep: settings.threeKilometersSleep)
            case 1_000...: .periodic(sleep: settings.kilometerSleep)
            case 100...: .periodic(sleep: settings.hundredMetersSleep)
            default: .continuous
            }
    }

    /// A service that is silent while the device is stationary needs no more than to see that it moves, and never more than when it moves.
    func whileStationary(_ configuration: EngineConfiguration) -> ReceiverDemand {
        if case .periodic(let sleep) = self, sleep > configuration.stationaryCheck { return self }
        return .periodic(sleep: configuration.stationaryCheck)
    }
}
