// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Significant changes of an app that said `events: true` and has no connection: the service outlives its client (CL 3), and the newest
/// change is stored until the app starts the service again.
package struct AbsentSignificantChange: Sendable, Hashable {
    /// Where changes count from; nil: from the next fix, which is none.
    package var reference: Coordinate?
    /// When the last one was; nil: before boot.
    package var lastEvent: BootInstant?

    /// Changes from `reference` on.
    package init(reference: Coordinate?, lastEvent: BootInstant?) {
        self.reference = reference
        self.lastEvent = lastEvent
    }
}

extension Engine {
    /// What the store must know so that the service goes on after a power cut; nil: no client of the app wants that.
    func significantToKeep(of app: AppID) -> AbsentSignificantChange? {
        for service in significant.services {
            let manager = managers[service.manager.index]
            guard manager.app == app, manager.keepsEvents else { continue }
            return AbsentSignificantChange(reference: service.reference, lastEvent: service.lastEvent)
        }
        return nil
    }

    /// The rejoin time of a manager is over: its app goes on to be owed what it wanted.
    mutating func keepSignificant(of manager: ManagerID, into effects: inout EffectBuffer) {
        let app = managers[manager.index].app
        guard managers[manager.index].keepsEvents, apps[app.index].authorization.status == .authorizedAlways,
            let service = significant[of: manager],
            !significant.services.contains(where: { $0.manager != manager && managers[$0.manager.index].app == app })
        else { return }
        if apps[app.index].absentSignificant == nil { absentApps.append(app) }
        apps[app.index].absentSignificant = AbsentSignificantChange(
            reference: service.reference, lastEvent: service.lastEvent)
        effects.append(.saveApp(app))
    }

    /// The app has its service in hand again, or wants it no more.
    mutating func endAbsentSignificant(of app: AppID) {
        guard apps[app.index].absentSignificant != nil else { return }
        apps[app.index].absentSignificant = nil
        absentApps.removeAll { $0 == app }
        touch(apps[app.index].identity)
    }

    /// The change that the app missed, once on each connection, at the start of its service. Returns whether there was one.
    @discardableResult
    mutating func tellStoredSignificantChange(to manager: ManagerID, into effects: inout EffectBuffer) -> Bool {
        let app = managers[manager.index].app
        guard managers[manager.index].keepsEvents,
            let missed = apps[app.index].events.last(where: { $0.isSignificantChange }),
            missed.number > managers[manager.index].toldSignificantEvent
        else { return false }
        managers[manager.index].toldSignificantEvent = missed.number
        effects.append(.event(manager, index: effects.add(missed), monitor: 0))
        return true
    }

    mutating func watchAbsentSignificant(
        _ location: Location, flags: LogFlags, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        for app in absentApps {
            guard var service = apps[app.index].absentSignificant else { continue }
            let isReduced = apps[app.index].authorization.accuracy == .reduced
            if isReduced, !flags.contains(.reducedView) { continue }
            let seen = isReduced ? location.reducedView : location
            let isFirst = service.reference == nil
            let probe = SignificantChangeService(
                manager: ManagerID(rawValue: 0), startedAt: now, reference: service.reference,
                lastEvent: service.lastEvent ?? now - configuration.significantChange.interval)
            guard
                probe.isSignificant(
                    seen.coordinate, accuracy: location.horizontalAccuracy, at: now, configuration)
            else { continue }
            service.reference = seen.coordinate
            service.lastEvent = now
            apps[app.index].absentSignificant = service
            // Where the app was told that it is nobody knows any more: this fix only says where changes count from.
            if isFirst {
                effects.append(.saveApp(app))
            } else {
                tell(app, .significantChange(seen, isReduced: isReduced), on: location.timestamp, into: &effects)
            }
        }
    }
}
