// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore
import LocationWire
import SystemSupport

// What administrators may: see all apps, decide about them, switch the services.
extension LocationService {
    /// Carries out a request of somebody who decides, or looks at what others own, and returns its answer; nil: it is another request.
    func answerForDecision(_ request: ClientRequest) throws(RPCError) -> [UInt8]? {
        let id = request.id
        switch request.call {
        case .registerAgent:
            try registerAgent(request.manager)
            return ReplyWriter.empty(id)
        case .answerRequest(let number, let word): return ReplyWriter.result(id, try answer(number, word, request))
        case .apps: return ReplyWriter.result(id, appStatuses())
        case .authorize(let parameters): return ReplyWriter.result(id, try authorize(parameters, request))
        case .resetAuthorization(let name):
            let number = try identity(named: name, at: request.now)
            return ReplyWriter.result(id, try decide(number, nil, request))
        case .forgetApp(let name): return ReplyWriter.result(id, try forgetApp(named: name, request))
        case .setLocationServicesEnabled(let isEnabled):
            return ReplyWriter.result(id, try switchServices(isEnabled, request))
        case .pendingRequests: return ReplyWriter.result(id, pendingRequests(for: nil))
        case .events(let name):
            return ReplyWriter.result(id, StoredEvents(try storedEvents(of: name, at: request.now)))
        case .closeConnection(let number):
            guard closeConnection(number, "\(request.decider) wants it closed") else {
                throw RPCError(.notFound, "cannot close connection \(number): there is none of this number")
            }
            return ReplyWriter.empty(id)
        default: return nil
        }
    }

    private func authorize(
        _ parameters: AuthorizeParameters, _ request: ClientRequest
    ) throws(RPCError) -> DecisionResult {
        let identity = try identity(named: parameters.app, at: request.now)
        if parameters.once {
            guard engine.isInUse(identity) else {
                throw RPCError(
                    .notFound, "cannot allow \(quoted(parameters.app)) once: it is not in use, and once ends with use")
            }
            guard parameters.accuracyAuthorization == nil else {
                throw RPCError(
                    .invalidParams,
                    "cannot take accuracyAuthorization with once: decide about it first, or leave it as it is")
            }
            decide(.allowedOnce(identity), for: request, at: request.now)
            var result = DecisionResult()
            result.app = apps.identity(identity)?.description
            return result
        }
        var consent = engine.consent(of: identity).consent
        if let status = parameters.authorizationStatus {
            guard status != .notDetermined else {
                return try decide(identity, nil, request)
            }
            consent.choice = status.consentChoice
        }
        guard consent.choice != .undecided else {
            throw RPCError(
                .invalidParams,
                "cannot take accuracyAuthorization alone: nobody has decided about \(quoted(parameters.app)); say authorizationStatus, too"
            )
        }
        if let accuracy = parameters.accuracyAuthorization { consent.accuracy = accuracy }
        return try decide(identity, consent, request)
    }

    /// nil: takes a decision back.
    private func decide(
        _ number: IdentityID, _ consent: Consent?, _ request: ClientRequest
    ) throws(RPCError) -> DecisionResult {
        try settle(number, as: consent, by: .decided(number, consent), request)
    }

    // MARK: Names

    /// The identity that an administrator means: as `apps` names it, or shorter if that means one. One that was never seen can be
    /// decided about before it comes.
    func identity(named name: String, at now: BootInstant) throws(RPCError) -> IdentityID {
        let known = apps.knownIdentities.compactMap { apps.identity($0) } + consents.entries.keys
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
        return enter(identity, nil, at: now)
    }

    private func storedEvents(of name: String, at now: BootInstant) throws(RPCError) -> [(
        event: AppEvent, label: String?
    )] {
        let identity = try identity(named: name, at: now)
        return apps.apps(of: identity).flatMap { app in
            engine.events(of: app).map { (event: $0, label: apps.key(of: app)?.label) }
        }
    }

    // MARK: Status

    /// Everybody who was decided about, of whom something is kept, who asks or has used the location, or who is there.
    func appStatuses() -> [AppStatus] {
        let asking = Set(engine.authorizationRequests.map(\.identity))
        let present = Set(managers.compactMap { $0 }.filter(\.isApp).compactMap(\.identity))
        let keeping = Set(apps.kept.compactMap { apps.identity(of: $0) })
        let shownNumbers = apps.knownIdentities.filter { number in
            guard let identity = apps.identity(number) else { return false }
            return asking.contains(number) || keeping.contains(number) || lastUses[number] != nil
                || consents[identity] != nil || formerUsers[identity] != nil || present.contains(identity)
        }
        var statuses: [AppStatus] = shownNumbers.compactMap { status(of: $0) }
        let shown = Set(statuses.map(\.app))
        for (identity, entry) in consents.entries where !shown.contains(identity.description) {
            let authorization = engine.authorization(for: entry.consent)
            var status = AppStatus(
                app: identity.description, identity: identity.description, uid: identity.uid,
                authorizationStatus: authorization.status)
            status.decision = entry.consent.choice.authorizationStatus
            status.accuracyAuthorization = authorization.accuracyOnTheWire
            status.isProvisional = authorization.isProvisional
            status.user = userName(identity.uid)
            status.formerUser = formerUsers[identity]
            fill(&status, from: entry)
            statuses.append(status)
        }
        return statuses.sorted { $0.app < $1.app }
    }

    private func fill(_ status: inout AppStatus, from entry: ConsentBook.Entry) {
        status.decidedBy = entry.decidedBy
        status.decidedAt = entry.decidedAt
        status.lastUse = entry.lastUse
    }

    /// One identity with all of its apps.
    func status(of number: IdentityID) -> AppStatus? {
        guard let identity = apps.identity(number) else { return nil }
        let authorization = engine.authorization(of: number)
        var status = AppStatus(
            app: identity.description, identity: identity.description, uid: identity.uid,
            authorizationStatus: authorization.status)
        status.decision = engine.decision(about: number)
        status.accuracyAuthorization = authorization.accuracyOnTheWire
        status.isProvisional = authorization.isProvisional
        status.lastUse = lastUses[number]
        status.formerUser = formerUsers[identity]
        status.user = userName(identity.uid)
        if engine.isAllowedOnce(number) { status.isOnce = true }
        if let entry = consents[identity] {
            fill(&status, from: entry)
        } else {
            status.rule = rule(for: identity, process(of: identity)).rule
        }
        status.isInUse = engine.isInUse(number)
        status.isUsingLocation = engine.isUsingLocation(number)
        for app in apps.apps(of: number) {
            if let label = apps.key(of: app)?.label { status.labels.append(label) }
            let connected = managers.lazy.compactMap { $0 }.filter { $0.app == app && $0.channel != nil }.count
            status.connections += UInt64(connected)
            status.regions += UInt64(engine.regionCount(of: app))
            status.conditions += UInt64(engine.conditionCount(of: app))
            status.wantsVisits = status.wantsVisits || engine.monitorsVisits(app)
            status.pendingEvents += UInt64(engine.events(of: app).count)
            status.eventsDropped += engine.eventsDropped(of: app)
        }
        return status
    }
}
