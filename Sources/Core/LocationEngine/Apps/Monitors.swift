// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Named monitors (CL 7.2): a condition has an event when what is observed differs from what its app has taken, and rests until the app has
// taken that.
extension Engine {
    /// The condition behind a handle; nil: it is gone, or a region.
    package func condition(_ handle: RegionHandle) -> Condition? {
        guard case .condition(_, let condition)? = owner(of: handle) else { return nil }
        return condition
    }

    /// The condition of a monitor that a manager has open; nil: there is none.
    package func condition(_ identifier: String, inMonitor number: UInt32, of manager: ManagerID) -> Condition? {
        guard let name = monitorName(number, of: manager),
            let handle = apps[managers[manager.index].app.index].monitors[name]?.conditions[identifier]
        else { return nil }
        return condition(handle)
    }

    /// The name of a monitor that a manager has open; nil: it has none of that number.
    package func monitorName(_ number: UInt32, of manager: ManagerID) -> String? {
        managers[manager.index].monitors.first { $0.number == number }?.name
    }

    /// The conditions of a monitor, by identifier.
    package func conditions(ofMonitor name: String, of app: AppID) -> [Condition] {
        guard let monitor = apps[app.index].monitors[name] else { return [] }
        return monitor.conditions.keys.sorted().compactMap { monitor.conditions[$0] }.compactMap { condition($0) }
    }

    /// The names of an app's monitors.
    package func monitorNames(of app: AppID) -> [String] { apps[app.index].monitors.keys.sorted() }

    /// How many conditions an app has in all its monitors.
    package func conditionCount(of app: AppID) -> Int { apps[app.index].conditionCount }

    /// Whether the manager may open the monitor; the shell keeps a new name before it is acknowledged, so it asks first.
    package func mayOpenMonitor(_ name: String, _ manager: ManagerID) -> Bool {
        if managers[manager.index].monitors.count >= configuration.monitorsPerManager { return false }
        let holder = apps[managers[manager.index].app.index].monitors[name]?.holder
        return holder.map { managers[$0.manager.index].isAway } ?? true
    }

    /// Monitors of an app that nobody has open and that watch nothing.
    package func emptyMonitors(of app: AppID) -> [String] {
        monitorNames(of: app).filter { name in
            apps[app.index].monitors[name].map { $0.holder == nil && $0.conditions.isEmpty } ?? false
        }
    }

    /// Forgets a monitor that is empty.
    mutating func forgetMonitor(_ name: String, of app: AppID) {
        guard emptyMonitors(of: app).contains(name) else { return }
        apps[app.index].monitors[name] = nil
    }

    mutating func openMonitor(
        _ manager: ManagerID, _ name: String, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let app = managers[manager.index].app
        guard managers[manager.index].monitors.count < configuration.monitorsPerManager else {
            return effects.append(.reply(manager, Reply(state: nil, refusal: .limitExceeded)))
        }
        if let holder = apps[app.index].monitors[name]?.holder {
            guard managers[holder.manager.index].isAway else {
                return effects.append(.reply(manager, Reply(state: nil, refusal: .held)))
            }
            // A client that started anew need not wait until its former connection is given up.
            release(name, holder.manager)
            effects.append(.saveManager(holder.manager))
        }
        managers[manager.index].lastMonitor += 1
        let number = managers[manager.index].lastMonitor
        hold(name, as: number, manager)
        effects.append(.reply(manager, Reply(state: nil, opened: number)))
        raiseForStream(manager, at: now, into: &effects)
        tellPendingConditions(ofMonitor: name, of: app, into: &effects)
        tellObstacles(ofMonitor: name, of: app, at: now, into: &effects)
        settleDebts(ofMonitor: name, of: app, into: &effects)
        effects.append(.saveManager(manager))
    }

    mutating func hold(_ name: String, as number: UInt32, _ manager: ManagerID) {
        managers[manager.index].monitors.append((number, name))
        let app = managers[manager.index].app
        apps[app.index].monitors[name, default: Monitor()].holder = (manager, number)
    }

    mutating func closeMonitor(_ manager: ManagerID, _ number: UInt32, into effects: inout EffectBuffer) {
        guard let name = monitorName(number, of: manager) else {
            return effects.append(.reply(manager, Reply(state: nil, refusal: .notFound)))
        }
        release(name, manager)
        effects.append(.saveManager(manager))
        effects.append(.reply(manager, Reply(state: nil)))
    }

    private mutating func release(_ name: String, _ manager: ManagerID) {
        managers[manager.index].monitors.removeAll { $0.name == name }
        let app = managers[manager.index].app
        apps[app.index].monitors[name]?.holder = nil
        // Who was told that nothing comes, and did not take it, is gone: what the app has taken stands.
        for identifier in apps[app.index].monitors[name]?.conditions.keys.sorted() ?? [] {
            change(identifier, ofMonitor: name, of: app) { $0.owesState = false }
        }
    }

    mutating func releaseMonitors(of manager: ManagerID) {
        for monitor in managers[manager.index].monitors { release(monitor.name, manager) }
    }

    mutating func restoreMonitor(_ name: String, of app: AppID) {
        guard apps.indices.contains(app.index), apps[app.index].monitors[name] == nil else { return }
        apps[app.index].monitors[name] = Monitor()
    }

    mutating func restore(_ restored: RestoredCondition, ofMonitor name: String, of app: AppID) {
        restoreMonitor(name, of: app)
        var condition = Condition(
            monitor: name, identifier: restored.identifier, shape: restored.shape, lastEvent: restored.lastEvent)
        // What was stored and not acknowledged is still pending.
        for event in apps[app.index].events {
            guard case .monitor(name, restored.identifier, let pending) = event.content else { continue }
            condition.pendingNumber = event.number
            condition.pending = pending
        }
        insert(condition, of: app)
        touch(apps[app.index].identity)
    }

    private mutating func insert(_ condition: Condition, of app: AppID) {
        let state = RegionState(condition.pending?.state ?? condition.lastEvent.state)
        let handle = addShape(
            condition.shape, hysteresis: RegionHysteresis(), state: state, owner: .condition(app, condition), app: app)
        apps[app.index].monitors[condition.monitor, default: Monitor()].conditions[condition.identifier] = handle
        apps[app.index].conditionCount += 1
    }

    private mutating func removeCondition(_ identifier: String, ofMonitor name: String, of app: AppID) {
        guard let handle = apps[app.index].monitors[name]?.conditions.removeValue(forKey: identifier) else { return }
        apps[app.index].conditionCount -= 1
        removeShape(handle)
    }

    /// Whether a condition can be added; the shell stores it before it is acknowledged, so it asks first.
    package func hasRoom(forCondition identifier: String, ofMonitor name: String, of app: AppID) -> Bool {
        apps[app.index].monitors[name]?.conditions[identifier] != nil
            || apps[app.index].conditionCount < configuration.conditionsPerApp
    }

    /// Replaces a condition of that name and its record. Where there is no room, the app is told and nothing is kept (row C5m).
    mutating func addCondition(
        _ manager: ManagerID, monitor number: UInt32, _ identifier: String, _ shape: RegionShape,
        assuming: ConditionState, on date: WallTime, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let app = managers[manager.index].app
        guard let name = monitorName(number, of: manager) else {
            return effects.append(.reply(manager, Reply(state: nil, refusal: .notFound)))
        }
        effects.append(.reply(manager, Reply(state: nil)))
        guard hasRoom(forCondition: identifier, ofMonitor: name, of: app) else {
            let refused = ConditionEvent(state: .unmonitored, date: date, flags: .conditionLimitExceeded)
            let event = AppEvent(
                number: apps[app.index].nextEvent, date: date,
                content: .monitor(name: name, identifier: identifier, refused))
            apps[app.index].nextEvent += 1
            effects.append(.saveApp(app))
            return effects.append(.event(manager, index: effects.add(event), monitor: number))
        }
        if let former = apps[app.index].monitors[name]?.conditions[identifier] {
            forgetEvent(ofCondition: former, into: &effects)
        }
        removeCondition(identifier, ofMonitor: name, of: app)
        insert(
            Condition(
                monitor: name, identifier: identifier, shape: shape,
                lastEvent: ConditionEvent(state: assuming, date: date)), of: app)
        tellObstacles(ofMonitor: name, of: app, at: now, into: &effects)
        touch(apps[app.index].identity)
    }

    mutating func removeCondition(
        _ manager: ManagerID, monitor number: UInt32, _ identifier: String, into effects: inout EffectBuffer
    ) {
        let app = managers[manager.index].app
        guard let name = monitorName(number, of: manager),
            let handle = apps[app.index].monitors[name]?.conditions[identifier]
        else { return effects.append(.reply(manager, Reply(state: nil, refusal: .notFound))) }
        forgetEvent(ofCondition: handle, into: &effects)
        removeCondition(identifier, ofMonitor: name, of: app)
        effects.append(.reply(manager, Reply(state: nil)))
        touch(apps[app.index].identity)
    }

    // MARK: Events

    mutating func noteCondition(_ crossing: RegionCrossing, into effects: inout EffectBuffer) {
        guard case .condition? = owner(of: crossing.handle) else { return }
        crossingDate = crossing.date
        examineCondition(crossing.handle, into: &effects)
        crossingDate = nil
    }

    /// Compares what is observed with what the app has taken.
    mutating func examineCondition(_ handle: RegionHandle, into effects: inout EffectBuffer) {
        guard case .condition(let app, let condition)? = owner(of: handle), condition.pendingNumber == 0 else { return }
        let observed = ConditionState(regions.state(of: handle))
        guard observed != .unknown, isNews(observed, condition, app) else { return }
        // A condition that rested until now changed some time before.
        let date = crossingDate ?? lastLocation?.timestamp ?? condition.lastEvent.date
        let event = ConditionEvent(
            state: observed, date: date, refinement: observed == .satisfied ? condition.shape : nil)
        tell(
            app, .monitor(name: condition.monitor, identifier: condition.identifier, event), on: date, into: &effects)
    }

    /// Whether the app is to be told how a condition stands. That its sessions ended is no change of the place: it is told anew when it
    /// is there again, and is not started for it.
    private func isNews(_ observed: ConditionState, _ condition: Condition, _ app: AppID) -> Bool {
        let isHeld = apps[app.index].monitors[condition.monitor]?.holder.map { !managers[$0.manager.index].isAway }
        if isHeld == true { return condition.owesState || observed != condition.lastEvent.state }
        return observed != (condition.lastEvent.endedWithSessions ? condition.standing : condition.lastEvent.state)
    }

    /// Who opens a monitor, or is back, is told how its conditions stand if it was told before that nothing comes of them.
    private mutating func settleDebts(ofMonitor name: String, of app: AppID, into effects: inout EffectBuffer) {
        for identifier in apps[app.index].monitors[name]?.conditions.keys.sorted() ?? [] {
            guard let handle = apps[app.index].monitors[name]?.conditions[identifier],
                let condition = condition(handle), condition.owesState || condition.lastEvent.endedWithSessions
            else { continue }
            examineCondition(handle, into: &effects)
        }
    }

    /// The condition rests until its app has taken the event.
    mutating func notePending(_ event: AppEvent, of app: AppID) {
        guard case .monitor(let name, let identifier, let pending) = event.content else { return }
        change(identifier, ofMonitor: name, of: app) {
            $0.pendingNumber = event.number
            $0.pending = pending
            $0.owesState = false
        }
    }

    /// Moves `lastEvent`; returns the conditions that may have something new to tell.
    mutating func takeConditionEvent(
        _ number: UInt64, of app: AppID, into effects: inout EffectBuffer
    ) -> [RegionHandle] {
        for name in apps[app.index].monitors.keys.sorted() {
            for handle in apps[app.index].monitors[name]?.conditions.values.sorted() ?? [] {
                guard case .condition(_, var condition)? = owner(of: handle), condition.pendingNumber == number,
                    let taken = condition.pending
                else { continue }
                condition.lastEvent = taken
                if !taken.endedWithSessions { condition.standing = taken.state }
                condition.pendingNumber = 0
                condition.pending = nil
                regionOwners[handle.slot] = .condition(app, condition)
                effects.append(.saveCondition(app, handle))
                return [handle]
            }
        }
        return []
    }

    private mutating func tellPendingConditions(
        ofMonitor name: String, of app: AppID, before newEvents: UInt64 = .max, into effects: inout EffectBuffer
    ) {
        guard let holder = apps[app.index].monitors[name]?.holder else { return }
        // Why nothing comes is told to who may not have what comes, too.
        let mayHaveEvents = apps[app.index].mayHaveEvents
        let waiting = conditions(ofMonitor: name, of: app)
            .filter { (1..<newEvents).contains($0.pendingNumber) }
            .filter { mayHaveEvents || $0.pending?.state == .unmonitored }
        for condition in waiting.sorted(by: { $0.pendingNumber < $1.pendingNumber }) {
            guard let pending = condition.pending else { continue }
            let event = AppEvent(
                number: condition.pendingNumber, date: pending.date,
                content: .monitor(name: name, identifier: condition.identifier, pending))
            effects.append(.event(holder.manager, index: effects.add(event), monitor: holder.number))
        }
    }

    /// A client is back: what its monitors had to say meanwhile. It has been told of events from number `newEvents` on.
    mutating func tellPendingConditions(
        of manager: ManagerID, before newEvents: UInt64, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let app = managers[manager.index].app
        for monitor in managers[manager.index].monitors {
            tellPendingConditions(ofMonitor: monitor.name, of: app, before: newEvents, into: &effects)
            tellObstacles(ofMonitor: monitor.name, of: app, at: now, into: &effects)
            settleDebts(ofMonitor: monitor.name, of: app, into: &effects)
        }
    }

    mutating func forgetPendingConditionEvents(of app: AppID) {
        for name in apps[app.index].monitors.keys.sorted() {
            for identifier in apps[app.index].monitors[name]?.conditions.keys.sorted() ?? [] {
                change(identifier, ofMonitor: name, of: app) {
                    $0.pendingNumber = 0
                    $0.pending = nil
                }
            }
        }
    }

    mutating func change(
        _ identifier: String, ofMonitor name: String, of app: AppID, _ body: (inout Condition) -> Void
    ) {
        guard let handle = apps[app.index].monitors[name]?.conditions[identifier],
            case .condition(_, var condition)? = owner(of: handle)
        else { return }
        body(&condition)
        regionOwners[handle.slot] = .condition(app, condition)
    }

    private mutating func forgetEvent(ofCondition handle: RegionHandle, into effects: inout EffectBuffer) {
        guard case .condition(let app, let condition)? = owner(of: handle), condition.pendingNumber != 0 else { return }
        forgetEvent(condition.pendingNumber, of: app, into: &effects)
    }
}

extension ConditionEvent {
    /// Nothing came of the condition because the app ended its service sessions, or went to the background without one.
    var endedWithSessions: Bool {
        state == .unmonitored && !flags.isEmpty && flags.isSubset(of: [.serviceSessionRequired, .insufficientlyInUse])
    }
}

extension RegionState {
    /// What a condition's state says of the place; unmonitored says nothing.
    init(_ state: ConditionState) {
        switch state {
        case .unknown, .unmonitored: self = .unknown
        case .satisfied: self = .inside
        case .unsatisfied: self = .outside
        }
    }
}
