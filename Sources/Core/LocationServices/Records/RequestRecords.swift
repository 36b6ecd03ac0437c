// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

/// The records that one request leaves on the disk: what all connections of an app share, and what of it outlives the program.
///
/// The one rule: what the declaration of a method says that it leaves behind is written before the engine hears of the request, as one
/// transaction. A refused request changes nothing, and the turn leaves out what it would write again.
struct RequestRecords {
    let service: LocationService
    let request: ClientRequest
    private let asked: Request
    private let app: AppID
    private let key: AppKey
    private var engine: Engine {
        _read { yield service.engine }
    }

    /// Apps of one user of which the store keeps something.
    static let keptAppsPerUser = 256
    /// Names cost little, but are kept for ever.
    static let monitorsPerApp = 128

    /// The monitor that the request closes.
    private let closedMonitor: String?

    /// nil: the client is no app yet.
    init?(_ service: LocationService, _ request: ClientRequest, _ asked: Request) {
        guard let app = request.manager.app, let key = service.apps.key(of: app) else { return nil }
        (self.service, self.request, self.asked, self.app, self.key) = (service, request, asked, app, key)
        closedMonitor =
            if case .closeMonitor(let number) = asked {
                service.engine.monitorName(number, of: request.manager.id)
            } else {
                nil
            }
    }

    /// Writes what the request leaves behind. Throws why that cannot be.
    ///
    /// - Returns: What is on the disk now.
    func write() throws(RPCError) -> [RecordChange] {
        guard request.method.effect != .passing else { return [] }
        switch asked {
        case .startMonitoring(let region):
            guard engine.objection(to: region, of: request.manager.id) == nil else { return [] }
            let former = engine.region(region.identifier, of: app)?.region.storedSize ?? 0
            let name = "the region \(quoted(region.identifier))"
            try admit(adding: region.storedSize - former, for: name)
            return try require([service.saving(app, key), .saveRegion(region, .unknown)], "keep \(name)")
        case .stopMonitoring(let identifier):
            guard engine.region(identifier, of: app) != nil else { return [] }
            return try require(
                [.removeRegion(identifier: identifier)] + forgetting(after: .region),
                "forget the region \(quoted(identifier))")
        case .startMonitoringVisits: return try writeVisits(true)
        case .stopMonitoringVisits: return try writeVisits(false)
        case .acknowledge(let event):
            guard engine.events(of: app).contains(where: { $0.number == event }) else { return [] }
            let condition = engine.condition(taking: event, of: app).map { [AppChange.save($0)] } ?? []
            return try require(
                condition + [.removeEvent(number: event)] + forgetting(after: .event(event)),
                "keep that event \(event) is acknowledged")
        case .acknowledgeNotice(let name):
            let noticing = Noticing(service: service)
            guard let (owner, key) = noticing.owner(of: name), noticing.isWaiting(name.event, of: owner) else {
                return []
            }
            let changes = [.removeEvent(number: name.event)] + forgetting(after: .event(name.event), of: owner)
            return try service.require(changes.map { .app(key, $0) }, "keep that notice \(name.event) was shown")
        case .openMonitor(let name): return try writeMonitor(name)
        case .addCondition(let condition): return try write(condition)
        case .removeCondition(let condition):
            guard let monitor = monitorName(condition.monitor) else { return [] }
            return try require(
                [.removeCondition(monitor: monitor, identifier: condition.identifier)],
                "forget the condition \(quoted(condition.identifier))")
        default: return []
        }
    }

    private func require(_ changes: [AppChange], _ what: String) throws(RPCError) -> [RecordChange] {
        try service.require(changes.map { .app(key, $0) }, what)
    }

    /// Returns the change that forgets an app with the last of what it owns; none while it owns more.
    private func forgetting(after last: AppBelonging, of owner: AppID? = nil) -> [AppChange] {
        service.isKept(owner ?? app) && engine.isEmpty(owner ?? app, but: last) ? [.forgetIfEmpty] : []
    }

    private func monitorName(_ number: UInt64) -> String? {
        engine.monitorName(number, of: request.manager.id)
    }

    private func writeVisits(_ areWanted: Bool) throws(RPCError) -> [RecordChange] {
        guard engine.monitorsVisits(app) != areWanted else { return [] }
        if areWanted { try admit(adding: 0, for: "that visits are wanted") }
        var record = engine.record(of: app)
        record.monitorsVisits = areWanted
        return try require(
            [service.saving(record, key)] + (areWanted ? [] : forgetting(after: .visits)),
            "keep that visits are wanted")
    }

    private func writeMonitor(_ name: String) throws(RPCError) -> [RecordChange] {
        let most = RequestRecords.monitorsPerApp
        guard !engine.monitorNames(of: app).contains(name), engine.mayOpenMonitor(name, request.manager.id) else {
            return []
        }
        if engine.monitorNames(of: app).count >= most {
            for empty in engine.emptyMonitors(of: app) { service.forgetMonitor(empty, of: app, at: request.now) }
        }
        guard engine.monitorNames(of: app).count < most else {
            throw RPCError(
                .limitExceeded, "cannot open another monitor: the app has \(most), which is as many as may be")
        }
        try admit(adding: StoredSize.monitor, for: "the monitor \(quoted(name))")
        return try require([.saveMonitor(name: name)], "keep the monitor \(quoted(name))")
    }

    private func write(_ condition: ConditionParameters) throws(RPCError) -> [RecordChange] {
        guard let monitor = monitorName(condition.monitor),
            engine.hasRoom(forCondition: condition.identifier, ofMonitor: monitor, of: app)
        else { return [] }
        let name = "the condition \(quoted(condition.identifier))"
        let former = engine.condition(
            condition.identifier, inMonitor: condition.monitor, of: request.manager.id)
        let added =
            Condition.storedSize(condition.identifier, condition.condition)
            - (former.map { Condition.storedSize($0.identifier, $0.shape) } ?? 0)
        try admit(adding: added, for: name)
        let assumed = ConditionEvent(state: condition.assuming, date: request.date)
        let change = AppChange.saveCondition(
            monitor: monitor, identifier: condition.identifier, condition.condition, lastEvent: assumed,
            pendingEvent: 0, found: nil)
        return try require([change], "keep \(name)")
    }

    /// Whether an app may keep so many bytes more. Throws what the budget is that is used up.
    private func admit(adding bytes: Int, for what: String) throws(RPCError) {
        guard mayKeep else {
            throw RPCError(
                .limitExceeded,
                "cannot keep anything of another app: the user has \(RequestRecords.keptAppsPerUser), which is as many as may be"
            )
        }
        service.noteSeen(app)
        let isNew = !service.isKept(app)
        guard bytes > 0 || isNew else { return }
        let added = bytes + (isNew ? StoredSize.app : 0)
        let budget = StorageBudget(limits: service.settings.limits, service: service)
        guard budget.usedUp(by: app, added) != nil else { return }
        // Apps that people refused, and apps that nobody allowed and that have not come for days, make room.
        service.forgetUnused(at: request.now)
        guard let usedUp = budget.usedUp(by: app, added) else { return }
        throw RPCError(.limitExceeded, "cannot keep \(what): \(usedUp)")
    }

    /// A user's apps that are kept are bounded, as everything is that a client can make us hold.
    private var mayKeep: Bool {
        guard !service.isKept(app), key.identity.uid != 0 else { return true }
        return service.apps.kept.count { service.apps.key(of: $0)?.identity.uid == key.identity.uid }
            <= RequestRecords.keptAppsPerUser
    }

    /// After the turn: forgets what the request has left empty, and notes what its client waits for now.
    func finish() {
        let manager = request.manager
        switch asked {
        case .startMonitoring(let region):
            if service.engine.region(region.identifier, of: app) != nil { manager.events.areAwaited = true }
        case .startMonitoringVisits: manager.events.areAwaited = true
        case .stopMonitoring, .stopMonitoringVisits, .acknowledge: service.forgetIfEmpty(app)
        case .acknowledgeNotice(let name):
            if let owner = Noticing(service: service).owner(of: name)?.app { service.forgetIfEmpty(owner) }
        case .closeMonitor:
            if let closedMonitor, service.engine.emptyMonitors(of: app).contains(closedMonitor) {
                service.forgetMonitor(closedMonitor, of: app, at: request.now)
            }
            service.forgetIfEmpty(app)
        default: break
        }
    }
}

/// A name in an error.
package func quoted(_ text: String) -> String { "'\(text)'" }
