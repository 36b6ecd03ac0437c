// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

/// What one request leaves on the disk: what all connections of an app share, and what of it outlives the program.
///
/// The one rule: what the declaration of a method says that it leaves behind is written before the engine hears of the request, as one
/// transaction. A refused request changes nothing, and the turn leaves out what it would write again.
struct RequestRecords {
    let service: LocationService
    let request: ClientRequest

    /// Apps of one user of which the store keeps something.
    static let keptAppsPerUser = 256
    /// Names cost little, but are kept for ever.
    static let monitorsPerApp = 128

    /// Writes what the request leaves behind. Throws why that cannot be.
    ///
    /// - Returns: What is on the disk now.
    func write() throws(RPCError) -> [RecordChange] {
        let manager = request.manager
        guard request.method.effect != .passing, let app = manager.app, let key = service.apps.key(of: app) else {
            return []
        }
        switch request.call {
        case .startMonitoring(let region):
            guard service.engine.objection(to: region, of: manager.id) == nil else { return [] }
            let former = service.engine.region(region.identifier, of: app)?.region.storedSize ?? 0
            let name = "the region \(quoted(region.identifier))"
            try admit(app, adding: region.storedSize - former, for: name)
            return try service.require([service.saving(app, key), .saveRegion(key, region, .unknown)], "keep \(name)")
        case .stopMonitoring(let identifier):
            guard service.engine.region(identifier, of: app) != nil else { return [] }
            return try service.require(
                [.removeRegion(key, identifier: identifier)] + forgetting(app, key, after: .region),
                "forget the region \(quoted(identifier))")
        case .startMonitoringVisits, .stopMonitoringVisits: return try keepVisits(app, key)
        case .acknowledge(let event): return try keepAcknowledgement(of: event, app, key)
        case .openMonitor(let name): return try keepMonitor(name, app, key)
        case .addCondition(let condition): return try keep(condition, app, key)
        case .removeCondition(let condition):
            guard let name = service.engine.monitorName(UInt32(clamping: condition.monitor), of: manager.id) else {
                return []
            }
            return try service.require(
                [.removeCondition(key, monitor: name, identifier: condition.identifier)],
                "forget the condition \(quoted(condition.identifier))")
        default: return []
        }
    }

    /// What an app leaves when the last of what it owns goes.
    private func forgetting(_ app: AppID, _ key: AppKey, after last: Engine.Belonging) -> [RecordChange] {
        service.isKept(app) && service.engine.isEmpty(app, but: last) ? [.forgetAppIfEmpty(key)] : []
    }

    private func keepVisits(_ app: AppID, _ key: AppKey) throws(RPCError) -> [RecordChange] {
        let isOn = request.call == .startMonitoringVisits
        guard service.engine.monitorsVisits(app) != isOn else { return [] }
        if isOn { try admit(app, adding: 0, for: "that visits are wanted") }
        var record = service.engine.record(of: app)
        record.monitorsVisits = isOn
        return try service.require(
            [service.saving(record, key)] + (isOn ? [] : forgetting(app, key, after: .visits)),
            "keep that visits are wanted")
    }

    private func keepAcknowledgement(of event: UInt64, _ app: AppID, _ key: AppKey) throws(RPCError) -> [RecordChange] {
        guard service.engine.events(of: app).contains(where: { $0.number == event }) else { return [] }
        let condition = service.engine.condition(taking: event, of: app).map { [RecordChange.save($0, of: key)] } ?? []
        return try service.require(
            condition + [.removeEvent(key, number: event)] + forgetting(app, key, after: .event(event)),
            "keep that event \(event) is acknowledged")
    }

    private func keepMonitor(_ name: String, _ app: AppID, _ key: AppKey) throws(RPCError) -> [RecordChange] {
        guard !service.engine.monitorNames(of: app).contains(name),
            service.engine.mayOpenMonitor(name, request.manager.id)
        else { return [] }
        let most = RequestRecords.monitorsPerApp
        if service.engine.monitorNames(of: app).count >= most {
            for empty in service.engine.emptyMonitors(of: app) {
                service.forgetMonitor(empty, of: app, at: request.now)
            }
        }
        guard service.engine.monitorNames(of: app).count < most else {
            throw RPCError(
                .limitExceeded, "cannot open another monitor: the app has \(most), which is as many as may be")
        }
        try admit(app, adding: StoredSize.monitor, for: "the monitor \(quoted(name))")
        return try service.require([.saveMonitor(key, name: name)], "keep the monitor \(quoted(name))")
    }

    private func keep(
        _ condition: ConditionParameters, _ app: AppID, _ key: AppKey
    ) throws(RPCError) -> [RecordChange] {
        let (number, manager) = (UInt32(clamping: condition.monitor), request.manager)
        guard let name = service.engine.monitorName(number, of: manager.id),
            service.engine.hasRoom(forCondition: condition.identifier, ofMonitor: name, of: app)
        else { return [] }
        let former = service.engine.condition(condition.identifier, inMonitor: number, of: manager.id)
        let added =
            Condition.storedSize(condition.identifier, condition.condition)
            - (former.map { Condition.storedSize($0.identifier, $0.shape) } ?? 0)
        try admit(app, adding: added, for: "the condition \(quoted(condition.identifier))")
        let assumed = ConditionEvent(state: condition.assuming, date: request.date)
        return try service.require(
            [
                .saveCondition(
                    key, monitor: name, identifier: condition.identifier, condition.condition, lastEvent: assumed,
                    pendingEvent: 0)
            ], "keep the condition \(quoted(condition.identifier))")
    }

    /// Whether an app may keep so many bytes more. Throws what the budget is that is used up.
    private func admit(_ app: AppID, adding bytes: Int, for what: String) throws(RPCError) {
        guard mayKeep(app) else {
            throw RPCError(
                .limitExceeded,
                "cannot keep anything of another app: the user has \(RequestRecords.keptAppsPerUser), which is as many as may be"
            )
        }
        service.noteSeen(app)
        let isNew = !service.isKept(app)
        guard bytes > 0 || isNew else { return }
        let added = bytes + (isNew ? StoredSize.app : 0)
        let budget = StorageBudget(limits: service.configuration.limits, service: service)
        guard budget.usedUp(by: app, added) != nil else { return }
        // What nobody has come for makes room.
        service.forgetUnused(at: request.now)
        guard let usedUp = budget.usedUp(by: app, added) else { return }
        throw RPCError(.limitExceeded, "cannot keep \(what): \(usedUp)")
    }

    /// A user's apps that are kept are bounded, as everything is that a client can make us hold.
    private func mayKeep(_ app: AppID) -> Bool {
        guard !service.isKept(app), let uid = service.apps.key(of: app)?.identity.uid, uid != 0 else { return true }
        return service.apps.kept.count { service.apps.key(of: $0)?.identity.uid == uid }
            <= RequestRecords.keptAppsPerUser
    }

    /// After the turn: forgets what the request has left empty, and notes what its client waits for now.
    func finish(closing monitor: String?) {
        let manager = request.manager
        guard let app = manager.app else { return }
        switch request.call {
        case .startMonitoring(let region):
            if service.engine.region(region.identifier, of: app) != nil { manager.events.areAwaited = true }
        case .startMonitoringVisits: manager.events.areAwaited = true
        case .stopMonitoring, .stopMonitoringVisits, .acknowledge: service.forgetIfEmpty(app)
        case .closeMonitor:
            if let monitor, service.engine.emptyMonitors(of: app).contains(monitor) {
                service.forgetMonitor(monitor, of: app, at: request.now)
            }
            service.forgetIfEmpty(app)
        default: break
        }
    }
}

func quoted(_ text: String) -> String { "'\(text)'" }
