// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The running significant-change service of one manager: the cached location, then the current one, then one after every
/// 500 m and not before 300 s (CL 3). Ignores distanceFilter and desiredAccuracy.
struct SignificantChangeService: ManagerService {
    let manager: ManagerID
    let startedAt: BootInstant
    var hasToldLoss = false
    /// The place of the last event; nil: the next fix is the current one.
    var reference: Coordinate?
    var lastEvent: BootInstant?
    /// The newest event that came while no connection was there; 0: none.
    var pending: UInt64 = 0

    /// `place` is where the client would be told that it is, `accuracy` that of the fix.
    func isSignificant(
        _ place: Coordinate, accuracy: Double, at now: BootInstant, _ configuration: EngineConfiguration
    ) -> Bool {
        guard let reference, let lastEvent else { return true }
        guard accuracy <= configuration.significantChange.maximumAccuracy else { return false }
        return now - lastEvent >= configuration.significantChange.interval
            && reference.distance(to: place) >= configuration.significantChange.distance
    }
}

extension Engine {
    mutating func startMonitoringSignificantLocationChanges(
        _ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let authorization = authorization(of: manager)
        effects.append(.reply(manager, Reply(state: authorization.serviceState)))
        announceInitialAuthorization(manager, into: &effects)
        if !managers[manager.index].wantsSignificant {
            managers[manager.index].wantsSignificant = true
            if authorization.isAuthorized { runSignificant(manager, at: now, into: &effects) }
        }
        raiseIfUndetermined(manager, at: now, into: &effects)
        if authorization.serviceState == .denied {
            effects.append(.fail(manager, code: .denied, source: .significantChange, request: 0))
        }
        effects.append(.saveManager(manager))
    }

    mutating func stopMonitoringSignificantLocationChanges(_ manager: ManagerID, into effects: inout EffectBuffer) {
        let app = managers[manager.index].app
        let wasWanted = managers[manager.index].wantsSignificant || apps[app.index].absentSignificant != nil
        managers[manager.index].wantsSignificant = false
        significant.remove(manager)
        endAbsentSignificant(of: app)
        touch(apps[app.index].identity)
        if wasWanted, managers[manager.index].keepsEvents { effects.append(.saveApp(app)) }
        effects.append(.saveManager(manager))
        effects.append(.reply(manager, Reply(state: nil)))
    }

    /// What the app missed while it was away comes in place of a cached location.
    mutating func runSignificant(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        let app = managers[manager.index].app
        significant.insert(SignificantChangeService(manager: manager, startedAt: now))
        endAbsentSignificant(of: app)
        noteServiceStart(at: now)
        touch(apps[app.index].identity)
        if managers[manager.index].keepsEvents { effects.append(.saveApp(app)) }
        guard !managers[manager.index].isAway else { return }
        if tellStoredSignificantChange(to: manager, into: &effects) { return }
        let isCached = deliverCached(to: manager, source: .significantChange, at: now, into: &effects)
        // The coarse view says no place twice: what comes from the same cell is no current location either.
        guard isCached, hasReducedView(manager), let position = significant.position(of: manager) else { return }
        significant[position].reference = reducedPlace
        significant[position].lastEvent = reducedPlace == nil ? nil : now - configuration.significantChange.interval
    }

    mutating func deliverSignificantChanges(
        _ location: Location, flags: LogFlags, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        for position in significant.indices {
            let manager = significant[position].manager
            let isReduced = hasReducedView(manager)
            guard apps[managers[manager.index].app.index].mayHaveEvents else { continue }
            if isReduced, !flags.contains(.reducedView) { continue }
            let place = isReduced ? location.reducedView.coordinate : location.coordinate
            let accuracy = location.horizontalAccuracy
            guard significant[position].isSignificant(place, accuracy: accuracy, at: now, configuration) else {
                continue
            }
            // The same cell again is no change (CL 3: no duplicate positions under reduced accuracy).
            if isReduced, significant[position].reference == place { continue }
            significant[position].reference = place
            significant[position].lastEvent = now
            let app = managers[manager.index].app
            if managers[manager.index].isAway, managers[manager.index].keepsEvents, apps[app.index].storesEvents,
                !hasConnection(app)
            {
                let seen = isReduced ? location.reducedView : location
                tell(app, .significantChange(seen, isReduced: isReduced), on: location.timestamp, into: &effects)
            } else if managers[manager.index].isAway {
                significant[position].pending = location.sequence
            } else {
                deliverSignificant(manager, location.sequence, into: &effects)
            }
            effects.append(.saveManager(manager))
        }
    }

    /// The client is back: the newest event that it missed.
    mutating func deliverPendingSignificantChange(_ manager: ManagerID, into effects: inout EffectBuffer) {
        guard let position = significant.position(of: manager) else { return }
        tellStoredSignificantChange(to: manager, into: &effects)
        guard significant[position].pending != 0 else { return }
        if isInLog(significant[position].pending) {
            deliverSignificant(manager, significant[position].pending, into: &effects)
        }
        significant[position].pending = 0
    }

    private func deliverSignificant(_ manager: ManagerID, _ sequence: UInt64, into effects: inout EffectBuffer) {
        effects.append(
            .deliver(
                manager,
                Delivery(
                    first: sequence, last: sequence, source: .significantChange,
                    flags: hasReducedView(manager) ? .reduced : [])))
    }
}
