// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A question that waits for a person.
package struct AuthorizationRequest: Sendable, Hashable {
    /// Never used again while the store keeps count.
    package var number: UInt64
    /// Who asks.
    package var identity: IdentityID
    /// The app that caused it.
    package var app: AppID
    /// The client that did; nil: the app asked before, and is not there.
    package var manager: ManagerID?
    /// What for.
    package var level: AuthorizationLevel
    /// Which of the app's texts for full accuracy; nil: another level.
    package var purposeKey: String?
    /// Since when.
    package var since: BootInstant

    /// The question `number`, as it was put.
    package init(
        number: UInt64, identity: IdentityID, app: AppID, manager: ManagerID?, level: AuthorizationLevel,
        purposeKey: String?, since: BootInstant
    ) {
        self.number = number
        self.identity = identity
        self.app = app
        self.manager = manager
        self.level = level
        self.purposeKey = purposeKey
        self.since = since
    }
}

extension Engine {
    /// The question of this number; nil: it is answered.
    package func authorizationRequest(_ number: UInt64) -> AuthorizationRequest? {
        authorizationRequests.first { $0.number == number }
    }

    mutating func requestWhenInUse(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        let isOpen = authorization(of: manager).status == .notDetermined
        effects.append(.reply(manager, Reply(state: isOpen ? .prompted : .alreadyDetermined)))
        announceInitialAuthorization(manager, into: &effects)
        if isOpen { raise(.whenInUse, for: manager, at: now, into: &effects) }
    }

    /// Acts from not determined, and once from "while using" (rows A1, A2).
    mutating func requestAlways(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        let canAsk = canAskForAlways(manager)
        effects.append(.reply(manager, Reply(state: canAsk ? .prompted : .alreadyDetermined)))
        announceInitialAuthorization(manager, into: &effects)
        if canAsk { raiseAlways(for: manager, at: now, into: &effects) }
    }

    func canAskForAlways(_ manager: ManagerID) -> Bool {
        let identity = identities[identity(of: manager).index]
        switch authorization(of: manager).status {
        case .notDetermined: return true
        case .authorizedWhenInUse:
            return !identity.isOnce && !identity.hasAskedAlways && !identity.consent.hasAskedAlways
        case .restricted, .denied, .authorizedAlways: return false
        }
    }

    mutating func raiseAlways(
        for manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let identity = identity(of: manager)
        if authorization(of: manager).status == .authorizedWhenInUse {
            identities[identity.index].hasAskedAlways = true
            if identities[identity.index].decided != nil {
                identities[identity.index].decided?.hasAskedAlways = true
                effects.append(.saveConsent(identity))
            }
        }
        raise(.always, for: manager, at: now, into: &effects)
    }

    /// Error 18 tells that nobody can be asked; none, that somebody is (CL 13, C4).
    mutating func requestTemporaryFullAccuracy(
        _ manager: ManagerID, purposeKey: String, isDeclared: Bool, canAsk: Bool, at now: BootInstant,
        into effects: inout EffectBuffer
    ) {
        let authorization = authorization(of: manager)
        let isReduced = authorization.isAuthorized && authorization.accuracy == .reduced
        var objection: FullAccuracyObjection?
        if !authorization.isAuthorized {
            objection = .isNotAuthorized
        } else if !isReduced {
            objection = .isFull
        } else if !isDeclared {
            objection = .isUndeclared
        } else if !canAsk {
            objection = .hasNoAgent
        }
        let unasked: ServiceState =
            !authorization.isAuthorized ? authorization.serviceState : isReduced ? .ignored : .alreadyDetermined
        effects.append(.reply(manager, Reply(state: objection == nil ? .prompted : unasked)))
        announceInitialAuthorization(manager, into: &effects)
        effects.append(.temporaryFullAccuracy(manager, objection))
        guard objection == nil else { return }
        raise(.temporaryFullAccuracy, for: manager, purposeKey: purposeKey, at: now, into: &effects)
    }

    /// A service was started that needs consent, which nobody was asked for yet.
    mutating func raiseIfUndetermined(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        guard authorization(of: manager).status == .notDetermined else { return }
        let needsAlways = managers[manager.index].sessions.contains { $0.needsAlways }
        raise(needsAlways ? .always : .whenInUse, for: manager, at: now, into: &effects)
    }

    /// The same for a stream or a monitor: its app asks by a session, if it holds those itself.
    mutating func raiseForStream(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        guard !apps[managers[manager.index].app.index].sessionObstacles.contains(.serviceSessionRequired) else {
            return
        }
        raiseIfUndetermined(manager, at: now, into: &effects)
    }

    private mutating func raise(
        _ level: AuthorizationLevel, for manager: ManagerID, purposeKey: String? = nil, at now: BootInstant,
        into effects: inout EffectBuffer
    ) {
        let app = managers[manager.index].app
        raise(level, for: app, manager, purposeKey: purposeKey, at: now, into: &effects)
    }

    /// Asks, unless that is being asked already. A question for always answers the smaller one, too.
    mutating func raise(
        _ level: AuthorizationLevel, for app: AppID, _ manager: ManagerID? = nil, purposeKey: String? = nil,
        at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let identity = apps[app.index].identity
        guard mayAsk(for: identity) else { return heldBackQuestions.exist = true }
        let pending = authorizationRequests.filter { $0.identity == identity }
        if pending.contains(where: { $0.level == level || $0.level == .always && level == .whenInUse }) { return }
        if level == .always {
            for request in pending where request.level == .whenInUse {
                close(request.number, .withdrawn, into: &effects)
            }
        }
        newestAuthorizationRequest += 1
        authorizationRequests.append(
            AuthorizationRequest(
                number: newestAuthorizationRequest, identity: identity, app: app, manager: manager, level: level,
                purposeKey: purposeKey, since: now))
        effects.append(.ask(request: newestAuthorizationRequest))
        touchSessions()
    }

    /// A user can start apps without end, and nobody wants to be asked about all of them. What somebody decided already is bounded by that.
    private func mayAsk(for identity: IdentityID) -> Bool {
        guard let user = identities[identity.index].user, authorization(of: identity).status == .notDetermined else {
            return true
        }
        let asked = Set(authorizationRequests.map(\.identity)).filter { identities[$0.index].user == user }
        return asked.count < configuration.questionsPerUser || asked.contains(identity)
    }

    /// Asks what was held back, when another question is over.
    mutating func raiseHeldBack(at now: BootInstant, into effects: inout EffectBuffer) {
        guard heldBackQuestions.exist, heldBackQuestions.mayFit else { return }
        heldBackQuestions = (exist: false, mayFit: false)
        for index in identities.indices {
            raiseWanted(of: IdentityID(rawValue: Int32(index)), at: now, into: &effects)
        }
    }

    /// Asks again for what an identity has started and nobody decided about.
    mutating func raiseWanted(of identity: IdentityID, at now: BootInstant, into effects: inout EffectBuffer) {
        guard authorization(of: identity).status == .notDetermined else { return }
        let wanting = managers.indices
            .filter { managers[$0].isOpen && !managers[$0].isAway }
            .map { ManagerID(rawValue: Int32($0)) }
            .filter { self.identity(of: $0) == identity && wantsLocation($0) }
        let first = wanting.first { managers[$0.index].sessions.contains { $0.needsAlways } } ?? wanting.first
        if let first { raiseIfUndetermined(first, at: now, into: &effects) }
    }

    /// What is decided needs no answer any more. Services that are off for everyone decide nothing.
    mutating func withdrawNeedlessRequests(of identity: IdentityID, into effects: inout EffectBuffer) {
        let decided = identities[identity.index].authorization(servicesEnabled: true)
        for request in authorizationRequests where request.identity == identity {
            let isNeeded =
                switch request.level {
                case .whenInUse: decided.status == .notDetermined
                case .always:
                    decided.isProvisional || decided.status == .notDetermined || decided.status == .authorizedWhenInUse
                case .temporaryFullAccuracy: decided.isAuthorized && decided.accuracy == .reduced
                }
            if !isNeeded { close(request.number, .withdrawn, into: &effects) }
        }
    }

    mutating func close(_ number: UInt64, _ outcome: AuthorizationOutcome, into effects: inout EffectBuffer) {
        authorizationRequests.removeAll { $0.number == number }
        heldBackQuestions.mayFit = true
        effects.append(.closeRequest(number, outcome))
        touchSessions()
    }

    /// What an answer to a question would decide for good; nil: nothing, or nothing new.
    package func decision(by answer: AuthorizationAnswer, to number: UInt64) -> Consent? {
        guard let request = authorizationRequest(number), request.level != .temporaryFullAccuracy else { return nil }
        var identity = identities[request.identity.index]
        let before = identity.consent
        identity.take(answer, to: request.level)
        return identity.consent == before ? nil : identity.decided
    }

    /// The first answer wins; a later one finds no question any more.
    mutating func answer(
        _ number: UInt64, _ answer: AuthorizationAnswer, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        guard let request = authorizationRequest(number) else { return }
        close(number, answer.outcome, into: &effects)
        if request.level == .temporaryFullAccuracy {
            guard answer != .deny else { return }
            change(request.identity, at: now, into: &effects) { $0.hasTemporaryFullAccuracy = $0.uses > 0 }
            return saveAllowance(of: request.identity, into: &effects)
        }
        let before = identities[request.identity.index].consent
        change(request.identity, at: now, into: &effects) { $0.take(answer, to: request.level) }
        if identities[request.identity.index].consent != before { effects.append(.saveConsent(request.identity)) }
        saveAllowance(of: request.identity, into: &effects)
        settleHeldEvents(of: request.identity, at: now, into: &effects)
    }

    /// Nobody waits for an answer whose app is no longer in use, but for that to a second question about always.
    mutating func withdrawRequests(of identity: IdentityID, into effects: inout EffectBuffer) {
        for request in authorizationRequests where request.identity == identity {
            if request.level == .always, authorization(of: identity).isProvisional { continue }
            close(request.number, .withdrawn, into: &effects)
        }
    }
}

extension Identity {
    /// CL 4.2, rows A3 and A4.
    fileprivate mutating func take(_ answer: AuthorizationAnswer, to level: AuthorizationLevel) {
        var consent = consent
        switch (consent.choice, answer) {
        case (.undecided, .once):
            isOnce = uses > 0
            return
        case (.undecided, .deny): consent.choice = .denied
        case (.undecided, .always): consent.choice = .always
        case (.undecided, .whileUsing): consent.choice = level == .always ? .provisionalAlways : .whenInUse
        case (.whenInUse, .always), (.provisionalAlways, .always): consent.choice = .always
        case (.provisionalAlways, _): consent.choice = .whenInUse
        case (.whenInUse, _), (.always, _), (.denied, _), (.restricted, _): return
        }
        if level == .always { consent.hasAskedAlways = true }
        decided = consent
    }
}

extension AuthorizationAnswer {
    var outcome: AuthorizationOutcome {
        switch self {
        case .always: .always
        case .whileUsing: .whileUsing
        case .once: .once
        case .deny: .deny
        }
    }
}
