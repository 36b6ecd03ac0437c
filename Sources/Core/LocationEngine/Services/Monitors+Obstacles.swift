// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Why nothing comes of an app's monitors (Protocol 7.4), told as events whose flags say nothing of the place.
extension Monitors {
    /// Tells the holder of a monitor, for each condition, why nothing comes of it. Where something comes again, the condition is
    /// looked at anew, and says how it stands.
    func tellObstacles(ofMonitor name: String, of app: AppID, _ directory: Directory, _ turn: inout Turn) {
        guard let monitor = apps[app].monitors[name] else { return }
        let flags = directory.obstacles(of: app)
        for identifier in monitor.conditions.keys.sorted() {
            guard let handle = monitor.conditions[identifier], let condition = turn.borders.condition(handle),
                condition.obstacle != flags
            else { continue }
            if !flags.isEmpty, let holder = monitor.holder {
                tellObstacle(flags, handle, app, holder, directory, &turn)
            } else {
                forgetObstacle(handle, app, isOver: flags.isEmpty, &turn)
            }
        }
    }

    /// Not stored: it is no news that can be lost, since it is found again whenever the monitor is opened. It is acknowledged as others are,
    /// and `lastEvent` moves then. It waits for what is stored to be acknowledged, which would else be told a second time.
    private func tellObstacle(
        _ flags: DiagnosticFlags, _ handle: RegionHandle, _ app: AppID, _ holder: Holder, _ directory: Directory,
        _ turn: inout Turn
    ) {
        guard var condition = turn.borders.condition(handle), !turn.events[app].contains(condition.pendingNumber)
        else { return }
        condition.obstacle = flags
        let taken = condition.lastEvent
        if taken.state == .unmonitored, taken.flags == flags, condition.pendingNumber == 0 {
            return turn.borders.change(handle, to: condition, of: app)
        }
        let date = turn.date ?? taken.date
        let content = ConditionEvent(state: .unmonitored, date: date, flags: flags)
        let event = turn.newEvent(
            of: app, .monitor(name: condition.monitor, identifier: condition.identifier, content), on: date)
        condition.pendingNumber = event.number
        condition.pending = content
        turn.borders.change(handle, to: condition, of: app)
        turn.reserveEvents(of: app)
        guard directory.isOpen(holder.manager), !directory.isAway(holder.manager) else { return }
        turn.append(.event(holder.manager, index: turn.effects.add(event), monitor: holder.number))
    }

    /// `isOver`: the app was told that nothing comes, and is told how the condition stands, be it as before.
    private func forgetObstacle(_ handle: RegionHandle, _ app: AppID, isOver: Bool, _ turn: inout Turn) {
        guard var condition = turn.borders.condition(handle) else { return }
        condition.obstacle = []
        condition.owesState = isOver && apps[app].monitors[condition.monitor]?.holder != nil
        if condition.pending?.state == .unmonitored {
            condition.pendingNumber = 0
            condition.pending = nil
        }
        turn.borders.change(handle, to: condition, of: app)
    }

    /// Tells a holder that opened the monitor, or is back, how those conditions stand of which it was told before that nothing comes.
    func tellStandings(ofMonitor name: String, of app: AppID, _ directory: Directory, _ turn: inout Turn) {
        for identifier in apps[app].monitors[name]?.conditions.keys.sorted() ?? [] {
            guard let handle = apps[app].monitors[name]?.conditions[identifier],
                let condition = turn.borders.condition(handle),
                condition.owesState || condition.lastEvent.endedWithSessions
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
    @Stored var obstacle: DiagnosticFlags
    var owesState: Bool
    @Stored var standing: ConditionState

    private enum CodingKeys: String, CodingKey {
        case monitor = "m", identifier = "i", pendingNumber = "n", pendingState = "s", pendingDate = "d"
        case pendingFlags = "f", obstacle = "o", owesState = "w", standing = "t"
    }

    var isUsable: Bool { pendingNumber.isUsable && pendingDate.isWritable }

    func restore(_ condition: inout Condition) {
        condition.obstacle = obstacle
        condition.owesState = owesState
        condition.standing = standing
        condition.pendingNumber = pendingNumber
        condition.pending =
            pendingNumber == 0
            ? nil
            : ConditionEvent(
                state: pendingState, date: pendingDate, refinement: pendingState == .satisfied ? condition.shape : nil,
                flags: pendingFlags)
    }
}

extension ConditionStanding {
    init(_ condition: Condition, inMonitor monitor: UInt32) {
        self.init(
            monitor: monitor, identifier: condition.identifier, pendingNumber: condition.pendingNumber,
            pendingState: condition.pending?.state ?? .unknown,
            pendingDate: condition.pending?.date ?? WallTime(milliseconds: 0),
            pendingFlags: condition.pending?.flags ?? [],
            obstacle: condition.obstacle, owesState: condition.owesState, standing: condition.standing)
    }
}
