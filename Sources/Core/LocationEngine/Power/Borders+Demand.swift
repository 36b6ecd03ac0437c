// SPDX-License-Identifier: Apache-2.0
import LocationModel

extension Borders {
    var areWatched: Bool { index.watchedCount > 0 }

    /// The receiver may sleep as long as the device hardly reaches the nearest border, and a little longer, because no visit counts that is
    /// shorter than the dwell time. A device that did not come on foot may drive away at once: while it may come to a border at
    /// all, the sleep is no longer than the longest gap over which a passage is found.
    func demand(_ turn: Turn, _ power: ReceiverPower) -> ReceiverDemand {
        guard areWatched else { return .none }
        guard !index.isDecisionPending else { return .awake }
        guard let distance = index.distanceToNearestBorder else { return .none }
        let (settings, regions) = (turn.configuration.power, turn.configuration.regions)
        let isOnFoot = power.pace.isOnFoot
        let slowest = settings.plausibleSpeedFromRest * (isOnFoot ? Borders.paceBesideBorders : 1)
        let speed = min(max(power.pace.speed(at: turn.now), slowest), settings.plausibleSpeed)
        let beyond = min(regions.dwell.seconds * 0.75, Borders.longestWayBeyond)
        var unreachable = TimeSpan.seconds(max(distance, 0) / speed + beyond)
        if !isOnFoot {
            let shortest = TimeSpan.seconds(max(distance, 0) / settings.plausibleSpeed)
            unreachable = min(unreachable, max(shortest, regions.maximumPassageGap - Borders.longestStart))
        }
        let least = power.pace.isStationary ? power.search.worthwhileSleep ?? .zero : .zero
        let check = power.pace.isStationary ? turn.configuration.stationaryCheck : .zero
        return .periodic(sleep: max(unreachable, least, check, settings.minimumSleep))
    }

    /// Share of the speed from rest: a person on foot seldom begins to drive between two fixes.
    private static let paceBesideBorders = 0.4
    /// Seconds.
    private static let longestWayBeyond = 15.0
    /// From the end of a sleep to its fix.
    private static let longestStart = TimeSpan.seconds(15)
}
