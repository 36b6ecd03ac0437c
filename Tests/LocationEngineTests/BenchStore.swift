// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

/// What the daemon's store holds: written as the effects say and as accepted requests say, read after a `kill -9`.
struct BenchStore: Sendable {
    struct KeptMonitor: Sendable {
        var name: String
        var conditions: [RestoredCondition] = []
    }

    /// Decisions; none: nobody decided.
    var consents: [IdentityID: Consent] = [:]
    var apps: [AppID: AppRecord] = [:]
    var events: [AppID: [AppEvent]] = [:]
    var regions: [AppID: [(region: Region, state: RegionState)]] = [:]
    var monitors: [AppID: [KeptMonitor]] = [:]
    var stay: StoredStay?

    /// All that a new process is told before anything is asked.
    var restoration: [Event] {
        var all: [Event] = []
        for app in apps.keys.sorted() {
            guard var state = apps[app] else { continue }
            state.events = events[app] ?? []
            all.append(.appEntered(app, state))
            all += (regions[app] ?? []).map { .regionRestored(app, $0.region, $0.state) }
            for monitor in monitors[app] ?? [] {
                all.append(.monitorRestored(app, name: monitor.name))
                all += monitor.conditions.map { .conditionRestored(app, monitor: monitor.name, $0) }
            }
        }
        return all + (stay.map { [.stayRestored($0)] } ?? [])
    }

    /// A request that was accepted.
    mutating func keep(_ request: Request, app: AppID?, monitor name: String?, on date: WallTime) {
        guard let app else { return }
        switch request {
        case .startMonitoring(let region):
            regions[app, default: []].removeAll { $0.region.identifier == region.identifier }
            regions[app, default: []].append((region, .unknown))
        case .stopMonitoring(let identifier): regions[app]?.removeAll { $0.region.identifier == identifier }
        case .openMonitor(let name):
            if monitors[app]?.contains(where: { $0.name == name }) != true {
                monitors[app, default: []].append(KeptMonitor(name: name))
            }
        case .addCondition(let added):
            change(app, name) {
                $0.removeAll { $0.identifier == added.identifier }
                $0.append(
                    RestoredCondition(
                        identifier: added.identifier, shape: added.condition,
                        lastEvent: ConditionEvent(state: added.assuming, date: date), pendingNumber: 0, found: nil))
            }
        case .removeCondition(let removed):
            change(app, name) { $0.removeAll { $0.identifier == removed.identifier } }
        default: break
        }
    }

    /// An effect that says so.
    mutating func keep(_ chore: Effect, _ engine: borrowing Engine) {
        switch chore {
        case .saveApp(let app): apps[app] = engine.record(of: app)
        case .forgetEvent(let app, let number): events[app]?.removeAll { $0.number == number }
        case .saveRegionState(let app, let handle):
            guard let (region, state) = engine.region(handle),
                let index = regions[app]?.firstIndex(where: { $0.region.identifier == region.identifier })
            else { return }
            regions[app]?[index].state = state
        case .saveCondition(let app, let handle):
            guard let condition = engine.condition(handle) else { return }
            change(app, condition.monitor) {
                guard let index = $0.firstIndex(where: { $0.identifier == condition.identifier }) else { return }
                $0[index].lastEvent = condition.lastEvent
                ($0[index].pendingNumber, $0[index].found) = (condition.pendingNumber, condition.found)
            }
        case .saveStay: stay = engine.stay
        default: break
        }
    }

    /// What became of a region whose notice came once.
    mutating func keep(regionOf app: AppID, _ identifier: String, _ engine: borrowing Engine) {
        let kept = engine.region(identifier, of: app)
        regions[app]?.removeAll { $0.region.identifier == identifier }
        if let kept { regions[app, default: []].append(kept) }
    }

    private mutating func change(_ app: AppID, _ name: String?, _ body: (inout [RestoredCondition]) -> Void) {
        guard let index = monitors[app]?.firstIndex(where: { $0.name == name }) else { return }
        body(&monitors[app, default: []][index].conditions)
    }
}

extension EngineBench {
    /// Whether the shell stores what is asked for, as it asks the engine before it acknowledges.
    func keeps(_ request: Request, _ manager: ManagerID) -> Bool {
        guard let app = connections[manager]?.app else { return false }
        switch request {
        case .startMonitoring(let region): return engine.objection(to: region, of: manager) == nil
        case .addCondition(let added):
            return engine.monitorName(added.monitor, of: manager).map {
                engine.hasRoom(forCondition: added.identifier, ofMonitor: $0, of: app)
            } ?? false
        default: return true
        }
    }

    func monitorName(of request: Request, _ manager: ManagerID) -> String? {
        switch request {
        case .addCondition(let added): engine.monitorName(added.monitor, of: manager)
        case .removeCondition(let removed): engine.monitorName(removed.monitor, of: manager)
        default: nil
        }
    }
}
