// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A stay that only its ends show: the device went where there is no sky, not fast enough to come far before it was missed, all searches of
/// many minutes were vain, and it is seen again no farther away than it can have come since the last of them.
struct RoofWatch: Sendable {
    private var lastFix: (place: Coordinate, accuracy: Double, speed: Double, date: WallTime, at: BootInstant)?
    /// The place of the fix before the last.
    private var previous: Coordinate?
    /// The first and the newest search since then.
    private var searches: (first: BootInstant, last: BootInstant)?

    /// Metres per second: underground trains are faster between their stations.
    private static let fastestDeparture = 14.0
    /// Metres to where a device that went on as it was may have come when it was first missed.
    private static let longestDrift = 400.0
    /// Of the drift: the likeliest place of the stay. The search that missed it was long, and places have a door.
    private static let likelyDrift = 0.4
    /// Metres: errors of fixes have no direction.
    private static let shortestWay = 30.0

    /// One fix.
    mutating func note(_ location: Location, at now: BootInstant) {
        searches = nil
        previous = lastFix?.place
        var speed = location.speed ?? 0
        if location.speed == nil, let lastFix, now > lastFix.at {
            speed = lastFix.place.distance(to: location.coordinate) / (now - lastFix.at).seconds
        }
        lastFix = (location.coordinate, location.horizontalAccuracy, speed, location.timestamp, now)
    }

    /// One search that found no sky.
    mutating func noteVainSearch(at now: BootInstant) {
        guard let lastFix, now > lastFix.at else { return }
        searches = (searches?.first ?? now, now)
    }

    /// The stay that ended before `location`; nil: it needs none, or nobody could say where it was.
    func stay(before location: Location, at now: BootInstant, _ settings: VisitSettings) -> Visit? {
        guard let lastFix, let searches else { return nil }
        let drift = lastFix.speed * (searches.first - lastFix.at).seconds
        let way = lastFix.place.distance(to: location.coordinate)
        let since = now - searches.last
        guard (searches.last - lastFix.at).seconds >= settings.stayTime.seconds * 1.5, drift <= RoofWatch.longestDrift,
            way > settings.stayRadius, way <= settings.departureRadius + since.seconds * RoofWatch.fastestDeparture
        else { return nil }
        let end = WallTime(milliseconds: location.timestamp.milliseconds - since.nanoseconds / 1_000_000)
        guard end > lastFix.date else { return nil }
        return Visit(
            coordinate: place(ahead: drift * RoofWatch.likelyDrift, of: lastFix.place),
            horizontalAccuracy: max(lastFix.accuracy, drift / 2), arrival: lastFix.date, departure: end)
    }

    /// So many metres farther on the way of the last two fixes.
    private func place(ahead metres: Double, of last: Coordinate) -> Coordinate {
        guard let previous, previous.distance(to: last) > RoofWatch.shortestWay else { return last }
        return previous.moved(towards: last, by: 1 + metres / previous.distance(to: last))
    }
}
