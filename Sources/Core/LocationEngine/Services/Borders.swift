// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The region or condition that a watched shape belongs to, and its app.
enum RegionOwner: Sendable {
    case region(AppID, Region)
    case condition(AppID, Condition)

    var app: AppID {
        switch self {
        case .region(let app, _), .condition(let app, _): app
        }
    }
}

/// On which side of a border the device was found.
struct BorderSide: Sendable {
    let handle: RegionHandle
    let state: RegionState
    let previous: RegionState

    /// Else nobody came or went: it is only known again.
    var isNews: Bool { state != previous }
}

extension RegionCrossing {
    var side: BorderSide { BorderSide(handle: handle, state: state, previous: previous) }
}

/// All shapes that apps watch: the regions of `Regions` and the conditions of `Monitors` in one index, because the device crosses their
/// borders alike; those that are beacons apart, since no fix says anything of them. It finds which borders a fix crossed; the two services
/// decide who is told.
struct Borders: Sendable {
    private(set) var index = RegionMonitor()
    var beacons = BeaconWatch()
    /// Of areas, by handle.
    private var owners: [RegionOwner?] = []
    /// By app, bytes that its shapes take in the store.
    private(set) var storedSize = PerSlot<AppID, Int>(blank: 0)
    /// The crossings of the newest fix.
    private(set) var crossings: [RegionCrossing] = []

    func owner(of handle: RegionHandle) -> RegionOwner? {
        if handle.beaconSlot != nil { return beacons.owner(of: handle) }
        return owners.indices.contains(handle.slot) ? owners[handle.slot] : nil
    }

    /// As it was found last: whoever goes on from there tells each crossing once.
    func state(of handle: RegionHandle) -> RegionState {
        handle.beaconSlot == nil ? index.state(of: handle) : beacons.state(of: handle)
    }

    /// As it is known now, for who asks.
    func knownState(of handle: RegionHandle) -> RegionState {
        handle.beaconSlot == nil || beacons.isCertain(of: handle) ? state(of: handle) : .unknown
    }

    /// The shape by which the device was found inside: of beacons the one that is near.
    func refinement(of handle: RegionHandle, _ shape: RegionShape) -> RegionShape {
        guard let heard = beacons.heard(around: handle) else { return shape }
        return .beacon(BeaconIdentity(uuid: heard.uuid, major: heard.major, minor: heard.minor))
    }

    mutating func add(
        _ shape: RegionShape, hysteresis: RegionHysteresis, state: RegionState, isWatched: Bool, _ owner: RegionOwner
    ) -> RegionHandle {
        if let identity = shape.beacons {
            storedSize[owner.app] += owner.storedSize
            return beacons.add(identity, state: state, isWatched: isWatched, owner)
        }
        let handle = index.add(shape, hysteresis: hysteresis, state: state)
        while owners.count <= handle.slot { owners.append(nil) }
        owners[handle.slot] = owner
        storedSize[owner.app] += owner.storedSize
        if !isWatched { index.setWatched(handle, false) }
        return handle
    }

    /// The same shape with what its app was told since, or with what is left to tell.
    mutating func change(_ handle: RegionHandle, to owner: RegionOwner) {
        storedSize[owner.app] += owner.storedSize - (self.owner(of: handle)?.storedSize ?? 0)
        if handle.beaconSlot != nil { return beacons.change(handle, to: owner) }
        owners[handle.slot] = owner
    }

    mutating func remove(_ handle: RegionHandle) {
        if let owner = owner(of: handle) { storedSize[owner.app] -= owner.storedSize }
        if handle.beaconSlot != nil { return beacons.remove(handle) }
        index.remove(handle)
        owners[handle.slot] = nil
    }

    mutating func setWatched(_ handle: RegionHandle, _ isWatched: Bool) {
        if handle.beaconSlot != nil { return beacons.setWatched(handle, isWatched) }
        index.setWatched(handle, isWatched)
    }

    /// Finds what an accepted fix crossed, before services look.
    mutating func note(_ location: Location, at now: BootInstant, _ settings: RegionSettings) {
        if !crossings.isEmpty { crossings.removeAll(keepingCapacity: true) }
        guard index.watchedCount > 0 else { return }
        index.process(location, at: now, settings, into: &crossings)
    }
}
