// SPDX-License-Identifier: Apache-2.0
import LocationModel

// What the services need of the receiver, all together.
extension Engine {
    /// The merged demand of all services.
    func demand(at now: BootInstant) -> ReceiverDemand {
        for request in requests.services where authorization(of: request.manager).isAuthorized { return .continuous }
        if !headings.isEmpty { return .continuous }
        var merged = ReceiverDemand.none
        for service in standard.services {
            let wish = demand(of: accuracyInForce(service.manager))
            merged = merged.merged(with: service.mode == .paused ? atRest(wish) : wish)
            if merged == .continuous { return merged }
        }
        for service in live.services {
            merged = merged.merged(with: demand(of: service))
            if merged == .continuous { return merged }
        }
        for service in significant.services {
            merged = merged.merged(
                with: significantDemand(
                    service.reference, service.lastEvent, isReduced: hasReducedView(service.manager), at: now))
        }
        for app in absentApps {
            guard let service = apps[app.index].absentSignificant else { continue }
            let isReduced = apps[app.index].authorization.accuracy == .reduced
            merged = merged.merged(
                with: significantDemand(service.reference, service.lastEvent, isReduced: isReduced, at: now))
        }
        return merged.merged(with: regionDemand(at: now)).merged(with: visitDemand())
    }

    private func demand(of service: LiveService) -> ReceiverDemand {
        guard mayStream(service.manager) else { return .none }
        let wish = authorization(of: service.manager).accuracy == .reduced ? demand(of: .reduced) : .continuous
        return service.streams.allSatisfy(\.isResting) ? atRest(wish) : wish
    }

    /// Who rests needs no more than to see that the device moves, and never more than when it moves.
    private func atRest(_ wish: ReceiverDemand) -> ReceiverDemand {
        if case .periodic(let sleep) = wish, sleep > configuration.restCheck { return wish }
        return .periodic(sleep: configuration.restCheck)
    }

    /// The receiver may sleep as long as the device hardly reaches the nearest border, and a little longer, because no visit counts that is
    /// shorter than the dwell time. A device that did not come on foot may drive away from its rest at once; while it may come to a border at
    /// all it does not sleep longer than a way between two fixes may be, or nobody could say that it led through a region.
    private func regionDemand(at now: BootInstant) -> ReceiverDemand {
        guard areRegionsWanted else { return .none }
        guard !regions.isDecisionPending else { return .awake }
        guard let distance = regions.distanceToNearestBorder else { return .none }
        let settings = configuration.power
        let isOnFoot = power.pace.isOnFoot
        let slowest = settings.plausibleSpeedFromRest * (isOnFoot ? Engine.paceBesideBorders : 1)
        let speed = min(max(power.pace.speed(at: now), slowest), settings.plausibleSpeed)
        let beyond = min(configuration.regions.dwell.seconds * 0.75, Engine.longestWayBeyond)
        var unreachable = TimeSpan.seconds(max(distance, 0) / speed + beyond)
        if !isOnFoot {
            let shortest = TimeSpan.seconds(max(distance, 0) / settings.plausibleSpeed)
            unreachable = min(unreachable, max(shortest, configuration.regions.maximumPassageGap - Engine.longestStart))
        }
        let least = power.restingSleep.map { max($0, configuration.restCheck) } ?? settings.minimumSleep
        return .periodic(sleep: max(unreachable, least))
    }

    private var areRegionsWanted: Bool { regions.watchedCount > 0 && apps.contains { $0.watchesRegions } }

    /// Of the speed from rest: who walks seldom turns into who drives between two looks.
    private static let paceBesideBorders = 0.4
    /// Seconds.
    private static let longestWayBeyond = 15.0
    /// From the end of a sleep to its fix.
    private static let longestStart = TimeSpan.seconds(15)

    /// The longest sleeps while no sky is found. Who came by car may be far beyond a border when it is back, or a significant change late.
    var blindSleep: BlindSleep {
        var longest = BlindSleep()
        if isSignificantWanted {
            let isAlone = standard.isEmpty && live.isEmpty
            longest.hot = power.pace.isOnFoot ? (isAlone ? .seconds(600) : longest.hot) : .seconds(150)
        }
        if areRegionsWanted {
            longest.hot = min(longest.hot, .seconds(power.pace.isOnFoot ? 300 : 170))
            longest.cold = min(longest.cold, .seconds(240))
        }
        if areVisitsWanted {
            longest.hot = min(longest.hot, .seconds(200))
            longest.cold = min(longest.cold, .seconds(300))
        }
        return longest
    }

    private var isSignificantWanted: Bool { !(significant.isEmpty && absentApps.isEmpty) }

    private func visitDemand() -> ReceiverDemand {
        guard areVisitsWanted else { return .none }
        if visits.isDecisionPending(configuration.visits) { return .awake }
        let sleep = visits.longestSleep(configuration.visits)
        // Before the first fix the search for it may be given up like any other.
        return .periodic(sleep: sleep == .zero ? configuration.power.minimumSleep : sleep)
    }

    private func demand(of wish: DesiredAccuracy) -> ReceiverDemand {
        switch wish.number {
        case DesiredAccuracy.reduced.number: .periodic(sleep: ReducedViewClock.period)
        case 3_000...: .periodic(sleep: configuration.power.threeKilometersSleep)
        case 1_000...: .periodic(sleep: configuration.power.kilometerSleep)
        case 100...: .periodic(sleep: configuration.power.hundredMetersSleep)
        default: .continuous
        }
    }

    /// The receiver may sleep as long as the device cannot have come farther than a second threshold beyond the first (half of one while it
    /// moves), at the speed that it may plausibly reach, and not before the interval since the last event is over. At rest it sleeps as long as pays for the start.
    private func significantDemand(
        _ reference: Coordinate?, _ lastEvent: BootInstant?, isReduced: Bool, at now: BootInstant
    ) -> ReceiverDemand {
        if isReduced { return demand(of: .reduced) }
        guard let reference, let lastEvent, let lastLocation else {
            return .periodic(sleep: configuration.power.minimumSleep)
        }
        let travelled = reference.distance(to: lastLocation.coordinate)
        let remaining = max(configuration.significantChange.distance - travelled, 0)
        let pace = power.pace
        // Who has started will soon be faster, and who came on foot seldom leaves by car.
        let reach = remaining + configuration.significantChange.distance / (pace.isAtRest ? 1 : 2)
        let resting = (power.restingSleep ?? .zero).nanoseconds * (pace.isOnFoot ? 2 : 1)
        let unreachable = TimeSpan.seconds(reach / plausibleSpeed(at: now))
        // A sleep that is under way is as long as it was when it began.
        let early = lastEvent + configuration.significantChange.interval - (power.sleepsSince ?? now)
        return .periodic(sleep: max(unreachable, early, TimeSpan(nanoseconds: resting)))
    }

    /// Metres per second: somewhat more than of late, at least what a device at rest makes on average once it moves.
    private func plausibleSpeed(at now: BootInstant) -> Double {
        let moving = power.pace.speed(at: now) * 1.3
        return min(max(moving, configuration.power.plausibleSpeedFromRest), configuration.power.plausibleSpeed)
    }
}
