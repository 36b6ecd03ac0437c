// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// All areas that apps on the device watch, and on which side of each border the device is.
///
/// There may be a million. `RegionGrid` finds the borders within reach of the device once, and again when the device has travelled that
/// far. Of these, a fix examines only those that the device can have come to since they were examined last; farther ones cost nothing.
///
/// A crossing counts when the device is certain to be a cushion beyond the border, and stays beyond it for the dwell time (Protocol 7.2):
/// `StillnessDetector` and `BorderWatch` say what is certain. The same fixes give the same crossings.
package struct RegionMonitor: Sendable {
    private var table = RegionTable()
    private var near = NearRegions()
    /// Slots that no fix has looked at yet; one that was removed since may still be listed.
    private var fresh: [Int32] = []
    /// Slots that hold the device, ascending: they must be told when it is somewhere else altogether.
    private var inside: [Int32] = []
    private var track: RegionTrack?
    private var latest: RegionEvidence?
    /// Metres, by the estimates.
    private var travelled = 0.0
    private var reach = RegionMonitor.firstReach
    private var dwell = TimeSpan.zero
    private var scratch: [Int32] = []

    private static let firstReach = 1_000.0
    private static let shortestReach = 250.0
    /// In a table that is asked through its grid, and in one that is looked through, metres.
    private static let longestReach = 4_000.0
    private static let longestReachOfFew = 50_000.0
    /// So many near borders are worth a shorter reach, so few a longer one.
    private static let manyNear = 192
    private static let fewNear = 32
    /// Share of the distance to a far border that is relied on, because such distances are a little rough.
    private static let prudence = 0.97

    /// Watches nothing.
    package init() {}

    /// How many shapes are watched.
    package var watchedCount: Int { table.watchedCount }

    /// Watches `shape`; `state` is where the device was when this was last known, unknown if never.
    package mutating func add(
        _ shape: RegionShape, hysteresis: RegionHysteresis = RegionHysteresis(), state: RegionState = .unknown
    ) -> RegionHandle {
        let handle = table.add(shape, hysteresis)
        start(Int(handle.index), state)
        return handle
    }

    /// Forgets the shape; the handle means nothing any more. One that means nothing already is ignored.
    package mutating func remove(_ handle: RegionHandle) {
        guard let index = table.index(of: handle) else { return }
        stop(index)
        table.free(index)
    }

    /// Whether the shape takes part; one that does not costs nothing, and its state is unknown.
    package mutating func setWatched(_ handle: RegionHandle, _ isWatched: Bool) {
        guard let index = table.index(of: handle), table.has(.watched, index) != isWatched else { return }
        if isWatched { start(index, .unknown) } else { stop(index) }
    }

    /// Where the device is with respect to the shape, as accepted; unknown also for a handle that means nothing.
    package func state(of handle: RegionHandle) -> RegionState {
        table.index(of: handle).map { table.state($0) } ?? .unknown
    }

    private mutating func start(_ index: Int, _ state: RegionState) {
        table.watch(index)
        setState(state, index)
        if fresh.count > 2 * table.watchedCount + 64 { forgetRemovedFresh() }
        table.set(.fresh, index)
        fresh.append(Int32(index))
    }

    /// Lists every fresh slot once: those that come and go between two fixes must not pile up.
    private mutating func forgetRemovedFresh() {
        var kept: [Int32] = []
        for slot in fresh where table.has(.fresh, Int(slot)) {
            table.clear(.fresh, Int(slot))
            kept.append(slot)
        }
        for slot in kept { table.set(.fresh, Int(slot)) }
        fresh = kept
    }

    private mutating func stop(_ index: Int) {
        guard table.has(.watched, index) else { return }
        if table.has(.near, index) { near.remove(index) }
        setState(.unknown, index)
        table.unwatch(index)
    }

    private mutating func setState(_ state: RegionState, _ index: Int) {
        let wasInside = table.state(index) == .inside
        table.setState(state, index)
        guard wasInside != (state == .inside) else { return }
        let position = inside.firstPosition(notBefore: Int32(index))
        if wasInside { inside.remove(at: position) } else { inside.insert(Int32(index), at: position) }
    }
}

// One fix.
extension RegionMonitor {
    /// Takes an accepted fix and appends what it brought: first states of areas that are new and far away, then, slot by slot, all others.
    package mutating func process(
        _ location: Location, at now: BootInstant, _ settings: RegionSettings,
        into crossings: inout [RegionCrossing]
    ) {
        guard location.horizontalAccuracy <= settings.maximumAccuracy else { return }
        let evidence = take(location, at: now, settings)
        travelled += evidence.step
        dwell = settings.dwell
        if mustAskAgain(evidence) { askTable(evidence, settings) }
        if !fresh.isEmpty { lookAtFresh(evidence, into: &crossings) }
        for position in near.indices where near[position].due <= travelled {
            judge(position, evidence, settings, into: &crossings)
        }
        latest = evidence
    }

    private mutating func take(_ location: Location, at now: BootInstant, _ settings: RegionSettings) -> RegionEvidence
    {
        if track != nil, let evidence = track?.update(location, at: now, settings) { return evidence }
        let first = RegionTrack(location, at: now)
        track = first
        return first.firstEvidence(location, settings)
    }

    private mutating func judge(
        _ position: Int, _ evidence: RegionEvidence, _ settings: RegionSettings, into crossings: inout [RegionCrossing]
    ) {
        let index = Int(near[position].index)
        let shape = table.shape(index)
        let state = table.state(index)
        if near[position].due > -.infinity, let previous = evidence.previous {
            near[position].watch.distance = shape.signedDistance(to: previous.place)
        }
        let outcome = near[position].watch.step(
            shape, state, table.hysteresis(index, settings), evidence, settings)
        let handle = table.handle(index)
        switch outcome {
        case .none: break
        case .settled(let side):
            setState(side, index)
            crossings.append(
                RegionCrossing(
                    handle: handle, state: side, previous: state, date: evidence.date, isInterpolated: false,
                    coordinate: evidence.fix))
        case .passed(let entry, let exit):
            crossings.append(
                RegionCrossing(
                    handle: handle, state: .inside, previous: .outside, date: entry.date, isInterpolated: true,
                    coordinate: entry.coordinate))
            crossings.append(
                RegionCrossing(
                    handle: handle, state: .outside, previous: .inside, date: exit.date, isInterpolated: true,
                    coordinate: exit.coordinate))
        }
        near[position].due = dueAgain(near[position], evidence)
    }

    /// The distance travelled at which the device can be at the border; -infinity: every fix counts.
    private func dueAgain(_ region: NearRegion, _ evidence: RegionEvidence) -> Double {
        guard let distance = region.watch.distance, region.watch.isQuiet,
            isSettled(table.state(Int(region.index)), distance)
        else { return -.infinity }
        // The anchor is a mean: the device may be as far from it as the newest estimate is.
        let spread = evidence.anchor?.distance(to: evidence.place) ?? 0
        let free = abs(distance) * RegionMonitor.prudence
        guard spread < free, free > 1 else { return -.infinity }
        return travelled + free
    }

    private func isSettled(_ state: RegionState, _ distance: Double) -> Bool {
        state == (distance <= 0 ? .inside : .outside)
    }

    /// Areas that no fix has seen: most are far away and settled at once.
    private mutating func lookAtFresh(_ evidence: RegionEvidence, into crossings: inout [RegionCrossing]) {
        let new = fresh
        fresh = []
        for slot in new {
            let index = Int(slot)
            guard table.has(.fresh, index) else { continue }
            table.clear(.fresh, index)
            let distance = table.shape(index).signedDistance(to: evidence.place)
            let side = distance <= 0 ? RegionState.inside : .outside
            let isFar = isBeyondReach(distance, evidence) && abs(distance) > evidence.clearDistance
            if isFar, table.state(index) == .unknown {
                setState(side, index)
                crossings.append(
                    RegionCrossing(
                        handle: table.handle(index), state: side, previous: .unknown, date: evidence.date,
                        isInterpolated: false, coordinate: evidence.fix))
            } else if !isFar || table.state(index) != side {
                arm(index, BorderWatch())
            }
        }
        near.sort()
    }

    private mutating func arm(_ index: Int, _ watch: BorderWatch) {
        guard !table.has(.near, index) else { return }
        table.set(.near, index)
        near.append(NearRegion(due: -.infinity, index: Int32(index), watch: watch))
    }
}

// Which borders are near.
extension RegionMonitor {
    private func mustAskAgain(_ evidence: RegionEvidence) -> Bool {
        guard let home = near.home else { return true }
        let limit = home.reach * RegionMonitor.prudence
        guard travelled - home.travelled > limit else { return false }
        return home.place.distance(to: evidence.place) > limit
    }

    /// Whether a border at `distance` from here is none of the near ones.
    private func isBeyondReach(_ distance: Double, _ evidence: RegionEvidence) -> Bool {
        guard let home = near.home else { return false }
        let spread = max(
            home.place.distance(to: evidence.place), evidence.anchor?.distance(to: evidence.place) ?? 0)
        return abs(distance) > home.reach + spread
    }

    private mutating func askTable(_ evidence: RegionEvidence, _ settings: RegionSettings) {
        let most = table.isSmall ? RegionMonitor.longestReachOfFew : RegionMonitor.longestReach
        if near.home != nil {
            if near.indices.count > RegionMonitor.manyNear { reach /= 2 }
            if near.indices.count < RegionMonitor.fewNear { reach *= 2 }
        }
        reach = max(min(reach, most), RegionMonitor.shortestReach, evidence.leash * 2)
        near.home = (evidence.place, reach, travelled)
        dropFar(evidence)
        if let previous = evidence.previous {
            armLeft(previous.place, evidence)
            if settings.detectsPassages, evidence.step > evidence.leash, evidence.isOneWay(settings) {
                let middle = previous.place.interpolated(to: evidence.place, 0.5)
                armFound(within: evidence.step * 0.52 + 50, of: middle, evidence)
            }
        }
        armFound(within: reach, of: evidence.place, evidence)
        near.sort()
    }

    private mutating func dropFar(_ evidence: RegionEvidence) {
        let spread = evidence.anchor?.distance(to: evidence.place) ?? 0
        for position in near.indices {
            let index = Int(near[position].index)
            let distance = table.shape(index).signedDistance(to: evidence.place)
            guard near[position].watch.isQuiet, isSettled(table.state(index), distance),
                abs(distance) > reach + spread
            else { continue }
            table.clear(.near, index)
        }
        near.removeAll { [table] region in !table.has(.near, Int(region.index)) }
    }

    /// Areas that held the device, far from all that is near now.
    private mutating func armLeft(_ previous: Coordinate, _ evidence: RegionEvidence) {
        for slot in inside where !table.has(.near, Int(slot)) && !table.has(.fresh, Int(slot)) {
            let shape = table.shape(Int(slot))
            guard shape.signedDistance(to: evidence.place) > 0 else { continue }
            arm(Int(slot), BorderWatch(distance: shape.signedDistance(to: previous)))
        }
    }

    /// Arms what has its border within `distance` of `place`, or holds it although it is not known to.
    private mutating func armFound(within distance: Double, of place: Coordinate, _ evidence: RegionEvidence) {
        var found = scratch
        scratch = []
        table.forEach(within: distance, of: place) { index in
            guard !table.has(.near, index), !table.has(.fresh, index),
                table.reaches(index, within: distance, of: place)
            else { return }
            let border = table.shape(index).signedDistance(to: place)
            // Far from a polygon distances are rough.
            guard abs(border) <= distance * 1.1 || !isSettled(table.state(index), border) else { return }
            found.append(Int32(index))
        }
        for slot in found {
            let before = evidence.previous.map { table.shape(Int(slot)).signedDistance(to: $0.place) }
            arm(Int(slot), BorderWatch(distance: before))
        }
        found.removeAll(keepingCapacity: true)
        scratch = found
    }
}

// Distances for the power of the receiver.
extension RegionMonitor {
    /// Metres that the device can travel from the last fix without coming to a border, at least; 0 before the first fix and while
    /// an area waits for its first look. Nil: nothing is watched.
    package var distanceToNearestBorder: Double? {
        guard watchedCount > 0 else { return nil }
        guard let latest, let home = near.home, fresh.isEmpty else { return 0 }
        var nearest = max(home.reach - home.place.distance(to: latest.place), 0)
        for position in near.indices {
            let region = near[position]
            let distance = region.due > -.infinity ? region.due - travelled : abs(region.watch.distance ?? 0)
            nearest = min(nearest, max(distance, 0))
        }
        // The device may be where the fix was, not where it is thought to be.
        return max(nearest - latest.place.distance(to: latest.fix), 0)
    }

    /// Whether something is about to be decided, for which fixes are needed without a pause.
    package var isDecisionPending: Bool {
        guard watchedCount > 0 else { return false }
        guard let latest else { return true }
        guard fresh.isEmpty else { return true }
        return near.indices.contains { position in
            let index = Int(near[position].index)
            let own = table.slots[index].dwell
            return near[position].watch.isPending(
                table.state(index), latest, dwell: own.isNaN ? dwell.seconds : Double(own))
        }
    }
}

extension [Int32] {
    /// Of an ascending array: where `value` is, or belongs.
    fileprivate func firstPosition(notBefore value: Int32) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if self[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
