// SPDX-License-Identifier: Apache-2.0
package import LocationModel

// Regions of apps (CL 7.1): shared by all connections of an app, kept over restarts, looked at while the app may know exactly where the
// device is.
extension Engine {
    /// Why a region cannot be monitored; nil: it can. The shell stores a region before it is acknowledged, so it asks first.
    package func objection(to region: Region, of manager: ManagerID) -> RegionObjection? {
        let app = apps[managers[manager.index].app.index]
        if app.authorization.serviceState == .denied { return .isDenied }
        if app.regions[region.identifier] == nil, app.regions.count >= configuration.regionsPerApp {
            return .hasTooMany(limit: configuration.regionsPerApp)
        }
        if case .circle(_, let radius) = region.shape, radius > configuration.maximumRegionRadius {
            return .isTooLarge(maximum: configuration.maximumRegionRadius)
        }
        return nil
    }

    /// The regions of the manager's app, by identifier.
    package func monitoredRegions(of app: AppID) -> [Region] {
        apps[app.index].regions.keys.sorted().compactMap { region($0, of: app)?.region }
    }

    /// How many regions an app has.
    package func regionCount(of app: AppID) -> Int { apps[app.index].regions.count }

    /// A region of an app and where the device is; nil: there is none.
    package func region(_ identifier: String, of app: AppID) -> (region: Region, state: RegionState)? {
        guard let handle = apps[app.index].regions[identifier] else { return nil }
        return region(handle)
    }

    /// The region behind a handle and where the device is; nil: it is gone, or a condition.
    package func region(_ handle: RegionHandle) -> (region: Region, state: RegionState)? {
        guard case .region(_, let region)? = owner(of: handle) else { return nil }
        return (region, regions.state(of: handle))
    }

    func owner(of handle: RegionHandle) -> RegionOwner? {
        regionOwners.indices.contains(handle.slot) ? regionOwners[handle.slot] : nil
    }

    mutating func startMonitoring(
        _ manager: ManagerID, _ region: Region, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let app = managers[manager.index].app
        let objection = objection(to: region, of: manager)
        let state = objection?.code == .regionMonitoringFailure ? .running : apps[app.index].authorization.serviceState
        effects.append(.reply(manager, Reply(state: state)))
        announceInitialAuthorization(manager, into: &effects)
        let index = effects.add(region)
        if let objection { return effects.append(.regionFailed(manager, index: index, objection)) }
        if let former = apps[app.index].regions[region.identifier] { removeShape(former) }
        insert(region, of: app, state: .unknown)
        effects.append(.regionStarted(manager, index: index))
        raiseIfUndetermined(manager, at: now, into: &effects)
        touch(apps[app.index].identity)
    }

    mutating func restore(_ region: Region, of app: AppID, state: RegionState) {
        guard apps.indices.contains(app.index), apps[app.index].regions[region.identifier] == nil else { return }
        insert(region, of: app, state: state)
        touch(apps[app.index].identity)
    }

    mutating func insert(_ region: Region, of app: AppID, state: RegionState) {
        let handle = addShape(
            region.shape, hysteresis: region.hysteresis, state: state, owner: .region(app, region), app: app)
        apps[app.index].regions[region.identifier] = handle
    }

    mutating func addShape(
        _ shape: RegionShape, hysteresis: RegionHysteresis, state: RegionState, owner: RegionOwner, app: AppID
    ) -> RegionHandle {
        let handle = regions.add(shape, hysteresis: hysteresis, state: state)
        while regionOwners.count <= handle.slot { regionOwners.append(nil) }
        regionOwners[handle.slot] = owner
        apps[app.index].shapesSize += owner.storedSize
        apps[app.index].isWatching = mayWatchRegions(app)
        apps[app.index].isWatchingConditions = mayWatchConditions(app)
        let isCondition = if case .condition = owner { true } else { false }
        let isWatching = isCondition ? apps[app.index].isWatchingConditions : apps[app.index].isWatching
        if !isWatching { regions.setWatched(handle, false) }
        return handle
    }

    mutating func removeShape(_ handle: RegionHandle) {
        regions.remove(handle)
        if let owner = owner(of: handle) { apps[owner.app.index].shapesSize -= owner.storedSize }
        regionOwners[handle.slot] = nil
    }

    mutating func stopMonitoring(_ manager: ManagerID, _ identifier: String, into effects: inout EffectBuffer) {
        let app = managers[manager.index].app
        if let handle = apps[app.index].regions.removeValue(forKey: identifier) { removeShape(handle) }
        effects.append(.reply(manager, Reply(state: nil)))
        touch(apps[app.index].identity)
    }

    /// From what is known; a region without a good fix yet is unknown, and told again to who asked when it is not any more.
    mutating func requestState(_ manager: ManagerID, _ identifier: String, into effects: inout EffectBuffer) {
        guard let (region, state) = region(identifier, of: managers[manager.index].app) else {
            return effects.append(.reply(manager, Reply(state: nil, refusal: .notFound)))
        }
        effects.append(.reply(manager, Reply(state: authorization(of: manager).serviceState)))
        announceInitialAuthorization(manager, into: &effects)
        effects.append(.regionState(manager, index: effects.add(region), state))
        guard state == .unknown, !managers[manager.index].awaitedStates.contains(identifier) else { return }
        managers[manager.index].awaitedStates.append(identifier)
    }

    /// Regions need full accuracy (row A9), and always or use.
    private func mayWatchRegions(_ app: AppID) -> Bool {
        apps[app.index].mayHaveEvents && apps[app.index].authorization.accuracy == .full
    }

    private func mayWatchConditions(_ app: AppID) -> Bool {
        mayWatchRegions(app) && apps[app.index].sessionObstacles.isEmpty
    }

    /// Consent or use changed: what may not be looked at costs nothing, and begins anew later.
    mutating func refreshWatching(of app: AppID, into effects: inout EffectBuffer) {
        let isWatching = mayWatchRegions(app)
        touch(apps[app.index].identity)
        refreshWatchingConditions(of: app)
        guard isWatching != apps[app.index].isWatching else { return }
        apps[app.index].isWatching = isWatching
        for identifier in apps[app.index].regions.keys.sorted() {
            guard let handle = apps[app.index].regions[identifier] else { continue }
            // Where the device was is nothing to compare with when consent is back, in another process neither.
            if regions.state(of: handle) != .unknown { effects.append(.saveRegionState(app, handle)) }
            regions.setWatched(handle, isWatching)
        }
    }

    private mutating func refreshWatchingConditions(of app: AppID) {
        let isWatching = mayWatchConditions(app)
        guard isWatching != apps[app.index].isWatchingConditions else { return }
        apps[app.index].isWatchingConditions = isWatching
        for name in apps[app.index].monitors.keys.sorted() {
            guard let monitor = apps[app.index].monitors[name] else { continue }
            for handle in monitor.conditions.values.sorted() { regions.setWatched(handle, isWatching) }
        }
    }

    /// First all that was entered and left, then states, then conditions (protocol.md 4, order).
    mutating func watchRegions(_ location: Location, at now: BootInstant, into effects: inout EffectBuffer) {
        guard regions.watchedCount > 0 else { return }
        crossings.removeAll(keepingCapacity: true)
        var found = crossings
        crossings = []
        regions.process(location, at: now, configuration.regions, into: &found)
        for crossing in found { tellCrossing(crossing, location, into: &effects) }
        for crossing in found { tellState(crossing, into: &effects) }
        for crossing in found { noteCondition(crossing, into: &effects) }
        crossings = found
    }

    private mutating func tellCrossing(
        _ crossing: RegionCrossing, _ location: Location, into effects: inout EffectBuffer
    ) {
        guard case .region(let app, let region)? = owner(of: crossing.handle) else { return }
        effects.append(.saveRegionState(app, crossing.handle))
        guard crossing.previous != .unknown, crossing.state == .inside ? region.notifyOnEntry : region.notifyOnExit
        else { return }
        var place = location
        place.timestamp = crossing.date
        if crossing.isInterpolated { place.coordinate = crossing.coordinate }
        tell(app, .region(region, crossing.state, place), on: crossing.date, into: &effects)
    }

    /// Only to who is there: never a reason to start an app (CL 1.1).
    private mutating func tellState(_ crossing: RegionCrossing, into effects: inout EffectBuffer) {
        guard case .region(let app, let region)? = owner(of: crossing.handle), apps[app.index].mayHaveEvents
        else { return }
        let wasKnown = crossing.previous != .unknown
        var listeners = listeners(of: app).filter { !managers[$0.index].isAway }
        if !wasKnown { listeners.removeAll { !managers[$0.index].awaitedStates.contains(region.identifier) } }
        guard !listeners.isEmpty else { return }
        for manager in listeners { managers[manager.index].awaitedStates.removeAll { $0 == region.identifier } }
        let index = effects.add(region)
        for manager in listeners { effects.append(.regionState(manager, index: index, crossing.state)) }
    }
}
