// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// One border near the device, and the evidence so far that the device crosses it.
struct BorderWatch: Sendable {
    /// The result of one fix.
    enum Outcome: Equatable {
        case none
        /// On the other side, or on a side at all.
        case settled(RegionState)
        /// In and out again since the last crossing.
        case passed(entry: Place, exit: Place)
    }

    /// A moment on the border.
    struct Place: Equatable {
        var date: WallTime
        var coordinate: Coordinate
    }

    /// A region's own numbers, where it has any: metres, seconds.
    struct Hysteresis: Sendable {
        var cushion: Double?
        var dwell: Double
        /// The region says itself how long a stay must be: a shorter one does not count, however clearly it is seen.
        var hasOwnDwell = false
        /// Metres: a cushion inside the area is at most this, half of how deep the device can be in it.
        var deepest: Double
    }

    /// Metres from the border to the estimate, negative inside; nil before the first fix.
    var distance: Double?

    /// The side that the device seems to be on instead, and since when.
    private var candidate = RegionState.unknown
    private var candidateSince = 0.0
    /// Where a crossing was accepted: until the device has left this place behind, noise could undo it.
    private var lastCrossing: Coordinate?
    /// A way that leads into the area, and may lead out again.
    private var way: Way?
    private var firstSeen: Double?

    private struct Way: Sendable {
        /// The last estimate outside.
        var origin: Coordinate
        var entry: Place
        var depth: Double
        var exit: Place?
    }

    /// A border that was at `distance`, metres, one fix ago; nil: nobody knows.
    init(distance: Double? = nil) { self.distance = distance }

    /// Share of a leash that the device must travel on its way through an area: less than a whole one, because it moves already.
    private static let shortLeash = 0.75
    /// Seconds after which evidence that decides nothing keeps no receiver on.
    private static let patience = 60.0

    /// Whether more fixes will soon decide something.
    func isPending(_ state: RegionState, _ evidence: RegionEvidence, dwell: Double) -> Bool {
        let time = evidence.time
        if candidate != .unknown { return time - candidateSince < dwell + BorderWatch.patience }
        if way != nil, evidence.anchor == nil { return true }
        guard state == .unknown else { return false }
        return time - (firstSeen ?? time) < BorderWatch.patience
    }

    /// Whether nothing is under way: what is far away then need not be watched.
    var isQuiet: Bool { candidate == .unknown && lastCrossing == nil && way == nil && distance != nil }

    /// Judges the border of `shape` by one more fix; `state` is where the device has been up to now.
    mutating func step(
        _ shape: RegionShape, _ state: RegionState, _ hysteresis: Hysteresis, _ evidence: RegionEvidence,
        _ settings: RegionSettings
    ) -> Outcome {
        let before = distance
        let now = shape.signedDistance(to: evidence.place)
        distance = now
        if firstSeen == nil { firstSeen = evidence.time }
        if let last = lastCrossing, last.distance(to: evidence.place) > evidence.leash { lastCrossing = nil }
        if state == .unknown, abs(now) > evidence.clearDistance {
            return accept(now <= 0 ? .inside : .outside, at: nil)
        }
        if state == .outside, settings.detectsPassages, let before,
            let passed = follow(shape, from: before, to: now, hysteresis, evidence, settings)
        {
            lastCrossing = evidence.place
            return passed
        }
        let settled = weigh(shape, now, state, hysteresis, evidence)
        return settled == .unknown ? .none : accept(settled, at: state == .unknown ? nil : evidence.place)
    }

    private mutating func accept(_ state: RegionState, at place: Coordinate?) -> Outcome {
        candidate = .unknown
        way = nil
        lastCrossing = place
        return .settled(state)
    }

    /// The side that has been certain for the dwell time, and is news; unknown: none.
    private mutating func weigh(
        _ shape: RegionShape, _ moving: Double, _ state: RegionState, _ hysteresis: Hysteresis,
        _ evidence: RegionEvidence
    ) -> RegionState {
        var distance = moving
        var cushion: Double
        var isCertain = true
        if let own = hysteresis.cushion {
            cushion = own
        } else if state == .unknown, abs(moving) >= evidence.firstCushion {
            cushion = evidence.firstCushion
        } else if let anchor = evidence.anchor {
            distance = shape.signedDistance(to: anchor)
            cushion = evidence.stationaryCushion
        } else {
            cushion = evidence.movingCushion
            isCertain = lastCrossing == nil
        }
        let side = distance <= 0 ? RegionState.inside : .outside
        if side == .inside { cushion = min(cushion, hysteresis.deepest) }
        guard side != state else {
            candidate = .unknown
            return .unknown
        }
        if candidate != .unknown, candidate != side { candidate = .unknown }
        guard isCertain, abs(distance) >= cushion else { return .unknown }
        if candidate == .unknown { (candidate, candidateSince) = (side, evidence.time) }
        return evidence.time - candidateSince >= hysteresis.dwell ? side : .unknown
    }
}

// Ways through the area that are shorter than the dwell time: both events, when the device has come out on another side.
extension BorderWatch {
    private mutating func follow(
        _ shape: RegionShape, from before: Double, to now: Double, _ hysteresis: Hysteresis,
        _ evidence: RegionEvidence, _ settings: RegionSettings
    ) -> Outcome? {
        guard let previous = evidence.previous, now.isFinite else { return nil }
        if before > 0, now > 0, way == nil {
            return straightWay(shape, before + now, previous, hysteresis, evidence, settings)
        }
        guard !hysteresis.hasOwnDwell else {
            way = nil
            return nil
        }
        // Only of a step over the border: a device that does not move has none.
        func border() -> Place { evidence.moment(at: before / (before - now)) }
        if before > 0, now <= 0, way == nil {
            way = Way(origin: previous.place, entry: border(), depth: -now, exit: nil)
        }
        guard var passing = way else { return nil }
        passing.depth = max(passing.depth, -now)
        if before <= 0, now > 0 { passing.exit = border() }
        way = passing
        let cushion = hysteresis.cushion ?? evidence.movingCushion
        guard let exit = passing.exit, now > cushion else { return nil }
        way = nil
        guard evidence.anchor == nil, passing.depth >= min(cushion, hysteresis.deepest),
            passing.origin.distance(to: evidence.place) > evidence.leash * BorderWatch.shortLeash, lastCrossing == nil
        else { return nil }
        candidate = .unknown
        return .passed(entry: passing.entry, exit: exit)
    }

    /// Both fixes outside, and the area between them.
    private mutating func straightWay(
        _ shape: RegionShape, _ distances: Double, _ previous: (place: Coordinate, time: Double, date: WallTime),
        _ hysteresis: Hysteresis, _ evidence: RegionEvidence, _ settings: RegionSettings
    ) -> Outcome? {
        guard distances <= evidence.step * 1.01 + 1, evidence.anchor == nil, lastCrossing == nil,
            evidence.step > evidence.leash, evidence.isOneWay(settings),
            let passage = shape.passage(from: previous.place, to: evidence.place)
        else { return nil }
        // Roads are not straight: the longer the unseen way, the deeper it must lead.
        let isUnseen = evidence.time - previous.time > 5
        let cushion = (hysteresis.cushion ?? evidence.movingCushion) + (isUnseen ? evidence.step * 0.04 : 0)
        guard passage.depth >= min(cushion, hysteresis.deepest * (isUnseen ? 1.5 : 1)) else { return nil }
        candidate = .unknown
        return .passed(entry: evidence.moment(at: passage.entry), exit: evidence.moment(at: passage.exit))
    }
}

extension RegionEvidence {
    /// Whether the last step is short enough to have been straight, and no jump of the receiver; near a pole longitudes say nothing about that.
    func isOneWay(_ settings: RegionSettings) -> Bool {
        guard let previous, max(abs(previous.place.latitude), abs(place.latitude)) < 89 else { return false }
        let seconds = time - previous.time
        return seconds <= settings.maximumPassageGap.seconds
            && step <= min(RegionEvidence.longestWay, max(seconds, 1) * fastest)
    }

    /// Metres of a straight way, at most.
    private static var longestWay: Double { 30_000 }

    fileprivate func moment(at fraction: Double) -> BorderWatch.Place {
        guard let previous else { return BorderWatch.Place(date: date, coordinate: place) }
        let span = Double(date.milliseconds - previous.date.milliseconds)
        return BorderWatch.Place(
            date: WallTime(milliseconds: previous.date.milliseconds + Int64((span * fraction).rounded())),
            coordinate: previous.place.interpolated(to: place, fraction))
    }
}
