// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The power policy in force.
package enum PowerPolicy: Sendable, Equatable {
    /// Nobody needs a location: the receiver is off, and nothing wakes the process.
    case off
    /// Somebody needs every fix.
    case fullRate
    /// Those who need locations can wait: the receiver sleeps between fixes.
    case dutyCycled
}

/// How often the merged wishes need a fix.
enum ReceiverDemand: Sendable, Equatable {
    case none
    case periodic(sleep: TimeSpan)
    case continuous

    func merged(with other: ReceiverDemand) -> ReceiverDemand {
        switch (self, other) {
        case (.none, let some), (let some, .none): some
        case (.continuous, _), (_, .continuous): .continuous
        case (.periodic(let one), .periodic(let two)): .periodic(sleep: min(one, two))
        }
    }
}

/// Whether the receiver is watched, and until when.
struct ReceiverPower: Sendable {
    enum State: Sendable, Equatable {
        case off
        /// `firstFix` is the first one since it was switched on.
        case on(since: BootInstant, firstFix: BootInstant?)
        case sleeping(until: BootInstant, length: TimeSpan)
    }

    private(set) var state = State.off
    private(set) var policy = PowerPolicy.off
    /// Searches without a fix, one after the other: each sleep after one is twice as long.
    private var vainSearches = 0

    var isOn: Bool { if case .on = state { true } else { false } }
    var onSince: BootInstant? { if case .on(let since, _) = state { since } else { nil } }
    var sleepsUntil: BootInstant? { if case .sleeping(let until, _) = state { until } else { nil } }

    mutating func noteFix(at now: BootInstant) {
        vainSearches = 0
        guard case .on(let since, nil) = state else { return }
        state = .on(since: since, firstFix: now)
    }

    /// Brings the state in line with the demand. `accuracy`: metres, of the newest fix.
    /// Returns whether the receiver was switched, and the effect is due.
    mutating func update(
        demand: ReceiverDemand, accuracy: Double?, at now: BootInstant, _ configuration: EngineConfiguration
    ) -> Bool {
        let wasOn = isOn
        switch demand {
        case .none:
            policy = .off
            state = .off
            vainSearches = 0
        case .periodic(let sleep) where configuration.dutyCycle && sleep >= configuration.minimumSleep:
            policy = .dutyCycled
            updateCycle(sleep: min(sleep, configuration.maximumSleep), accuracy: accuracy, at: now, configuration)
        case .periodic, .continuous:
            policy = .fullRate
            if !isOn { state = .on(since: now, firstFix: nil) }
        }
        return isOn != wasOn
    }

    private mutating func updateCycle(
        sleep: TimeSpan, accuracy: Double?, at now: BootInstant, _ configuration: EngineConfiguration
    ) {
        switch state {
        case .off:
            state = .on(since: now, firstFix: nil)
        case .sleeping(let until, let length):
            // A new demand may need a fix earlier than the sleep that is under way.
            let begun = until - length
            let end = min(until, begun + sleep)
            state = end <= now ? .on(since: now, firstFix: nil) : .sleeping(until: end, length: end - begun)
        case .on(let since, let firstFix):
            if let firstFix {
                // First fixes are poor: a better one is worth a moment.
                let isGood = accuracy.map { $0 <= ReceiverPower.goodAccuracy } ?? false
                guard isGood || now - firstFix >= ReceiverPower.settlingTime else { return }
                state = .sleeping(until: now + sleep, length: sleep)
            } else if now - since >= configuration.acquisitionTime {
                vainSearches = min(vainSearches + 1, 10)
                let longer = TimeSpan(nanoseconds: configuration.minimumSleep.nanoseconds << Int64(vainSearches - 1))
                let length = min(max(sleep, longer), configuration.maximumSleep)
                state = .sleeping(until: now + length, length: length)
            }
        }
    }

    /// Metres that need no better fix before the receiver sleeps.
    private static let goodAccuracy = 50.0
    private static let settlingTime = TimeSpan.seconds(5)

    /// When the state has to be looked at again without a fix.
    func wake(_ configuration: EngineConfiguration) -> WakeWindow? {
        switch state {
        case .off: return nil
        case .sleeping(let until, let length):
            return WakeWindow(earliest: until, latest: until + TimeSpan(nanoseconds: length.nanoseconds / 10))
        case .on(let since, nil) where policy == .dutyCycled:
            let end = since + configuration.acquisitionTime
            return WakeWindow(earliest: end, latest: end + .seconds(5))
        case .on: return nil
        }
    }

    /// Whether a sleep is over, and the effect is due.
    mutating func wakeIfDue(at now: BootInstant) -> Bool {
        guard case .sleeping(let until, _) = state, until <= now else { return false }
        state = .on(since: now, firstFix: nil)
        return true
    }
}

/// One reason for which the receiver is needed.
package struct ReceiverUser: Sendable, Equatable {
    /// Whose.
    package var manager: ManagerID
    /// The service.
    package var source: LocationSource
}

extension Engine {
    /// All who need the receiver now, for `status`.
    package var receiverUsers: [ReceiverUser] {
        let all =
            standard.services.map { ReceiverUser(manager: $0.manager, source: .standard) }
            + requests.services.map { ReceiverUser(manager: $0.manager, source: .request) }
            + significant.services.map { ReceiverUser(manager: $0.manager, source: .significantChange) }
        return all.filter { authorization(of: $0.manager).isAuthorized }
    }

    /// The merged demand of all services.
    func demand(at now: BootInstant) -> ReceiverDemand {
        for request in requests.services where authorization(of: request.manager).isAuthorized { return .continuous }
        var merged = ReceiverDemand.none
        for service in standard.services {
            merged = merged.merged(with: demand(of: accuracyInForce(service.manager)))
            if merged == .continuous { return merged }
        }
        for service in significant.services {
            merged = merged.merged(with: demand(of: service, at: now))
        }
        return merged
    }

    private func demand(of wish: DesiredAccuracy) -> ReceiverDemand {
        switch wish.number {
        case DesiredAccuracy.reduced.number: .periodic(sleep: ReducedViewClock.period)
        case 3_000...: .periodic(sleep: configuration.threeKilometersSleep)
        case 1_000...: .periodic(sleep: configuration.kilometerSleep)
        case 100...: .periodic(sleep: configuration.hundredMetersSleep)
        default: .continuous
        }
    }

    /// The receiver may sleep as long as the device cannot have come farther than a second threshold beyond the first, at the speed
    /// that it may plausibly reach, and not before the interval since the last event is over.
    private func demand(of service: SignificantChangeService, at now: BootInstant) -> ReceiverDemand {
        if hasReducedView(service.manager) { return demand(of: .reduced) }
        guard let reference = service.reference, let lastEvent = service.lastEvent, let lastLocation else {
            return .periodic(sleep: configuration.minimumSleep)
        }
        let travelled = reference.distance(to: lastLocation.coordinate)
        let remaining = max(configuration.significantDistance - travelled, 0)
        let reach = remaining + configuration.significantDistance
        let unreachable = TimeSpan.seconds(reach / plausibleSpeed)
        return .periodic(sleep: max(unreachable, lastEvent + configuration.significantInterval - now))
    }

    /// Metres per second: somewhat more than at the last fix, at least what a device at rest makes on average once it moves.
    private var plausibleSpeed: Double {
        let moving = (lastLocation?.speed ?? 0) * 1.3
        return min(max(moving, configuration.plausibleSpeedFromRest), configuration.plausibleSpeed)
    }
}
