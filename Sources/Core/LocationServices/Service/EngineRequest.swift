// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

/// The engine's request for one request of a client.
struct EngineRequest {
    let service: LocationService
    let asked: ClientRequest

    /// Returns the engine's request; nil: the engine is not asked. Throws where the app has not said what it wants locations for, or names
    /// a session that it does not have.
    func request() throws(RPCError) -> Request? {
        let manager = asked.manager
        switch asked.call {
        case .requestWhenInUseAuthorization: try requireUsage(manager, \.whenInUse, "whenInUse", "WhenInUse")
        case .requestAlwaysAuthorization:
            try requireUsage(manager, \.whenInUse, "whenInUse", "WhenInUse")
            try requireUsage(manager, \.always, "always", "Always")
        case .startServiceSession(let session):
            if let key = session.fullAccuracyPurposeKey, !isDeclared(key) {
                throw missingUsage(manager, "temporaryFullAccuracy.\(key)", "\(key)= in [TemporaryFullAccuracy]")
            }
        case .invalidateBackgroundActivitySession(let session), .invalidateServiceSession(let session):
            try requireSession(UInt32(clamping: session), asked.call, manager)
        case .acknowledgeNotice(let name):
            let app = try Noticing(service: service).owner(of: name, asking: manager)
            return .acknowledgeNotice(app, event: name.event)
        default: break
        }
        return asked.call.engineRequest(
            properties: service.engine.properties(of: manager.id),
            requestTimeout: service.settings.requestTimeout, on: asked.date,
            isDeclared: { isDeclared($0) },
            canAsk: Prompting(service: service).hasAgent(for: manager), resumePoint: { service.resumePoint($0) })
    }

    /// A session is invalidated as what it is.
    private func requireSession(_ number: UInt32, _ call: Call, _ manager: ClientManager) throws(RPCError) {
        let session = service.engine.sessions(of: manager.id).first { $0.number == number }
        var isBackground = false
        if case .invalidateBackgroundActivitySession = call { isBackground = true }
        guard let session, (session.kind == .backgroundActivity) == isBackground else {
            throw RPCError.notFound("session \(number)")
        }
    }

    // MARK: What for

    private func requireUsage(
        _ manager: ClientManager, _ text: KeyPath<UsageDescriptions, String?>, _ member: String, _ key: String
    ) throws(RPCError) {
        guard service.settings.requiresUsageDescriptions, manager.usage[keyPath: text] == nil else { return }
        throw missingUsage(manager, member, "\(key)= in [UsageDescriptions]")
    }

    private func isDeclared(_ key: String) -> Bool {
        !service.settings.requiresUsageDescriptions || asked.manager.usage.temporaryFullAccuracy[key] != nil
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
