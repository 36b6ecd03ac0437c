// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A stay that was found: where, how well known, and since when.
struct FoundStay: Sendable, BitwiseCopyable {
    var coordinate: Coordinate
    /// Metres, 68 %.
    var accuracy: Double
    /// The first fix at the place.
    var start: BootInstant
    /// Its date; nil: the device was there before anybody looked.
    var arrival: WallTime?
}

/// The places of the last minutes at which a stay may have begun, oldest first.
struct StayCandidates: Sendable {
    /// At `VisitSettings.candidateSpacing` more than a stay and a departure.
    private static let capacity = 64

    private var candidates: [StayCandidate] = []
    private var run: UInt32 = 0
    /// The run in which the device was last seen elsewhere, before the oldest candidate.
    private var runElsewhere: UInt32?

    init() { candidates.reserveCapacity(StayCandidates.capacity) }

    /// Forgets all. `fromElsewhere`: the device has just been seen leaving another place.
    mutating func begin(fromElsewhere: Bool) {
        candidates.removeAll(keepingCapacity: true)
        runElsewhere = fromElsewhere ? run : nil
    }

    /// The fixes to come have a hole before them: where the device was in it is unknown.
    mutating func noteHole() { run &+= 1 }

    mutating func add(_ location: Location, at now: BootInstant, _ settings: VisitSettings) {
        let frame = LocalFrame(latitude: location.coordinate.latitude)
        let joins = candidates.last.map { now - $0.start < settings.candidateSpacing && $0.run == run } ?? false
        let newest = candidates.count - 1
        for index in candidates.indices {
            candidates[index].observe(location, in: frame, at: now, settings)
            if joins, index == newest { candidates[index].join(location, at: now) }
        }
        guard !joins else { return }
        if candidates.count == StayCandidates.capacity {
            if candidates[0].isFarAway { runElsewhere = candidates[0].run }
            candidates.removeFirst()
        }
        candidates.append(StayCandidate(location, at: now, run: run))
    }

    /// Whether the device may just have stopped: the newest fix lies at an older candidate.
    func isStopping(at now: BootInstant, _ settings: VisitSettings) -> Bool {
        candidates.contains {
            !$0.isLeft && $0.lastInside == now && now - $0.start >= settings.leavingSleep
        }
    }

    /// Whether a few fixes more would make a stay.
    func isDecisionPending(at now: BootInstant, _ settings: VisitSettings) -> Bool {
        candidates.contains { $0.isAlmostStay(at: now, settings) }
    }

    /// The oldest place that the newest fix lies at.
    var newestPlace: StayCandidate? {
        guard let newest = candidates.last?.lastInside else { return nil }
        return candidates.first { !$0.isLeft && $0.lastInside == newest }
    }

    /// The stay that has lasted long enough with the fix of `now`.
    func stay(at now: BootInstant, _ settings: VisitSettings) -> FoundStay? {
        let first = candidates.indices.first {
            candidates[$0].isStay(at: now, settings) && !isCreeping(from: $0, settings)
        }
        guard let first else { return nil }
        let middle = middle(from: first)
        let (radius, accuracy) = spread(around: middle, from: first)
        let arrival = arrival(at: middle, within: radius, from: first)
        return FoundStay(
            coordinate: middle, accuracy: accuracy, start: arrival.at,
            arrival: wasSeenElsewhere(before: first) ? arrival.date : nil)
    }

    /// Whether the device moves on slowly, as in a queue of cars: the last third of the fixes lies elsewhere than the first.
    private func isCreeping(from first: Int, _ settings: VisitSettings) -> Bool {
        let third = max((candidates.count - first) / 3, 1)
        let begin = mean(of: first..<first + third)
        let end = mean(of: candidates.count - third..<candidates.count)
        let explained = (begin.accuracy + end.accuracy) / 2 * 0.5
        let times =
            (candidates[candidates.count - 1].start - candidates[first].start).seconds / settings.stayTime.seconds
        return begin.coordinate.distance(to: end.coordinate) > settings.stayRadius * 0.3 * max(times, 1) + explained
    }

    private func mean(of range: Range<Int>) -> (coordinate: Coordinate, accuracy: Double) {
        var mean = (coordinate: candidates[range.lowerBound].coordinate, accuracy: 0.0)
        var weight = 0.0
        for candidate in candidates[range] {
            let more = 1 / max(candidate.accuracy, 5)
            weight += more
            mean.coordinate = mean.coordinate.moved(towards: candidate.coordinate, by: more / weight)
            mean.accuracy += (candidate.accuracy - mean.accuracy) * more / weight
        }
        return mean
    }

    private func wasSeenElsewhere(before first: Int) -> Bool {
        let run = candidates[first].run
        return runElsewhere == run
            || candidates[..<first].contains { $0.isFarAway && $0.run == run }
    }

    /// The geometric median, which outliers hardly move (Weiszfeld's iteration).
    private func middle(from first: Int) -> Coordinate {
        var middle = candidates[candidates.count - 1].coordinate
        let frame = LocalFrame(latitude: middle.latitude)
        for _ in 0..<12 {
            var sum = 0.0
            var next = middle
            for candidate in candidates[first...] {
                let distance = frame.squaredDistance(middle, candidate.coordinate).squareRoot()
                let weight = 1 / (max(distance, 1) * max(candidate.accuracy, 5))
                sum += weight
                next = next.moved(towards: candidate.coordinate, by: weight / sum)
            }
            middle = next
        }
        return middle
    }

    /// How far from the middle a fix may lie and still be at the place, and how well the middle is known; metres.
    private func spread(around middle: Coordinate, from first: Int) -> (radius: Double, accuracy: Double) {
        let frame = LocalFrame(latitude: middle.latitude)
        // The way to the place is part of the first fixes.
        let settled = first + (candidates.count - first) / 3
        var distance = 0.0
        var accuracy = 0.0
        for candidate in candidates[settled...] {
            distance += frame.squaredDistance(middle, candidate.coordinate).squareRoot()
            accuracy += candidate.accuracy
        }
        let count = Double(candidates.count - settled)
        return (max(2 * distance / count, 6), max(distance / count, accuracy / count))
    }

    /// The first fix at the place. Speed, where the receiver tells it, says to the fix when the device stopped.
    private func arrival(
        at middle: Coordinate, within radius: Double, from first: Int
    ) -> (at: BootInstant, date: WallTime) {
        let frame = LocalFrame(latitude: middle.latitude)
        let there = candidates[first...].firstIndex {
            frame.squaredDistance(middle, $0.coordinate) <= radius * radius
        }
        let arrived = there ?? first
        // It may have stopped a little before or after its mean came to the place.
        let near = candidates[max(arrived - 1, first)..<min(arrived + 3, candidates.count)]
        for candidate in near { if let still = candidate.still { return still } }
        return (candidates[arrived].start, candidates[arrived].date)
    }
}
