// SPDX-License-Identifier: Apache-2.0
import LocationModel

// A significant-change service outlives its client (CL 3): an app that said `events: true` and went without `stop…` is owed the newest
// change that it missed, once, when it starts the service again. Its manager stays without a connection, and costs what the service does.
extension Engine {
    /// Managers that are kept like this; the one absent longest goes first.
    static let absentManagers = 256

    /// Keeps a manager whose rejoin time is over for what it is still owed. False: there is nothing.
    mutating func keepAbsent(_ manager: ManagerID, into effects: inout EffectBuffer) -> Bool {
        let kept = managers[manager.index]
        guard kept.keepsEvents, significant.contains(manager),
            authorization(of: manager).status == .authorizedAlways
        else { return false }
        // One an app: the newest knows what the others do.
        for other in absent where managers[other.index].app == kept.app { forgetAbsent(other, into: &effects) }
        if absent.count == Engine.absentManagers, let oldest = absent.first { forgetAbsent(oldest, into: &effects) }
        endStandard(manager)
        managers[manager.index].wantsStandard = false
        deferrals.remove(manager)
        requests.remove(manager)
        managers[manager.index].unconfirmedFinishes.removeAll()
        managers[manager.index].awayUntil = .distantFuture
        absent.append(manager)
        effects.append(.saveManager(manager))
        return true
    }

    /// The newest significant change that the app missed while no connection was there; 0: none. Told once.
    mutating func takeMissedSignificantChange(of app: AppID, into effects: inout EffectBuffer) -> UInt64 {
        var missed: UInt64 = 0
        for position in significant.indices {
            let manager = significant[position].manager
            guard managers[manager.index].app == app, managers[manager.index].isAway,
                managers[manager.index].keepsEvents
            else { continue }
            missed = max(missed, significant[position].pending)
            significant[position].pending = 0
        }
        forgetAbsent(of: app, into: &effects)
        return missed
    }

    /// The app has its service in hand again, or wants it no more.
    mutating func forgetAbsent(of app: AppID, into effects: inout EffectBuffer) {
        for manager in absent where managers[manager.index].app == app { forgetAbsent(manager, into: &effects) }
    }

    mutating func forgetAbsent(_ manager: ManagerID, into effects: inout EffectBuffer) {
        close(manager)
        effects.append(.closeManager(manager))
    }

    /// Whether the client of a manager without a connection may still take it back.
    package func canRejoin(_ manager: ManagerID) -> Bool {
        guard let until = managers[manager.index].awayUntil else { return false }
        return until != .distantFuture
    }
}
