// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// What the engine keeps of an app: whose authorization it has, which part of the log its standard service was running for, and what all
/// its connections share.
struct App: Sendable {
    var identity = IdentityID(rawValue: -1)
    /// That of the identity.
    var authorization = Authorization(status: .notDetermined)
    var windows = ServiceWindows()
    /// Managers by which it is in use.
    var uses = 0

    /// By identifier; looked up, never walked in the order of the table.
    var regions: [String: RegionHandle] = [:]
    /// By name; looked up, never walked in the order of the table.
    var monitors: [String: Monitor] = [:]
    var conditionCount = 0
    /// Whether its regions and conditions are looked at.
    var isWatching = false
    /// Whether its conditions are, too.
    var isWatchingConditions = false
    /// What an app that holds its service sessions itself lacks of them.
    var sessionObstacles: DiagnosticFlags = []
    var monitorsVisits = false

    var nextEvent: UInt64 = 1
    /// Numbers before this one are stored as given, so that what is told without being stored costs no write of its own.
    var reservedEvents: UInt64 = 1
    /// What its regions and conditions take in the store, bytes.
    var shapesSize = 0
    /// What its events do, bytes.
    var eventsSize = 0
    /// What was stored and is not acknowledged, oldest first.
    var events: [AppEvent] = []
    /// What was stored when more was allowed than now, until it is known whether a use goes on that allows it (row A8).
    var exactEvents: [AppEvent] = []
    /// The newest event for which it was started once more because it went without taking it.
    var lastLeftEvent: UInt64 = 0
    /// The newest event that waits for a person to say that "always" is meant.
    var heldEvent: AppEvent?
    /// When that happened.
    var heldSince = BootInstant(nanoseconds: 0)
    var eventsDropped: UInt64 = 0
    /// Significant changes while no connection is there; nil: nobody wants them then.
    var absentSignificant: AbsentSignificantChange?

    var watchesRegions: Bool { isWatching && !regions.isEmpty || isWatchingConditions && conditionCount > 0 }
    var watchesVisits: Bool { monitorsVisits && mayHaveEvents }

    /// Whether events may be told now: always, or while in use.
    var mayHaveEvents: Bool {
        switch authorization.status {
        case .authorizedAlways: true
        case .authorizedWhenInUse: uses > 0
        case .notDetermined, .restricted, .denied: false
        }
    }

    /// Whether events are stored, and the app is woken.
    var storesEvents: Bool { authorization.status == .authorizedAlways && !authorization.isProvisional }
}

/// A named monitor of an app (CLMonitor).
struct Monitor: Sendable {
    /// By identifier; looked up, never walked in the order of the table.
    var conditions: [String: RegionHandle] = [:]
    /// The one manager that has it open, and its number there.
    var holder: (manager: ManagerID, number: UInt32)?
}

/// What a watched shape belongs to.
enum RegionOwner: Sendable {
    case region(AppID, Region)
    case condition(AppID, Condition)

    var app: AppID {
        switch self {
        case .region(let app, _), .condition(let app, _): app
        }
    }
}

/// A condition of a monitor.
package struct Condition: Sendable, Hashable {
    /// The monitor's name.
    package var monitor: String
    /// Its name there.
    package var identifier: String
    /// The area.
    package var shape: RegionShape
    /// What the app has taken.
    package var lastEvent: ConditionEvent
    /// What it was told and has not taken, by number; 0: nothing.
    package var pendingNumber: UInt64 = 0
    /// That event.
    var pending: ConditionEvent?
    /// Why its holder was told that nothing comes of it; empty: it was not.
    var obstacle: DiagnosticFlags = []
    /// It was, and is to be told how the condition stands now.
    var owesState = false
    /// How it stood by what the app has taken, whatever kept it from knowing more since then.
    var standing: ConditionState

    init(monitor: String, identifier: String, shape: RegionShape, lastEvent: ConditionEvent) {
        self.monitor = monitor
        self.identifier = identifier
        self.shape = shape
        self.lastEvent = lastEvent
        standing = lastEvent.state
    }
}

extension Engine {
    mutating func enter(
        _ app: AppID, _ state: AppState, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        while apps.count <= app.index { apps.append(App()) }
        if apps[app.index].identity.rawValue >= 0 { forget(app) }
        var entered = App()
        entered.identity = state.identity
        entered.authorization = authorization(of: state.identity)
        entered.nextEvent = state.nextEvent
        entered.eventsDropped = state.eventsDropped
        entered.monitorsVisits = state.monitorsVisits
        let isFull = entered.authorization.accuracy == .full
        for event in state.events {
            // Consent may have changed while no daemon ran.
            if entered.storesEvents, isFull || event.isReduced {
                entered.events.append(event)
                entered.eventsSize += event.storedSize
            } else if entered.storesEvents {
                entered.exactEvents.append(event)
            } else {
                effects.append(.forgetEvent(app, event.number))
            }
        }
        if state.significant != nil, entered.authorization.status == .authorizedAlways {
            entered.absentSignificant = state.significant
        }
        apps[app.index] = entered
        if entered.absentSignificant != nil { absentApps.append(app) }
        touch(state.identity)
    }

    /// The slot is given to another app.
    private mutating func forget(_ app: AppID) {
        for handle in apps[app.index].regions.values.sorted() { removeShape(handle) }
        for name in apps[app.index].monitors.keys.sorted() {
            for handle in apps[app.index].monitors[name]?.conditions.values.sorted() ?? [] { removeShape(handle) }
        }
        absentApps.removeAll { $0 == app }
    }

    /// What the store keeps of the app.
    package func state(of app: AppID) -> AppState {
        let kept = apps[app.index]
        var state = AppState(identity: kept.identity)
        state.nextEvent = max(kept.nextEvent, kept.reservedEvents)
        state.eventsDropped = kept.eventsDropped
        state.monitorsVisits = kept.monitorsVisits
        state.significant = kept.absentSignificant ?? significantToKeep(of: app)
        state.events = kept.events
        return state
    }

    /// Whether nothing of the app has to be kept.
    package func isEmpty(_ app: AppID) -> Bool {
        let kept = apps[app.index]
        return kept.regions.isEmpty && kept.monitors.isEmpty && !kept.monitorsVisits && kept.events.isEmpty
            && kept.heldEvent == nil && kept.eventsDropped == 0 && state(of: app).significant == nil
    }

    /// Whether events of the app are stored until they are acknowledged.
    package func storesEvents(_ app: AppID) -> Bool { apps[app.index].storesEvents }

    /// Events that were dropped because nobody came for them.
    package func eventsDropped(of app: AppID) -> UInt64 { apps[app.index].eventsDropped }

    /// Connected managers of the app that said `hello` or started a service, by slot.
    func listeners(of app: AppID) -> [ManagerID] {
        managers.indices
            .filter { managers[$0].isOpen && managers[$0].app == app && managers[$0].hasAnnouncedAuthorization }
            .map { ManagerID(rawValue: Int32($0)) }
    }
}
