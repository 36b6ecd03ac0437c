// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore

// Requests about what all connections of an app share. What is to be kept is written first: a refused request changes nothing, and what was
// acknowledged is on the disk.
extension LocationService {
    /// Names cost little, but are kept for ever.
    static let monitorsPerApp = 128

    /// Carries out a request about regions, visits and monitors. False: it is about something else.
    func carryOutForApp(
        _ call: Call, _ id: RequestID, _ manager: ClientManager, at now: BootInstant
    ) throws(RPCError) -> Bool {
        guard let app = manager.app else { return false }
        switch call {
        case .startMonitoring(let region):
            try keep(region, of: app, manager, at: now)
            ask(.startMonitoring(region), id, manager, at: now)
            if engine.region(region.identifier, of: app) != nil { manager.awaitsEvents = true }
        case .stopMonitoring(let identifier):
            if engine.region(identifier, of: app) != nil {
                try require(
                    change(of: app) { database, record throws(StoreError) in
                        try database.removeRegion(app: record, identifier: identifier)
                    }, "forget the region \(quoted(identifier))")
            }
            ask(.stopMonitoring(identifier: identifier), id, manager, at: now)
            forgetIfEmpty(app)
        case .requestState(let identifier): ask(.requestState(identifier: identifier), id, manager, at: now)
        case .monitoredRegions:
            manager.outbox.reply(ReplyWriter.result(id, MonitoredRegions(engine.monitoredRegions(of: app))))
        case .startMonitoringVisits:
            try keepVisits(true, of: app, at: now)
            defer { written.app = nil }
            ask(.startMonitoringVisits, id, manager, at: now)
            manager.awaitsEvents = true
        case .stopMonitoringVisits:
            try keepVisits(false, of: app, at: now)
            defer { written.app = nil }
            ask(.stopMonitoringVisits, id, manager, at: now)
            forgetIfEmpty(app)
        case .acknowledge(let event):
            if engine.events(of: app).contains(where: { $0.number == event }) {
                try require(
                    change(of: app) { database, record throws(StoreError) in
                        try database.removeEvent(event, of: record)
                    }, "keep that event \(event) is acknowledged")
                written.event = (app, event)
            }
            defer { written.event = nil }
            ask(.acknowledge(event: event), id, manager, at: now)
            forgetIfEmpty(app)
        default: return try carryOutForMonitor(call, id, manager, app, at: now)
        }
        return true
    }

    private func carryOutForMonitor(
        _ call: Call, _ id: RequestID, _ manager: ClientManager, _ app: AppID, at now: BootInstant
    ) throws(RPCError) -> Bool {
        switch call {
        case .openMonitor(let name): try open(name, id, manager, app, at: now)
        case .closeMonitor(let monitor):
            let name = engine.monitorName(UInt32(clamping: monitor), of: manager.id)
            ask(.closeMonitor(UInt32(clamping: monitor)), id, manager, at: now)
            if let name, engine.emptyMonitors(of: app).contains(name) { forgetMonitor(name, of: app, at: now) }
            forgetIfEmpty(app)
        case .addCondition(let condition):
            let number = UInt32(clamping: condition.monitor)
            try keep(condition, number, of: app, manager, at: now)
            ask(
                .addCondition(
                    monitor: number, identifier: condition.identifier, condition.condition,
                    assuming: condition.assuming, on: wallTime()), id, manager, at: now)
        case .removeCondition(let condition):
            let number = UInt32(clamping: condition.monitor)
            try forget(condition.identifier, number, of: app, manager)
            ask(.removeCondition(monitor: number, identifier: condition.identifier), id, manager, at: now)
        case .monitorRecord(let name):
            let number = UInt32(clamping: name.monitor)
            guard engine.monitorName(number, of: manager.id) != nil else { throw notFound("monitor \(name.monitor)") }
            let condition = engine.condition(name.identifier, inMonitor: number, of: manager.id)
            manager.outbox.reply(
                ReplyWriter.result(
                    id,
                    MonitorRecordResult(
                        condition.map { MonitorRecord(condition: $0.shape, lastEvent: $0.lastEvent) })))
        default: return false
        }
        return true
    }

    func notFound(_ what: String) -> RPCError { RPCError(.notFound, "cannot find \(what): there is none") }

    private func open(
        _ name: String, _ id: RequestID, _ manager: ClientManager, _ app: AppID, at now: BootInstant
    ) throws(RPCError) {
        if !engine.monitorNames(of: app).contains(name), engine.mayOpenMonitor(name, manager.id) {
            if engine.monitorNames(of: app).count >= LocationService.monitorsPerApp {
                for empty in engine.emptyMonitors(of: app) { forgetMonitor(empty, of: app, at: now) }
            }
            guard engine.monitorNames(of: app).count < LocationService.monitorsPerApp else {
                throw RPCError(
                    .limitExceeded,
                    "cannot open another monitor: the app has \(LocationService.monitorsPerApp), which is as many as may be"
                )
            }
            try admit(app, adding: StoredSize.monitor, for: "the monitor \(quoted(name))", at: now)
            try require(
                change(of: app) { database, record throws(StoreError) in
                    try database.save(StoredMonitor(app: record, name: name))
                }, "keep the monitor \(quoted(name))")
        }
        manager.openedMonitor = name
        ask(.openMonitor(name: name), id, manager, at: now)
    }

    // MARK: What is kept

    private func keep(
        _ region: Region, of app: AppID, _ manager: ClientManager, at now: BootInstant
    ) throws(RPCError) {
        guard engine.objection(to: region, of: manager.id) == nil else { return }
        let former = engine.region(region.identifier, of: app)?.region.storedSize ?? 0
        let name = "the region \(quoted(region.identifier))"
        try admit(app, adding: region.storedSize - former, for: name, at: now)
        try require(
            change(of: app) { [unit = saving(app)] database, record throws(StoreError) in
                try unit.body(database)
                try database.save(StoredRegion(app: record, region: region))
            }, "keep the region \(quoted(region.identifier))")
    }

    private func keepVisits(_ isOn: Bool, of app: AppID, at now: BootInstant) throws(RPCError) {
        guard engine.monitorsVisits(app) != isOn else { return }
        if isOn { try admit(app, adding: 0, for: "that visits are wanted", at: now) }
        var state = engine.record(of: app)
        state.monitorsVisits = isOn
        try require(saving(app, state), "keep that visits are wanted")
        written.app = (app, state)
    }

    private func keep(
        _ condition: ConditionParameters, _ number: UInt32, of app: AppID, _ manager: ClientManager,
        at now: BootInstant
    ) throws(RPCError) {
        guard let name = engine.monitorName(number, of: manager.id),
            engine.hasRoom(forCondition: condition.identifier, ofMonitor: name, of: app)
        else { return }
        let assumed = ConditionEvent(state: condition.assuming, date: wallTime())
        let former = engine.condition(condition.identifier, inMonitor: number, of: manager.id)
        let added =
            Condition.storedSize(condition.identifier, condition.condition)
            - (former.map { Condition.storedSize($0.identifier, $0.shape) } ?? 0)
        try admit(app, adding: added, for: "the condition \(quoted(condition.identifier))", at: now)
        try require(
            change(of: app) { database, record throws(StoreError) in
                try database.save(
                    StoredCondition(
                        app: record, monitor: name, identifier: condition.identifier, shape: condition.condition,
                        lastEvent: assumed))
            }, "keep the condition \(quoted(condition.identifier))")
    }

    private func forget(
        _ identifier: String, _ number: UInt32, of app: AppID, _ manager: ClientManager
    ) throws(RPCError) {
        guard let name = engine.monitorName(number, of: manager.id) else { return }
        try require(
            change(of: app) { database, record throws(StoreError) in
                try database.removeCondition(app: record, monitor: name, identifier: identifier)
            }, "forget the condition \(quoted(identifier))")
    }

    func require(_ change: RecordKeeper.Change, _ what: String) throws(RPCError) {
        do throws(StoreError) {
            try records.require(change)
        } catch {
            throw RPCError(.unavailable, "cannot \(what): \(error)")
        }
    }

    // MARK: The engine

    /// Asks the engine; what it answers is the reply to the request `id`.
    func ask(_ request: Request, _ id: RequestID, _ manager: ClientManager, at now: BootInstant) {
        manager.replyID = id
        decide(.asked(manager.id, request), at: now)
    }
}

func quoted(_ text: String) -> String { "'\(text)'" }
