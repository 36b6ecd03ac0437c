// SPDX-License-Identifier: Apache-2.0
import LivedDays
import LocationEngine
import LocationModel
import LocationTracks

/// How a run compares with what truly happened.
struct PowerQuality {
    private(set) var changes = 0
    /// Metres that the device had truly travelled since a significant change was due, for each of them.
    private(set) var overshoots: [Double] = []
    private(set) var regionVisits = 0
    private(set) var regionVisitsFound = 0
    /// Crossings that nothing happened for.
    private(set) var falseCrossings = 0
    /// Seconds.
    private(set) var entryDelays: [Double] = []
    private(set) var exitDelays: [Double] = []
    private(set) var stays = 0
    private(set) var staysFound = 0
    private(set) var falseVisits = 0
    /// Seconds after the five minutes that make a visit.
    private(set) var arrivalDelays: [Double] = []
    private(set) var departureDelays: [Double] = []

    /// Metres: the aim.
    static let allowedOvershoot = 500.0
    /// Seconds after its end in which something may still be told of it.
    private static let patience = 900

    mutating func add(_ day: PowerDay, _ run: borrowing LivedDay, _ use: PowerUse) {
        if use.hasSignificantChange { addSignificantChanges(day, run) }
        if use.hasRegions { for circle in day.circles { addRegion(circle, day, run) } }
        if use.hasVisits { addVisits(day, run) }
    }

    /// After each change the next is due when the device is truly 500 m away and 300 s have passed.
    private mutating func addSignificantChanges(_ day: PowerDay, _ run: borrowing LivedDay) {
        changes += run.told.changes.count
        for (index, change) in run.told.changes.enumerated() {
            let next = index + 1 < run.told.changes.count ? run.told.changes[index + 1].second : nil
            let end = next ?? day.seconds.count
            let due = (change.second + 300..<max(end, change.second + 300)).first {
                day.seconds[$0].truth.distance(to: change.place) >= 500
            }
            guard let due else {
                if next != nil { overshoots.append(0) }
                continue
            }
            let way = zip(day.seconds[due..<end], day.seconds[(due + 1)..<max(end, due + 1)])
            let travelled = way.reduce(0) { $0 + $1.0.truth.distance(to: $1.1.truth) }
            // The end of the day is no lateness.
            if next != nil || travelled > PowerQuality.allowedOvershoot { overshoots.append(travelled) }
        }
    }

    private mutating func addRegion(_ region: Region, _ day: PowerDay, _ run: borrowing LivedDay) {
        guard case .circle(let center, let radius) = region.shape else { return }
        var told = run.told.crossings.filter { $0.region == region.identifier }
        // A first state is no crossing.
        for visit in trueVisits(center, radius, day) {
            func take(_ state: RegionState, _ range: ClosedRange<Int>) -> Int? {
                guard let index = told.firstIndex(where: { $0.state == state && range.contains($0.second) })
                else { return nil }
                return told.remove(at: index).second
            }
            let entry = take(.inside, visit.from - 60...visit.to + PowerQuality.patience)
            let exit = take(.outside, visit.to - 60...visit.to + PowerQuality.patience)
            guard visit.isCertain, visit.from > 0 else { continue }
            regionVisits += 1
            if let entry {
                regionVisitsFound += 1
                entryDelays.append(Double(entry - visit.from))
                // The end of the day is no exit.
                if let exit, visit.to < day.seconds.count - 1 { exitDelays.append(Double(exit - visit.to)) }
            }
        }
        falseCrossings += told.count
    }

    /// Every time inside; certain are those of 20 s and more that nobody takes for noise.
    private func trueVisits(
        _ center: Coordinate, _ radius: Double, _ day: PowerDay
    ) -> [(from: Int, to: Int, isCertain: Bool)] {
        var visits: [(from: Int, to: Int, isCertain: Bool)] = []
        var since: Int?
        var deepest = 0.0
        for second in day.seconds.indices {
            let depth = radius - center.distance(to: day.seconds[second].truth)
            if depth >= 0 {
                since = since ?? second
                deepest = max(deepest, depth)
            }
            guard let from = since, depth < 0 || second == day.seconds.count - 1 else { continue }
            visits.append((from, second, second - from >= 20 && deepest >= 30))
            (since, deepest) = (nil, 0)
        }
        return visits
    }

    private mutating func addVisits(_ day: PowerDay, _ run: borrowing LivedDay) {
        var told = run.told.visits
        for stay in day.stays where stay.to - stay.from >= 360 {
            func take(departs: Bool, _ range: ClosedRange<Int>) -> Int? {
                let index = told.firstIndex {
                    ($0.visit.departure != nil) == departs && range.contains($0.second)
                        && $0.visit.coordinate.distance(to: stay.place) <= 150
                }
                return index.map { told.remove(at: $0).second }
            }
            stays += 1
            let arrival = take(departs: false, stay.from...stay.to + PowerQuality.patience)
            let departure = take(departs: true, stay.to...stay.to + PowerQuality.patience)
            if let arrival {
                staysFound += 1
                arrivalDelays.append(Double(arrival - stay.from - 300))
            }
            if let departure { departureDelays.append(Double(departure - stay.to)) }
        }
        falseVisits += told.filter { $0.visit.departure == nil }.count
    }
}
