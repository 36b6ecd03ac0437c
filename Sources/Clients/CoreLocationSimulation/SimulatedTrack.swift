// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Locations with dates that a simulation can reach: those of a track that was recorded some other time, or that has no times, are
/// moved to the simulation's present.
struct SimulatedTrack {
    // Milliseconds. A test that lets a day pass before a track begins says so with advance(by:).
    private static let farthest: Int64 = 86_400_000
    private static let second: Int64 = 1_000
    // A test makes its locations not much earlier than it has them followed.
    private static let making: Int64 = 60_000
    // Ten thousand years: what is later is a mistake, and no sum of it may overflow.
    private static let end: Int64 = 315_569_520_000_000
    // Nothing that moves is recorded so often: locations this close, on the average, have the date of their making.
    private static let shortestInterval: Int64 = 10

    /// In the order in which they were given.
    let locations: [Location]

    /// `now`: what the simulation's clock shows. `present`: the real date, of which locations are that say no date of their own.
    init(_ given: [Location], from now: WallTime, in present: WallTime) {
        let dates = given.map { min(max($0.timestamp.milliseconds, -SimulatedTrack.end), SimulatedTrack.end) }
        guard let first = dates.first, let last = dates.last else {
            locations = []
            return
        }
        let begin = now.milliseconds + SimulatedTrack.second
        guard given.count == 1 || last - first >= SimulatedTrack.shortestInterval * Int64(given.count - 1) else {
            locations = given.indices.map { given[$0].dated(begin + Int64($0) * SimulatedTrack.second) }
            return
        }
        let isJustMade = first <= present.milliseconds && first > present.milliseconds - SimulatedTrack.making
        let isOfThisTime = !isJustMade && first >= begin && first <= now.milliseconds + SimulatedTrack.farthest
        locations = zip(given, dates).map { $0.dated(isOfThisTime ? $1 : begin + $1 - first) }
    }
}

extension Location {
    fileprivate func dated(_ milliseconds: Int64) -> Location {
        var location = self
        location.timestamp = WallTime(milliseconds: milliseconds)
        // No receiver is that exact; what is made of latitude and longitude alone has 0, and would not be taken.
        if location.horizontalAccuracy == 0 { location.horizontalAccuracy = 5 }
        return location
    }
}
