// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Monitors whose conditions cannot be watched (Protocol 7.4): each condition has an event with the flags that say why.
extension Monitors {
    /// Tells the holder of a monitor for each condition why it is unmonitored. A condition that can be watched again is examined anew, and
    /// its state is told.
    func tellUnmonitored(ofMonitor name: String, of app: AppID, _ directory: Directory, _ turn: inout Turn) {
        guard let monitor = apps[app].monitors[name] else { return }
        let flags = directory.monitorFlags(of: app)
        for identifier in monitor.conditions.keys.sorted() {
            guard let handle = monitor.conditions[identifier], let condition = turn.borders.condition(handle),
                condition.toldFlags != flags
            else { continue }
            if !flags.isEmpty, let holder = monitor.holder {
                tellUnmonitored(flags, handle, app, holder, directory, &turn)
            } else {
                forgetUnmonitored(handle, app, isOver: flags.isEmpty, &turn)
            }
        }
    }

    /// The event is not stored, because opening the monitor finds the reason again. It is acknowledged like others and moves `lastEvent`. While
    /// a stored event waits to be acknowledged it is not told, because the stored one would be told a second time.
    private func tellUnmonitored(
        _ flags: DiagnosticFlags, _ handle: RegionHandle, _ app: AppID, _ holder: Holder, _ directory: Directory,
        _ turn: inout Turn
    ) {
        guard var condition = turn.borders.condition(handle), !turn.events[app].contains(condition.pendingNumber)
        else { return }
        condition.toldFlags = flags
        let taken = condition.lastEvent
        if taken.state == .unmonitored, taken.flags == flags, condition.pendingNumber == 0 {
            return turn.borders.change(handle, to: .condition(app, condition))
        }
        let date = turn.date ?? taken.date
        let content = ConditionEvent(state: .unmonitored, date: date, flags: flags)
        let event = turn.newEvent(
            of: app, .monitor(name: condition.monitor, identifier: condition.identifier, content), on: date)
        condition.pendingNumber = event.number
        (condition.pending, condition.found) = (content, nil)
        turn.borders.change(handle, to: .condition(app, condition))
        turn.reserveEvents(of: app)
        guard directory.isOpen(holder.manager), !directory.isAway(holder.manager) else { return }
        turn.append(.event(holder.manager, index: turn.effects.add(event), monitor: holder.number))
    }

    /// `isOver`: the condition is watched again, and its state is told even if it is the same as before.
    private func forgetUnmonitored(_ handle: RegionHandle, _ app: AppID, isOver: Bool, _ turn: inout Turn) {
        guard var condition = turn.borders.condition(handle) else { return }
        condition.toldFlags = []
        condition.mustTellState = isOver && apps[app].monitors[condition.monitor]?.holder != nil
        if condition.pending?.state == .unmonitored {
            condition.pendingNumber = 0
            condition.pending = nil
        }
        turn.borders.change(handle, to: .condition(app, condition))
    }

    /// Tells a holder that opened the monitor, or is back, the states of conditions that it was told are unmonitored.
    func tellStandings(ofMonitor name: String, of app: AppID, _ directory: Directory, _ turn: inout Turn) {
        for identifier in apps[app].monitors[name]?.conditions.keys.sorted() ?? [] {
            guard let handle = apps[app].monitors[name]?.conditions[identifier],
                let condition = turn.borders.condition(handle),
                condition.mustTellState || condition.lastEvent.endedWithSessions
            else { continue }
            examine(handle, directory, &turn)
        }
    }
}

/// Where a condition stands, for another process that goes on with the holder's connection.
struct ConditionStanding: Sendable, Codable {
    /// The manager's number of the monitor.
    var monitor: UInt32
    var identifier: String
    /// 0: nothing is pending.
    var pendingNumber: UInt64
    @Stored var pendingState: ConditionState
    @Stored var pendingDate: WallTime
    @Stored var pendingFlags: DiagnosticFlags
    @Stored var toldFlags: DiagnosticFlags
    var mustTellState: Bool
    @Stored var standing: ConditionState
    /// The state that was found while an event waited; nil: none, or a release wrote it that did not keep it.
    var found: Found?

    struct Found: Sendable, Codable {
        @Stored var state: ConditionState
        @Stored var date: WallTime
    }

    private enum CodingKeys: String, CodingKey {
        case monitor = "m", identifier = "i", pendingNumber = "n", pendingState = "s", pendingDate = "d"
        case pendingFlags = "f", toldFlags = "o", mustTellState = "w", standing = "t"
        case found = "u"
    }

    var isUsable: Bool { pendingNumber.isUsable && pendingDate.isWritable && found?.date.isWritable != false }

    func restore(_ condition: inout Condition) {
        condition.toldFlags = toldFlags
        condition.mustTellState = mustTellState
        condition.standing = standing
        // The stored event knows which beacon was heard.
        let refinement = condition.pendingNumber == pendingNumber ? condition.pending?.refinement : nil
        condition.pendingNumber = pendingNumber
        condition.found = found.map { ConditionEvent(state: $0.state, date: $0.date) }
        condition.pending =
            pendingNumber == 0
            ? nil
            : ConditionEvent(
                state: pendingState, date: pendingDate,
                refinement: pendingState == .satisfied ? refinement ?? condition.shape : nil, flags: pendingFlags)
    }
}

extension ConditionStanding {
    init(_ condition: Condition, inMonitor monitor: UInt32) {
        self.init(
            monitor: monitor, identifier: condition.identifier, pendingNumber: condition.pendingNumber,
            pendingState: condition.pending?.state ?? .unknown,
            pendingDate: condition.pending?.date ?? WallTime(milliseconds: 0),
            pendingFlags: condition.pending?.flags ?? [],
            toldFlags: condition.toldFlags, mustTellState: condition.mustTellState, standing: condition.standing,
            found: condition.found.map { Found(state: $0.state, date: $0.date) })
    }
}
