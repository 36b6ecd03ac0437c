// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationTracks

/// The events that a detector told of a day, with the seconds since its start.
package struct ToldDay: Sendable {
    /// Significant changes: where the device was thought to be.
    package var changes: [(second: Int, place: Coordinate)] = []
    /// Regions entered and left.
    package var crossings: [(second: Int, region: String, state: RegionState, date: WallTime)] = []
    /// Arrivals and departures.
    package var visits: [(second: Int, visit: Visit)] = []

    /// Nothing was told.
    package init() {}
}

/// How what was told of days compares with what happened.
package struct DetectionScore: Sendable {
    /// Stays of a quarter of an hour and more that a receiver could see, and those of them that were told.
    package private(set) var stays = 0
    package private(set) var staysTold = 0
    /// Visits told, and those of them where the device did stay.
    package private(set) var visits = 0
    package private(set) var visitsRight = 0
    /// Entries and exits of a stay inside of a minute and more that a receiver could see, and those of them that were told.
    package private(set) var crossings = 0
    package private(set) var crossingsTold = 0
    /// Told within five minutes.
    package private(set) var crossingsInTime = 0
    /// Told and never made.
    package private(set) var falseCrossings = 0
    /// Seconds after a crossing.
    package private(set) var crossingDelays: [Double] = []
    /// For each significant change that was due: how far from there the device was before it was told, metres, and the seconds until then.
    package private(set) var lateMetres: [Double] = []
    package private(set) var lateSeconds: [Double] = []

    /// Seconds after which nothing is told any more of what is over.
    private static let patience = 900
    /// Metres from a stay at which a visit is told of it.
    private static let visitRadius = 150.0

    /// Of no day.
    package init() {}

    package var recall: Double { share(staysTold, stays) }
    package var precision: Double { share(visitsRight, visits) }
    package var crossingRecall: Double { share(crossingsTold, crossings) }
    package var crossingRecallInTime: Double { share(crossingsInTime, crossings) }
    /// Share of the significant changes that were told within 500 m of where a receiver could see that they were due.
    package var changesInTime: Double { share(lateMetres.count { $0 <= 500 }, lateMetres.count) }

    private func share(_ part: Int, _ whole: Int) -> Double { whole == 0 ? 1 : Double(part) / Double(whole) }
}

// Visits.
extension DetectionScore {
    /// A part of the day at one place.
    package struct Stay: Sendable {
        package var place: Coordinate
        package var from: Int
        package var to: Int
    }

    /// Adds the visits of one day.
    package mutating func addVisits(_ told: ToldDay, _ day: PersonalDay) {
        let all = day.stayPoints(seenOnly: false)
        let seen = day.stayPoints(seenOnly: true).filter { $0.to - $0.from >= 900 }
        let visits = told.stays(of: day)
        self.visits += visits.count
        visitsRight += visits.count { visit in all.contains { $0.isSame(as: visit) } }
        stays += seen.count
        staysTold += seen.count { stay in visits.contains { $0.isSame(as: stay) } }
    }
}

extension DetectionScore.Stay {
    fileprivate func isSame(as other: DetectionScore.Stay) -> Bool {
        from < other.to && other.from < to && place.distance(to: other.place) <= 150
    }
}

extension ToldDay {
    fileprivate func stays(of day: PersonalDay) -> [DetectionScore.Stay] {
        func second(_ date: WallTime) -> Int { Int((date.milliseconds - Track.defaultFrom.milliseconds) / 1_000) }
        var stays: [DetectionScore.Stay] = []
        for (_, visit) in visits {
            let from = visit.arrival.map(second) ?? 0
            if let departure = visit.departure {
                if !stays.isEmpty { stays.removeLast() }
                stays.append(DetectionScore.Stay(place: visit.coordinate, from: from, to: second(departure)))
            } else {
                stays.append(DetectionScore.Stay(place: visit.coordinate, from: from, to: day.points.count))
            }
        }
        return stays
    }
}

extension PersonalDay {
    /// Where the person truly stayed for five minutes within 100 m, by the classic detector that sees the whole day (Li et al., 2008);
    /// `seenOnly`: from the first to the last second of a stay that a receiver could see.
    package func stayPoints(seenOnly: Bool) -> [DetectionScore.Stay] {
        let seconds = points.indices.filter { seenOnly ? points[$0].measured != nil : $0.isMultiple(of: 5) }
        var stays: [DetectionScore.Stay] = []
        var anchor = 0
        while anchor < seconds.count {
            let place = points[seconds[anchor]].truth
            var end = anchor + 1
            while end < seconds.count, place.distance(to: points[seconds[end]].truth) <= 100 { end += 1 }
            guard seconds[end - 1] - seconds[anchor] >= 300 else {
                anchor += 1
                continue
            }
            // Where most of the time went.
            let middle = points[(seconds[anchor] + seconds[end - 1]) / 2].truth
            stays.append(DetectionScore.Stay(place: middle, from: seconds[anchor], to: seconds[end - 1]))
            anchor = end
        }
        return stays
    }
}

// Regions.
extension DetectionScore {
    private struct Inside {
        var from: Int
        var to: Int
        var depth = 0.0
        var seen = 0

        /// Nobody takes it for noise, it lasts, and a receiver could see it.
        var counts: Bool { depth >= 30 && to - from >= 60 && seen >= 20 }
    }

    /// Adds the regions of one day.
    package mutating func addRegions(_ told: ToldDay, _ day: PersonalDay) {
        for region in day.circles {
            var left = told.crossings.filter { $0.region == region.identifier }
            var missed: [(state: RegionState, dates: ClosedRange<Int>)] = []
            for inside in timesInside(region, day) {
                func take(_ state: RegionState, _ range: ClosedRange<Int>) -> Int? {
                    let index = left.firstIndex { $0.state == state && range.contains($0.second) }
                    if index == nil { missed.append((state, inside.from - 60...inside.to + 60)) }
                    return index.map { left.remove(at: $0).second }
                }
                let entry = take(.inside, inside.from - 60...inside.to + DetectionScore.patience)
                let exit = take(.outside, inside.to - 60...inside.to + DetectionScore.patience)
                guard inside.counts else { continue }
                if inside.from > 0 { add(entry.map { $0 - inside.from }) }
                if inside.to < day.points.count - 1 { add(exit.map { $0 - inside.to }) }
            }
            // A crossing that is told too late to count is not false if it says when it was.
            falseCrossings += left.count { one in
                let second = Int((one.date.milliseconds - Track.defaultFrom.milliseconds) / 1_000)
                return !missed.contains { $0.state == one.state && $0.dates.contains(second) }
            }
        }
    }

    private mutating func add(_ delay: Int?) {
        crossings += 1
        guard let delay else { return }
        crossingsTold += 1
        if delay <= 300 { crossingsInTime += 1 }
        crossingDelays.append(Double(delay))
    }

    private func timesInside(_ region: Region, _ day: PersonalDay) -> [Inside] {
        var times: [Inside] = []
        var outside = 0.0
        for (second, point) in day.points.enumerated() {
            let depth = -region.shape.signedDistance(to: point.truth)
            outside = max(outside, -depth)
            guard depth >= 0 else { continue }
            // A step over the border is no exit.
            if let last = times.last, second - last.to < 60 || outside < 30 {
            } else {
                times.append(Inside(from: second, to: second))
            }
            outside = 0
            times[times.count - 1].to = second
            times[times.count - 1].depth = max(times[times.count - 1].depth, depth)
            if point.measured != nil { times[times.count - 1].seen += 1 }
        }
        return times
    }
}

// Significant changes.
extension DetectionScore {
    /// Adds the significant changes of one day: the next is due when a receiver sees the device 500 m from the last, and 300 s have passed.
    package mutating func addChanges(_ told: ToldDay, _ day: PersonalDay) {
        for (index, change) in told.changes.enumerated() {
            let next = index + 1 < told.changes.count ? told.changes[index + 1].second : nil
            let end = next ?? day.points.count - 1
            let due = (change.second + 300..<max(end, change.second + 300)).first {
                day.points[$0].measured != nil && day.points[$0].truth.distance(to: change.place) >= 500
            }
            guard let due else {
                if next != nil { add(metres: 0, seconds: 0) }
                continue
            }
            let place = day.points[due].truth
            let metres = day.points[due...end].reduce(0) { max($0, place.distance(to: $1.truth)) }
            // The end of the day is no lateness.
            if next != nil || metres > 500 { add(metres: metres, seconds: Double(end - due)) }
        }
    }

    private mutating func add(metres: Double, seconds: Double) {
        lateMetres.append(metres)
        lateSeconds.append(seconds)
    }
}
