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

/// All shapes that apps watch: the regions of `Regions` and the conditions of `Monitors` in one index, because the device crosses their
/// borders alike. It finds which borders a fix crossed; the two services decide who is told.
struct Borders: Sendable {
    private(set) var index = RegionMonitor()
    /// By handle.
    private var owners: [RegionOwner?] = []
    /// By app, bytes that its shapes take in the store.
    private(set) var storedSize = PerSlot<AppID, Int>(blank: 0)
    /// The crossings of the newest fix.
    private(set) var crossings: [RegionCrossing] = []

    func owner(of handle: RegionHandle) -> RegionOwner? {
        owners.indices.contains(handle.slot) ? owners[handle.slot] : nil
    }

    func state(of handle: RegionHandle) -> RegionState { index.state(of: handle) }

    mutating func add(
        _ shape: RegionShape, hysteresis: RegionHysteresis, state: RegionState, isWatched: Bool, _ owner: RegionOwner
    ) -> RegionHandle {
        let handle = index.add(shape, hysteresis: hysteresis, state: state)
        while owners.count <= handle.slot { owners.append(nil) }
        owners[handle.slot] = owner
        storedSize[owner.app] += owner.storedSize
        if !isWatched { index.setWatched(handle, false) }
        return handle
    }

    /// A condition with what its app was told since.
    mutating func change(_ handle: RegionHandle, to condition: Condition, of app: AppID) {
        owners[handle.slot] = .condition(app, condition)
    }

    mutating func remove(_ handle: RegionHandle) {
        index.remove(handle)
        if let owner = owner(of: handle) { storedSize[owner.app] -= owner.storedSize }
        owners[handle.slot] = nil
    }

    mutating func setWatched(_ handle: RegionHandle, _ isWatched: Bool) { index.setWatched(handle, isWatched) }

    /// Finds what an accepted fix crossed, before services look.
    mutating func note(_ location: Location, at now: BootInstant, _ settings: RegionSettings) {
        if !crossings.isEmpty { crossings.removeAll(keepingCapacity: true) }
        guard index.watchedCount > 0 else { return }
        index.process(location, at: now, settings, into: &crossings)
    }

    /// The slot is given to another app.
    mutating func clear(_ app: AppID) { storedSize.clear(app) }
}
