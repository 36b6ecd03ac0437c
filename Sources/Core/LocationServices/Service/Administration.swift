// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
import LocationModel
package import LocationProtocol
import SystemSupport

/// Carries out one request of somebody who decides about apps, or looks at what they own: agents and administrators.
///
/// A decision that allows more is on the disk before it is in force. One that allows less is in force at once, whatever the disk says, and
/// is written as soon as the disk takes it; until then the runtime directory keeps it.
package struct Administration {
    let service: LocationService
    var request: ClientRequest

    /// Carries out `request`.
    package init(service: LocationService, request: ClientRequest) {
        (self.service, self.request) = (service, request)
    }

    /// The answer; nil: it is another request.
    func answer() throws(RPCError) -> [UInt8]? {
        let id = request.id
        switch request.call {
        case .registerAgent:
            try service.prompts.register(request.manager)
            return ReplyWriter.empty(id)
        case .takeNotices:
            try service.prompts.takeNotices(request.manager)
            return ReplyWriter.empty(id)
        case .answerRequest(let number, let word): return ReplyWriter.result(id, try answer(number, word))
        case .apps: return ReplyWriter.result(id, StatusDocument(service, at: request.now).apps)
        case .authorize(let parameters): return ReplyWriter.result(id, try authorize(parameters))
        case .resetAuthorization(let name):
            let number = try identity(named: name)
            return ReplyWriter.result(id, try settle(number, as: nil, by: .decided(number, nil)))
        case .forgetApp(let name): return ReplyWriter.result(id, try forgetApp(named: name))
        case .setLocationServicesEnabled(let isEnabled):
            return ReplyWriter.result(id, try switchServices(isEnabled))
        case .pendingRequests: return ReplyWriter.result(id, Prompting(service: service).pendingRequests(for: nil))
        case .events(let name): return ReplyWriter.result(id, StoredEvents(try storedEvents(of: name)))
        case .closeConnection(let number):
            guard service.host.closeConnection(number, "\(request.manager.decider) wants it closed") else {
                throw RPCError(.notFound, "cannot close connection \(number): there is none of this number")
            }
            return ReplyWriter.empty(id)
        default: return nil
        }
    }

    // MARK: Deciding

    private func answer(_ number: UInt64, _ answer: AuthorizationAnswer) throws(RPCError) -> DecisionResult {
        let manager = request.manager
        // First, so that nobody learns from the refusal that another user's app asks for something.
        let isAdmin = manager.peer.isAdmin()
        guard isAdmin || service.prompts.isAgent(manager) else {
            throw RPCError(.notPermitted, "cannot answer request \(number): only agents and administrators may")
        }
        guard let asked = service.engine.authorizationRequest(number),
            let identity = service.apps.identity(asked.identity), isAdmin || identity.uid == manager.peer.uid
        else { throw RPCError(.notFound, "cannot answer request \(number): it is closed, or never was") }
        guard Prompts.mayAnswer(manager, about: identity) else {
            throw RPCError(.notPermitted, "cannot answer request \(number): nobody may answer for their own app")
        }
        guard let consent = service.engine.decision(by: answer, to: number) else {
            service.decide(.answered(request: number, answer), for: request, at: request.now)
            return DecisionResult()
        }
        return try settle(asked.identity, as: consent, by: .answered(request: number, answer))
    }

    private func authorize(_ parameters: AuthorizeParameters) throws(RPCError) -> DecisionResult {
        let identity = try identity(named: parameters.app)
        if parameters.once {
            guard service.engine.isInUse(identity) else {
                throw RPCError(
                    .notFound, "cannot allow \(quoted(parameters.app)) once: it is not in use, and once ends with use")
            }
            guard parameters.accuracyAuthorization == nil else {
                throw RPCError(
                    .invalidParams,
                    "cannot take accuracyAuthorization with once: decide about it first, or leave it as it is")
            }
            service.decide(.allowedOnce(identity), for: request, at: request.now)
            var result = DecisionResult()
            result.app = service.apps.identity(identity)?.description
            return result
        }
        var consent = service.engine.consent(of: identity).consent
        if let status = parameters.authorizationStatus {
            guard status != .notDetermined else { return try settle(identity, as: nil, by: .decided(identity, nil)) }
            consent.choice = status.consentChoice
        }
        guard consent.choice != .undecided else {
            throw RPCError(
                .invalidParams,
                "cannot take accuracyAuthorization alone: nobody has decided about \(quoted(parameters.app)); say authorizationStatus, too"
            )
        }
        if let accuracy = parameters.accuracyAuthorization { consent.accuracy = accuracy }
        return try settle(identity, as: consent, by: .decided(identity, consent))
    }

    /// Puts a decision in force by an event of the engine. nil: takes back what was decided.
    private func settle(
        _ number: IdentityID, as consent: Consent?, by event: Event
    ) throws(RPCError) -> DecisionResult {
        guard let identity = service.apps.identity(number) else { return DecisionResult() }
        var request = request
        let former = service.engine.consent(of: number).consent
        // Where nothing of the state can be read, an administrator's word holds as long as the daemon runs.
        if (consent ?? service.engine.policy(of: number)).allowsMore(than: former), service.records.unreadable == nil {
            let entry = consent.map { service.entry(for: identity, $0, request) }
            request.written = try service.require(
                [.decide(identity, entry)], "keep the decision about \(identity.description)")
        }
        let isStored = service.decide(event, for: request, at: request.now)
        for app in service.apps.apps(of: number) { service.forgetIfRefused(app, at: request.now) }
        var result = result(isStored: isStored)
        result.app = identity.description
        return result
    }

    /// Switches location services on or off for everyone.
    private func switchServices(_ areEnabled: Bool) throws(RPCError) -> DecisionResult {
        let isReadable = service.records.unreadable == nil
        if areEnabled {
            if isReadable {
                try service.require(
                    [.switchServices(true)] + (service.consents.problem == nil ? [] : [.acceptLostDecisions]),
                    "keep that location services are on")
            } else {
                service.commit([.switchServices(true)])
            }
            trustRules()
        }
        service.decide(.servicesSwitched(areEnabled), for: request, at: request.now)
        let isStored = areEnabled ? isReadable : service.commit([.switchServices(false)])
        service.journal.info(
            "location services are \(areEnabled ? "on" : "off") now, switched by \(request.decider)",
            .servicesSwitched(areEnabled: areEnabled, decider: request.decider))
        return result(isStored: isStored)
    }

    /// An administrator says that what is known will do.
    private func trustRules() {
        guard service.consents.problem != nil else { return }
        service.consents.problem = nil
        service.refreshPolicies(at: request.now)
        service.journal.info("rules count again, on the word of \(request.decider)")
    }

    private func result(isStored: Bool) -> DecisionResult {
        guard !isStored else { return DecisionResult() }
        let problem = service.records.problem ?? "the disk takes nothing"
        return DecisionResult(
            problem: service.consents.areInMemoryAlone
                ? "\(problem); nor does the runtime directory keep it: it holds only until the daemon ends" : problem)
    }

    // MARK: Apps

    /// The identity that is meant: as `apps` names it, or shorter if that means one. One that was never seen can be decided about before it
    /// comes.
    package func identity(named name: String) throws(RPCError) -> IdentityID {
        let known =
            service.apps.knownIdentities.compactMap { service.apps.identity($0) } + service.consents.entries.keys
        let user = Accounts.system.user(name)
        let matches = Set(
            known.filter {
                $0.description == name || $0.name == name || $0.shortName == name || $0.name == nil && $0.uid == user
            })
        guard matches.count <= 1 else {
            let all = matches.map(\.description).sorted().joined(separator: ", ")
            throw RPCError(.notFound, "cannot tell which app \(quoted(name)) is: allowed is one of \(all)")
        }
        guard let identity = matches.first ?? PeerIdentity(parsing: name) ?? user.map({ PeerIdentity(uid: $0) }) else {
            throw RPCError(
                .notFound,
                "cannot find the app \(quoted(name)): allowed is a user, or a name that `locctl apps` shows, such as 'uid:1000' or 'unit:NAME.service uid:1000'"
            )
        }
        return service.enter(identity, nil, at: request.now)
    }

    private func storedEvents(of name: String) throws(RPCError) -> [(event: AppEvent, label: String?)] {
        service.apps.apps(of: try identity(named: name)).flatMap { app in
            service.engine.events(of: app).map { (event: $0, label: service.apps.key(of: app)?.label) }
        }
    }

    /// Removes everything of an identity, with what was decided about it.
    private func forgetApp(named name: String) throws(RPCError) -> ForgetResult {
        let number = try identity(named: name)
        let all = service.apps.apps(of: number)
        let isKnown = !all.isEmpty || service.dates.lastUses[number] != nil
        guard let identity = service.apps.identity(number), isKnown || service.consents[identity] != nil else {
            throw RPCError(
                .notFound, "cannot find the app \(quoted(name)): nothing is known of it; locctl apps names all")
        }
        let result = whatGoes(with: identity, all)
        var request = request
        request.written = try service.require(
            [.decide(identity, nil), .forgetUse(identity)]
                + all.compactMap { service.apps.key(of: $0).map { .app($0, .forget) } },
            "forget \(identity.description)")
        service.decide(.decided(number, nil), for: request, at: request.now)
        service.dates.lastUses[number] = nil
        service.dates.storedUses[identity] = nil
        for app in all { service.leaveNothing(of: app, at: request.now) }
        service.journal.info("\(identity.description) is forgotten, on the word of \(request.decider)")
        return result
    }

    private func whatGoes(with identity: PeerIdentity, _ apps: [AppID]) -> ForgetResult {
        var result = ForgetResult(app: identity.description, hadDecision: service.consents[identity] != nil)
        for app in apps {
            if let label = service.apps.key(of: app)?.label { result.labels.append(label) }
            result.regions += UInt64(service.engine.regionCount(of: app))
            result.conditions += UInt64(service.engine.conditionCount(of: app))
            result.monitors += UInt64(service.engine.monitorNames(of: app).count)
            result.events += UInt64(service.engine.events(of: app).count)
            result.wantedVisits = result.wantedVisits || service.engine.monitorsVisits(app)
        }
        return result
    }
}
