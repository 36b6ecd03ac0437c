// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Named monitors (Protocol 7.4, rules C1m to C5m): a condition has an event when what is observed differs from what its app has taken, and
/// is silent until the app has taken that.
///
/// Monitors and conditions are the app's and outlive connections; one manager at a time holds a monitor and is told of its conditions. While
/// conditions cannot be watched, the holder is told why, for each condition, as an event that is not stored; when they can be again, it is
/// told their states (`Monitors+Unmonitored.swift`). `Borders` finds what a fix crossed; a fix costs nothing
/// for a condition whose border is far.
struct Monitors: Service {
    /// The one manager that has a monitor open, and its number there.
    typealias Holder = (manager: ManagerID, number: UInt32)

    /// A monitor that a manager holds.
    struct Held: Sendable {
        var number: UInt32
        /// Empty in a record that was read: the app's monitor with this hash.
        var name: String
        var hash: UInt64

        init(number: UInt32, name: String) {
            self.number = number
            self.name = name
            hash = Held.hash(of: name)
        }
    }

    /// The part of a manager's monitors that outlives a turn.
    struct Record: Sendable, Codable {
        /// The number of the last one.
        var lastNumber: UInt32 = 0
        @Stored var held: [Held] = []
        /// Where the conditions of the held ones stand; only in a manager's record.
        var conditions: [ConditionStanding] = []

        private enum CodingKeys: String, CodingKey { case lastNumber = "n", held = "h", conditions = "c" }

        var isUsable: Bool { lastNumber.isUsable && conditions.allSatisfy(\.isUsable) }
    }

    struct Monitor: Sendable {
        /// By identifier; looked up, never walked in the order of the table.
        var conditions: [String: RegionHandle] = [:]
        var holder: Holder?
    }

    struct OfApp: Sendable {
        /// By name; looked up, never walked in the order of the table.
        var monitors: [String: Monitor] = [:]
        var conditionCount = 0
        /// Whether the conditions are looked at.
        var isWatching = false
    }

    var apps = PerSlot<AppID, OfApp>(blank: OfApp())
    var records = PerSlot<ManagerID, Record>(blank: Record())

    // MARK: Requests

    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        switch request {
        case .openMonitor(let name): open(name, manager, directory, &turn)
        case .closeMonitor(let number): close(number, manager, directory, &turn)
        case .addCondition(let condition): add(condition, manager, directory, &turn)
        case .removeCondition(let name): remove(name, manager, directory, &turn)
        case .acknowledge(let number): acknowledge(number, manager, directory, &turn)
        default: return false
        }
        return true
    }

    /// Whether the manager may open the monitor.
    func mayOpen(
        _ name: String, _ manager: ManagerID, _ directory: Directory, _ configuration: EngineConfiguration
    ) -> Bool {
        if records[manager].held.count >= configuration.monitorsPerManager { return false }
        let holder = apps[directory.app(of: manager)].monitors[name]?.holder
        return holder.map { directory.isAway($0.manager) } ?? true
    }

    private mutating func open(
        _ name: String, _ manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) {
        let app = directory.app(of: manager)
        guard records[manager].held.count < turn.configuration.monitorsPerManager else {
            return turn.refuse(manager, .limitExceeded)
        }
        if let holder = apps[app].monitors[name]?.holder {
            guard directory.isAway(holder.manager) else { return turn.refuse(manager, .held) }
            // A client that started anew need not wait until its former connection is given up.
            release(name, holder.manager, directory, &turn)
            turn.save(holder.manager)
        }
        records[manager].lastNumber += 1
        let number = records[manager].lastNumber
        hold(name, as: number, manager, directory)
        turn.reply(manager, Reply(state: nil, opened: number))
        turn.questions.append(.stream(manager))
        tellPending(ofMonitor: name, of: app, directory, &turn)
        tellUnmonitored(ofMonitor: name, of: app, directory, &turn)
        tellStandings(ofMonitor: name, of: app, directory, &turn)
        turn.save(manager)
    }

    private mutating func hold(_ name: String, as number: UInt32, _ manager: ManagerID, _ directory: Directory) {
        records[manager].held.append(Held(number: number, name: name))
        apps[directory.app(of: manager)].monitors[name, default: Monitor()].holder = (manager, number)
    }

    private mutating func close(
        _ number: UInt64, _ manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) {
        guard let name = name(of: number, manager) else { return turn.refuse(manager, .notFound) }
        release(name, manager, directory, &turn)
        turn.save(manager)
        turn.reply(manager, Reply(state: nil))
    }

    private mutating func release(
        _ name: String, _ manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) {
        records[manager].held.removeAll { $0.name == name }
        let app = directory.app(of: manager)
        apps[app].monitors[name]?.holder = nil
        // The client that was told that nothing comes, and did not take it, is gone: what the app has taken stands.
        for identifier in apps[app].monitors[name]?.conditions.keys.sorted() ?? [] {
            change(identifier, ofMonitor: name, of: app, &turn) { $0.mustTellState = false }
        }
    }

    /// Whether a condition can be added.
    func hasRoom(
        for identifier: String, inMonitor name: String, of app: AppID, _ configuration: EngineConfiguration
    ) -> Bool {
        apps[app].monitors[name]?.conditions[identifier] != nil
            || apps[app].conditionCount < configuration.conditionsPerApp
    }

    /// Replaces a condition of that name and what its app has taken. Where there is no room, the app is told and nothing is kept
    /// (rule C5m).
    private mutating func add(
        _ added: ConditionParameters, _ manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) {
        let (app, identifier) = (directory.app(of: manager), added.identifier)
        guard let monitor = held(added.monitor, manager) else { return turn.refuse(manager, .notFound) }
        let (name, date) = (monitor.name, turn.dateOfEvents)
        turn.reply(manager, Reply(state: nil))
        guard hasRoom(for: identifier, inMonitor: name, of: app, turn.configuration) else {
            let refused = ConditionEvent(state: .unmonitored, date: date, flags: .conditionLimitExceeded)
            let event = turn.newEvent(of: app, .monitor(name: name, identifier: identifier, refused), on: date)
            turn.append(.saveApp(app))
            return turn.append(.event(manager, index: turn.effects.add(event), monitor: monitor.number))
        }
        if let former = apps[app].monitors[name]?.conditions[identifier] { forgetEvent(of: former, &turn) }
        remove(identifier, ofMonitor: name, of: app, &turn)
        let assumed = ConditionEvent(state: added.assuming, date: date)
        insert(
            Condition(monitor: name, identifier: identifier, shape: added.condition, lastEvent: assumed), of: app,
            directory, &turn)
        tellUnmonitored(ofMonitor: name, of: app, directory, &turn)
        turn.touch(directory[app].identity)
    }

    private mutating func remove(
        _ removed: ConditionName, _ manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) {
        let app = directory.app(of: manager)
        guard let name = name(of: removed.monitor, manager),
            let handle = apps[app].monitors[name]?.conditions[removed.identifier]
        else { return turn.refuse(manager, .notFound) }
        forgetEvent(of: handle, &turn)
        remove(removed.identifier, ofMonitor: name, of: app, &turn)
        turn.reply(manager, Reply(state: nil))
        turn.touch(directory[app].identity)
    }

    private mutating func insert(
        _ condition: Condition, of app: AppID, _ directory: Directory, _ turn: inout Turn
    ) {
        apps[app].isWatching = directory[app].mayWatchConditions
        let state = RegionState((condition.found ?? condition.pending ?? condition.lastEvent).state)
        let handle = turn.borders.add(
            condition.shape, hysteresis: RegionHysteresis(), state: state, isWatched: apps[app].isWatching,
            .condition(app, condition))
        apps[app].monitors[condition.monitor, default: Monitor()].conditions[condition.identifier] = handle
        apps[app].conditionCount += 1
    }

    private mutating func remove(
        _ identifier: String, ofMonitor name: String, of app: AppID, _ turn: inout Turn
    ) {
        guard let handle = apps[app].monitors[name]?.conditions.removeValue(forKey: identifier) else { return }
        apps[app].conditionCount -= 1
        turn.borders.remove(handle)
    }

    private func forgetEvent(of handle: RegionHandle, _ turn: inout Turn) {
        guard case .condition(let app, let condition)? = turn.borders.owner(of: handle), condition.pendingNumber != 0
        else { return }
        turn.forgetEvent(condition.pendingNumber, of: app)
    }

    /// Idempotent, for every kind of event; a number that was never given is not there. On a monitor's event it moves `lastEvent`
    /// (Protocol 7.6, rule C1m).
    private mutating func acknowledge(
        _ number: UInt64, _ manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) {
        let app = directory.app(of: manager)
        guard number > 0, number < turn.events[app].next else { return turn.refuse(manager, .notFound) }
        let taken = takeEvent(number, of: app, &turn)
        turn.forgetEvent(number, of: app)
        turn.reply(manager, Reply(state: nil))
        guard let taken, let monitor = turn.borders.condition(taken)?.monitor else { return }
        examine(taken, directory, &turn)
        tellUnmonitored(ofMonitor: monitor, of: app, directory, &turn)
    }

    /// Moves `lastEvent`; returns the condition, which may have something new to tell.
    private func takeEvent(_ number: UInt64, of app: AppID, _ turn: inout Turn) -> RegionHandle? {
        guard let (handle, condition) = taking(number, of: app, turn.borders) else { return nil }
        turn.borders.change(handle, to: .condition(app, condition))
        turn.append(.saveCondition(app, handle))
        return handle
    }

    // MARK: Rights

    mutating func rightsChanged(of app: AppID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn) {
        if change.isLost || change.isReduced { forgetPending(of: app, &turn) }
        let isWatching = directory[app].mayWatchConditions
        guard isWatching != apps[app].isWatching else { return }
        apps[app].isWatching = isWatching
        for name in names(of: app) {
            guard let monitor = apps[app].monitors[name] else { continue }
            for handle in monitor.conditions.values.sorted() { turn.borders.setWatched(handle, isWatching) }
        }
    }

    mutating func diagnosisChanged(of app: AppID, _ directory: Directory, _ turn: inout Turn) {
        for name in names(of: app) { tellUnmonitored(ofMonitor: name, of: app, directory, &turn) }
    }

    // MARK: The life of a manager

    /// Tells the events of the client's monitors that came meanwhile.
    mutating func tellMissed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        let app = directory.app(of: manager)
        for monitor in records[manager].held {
            tellPending(ofMonitor: monitor.name, of: app, before: turn.firstEvent, directory, &turn)
            tellUnmonitored(ofMonitor: monitor.name, of: app, directory, &turn)
            tellStandings(ofMonitor: monitor.name, of: app, directory, &turn)
        }
    }

    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        for monitor in records[manager].held { release(monitor.name, manager, directory, &turn) }
        records.clear(manager)
    }

    mutating func open(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        records[manager] = Record(lastNumber: record.monitors.lastNumber)
        let app = directory.app(of: manager)
        for monitor in record.monitors.held {
            guard let name = names(of: app).first(where: { Held.hash(of: $0) == monitor.hash }) else { continue }
            hold(name, as: monitor.number, manager, directory)
        }
    }

    mutating func goOn(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        for left in record.monitors.conditions {
            guard let name = name(of: UInt64(left.monitor), manager) else { continue }
            change(left.identifier, ofMonitor: name, of: directory.app(of: manager), &turn) { left.restore(&$0) }
        }
    }

    // MARK: Records

    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        let app = directory.app(of: manager)
        record.monitors = records[manager]
        record.monitors.conditions = records[manager].held.flatMap { monitor in
            conditions(ofMonitor: monitor.name, of: app, turn.borders).map {
                ConditionStanding($0, inMonitor: monitor.number)
            }
        }
    }

    mutating func restore(_ name: String, of app: AppID, _ directory: Directory) {
        guard directory.apps.indices.contains(app.index), apps[app].monitors[name] == nil else { return }
        apps[app].monitors[name] = Monitor()
    }

    mutating func restore(
        _ restored: RestoredCondition, ofMonitor name: String, of app: AppID, _ directory: Directory,
        _ turn: inout Turn
    ) {
        restore(name, of: app, directory)
        var condition = Condition(
            monitor: name, identifier: restored.identifier, shape: restored.shape, lastEvent: restored.lastEvent)
        // A stored event that was not acknowledged is still pending.
        for event in turn.events[app].stored {
            guard case .monitor(name, restored.identifier, let pending) = event.content else { continue }
            condition.pendingNumber = event.number
            condition.pending = pending
            if event.number == restored.pendingNumber { condition.found = restored.found }
        }
        insert(condition, of: app, directory, &turn)
        turn.touch(directory[app].identity)
    }

    /// Forgets a monitor that is empty.
    mutating func forget(_ name: String, of app: AppID) {
        guard empty(of: app).contains(name) else { return }
        apps[app].monitors[name] = nil
    }

    mutating func enter(_ app: AppID, _ record: AppRecord, _ directory: Directory, _ turn: inout Turn) {
        for name in names(of: app) {
            for handle in apps[app].monitors[name]?.conditions.values.sorted() ?? [] { turn.borders.remove(handle) }
        }
        apps.clear(app)
    }

    mutating func forget(_ app: AppID, _ directory: Directory, _ turn: inout Turn) {
        for name in names(of: app) {
            for handle in apps[app].monitors[name]?.conditions.values.sorted() ?? [] { turn.borders.remove(handle) }
            apps[app].monitors[name]?.conditions.removeAll()
            if apps[app].monitors[name]?.holder == nil { apps[app].monitors[name] = nil }
        }
        apps[app].conditionCount = 0
    }

    // MARK: Questions

    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool {
        !records[manager].held.isEmpty || apps[directory.app(of: manager)].conditionCount > 0
    }

    func hasUser(_ directory: Directory, _ turn: Turn, where isMeant: (ReceiverUser) -> Bool) -> Bool {
        apps.ids.contains { app in
            guard apps[app].isWatching, apps[app].conditionCount > 0 else { return false }
            let handles = apps[app].monitors.values.lazy.flatMap(\.conditions.values)
            return handles.contains { $0.beaconSlot == nil } && isMeant(.regions(app))
                || handles.contains { $0.beaconSlot != nil } && isMeant(.beacons(app))
        }
    }

    func fill(_ report: inout ManagerReport, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        report.monitors = records[manager].held.map { ($0.number, $0.name) }
    }

    /// The holder of the monitor that the event is of; nil: it is of none, or nobody holds it.
    func holder(of event: AppEvent, _ app: AppID) -> Holder? {
        guard case .monitor(let name, _, _) = event.content else { return nil }
        return apps[app].monitors[name]?.holder
    }

    /// The names of an app's monitors, in their order.
    func names(of app: AppID) -> [String] { apps[app].monitors.keys.sorted() }

    /// The name of a monitor that a manager has open; nil: it has none of that number.
    func name(of number: UInt64, _ manager: ManagerID) -> String? { held(number, manager)?.name }

    private func held(_ number: UInt64, _ manager: ManagerID) -> Held? {
        records[manager].held.first { $0.number == number }
    }

    /// Monitors of an app that nobody has open and that watch nothing.
    func empty(of app: AppID) -> [String] {
        names(of: app).filter { name in
            apps[app].monitors[name].map { $0.holder == nil && $0.conditions.isEmpty } ?? false
        }
    }

    /// The conditions of a monitor, by identifier.
    func conditions(ofMonitor name: String, of app: AppID, _ borders: Borders) -> [Condition] {
        guard let monitor = apps[app].monitors[name] else { return [] }
        return monitor.conditions.keys.sorted().compactMap { monitor.conditions[$0] }
            .compactMap { borders.condition($0) }
    }
}

extension Borders {
    /// The condition behind a handle; nil: it is gone, or a region.
    func condition(_ handle: RegionHandle) -> Condition? {
        guard case .condition(_, let condition)? = owner(of: handle) else { return nil }
        return condition
    }
}
