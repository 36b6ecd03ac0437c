// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The surroundings of beacons that apps watch, as regions and as conditions, and whether the device is in them (Protocol 7.10, rules H6 to H8).
///
/// It is in them when a beacon is heard, and has left when none was for a while in which somebody listened. While nobody listens nothing is
/// decided: what is known stands, and who asks is told that it is unknown. Silence is measured only where it decides something, so that
/// there is no deadline for a beacon that is known to be far.
struct BeaconWatch: Sendable {
    private struct Watched: Sendable {
        let generation: UInt32
        let beacons: BeaconIdentity
        var owner: RegionOwner
        var state: RegionState
        var isWatched: Bool
        /// When one of the beacons was heard last, or listening for them began; nil: nobody listens for them.
        var quietSince: BootInstant?
        /// The state was found since somebody listens.
        var isCertain = false
        /// The one that was heard last.
        var heard: Beacon?

        /// Whether silence will decide something.
        var isOpen: Bool { !isCertain || state == .inside }

        /// Nobody listens any more.
        mutating func forget() { (quietSince, isCertain) = (nil, false) }
    }

    /// Silence that is noticed so late, which a timer that nothing holds back never is, was slept through.
    private static let oversleep = TimeSpan.seconds(2)

    /// By slot.
    private var slots: [Watched?] = []
    /// The slots of those that are watched, by the beacons' UUID.
    private var watched: [String: [Int]] = [:]
    private var generation: UInt32 = 0
    private var isListening = false
    /// Since when it is silent around the one that has been so for longest, of those where that decides something; nil: there is none.
    private(set) var quietSince: BootInstant?
    private var crossings: [BorderSide] = []
    /// Something else is watched, or known, than when the crossings were taken last.
    private(set) var isNews = false

    /// The UUIDs of the beacons that are watched, in no order.
    var wanted: some Sequence<String> { watched.keys }

    func owner(of handle: RegionHandle) -> RegionOwner? { self[handle]?.owner }

    /// As it was found last.
    func state(of handle: RegionHandle) -> RegionState { self[handle]?.state ?? .unknown }

    /// Whether somebody listens, and has found out.
    func isCertain(of handle: RegionHandle) -> Bool { self[handle]?.isCertain ?? false }

    /// The beacon that was heard last.
    func heard(around handle: RegionHandle) -> Beacon? { self[handle]?.heard }

    private subscript(_ handle: RegionHandle) -> Watched? {
        guard let slot = handle.beaconSlot, slots.indices.contains(slot), let entry = slots[slot],
            entry.generation == handle.generation
        else { return nil }
        return entry
    }

    // MARK: What is watched

    mutating func add(
        _ beacons: BeaconIdentity, state: RegionState, isWatched: Bool, _ owner: RegionOwner
    ) -> RegionHandle {
        generation &+= 1
        let slot = slots.firstIndex { $0 == nil } ?? slots.count
        if slot == slots.count { slots.append(nil) }
        slots[slot] = Watched(
            generation: generation, beacons: beacons, owner: owner, state: isWatched ? state : .unknown,
            isWatched: isWatched)
        if isWatched { begin(slot) }
        return RegionHandle(beaconSlot: slot, generation: generation)
    }

    mutating func change(_ handle: RegionHandle, to owner: RegionOwner) {
        if self[handle] != nil, let slot = handle.beaconSlot { slots[slot]?.owner = owner }
    }

    mutating func remove(_ handle: RegionHandle) {
        guard let entry = self[handle], let slot = handle.beaconSlot else { return }
        if entry.isWatched { end(slot) }
        slots[slot] = nil
    }

    mutating func setWatched(_ handle: RegionHandle, _ isWatched: Bool) {
        guard let entry = self[handle], let slot = handle.beaconSlot, entry.isWatched != isWatched else { return }
        slots[slot]?.isWatched = isWatched
        slots[slot]?.state = .unknown
        if isWatched { begin(slot) } else { end(slot) }
    }

    private mutating func begin(_ slot: Int) {
        guard let entry = slots[slot] else { return }
        watched[entry.beacons.uuid, default: []].append(slot)
        isNews = true
    }

    private mutating func end(_ slot: Int) {
        guard let entry = slots[slot] else { return }
        watched[entry.beacons.uuid]?.removeAll { $0 == slot }
        if watched[entry.beacons.uuid]?.isEmpty == true { watched[entry.beacons.uuid] = nil }
        slots[slot]?.forget()
        isNews = true
        reckon()
    }

    // MARK: What is heard

    /// Whether somebody listens from now on. Who begins does not know what was before.
    mutating func listen(_ isListening: Bool, at now: BootInstant) {
        if isListening != self.isListening {
            for slot in slots.indices { slots[slot]?.forget() }
        }
        self.isListening = isListening
        if isListening {
            for slot in slots.indices where slots[slot]?.isWatched == true && slots[slot]?.quietSince == nil {
                slots[slot]?.quietSince = now
            }
        }
        reckon()
    }

    mutating func note(_ sightings: [BeaconSighting], at now: BootInstant) {
        guard isListening, !watched.isEmpty else { return }
        for sighting in sightings {
            for slot in watched[sighting.beacon.uuid] ?? [] { note(sighting, slot, at: now) }
        }
        reckon()
    }

    private mutating func note(_ sighting: BeaconSighting, _ slot: Int, at now: BootInstant) {
        guard let entry = slots[slot], entry.beacons.means(sighting.beacon), let since = entry.quietSince else {
            return
        }
        slots[slot]?.quietSince = max(since, now - .seconds(sighting.age))
        slots[slot]?.heard = sighting.beacon
        if entry.state != .inside || !entry.isCertain { find(.inside, slot) }
    }

    /// Nobody could hear anything for so long: that is no silence.
    mutating func sleep(_ span: TimeSpan, until now: BootInstant) {
        for slot in slots.indices {
            if let since = slots[slot]?.quietSince { slots[slot]?.quietSince = min(now, since + span) }
        }
        reckon()
    }

    /// Finds out around which beacons it was silent for as long as `patience`.
    mutating func noteSilence(at now: BootInstant, patience: TimeSpan) {
        guard let longest = quietSince, now - longest >= patience else { return }
        guard now - longest <= patience + BeaconWatch.oversleep else {
            // This program slept, and nobody listened.
            for slot in slots.indices where slots[slot]?.quietSince != nil { slots[slot]?.quietSince = now }
            return reckon()
        }
        for slot in slots.indices {
            guard let entry = slots[slot], entry.isOpen, let since = entry.quietSince, now - since >= patience else {
                continue
            }
            find(.outside, slot)
        }
        reckon()
    }

    /// The crossings since they were taken last, in their order.
    mutating func takeCrossings() -> [BorderSide] {
        defer { (isNews, crossings) = (false, []) }
        return crossings
    }

    private mutating func find(_ state: RegionState, _ slot: Int) {
        guard let entry = slots[slot] else { return }
        slots[slot]?.state = state
        slots[slot]?.isCertain = true
        let handle = RegionHandle(beaconSlot: slot, generation: entry.generation)
        crossings.append(BorderSide(handle: handle, state: state, previous: entry.state))
        isNews = true
    }

    private mutating func reckon() {
        quietSince = slots.lazy.compactMap { $0.flatMap { $0.isOpen ? $0.quietSince : nil } }.min()
    }
}

/// Handles of beacons count from -1 down, so that they are none of the index of borders.
extension RegionHandle {
    init(beaconSlot slot: Int, generation: UInt32) { self.init(index: -1 - Int32(slot), generation: generation) }

    /// nil: it is an area's.
    var beaconSlot: Int? { index < 0 ? -1 - Int(index) : nil }
}
