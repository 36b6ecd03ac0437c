// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Visits (CL 8): one detector for the device, for all apps that want them. The start on one manager serves all of its app, and outlives it.
extension Engine {
    /// Whether the app has asked for visits.
    package func monitorsVisits(_ app: AppID) -> Bool { apps[app.index].monitorsVisits }

    /// What the detector is watching, for the store.
    package var stay: StoredStay? { visits.stored }

    mutating func startMonitoringVisits(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        let app = managers[manager.index].app
        let state = apps[app.index].authorization.serviceState
        apps[app.index].monitorsVisits = true
        effects.append(.saveApp(app))
        effects.append(.reply(manager, Reply(state: state)))
        announceInitialAuthorization(manager, into: &effects)
        if state == .denied { effects.append(.fail(manager, code: .denied, source: nil, request: 0)) }
        raiseIfUndetermined(manager, at: now, into: &effects)
        touch(apps[app.index].identity)
    }

    mutating func stopMonitoringVisits(_ manager: ManagerID, into effects: inout EffectBuffer) {
        let app = managers[manager.index].app
        apps[app.index].monitorsVisits = false
        effects.append(.saveApp(app))
        effects.append(.reply(manager, Reply(state: nil)))
        touch(apps[app.index].identity)
    }

    var areVisitsWanted: Bool { apps.contains { $0.watchesVisits } }

    mutating func watchVisits(_ location: Location, at now: BootInstant, into effects: inout EffectBuffer) {
        guard areVisitsWanted else {
            // After a restart clients are given the time to come back.
            if now - openedAt < configuration.rejoinTime, accepted > 0, visits.stored != nil { return }
            // Nobody looked: whatever comes later was not seen from its beginning.
            guard hasWatchedVisits || visits.stored != nil else { return }
            hasWatchedVisits = false
            visits = VisitDetector()
            return saveStay(into: &effects)
        }
        hasWatchedVisits = true
        var found: [Visit] = []
        visits.process(location, at: now, configuration.visits, into: &found)
        saveStay(into: &effects)
        for visit in found {
            for index in apps.indices where apps[index].watchesVisits {
                tell(visit, to: AppID(rawValue: Int32(index)), into: &effects)
            }
        }
    }

    /// The last fix inside moves on with every fix: after a restart it may be some minutes old.
    private mutating func saveStay(into effects: inout EffectBuffer) {
        let stay = visits.stored
        if let stay, let saved = savedStay, stay.arrival == saved.arrival, stay.isTold == saved.isTold,
            stay.lastInside.milliseconds - saved.lastInside.milliseconds < Engine.staySavingMilliseconds
        {
            return
        }
        guard stay != savedStay else { return }
        savedStay = stay
        effects.append(.saveStay)
    }

    private static let staySavingMilliseconds: Int64 = 300_000

    /// Times are exact, the place is as coarse as the app may know it (CL 8).
    private mutating func tell(_ visit: Visit, to app: AppID, into effects: inout EffectBuffer) {
        var seen = visit
        if apps[app.index].authorization.accuracy == .reduced {
            let view = visit.reducedPlace
            seen.coordinate = view.coordinate
            seen.horizontalAccuracy = view.horizontalAccuracy
        }
        tell(
            app, .visit(seen),
            on: lastLocation?.timestamp ?? visit.departure ?? visit.arrival ?? WallTime(milliseconds: 0), into: &effects
        )
    }
}

extension Visit {
    /// The place in the reduced view.
    var reducedPlace: Location {
        Location(coordinate: coordinate, horizontalAccuracy: horizontalAccuracy, timestamp: WallTime(milliseconds: 0))
            .reducedView
    }
}
