// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore
import LocationWire

// Requests about what an app may know: its own, and those of administrators and agents.
extension LocationService {
    /// What the engine is asked for a request about consent and sessions; nil: it is another one.
    func consentRequest(of request: ClientRequest) throws(RPCError) -> Request? {
        let manager = request.manager
        switch request.call {
        case .requestWhenInUseAuthorization:
            try requireUsage(manager, \.whenInUse, "whenInUse", "WhenInUse")
            return .requestWhenInUseAuthorization
        case .requestAlwaysAuthorization:
            try requireUsage(manager, \.whenInUse, "whenInUse", "WhenInUse")
            try requireUsage(manager, \.always, "always", "Always")
            return .requestAlwaysAuthorization
        case .requestTemporaryFullAccuracyAuthorization(let key):
            return .requestTemporaryFullAccuracyAuthorization(
                purposeKey: key, isDeclared: usage(of: manager).temporaryFullAccuracy[key] != nil,
                canAsk: hasAgent(for: manager))
        case .startBackgroundActivitySession: return .startBackgroundActivitySession
        case .startServiceSession(let session):
            let key = session.fullAccuracyPurposeKey
            if let key, usage(of: manager).temporaryFullAccuracy[key] == nil {
                throw missingUsage(manager, "temporaryFullAccuracy.\(key)", "\(key)= in [TemporaryFullAccuracy]")
            }
            return .startServiceSession(session.requirement, purposeKey: key, canAsk: hasAgent(for: manager))
        case .invalidateBackgroundActivitySession(let session), .invalidateServiceSession(let session):
            try requireSession(UInt32(clamping: session), request.call, manager)
            return .invalidateSession(UInt32(clamping: session))
        default: return nil
        }
    }

    /// A session is invalidated as what it is.
    private func requireSession(_ number: UInt32, _ call: Call, _ manager: ClientManager) throws(RPCError) {
        let session = engine.sessions(of: manager.id).first { $0.number == number }
        var isBackground = false
        if case .invalidateBackgroundActivitySession = call { isBackground = true }
        guard let session, (session.kind == .backgroundActivity) == isBackground else {
            throw notFound("session \(number)")
        }
    }

    // MARK: What for

    /// The manifest's words where there is one, else the client's own.
    func usage(of manager: ClientManager) -> UsageDescriptions {
        manager.manifest.map { $0.usageDescriptions } ?? manager.usageDescriptions
    }

    private func requireUsage(
        _ manager: ClientManager, _ text: KeyPath<UsageDescriptions, String?>, _ member: String, _ key: String
    ) throws(RPCError) {
        guard usage(of: manager)[keyPath: text] == nil else { return }
        throw missingUsage(manager, member, "\(key)= in [UsageDescriptions]")
    }

    private func missingUsage(_ manager: ClientManager, _ member: String, _ key: String) -> RPCError {
        let place =
            manager.manifest.map { "say it as \(key) in the manifest of \($0.identifier)" }
            ?? "say it in hello as usageDescriptions.\(member), or in a manifest as \(key)"
        return RPCError(
            .missingUsageDescription,
            "cannot ask for authorization: the app does not say what for (\(member)); \(place)")
    }

    // MARK: Agents

    /// Whether somebody is there who may be asked about this client's app.
    func hasAgent(for manager: ClientManager) -> Bool {
        guard let identity = manager.identity else { return false }
        return agents.contains { mayAnswer($0, about: identity) }
    }

    /// Whether somebody is asked about this client's app right now.
    func isAsked(about manager: ClientManager) -> Bool {
        guard let number = manager.identity.flatMap({ apps.number(of: $0) }) else { return false }
        return engine.authorizationRequests.contains { $0.identity == number } && hasAgent(for: manager)
    }

    /// Never for its own app; an app's agent only for those of its own user.
    func mayAnswer(_ agent: ClientManager, about identity: PeerIdentity) -> Bool {
        guard agent.channel != nil, agent.identity != identity else { return false }
        return agent.peer.isAdmin() || agent.manifest?.isAgent == true && agent.peer.uid == identity.uid
    }

    func mayBeAgent(_ manager: ClientManager) -> Bool {
        manager.peer.isAdmin() || manager.manifest?.isAgent == true
    }

    func registerAgent(_ manager: ClientManager) throws(RPCError) {
        guard mayBeAgent(manager) else {
            throw RPCError(
                .notPermitted,
                "cannot be an agent: only uid 0, members of the admin group and apps whose manifest says Agent=yes may")
        }
        if !agents.contains(where: { $0 === manager }) { agents.append(manager) }
    }

    /// What is asked already, for an agent that has just registered.
    func tellPendingRequests(to agent: ClientManager) {
        for request in pendingRequests(for: agent) {
            agent.outbox.notify(NotificationWriter.authorizationRequested(request), .engineRepeats)
        }
        markDirty(agent)
    }

    /// The questions that an agent may answer, or an administrator sees.
    func pendingRequests(for agent: ClientManager?) -> [LocationProtocol.AuthorizationRequest] {
        engine.authorizationRequests.compactMap { request in
            guard let identity = apps.identity(request.identity) else { return nil }
            if let agent, !mayAnswer(agent, about: identity) { return nil }
            return questions[request.number]
        }
    }

    /// An app has to be decided about: whoever may is asked.
    func raise(_ number: UInt64) {
        guard let request = engine.authorizationRequest(number), let identity = apps.identity(request.identity) else {
            return
        }
        keeper.reserveAuthorizationRequest(number, journal)
        let asking = manager(asking: request)
        let usage = asking.map { self.usage(of: $0) } ?? UsageDescriptions()
        let text: String? =
            switch request.level {
            case .whenInUse: usage.whenInUse
            case .always: usage.always ?? usage.whenInUse
            case .temporaryFullAccuracy: request.purposeKey.flatMap { usage.temporaryFullAccuracy[$0] }
            }
        let question = LocationProtocol.AuthorizationRequest(
            request: number, identity: identity.description, label: apps.key(of: request.app)?.label, uid: identity.uid,
            user: userName(identity.uid), level: request.level, purposeKey: request.purposeKey,
            usageDescription: text ?? LocationProtocol.AuthorizationRequest.noReason,
            since: wallTime())
        questions[number] = question
        let line = NotificationWriter.authorizationRequested(question)
        var isAsked = false
        for agent in agents where mayAnswer(agent, about: identity) {
            agent.outbox.notify(line, .engineRepeats)
            markDirty(agent)
            isAsked = true
        }
        let isOpen = isAsked ? "" : "; nobody is there to be asked: \(hint(for: request, identity))"
        note(
            "\(identity.description) asks for \(request.level.wish)\(isOpen)",
            .consentRequested(app: identity.description, level: request.level.rawValue, request: number),
            about: identity.uid)
    }

    // The question is gone with the connection, a decision about the app is not.
    private func hint(for request: LocationEngine.AuthorizationRequest, _ identity: PeerIdentity) -> String {
        guard request.level != .temporaryFullAccuracy else {
            return "`locctl requests \(request.number) once` allows it"
        }
        return "`\(command(granting: request.level, identity))` allows it"
    }

    /// What an administrator types to give an app what it asks for.
    private func command(granting level: AuthorizationLevel, _ identity: PeerIdentity) -> String {
        "locctl authorize '\(identity.description)' \(level == .always ? "always" : "when-in-use")"
    }

    /// What would let the app of a client have what it has asked for most.
    func grantingCommand(for manager: ClientManager) -> String {
        let identity = manager.identity ?? PeerIdentity(uid: manager.peer.uid)
        let number = apps.number(of: identity)
        let asksAlways = engine.authorizationRequests.contains { $0.identity == number && $0.level == .always }
        return command(granting: asksAlways ? .always : .whenInUse, identity)
    }

    private func manager(asking request: LocationEngine.AuthorizationRequest) -> ClientManager? {
        if let id = request.manager, let manager = managers[Int(id.rawValue)] { return manager }
        return managers.lazy.compactMap { $0 }.first { $0.app == request.app }
    }

    func close(_ number: UInt64, _ outcome: AuthorizationOutcome) {
        let question = questions.removeValue(forKey: number)
        guard let identity = question.flatMap({ PeerIdentity(parsing: $0.identity) }) else { return }
        let line = NotificationWriter.authorizationRequestClosed(number, outcome)
        for agent in agents where mayAnswer(agent, about: identity) {
            agent.outbox.notify(line, .engineRepeats)
            markDirty(agent)
        }
    }

    /// Carries out `answerRequest`.
    func answer(
        _ number: UInt64, _ answer: AuthorizationAnswer, _ asked: ClientRequest
    ) throws(RPCError) -> DecisionResult {
        let manager = asked.manager
        // First, so that nobody learns from the refusal that another user's app asks for something.
        let isAdmin = manager.peer.isAdmin()
        guard isAdmin || agents.contains(where: { $0 === manager }) else {
            throw RPCError(.notPermitted, "cannot answer request \(number): only agents and administrators may")
        }
        guard let request = engine.authorizationRequest(number), let identity = apps.identity(request.identity),
            isAdmin || identity.uid == manager.peer.uid
        else { throw RPCError(.notFound, "cannot answer request \(number): it is closed, or never was") }
        guard mayAnswer(manager, about: identity) else {
            throw RPCError(.notPermitted, "cannot answer request \(number): nobody may answer for their own app")
        }
        guard let consent = engine.decision(by: answer, to: number) else {
            decide(.answered(request: number, answer), for: asked, at: asked.now)
            return DecisionResult()
        }
        return try settle(request.identity, as: consent, by: .answered(request: number, answer), asked)
    }
}
