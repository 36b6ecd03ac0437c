// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Events of conditions (Protocol 7.4): a condition whose state differs from the acknowledged one is told, and is silent until that is
// acknowledged.
extension Monitors {
    mutating func watch(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {
        for crossing in turn.borders.crossings { examine(crossing.handle, on: crossing.date, directory, &turn) }
    }

    /// The same of beacons.
    mutating func watch(_ crossings: [BorderSide], on date: WallTime, _ directory: Directory, _ turn: inout Turn) {
        for crossing in crossings { examine(crossing.handle, on: date, directory, &turn) }
    }

    /// Compares what is observed with what the app has taken. `date`: of the crossing; nil: the condition was silent until now, and changed
    /// some time before.
    func examine(_ handle: RegionHandle, on date: WallTime? = nil, _ directory: Directory, _ turn: inout Turn) {
        guard case .condition(let app, var condition)? = turn.borders.owner(of: handle) else { return }
        let observed = ConditionState(turn.borders.state(of: handle))
        guard condition.pendingNumber == 0 else {
            // Told when its app has taken that, with this date.
            guard let date, observed != (condition.found ?? condition.pending)?.state else { return }
            condition.found = ConditionEvent(state: observed, date: date)
            turn.borders.change(handle, to: .condition(app, condition))
            return turn.append(.saveCondition(app, handle))
        }
        guard observed != .unknown, isNews(observed, condition, app, directory) else { return }
        let found = condition.found.flatMap { $0.state == observed ? $0.date : nil }
        // Of beacons no fix tells.
        let newest = condition.shape.beacons == nil ? turn.intake.lastLocation?.timestamp : turn.date
        // A daemon that began anew finds a change again that it had found before.
        let date = found ?? date ?? newest ?? condition.lastEvent.date
        let event = ConditionEvent(
            state: observed, date: date,
            refinement: observed == .satisfied ? turn.borders.refinement(of: handle, condition.shape) : nil)
        let holder = apps[app].monitors[condition.monitor]?.holder
        let told = turn.tell(
            app, .monitor(name: condition.monitor, identifier: condition.identifier, event), on: date,
            holder: holder, directory)
        if let told { notePending(told, of: app, &turn) }
    }

    /// Whether the app is to be told how a condition stands. That its sessions ended is no change of the place: it is told anew when it
    /// is there again, and is not started for it.
    private func isNews(
        _ observed: ConditionState, _ condition: Condition, _ app: AppID, _ directory: Directory
    ) -> Bool {
        let holder = apps[app].monitors[condition.monitor]?.holder
        if let holder, !directory.isAway(holder.manager) {
            return condition.mustTellState || observed != condition.lastEvent.state
        }
        return observed != (condition.lastEvent.endedWithSessions ? condition.standing : condition.lastEvent.state)
    }

    /// The condition is silent until its app has taken the event.
    func notePending(_ event: AppEvent, of app: AppID, _ turn: inout Turn) {
        guard case .monitor(let name, let identifier, let pending) = event.content else { return }
        change(identifier, ofMonitor: name, of: app, &turn) {
            $0.pendingNumber = event.number
            ($0.pending, $0.found) = (pending, nil)
            $0.mustTellState = false
        }
    }

    /// Tells the holder again what the app has not taken, but for events from number `newEvents` on, of which it was just told.
    func tellPending(
        ofMonitor name: String, of app: AppID, before newEvents: UInt64 = .max, _ directory: Directory,
        _ turn: inout Turn
    ) {
        guard let holder = apps[app].monitors[name]?.holder else { return }
        // Why nothing comes is told also to an app that may not have what comes.
        let mayHaveEvents = directory[app].mayHaveEvents
        let waiting = conditions(ofMonitor: name, of: app, turn.borders)
            .filter { (1..<newEvents).contains($0.pendingNumber) }
            .filter { mayHaveEvents || $0.pending?.state == .unmonitored }
        for condition in waiting.sorted(by: { $0.pendingNumber < $1.pendingNumber }) {
            guard let pending = condition.pending else { continue }
            let event = AppEvent(
                number: condition.pendingNumber, date: pending.date,
                content: .monitor(name: name, identifier: condition.identifier, pending))
            turn.append(.event(holder.manager, index: turn.effects.add(event), monitor: holder.number))
        }
    }

    /// Forgets events that the app has not acknowledged and may not see any more.
    func forgetPending(of app: AppID, _ turn: inout Turn) {
        for name in names(of: app) {
            for identifier in apps[app].monitors[name]?.conditions.keys.sorted() ?? [] {
                change(identifier, ofMonitor: name, of: app, &turn) {
                    $0.pendingNumber = 0
                    ($0.pending, $0.found) = (nil, nil)
                }
            }
        }
    }

    func change(
        _ identifier: String, ofMonitor name: String, of app: AppID, _ turn: inout Turn,
        _ body: (inout Condition) -> Void
    ) {
        guard let handle = apps[app].monitors[name]?.conditions[identifier],
            var condition = turn.borders.condition(handle)
        else { return }
        body(&condition)
        turn.borders.change(handle, to: .condition(app, condition))
    }

    /// The condition that has told an event, as it is when the app takes that; nil: none has.
    func taking(_ number: UInt64, of app: AppID, _ borders: Borders) -> (handle: RegionHandle, condition: Condition)? {
        for name in names(of: app) {
            for handle in apps[app].monitors[name]?.conditions.values.sorted() ?? [] {
                guard var condition = borders.condition(handle), condition.pendingNumber == number,
                    let taken = condition.pending
                else { continue }
                condition.lastEvent = taken
                if !taken.endedWithSessions { condition.standing = taken.state }
                condition.pendingNumber = 0
                condition.pending = nil
                return (handle, condition)
            }
        }
        return nil
    }
}
