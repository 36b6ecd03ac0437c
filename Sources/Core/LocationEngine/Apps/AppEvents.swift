// SPDX-License-Identifier: Apache-2.0
package import LocationModel

// What happens for an app beside its locations. An app that may always know is told later what it missed: such events are stored before
// they are told, until one of its clients acknowledges them; others are told while the app is in use, and else not at all.
extension Engine {
    /// Tells all clients of an app. `monitor`: only the one that has it open.
    mutating func tell(
        _ app: AppID, _ content: AppEvent.Content, on date: WallTime, into effects: inout EffectBuffer
    ) {
        guard apps[app.index].mayHaveEvents else { return }
        let event = AppEvent(number: apps[app.index].nextEvent, date: date, content: content)
        apps[app.index].nextEvent += 1
        if apps[app.index].storesEvents {
            store(event, of: app, into: &effects)
        } else {
            effects.append(.saveApp(app))
            if !isInUse(app) { return hold(event, of: app, into: &effects) }
        }
        notePending(event, of: app)
        if !event.isSignificantChange { announce(event, of: app, into: &effects) }
        if apps[app.index].storesEvents, !hasConnection(app) { effects.append(.wake(app)) }
    }

    /// Only what is newest waits for a person's second word (CL 4.2).
    private mutating func hold(_ event: AppEvent, of app: AppID, into effects: inout EffectBuffer) {
        guard apps[app.index].authorization.isProvisional else { return }
        apps[app.index].heldEvent = event
        apps[app.index].heldSince = lastFixAt ?? openedAt
        raise(.always, for: app, at: apps[app.index].heldSince, into: &effects)
    }

    /// The person has said what "always" was meant to be. What happened too long before is no news any more (CL 4.2).
    mutating func settleHeldEvents(
        of identity: IdentityID, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        for index in apps.indices where apps[index].identity == identity {
            guard let event = apps[index].heldEvent, !apps[index].authorization.isProvisional else { continue }
            apps[index].heldEvent = nil
            let app = AppID(rawValue: Int32(index))
            guard apps[index].storesEvents, now - apps[index].heldSince <= configuration.heldEventAge else { continue }
            store(event, of: app, into: &effects)
            notePending(event, of: app)
            announce(event, of: app, into: &effects)
            if !hasConnection(app) { effects.append(.wake(app)) }
        }
    }

    private mutating func store(_ event: AppEvent, of app: AppID, into effects: inout EffectBuffer) {
        if case .significantChange = event.content {
            for old in apps[app.index].events where old.isSignificantChange {
                forgetEvent(old.number, of: app, into: &effects)
            }
        }
        let size = event.storedSize
        while let oldest = apps[app.index].events.first, !hasRoom(forEventOf: size, app) {
            forgetEvent(oldest.number, of: app, into: &effects)
            apps[app.index].eventsDropped += 1
        }
        apps[app.index].events.append(event)
        apps[app.index].eventsSize += size
        effects.append(.saveApp(app))
        effects.append(.storeEvent(app, index: effects.add(event)))
    }

    private func hasRoom(forEventOf size: Int, _ app: AppID) -> Bool {
        guard apps[app.index].events.count < configuration.eventsPerApp,
            apps[app.index].eventsSize + size <= configuration.eventBytesPerApp
        else { return false }
        return apps.reduce(size) { $0 + $1.eventsSize } <= configuration.eventBytes
    }

    /// By the clock of the system: a receiver's date may be anything.
    mutating func forgetEvents(before date: WallTime, into effects: inout EffectBuffer) {
        for index in apps.indices {
            let app = AppID(rawValue: Int32(index))
            let aged = apps[index].events.filter { $0.date < date }
            for event in aged { forgetEvent(event.number, of: app, into: &effects) }
            guard !aged.isEmpty else { continue }
            apps[index].eventsDropped += UInt64(aged.count)
            effects.append(.saveApp(app))
        }
    }

    mutating func forgetEvent(_ number: UInt64, of app: AppID, into effects: inout EffectBuffer) {
        guard let index = apps[app.index].events.firstIndex(where: { $0.number == number }) else { return }
        apps[app.index].eventsSize -= apps[app.index].events.remove(at: index).storedSize
        effects.append(.forgetEvent(app, number))
    }

    private func announce(_ event: AppEvent, of app: AppID, into effects: inout EffectBuffer) {
        if case .monitor(let name, _, _) = event.content {
            // Who is away is told of what is pending when it is back.
            guard let holder = apps[app.index].monitors[name]?.holder, !managers[holder.manager.index].isAway else {
                return
            }
            return effects.append(.event(holder.manager, index: effects.add(event), monitor: holder.number))
        }
        let index = effects.add(event)
        for manager in listeners(of: app) {
            // Who is away and takes stored events is told of this one when it is back.
            if managers[manager.index].isAway, managers[manager.index].keepsEvents, apps[app.index].storesEvents {
                continue
            }
            effects.append(.event(manager, index: index, monitor: 0))
        }
    }

    /// Whether a client of the app is connected.
    package func hasConnection(_ app: AppID) -> Bool {
        managers.contains { $0.isOpen && $0.app == app && !$0.isAway }
    }

    /// The last connection of an app ended before all that is stored was acknowledged: what came while it was on its way out would wait
    /// for the next event. Once for each event, so that an app that never takes one is not started for ever.
    mutating func wakeForWhatIsLeft(of app: AppID, into effects: inout EffectBuffer) {
        guard apps.indices.contains(app.index), apps[app.index].storesEvents, !hasConnection(app),
            let newest = apps[app.index].events.map(\.number).max(), newest > apps[app.index].lastLeftEvent
        else { return }
        apps[app.index].lastLeftEvent = newest
        effects.append(.wake(app))
    }

    /// A client said `events: true`: what nobody acknowledged, oldest first. A significant change waits for the start of its service, a
    /// monitor's event for the opening of its monitor.
    mutating func tellStoredEvents(to manager: ManagerID, into effects: inout EffectBuffer) {
        let app = managers[manager.index].app
        guard apps[app.index].storesEvents else { return }
        for event in apps[app.index].events {
            switch event.content {
            case .region, .visit: effects.append(.event(manager, index: effects.add(event), monitor: 0))
            case .monitor, .significantChange: break
            }
        }
    }

    /// Idempotent; what was never given is not there. On a monitor's event it moves `lastEvent` (row C1m).
    mutating func acknowledge(
        _ manager: ManagerID, _ number: UInt64, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let app = managers[manager.index].app
        guard number > 0, number < apps[app.index].nextEvent else {
            return effects.append(.reply(manager, Reply(state: nil, refusal: .notFound)))
        }
        let conditions = takeConditionEvent(number, of: app, into: &effects)
        forgetEvent(number, of: app, into: &effects)
        effects.append(.reply(manager, Reply(state: nil)))
        for handle in conditions {
            examineCondition(handle, into: &effects)
            guard let monitor = condition(handle)?.monitor else { continue }
            tellObstacles(ofMonitor: monitor, of: app, at: now, into: &effects)
        }
    }

    /// Consent is gone: nothing that was stored may be seen (protocol.md 5).
    mutating func discardEvents(of app: AppID, into effects: inout EffectBuffer) {
        dropStoredEvents(of: app, into: &effects)
        apps[app.index].heldEvent = nil
        forgetPendingConditionEvents(of: app)
    }

    /// Who may know only roughly where the device is learns no more from what was stored before.
    mutating func discardExactEvents(of app: AppID, into effects: inout EffectBuffer) {
        for event in apps[app.index].events where !event.isCoarse {
            forgetEvent(event.number, of: app, into: &effects)
        }
        if apps[app.index].heldEvent?.isCoarse == false { apps[app.index].heldEvent = nil }
        forgetPendingConditionEvents(of: app)
    }

    /// What is stored is for those who may always know.
    mutating func dropStoredEvents(of app: AppID, into effects: inout EffectBuffer) {
        for event in apps[app.index].events { effects.append(.forgetEvent(app, event.number)) }
        apps[app.index].events.removeAll()
        apps[app.index].eventsSize = 0
        guard apps[app.index].absentSignificant != nil, apps[app.index].authorization.status != .authorizedAlways else {
            return
        }
        endAbsentSignificant(of: app)
        effects.append(.saveApp(app))
    }

    /// What is stored for an app, oldest first.
    package func events(of app: AppID) -> [AppEvent] { apps[app.index].events }
}

extension AppEvent {
    /// Tells no more than the reduced view does.
    var isReduced: Bool { if case .significantChange(_, isReduced: true) = content { true } else { false } }
    /// Whether all that it says of the place is in the reduced view of it.
    var isCoarse: Bool {
        switch content {
        case .region, .monitor: false
        case .significantChange(_, let isReduced): isReduced
        case .visit(let visit): visit.reducedPlace.coordinate == visit.coordinate
        }
    }

    var isSignificantChange: Bool { if case .significantChange = content { true } else { false } }
}

extension EffectBuffer {
    mutating func add(_ event: AppEvent) -> Int {
        events.append(event)
        return events.count - 1
    }

    mutating func add(_ region: Region) -> Int {
        regions.append(region)
        return regions.count - 1
    }
}
