// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationWire

/// What the engine is asked for one request of a client.
struct EngineRequest {
    let service: LocationService
    let asked: ClientRequest

    /// What the engine is asked for a request; nil: it is not asked.
    func request() throws(RPCError) -> Request? {
        let manager = asked.manager
        let own = asked.call.managerRequest(
            properties: service.engine.properties(of: manager.id),
            requestTimeout: service.configuration.updates.requestTimeout,
            resumePoint: { service.resumePoint($0) })
        if let own { return own }
        switch asked.call {
        case .startRangingBeacons: return .startRangingBeacons
        case .startMonitoring(let region): return .startMonitoring(region)
        case .stopMonitoring(let identifier): return .stopMonitoring(identifier: identifier)
        case .requestState(let identifier): return .requestState(identifier: identifier)
        case .startMonitoringVisits: return .startMonitoringVisits
        case .stopMonitoringVisits: return .stopMonitoringVisits
        case .acknowledge(let event): return .acknowledge(event: event)
        case .openMonitor(let name): return .openMonitor(name: name)
        case .closeMonitor(let monitor): return .closeMonitor(UInt32(clamping: monitor))
        case .addCondition(let condition):
            return .addCondition(
                monitor: UInt32(clamping: condition.monitor), identifier: condition.identifier, condition.condition,
                assuming: condition.assuming, on: asked.date)
        case .removeCondition(let name):
            return .removeCondition(monitor: UInt32(clamping: name.monitor), identifier: name.identifier)
        default: return try consentRequest()
        }
    }

    /// What the engine is asked for a request about consent and sessions; nil: it is another one.
    private func consentRequest() throws(RPCError) -> Request? {
        let manager = asked.manager
        switch asked.call {
        case .requestWhenInUseAuthorization:
            try requireUsage(manager, \.whenInUse, "whenInUse", "WhenInUse")
            return .requestWhenInUseAuthorization
        case .requestAlwaysAuthorization:
            try requireUsage(manager, \.whenInUse, "whenInUse", "WhenInUse")
            try requireUsage(manager, \.always, "always", "Always")
            return .requestAlwaysAuthorization
        case .requestTemporaryFullAccuracyAuthorization(let key):
            return .requestTemporaryFullAccuracyAuthorization(
                purposeKey: key, isDeclared: manager.usage.temporaryFullAccuracy[key] != nil,
                canAsk: PromptDesk(service: service).hasAgent(for: manager))
        case .startBackgroundActivitySession: return .startBackgroundActivitySession
        case .startServiceSession(let session):
            let key = session.fullAccuracyPurposeKey
            if let key, manager.usage.temporaryFullAccuracy[key] == nil {
                throw missingUsage(manager, "temporaryFullAccuracy.\(key)", "\(key)= in [TemporaryFullAccuracy]")
            }
            return .startServiceSession(
                session.requirement, purposeKey: key, canAsk: PromptDesk(service: service).hasAgent(for: manager))
        case .invalidateBackgroundActivitySession(let session), .invalidateServiceSession(let session):
            try requireSession(UInt32(clamping: session), asked.call, manager)
            return .invalidateSession(UInt32(clamping: session))
        default: return nil
        }
    }

    /// A session is invalidated as what it is.
    private func requireSession(_ number: UInt32, _ call: Call, _ manager: ClientManager) throws(RPCError) {
        let session = service.engine.sessions(of: manager.id).first { $0.number == number }
        var isBackground = false
        if case .invalidateBackgroundActivitySession = call { isBackground = true }
        guard let session, (session.kind == .backgroundActivity) == isBackground else {
            throw LocationService.notFound("session \(number)")
        }
    }

    // MARK: What for

    private func requireUsage(
        _ manager: ClientManager, _ text: KeyPath<UsageDescriptions, String?>, _ member: String, _ key: String
    ) throws(RPCError) {
        guard manager.usage[keyPath: text] == nil else { return }
        throw missingUsage(manager, member, "\(key)= in [UsageDescriptions]")
    }

    private func missingUsage(_ manager: ClientManager, _ member: String, _ key: String) -> RPCError {
        let place =
            manager.who.manifest.map { "say it as \(key) in the manifest of \($0.identifier)" }
            ?? "say it in hello as usageDescriptions.\(member), or in a manifest as \(key)"
        return RPCError(
            .missingUsageDescription,
            "cannot ask for authorization: the app does not say what for (\(member)); \(place)")
    }
}
