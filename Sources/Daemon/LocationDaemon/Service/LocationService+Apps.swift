// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore

// What all connections of an app share, and what of it outlives the program. The one rule: what a request promises by its declaration to leave
// behind is written before the engine hears of it, as one transaction; a refused request changes nothing, and what the turn would
// write again is left out.
extension LocationService {
    /// Names cost little, but are kept for ever.
    static let monitorsPerApp = 128

    /// Writes what a request promises to leave behind. Throws why that cannot be.
    ///
    /// - Returns: What is on the disk now.
    func keepPromise(of request: ClientRequest) throws(RPCError) -> [RecordChange] {
        let manager = request.manager
        guard request.method.effect != .passing, let app = manager.app, let key = apps.key(of: app) else { return [] }
        switch request.call {
        case .startMonitoring(let region):
            guard engine.objection(to: region, of: manager.id) == nil else { return [] }
            let former = engine.region(region.identifier, of: app)?.region.storedSize ?? 0
            let name = "the region \(quoted(region.identifier))"
            try admit(app, adding: region.storedSize - former, for: name, at: request.now)
            return try require([saving(app, key), .saveRegion(key, region, .unknown)], "keep \(name)")
        case .stopMonitoring(let identifier):
            guard engine.region(identifier, of: app) != nil else { return [] }
            return try require(
                [.removeRegion(key, identifier: identifier)] + forgetting(app, key, after: .region),
                "forget the region \(quoted(identifier))")
        case .startMonitoringVisits, .stopMonitoringVisits: return try keepVisits(app, key, request)
        case .acknowledge(let event): return try keepAcknowledgement(of: event, app, key)
        case .openMonitor(let name): return try keepMonitor(name, app, key, request)
        case .addCondition(let condition): return try keep(condition, app, key, request)
        case .removeCondition(let condition):
            guard let name = engine.monitorName(UInt32(clamping: condition.monitor), of: manager.id) else { return [] }
            return try require(
                [.removeCondition(key, monitor: name, identifier: condition.identifier)],
                "forget the condition \(quoted(condition.identifier))")
        default: return []
        }
    }

    /// What an app leaves when the last of what it owns goes.
    private func forgetting(_ app: AppID, _ key: AppKey, after last: Engine.Belonging) -> [RecordChange] {
        isKept(app) && engine.isEmpty(app, but: last) ? [.forgetAppIfEmpty(key)] : []
    }

    private func keepVisits(
        _ app: AppID, _ key: AppKey, _ request: ClientRequest
    ) throws(RPCError) -> [RecordChange] {
        let isOn = request.call == .startMonitoringVisits
        guard engine.monitorsVisits(app) != isOn else { return [] }
        if isOn { try admit(app, adding: 0, for: "that visits are wanted", at: request.now) }
        var record = engine.record(of: app)
        record.monitorsVisits = isOn
        return try require(
            [saving(record, key)] + (isOn ? [] : forgetting(app, key, after: .visits)), "keep that visits are wanted")
    }

    private func keepAcknowledgement(
        of event: UInt64, _ app: AppID, _ key: AppKey
    ) throws(RPCError) -> [RecordChange] {
        guard engine.events(of: app).contains(where: { $0.number == event }) else { return [] }
        let condition = engine.condition(taking: event, of: app).map { [RecordChange.save($0, of: key)] } ?? []
        return try require(
            condition + [.removeEvent(key, number: event)] + forgetting(app, key, after: .event(event)),
            "keep that event \(event) is acknowledged")
    }

    private func keepMonitor(
        _ name: String, _ app: AppID, _ key: AppKey, _ request: ClientRequest
    ) throws(RPCError) -> [RecordChange] {
        guard !engine.monitorNames(of: app).contains(name), engine.mayOpenMonitor(name, request.manager.id) else {
            return []
        }
        let most = LocationService.monitorsPerApp
        if engine.monitorNames(of: app).count >= most {
            for empty in engine.emptyMonitors(of: app) { forgetMonitor(empty, of: app, at: request.now) }
        }
        guard engine.monitorNames(of: app).count < most else {
            throw RPCError(
                .limitExceeded, "cannot open another monitor: the app has \(most), which is as many as may be")
        }
        try admit(app, adding: StoredSize.monitor, for: "the monitor \(quoted(name))", at: request.now)
        return try require([.saveMonitor(key, name: name)], "keep the monitor \(quoted(name))")
    }

    private func keep(
        _ condition: ConditionParameters, _ app: AppID, _ key: AppKey, _ request: ClientRequest
    ) throws(RPCError) -> [RecordChange] {
        let (number, manager) = (UInt32(clamping: condition.monitor), request.manager)
        guard let name = engine.monitorName(number, of: manager.id),
            engine.hasRoom(forCondition: condition.identifier, ofMonitor: name, of: app)
        else { return [] }
        let former = engine.condition(condition.identifier, inMonitor: number, of: manager.id)
        let added =
            Condition.storedSize(condition.identifier, condition.condition)
            - (former.map { Condition.storedSize($0.identifier, $0.shape) } ?? 0)
        try admit(app, adding: added, for: "the condition \(quoted(condition.identifier))", at: request.now)
        let assumed = ConditionEvent(state: condition.assuming, date: request.date)
        return try require(
            [
                .saveCondition(
                    key, monitor: name, identifier: condition.identifier, condition.condition, lastEvent: assumed,
                    pendingEvent: 0)
            ], "keep the condition \(quoted(condition.identifier))")
    }

    /// Puts away what a request has left empty, and notes what its client waits for now.
    func tidy(after request: ClientRequest, closing monitor: String?) {
        let manager = request.manager
        guard let app = manager.app else { return }
        switch request.call {
        case .startMonitoring(let region):
            if engine.region(region.identifier, of: app) != nil { manager.awaitsEvents = true }
        case .startMonitoringVisits: manager.awaitsEvents = true
        case .stopMonitoring, .stopMonitoringVisits, .acknowledge: forgetIfEmpty(app)
        case .closeMonitor:
            if let monitor, engine.emptyMonitors(of: app).contains(monitor) {
                forgetMonitor(monitor, of: app, at: request.now)
            }
            forgetIfEmpty(app)
        default: break
        }
    }
}

func quoted(_ text: String) -> String { "'\(text)'" }
