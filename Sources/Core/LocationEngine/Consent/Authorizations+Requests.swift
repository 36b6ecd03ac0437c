// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Questions for a person (Protocol 6.3, 6.7): one for an identity and a level, and a bounded number for a user at a time.
extension Authorizations {
    /// The question of this number; nil: it is answered.
    func request(_ number: UInt64) -> AuthorizationRequest? { pending.first { $0.number == number } }

    /// Carries out a client's request for an authorization; false: it is another one.
    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: inout Directory, _ turn: inout Turn
    ) -> Bool {
        switch request {
        case .requestWhenInUseAuthorization:
            let isOpen = directory.authorization(of: manager).status == .notDetermined
            turn.answer(manager, Reply(state: isOpen ? .prompted : .alreadyDetermined))
            if isOpen { raise(.whenInUse, for: manager, &directory, &turn) }
        case .requestAlwaysAuthorization:
            let canAsk = canAskForAlways(manager, directory)
            turn.answer(manager, Reply(state: canAsk ? .prompted : .alreadyDetermined))
            if canAsk { raiseAlways(for: manager, &directory, &turn) }
        case .requestTemporaryFullAccuracyAuthorization(let purposeKey):
            let objection = objection(to: manager, turn.circumstances, directory)
            turn.answer(manager, Reply(state: state(after: objection, directory.authorization(of: manager))))
            turn.append(.temporaryFullAccuracy(manager, objection))
            if objection == nil {
                raise(.temporaryFullAccuracy, for: manager, purposeKey: purposeKey, &directory, &turn)
            }
        default: return false
        }
        return true
    }

    /// Acts from not determined, and once from "while using" (rules A1, A2).
    private func canAskForAlways(_ manager: ManagerID, _ directory: Directory) -> Bool {
        let identity = directory[directory.identity(of: manager)]
        switch directory.authorization(of: manager).status {
        case .notDetermined: return true
        case .authorizedWhenInUse:
            return !identity.isOnce && !identity.hasAskedAlways && !identity.consent.hasAskedAlways
        case .restricted, .denied, .authorizedAlways: return false
        }
    }

    /// Error 18 tells that nobody can be asked; none, that somebody is (rule A8).
    private func objection(
        to manager: ManagerID, _ circumstances: Circumstances, _ directory: Directory
    ) -> FullAccuracyObjection? {
        let authorization = directory.authorization(of: manager)
        if !authorization.isAuthorized { return .isNotAuthorized }
        if authorization.accuracy != .reduced { return .isFull }
        if !circumstances.isDeclared { return .isUndeclared }
        return circumstances.canAsk ? nil : .hasNoAgent
    }

    private func state(after objection: FullAccuracyObjection?, _ authorization: Authorization) -> ServiceState {
        switch objection {
        case nil: .prompted
        case .isNotAuthorized: authorization.serviceState
        case .isFull: .alreadyDetermined
        case .isUndeclared, .hasNoAgent: .ignored
        }
    }

    // MARK: Asking

    /// Raises the questions that services noted in this turn, unless somebody has decided them.
    mutating func raiseQuestions(_ directory: inout Directory, _ services: Services, _ turn: inout Turn) {
        guard !turn.questions.isEmpty else { return }
        for question in turn.questions {
            switch question {
            case .service(let manager): raiseIfUndetermined(manager, &directory, services, &turn)
            case .stream(let manager):
                let flags = directory[directory.app(of: manager)].sessionFlags
                if flags.contains(.serviceSessionRequired) { continue }
                raiseIfUndetermined(manager, &directory, services, &turn)
            case .session(let manager, let purposeKey, let canAsk):
                raiseForSessions(of: manager, purposeKey: purposeKey, canAsk: canAsk, &directory, services, &turn)
            case .heldEvent(let app):
                let since = turn.events[app].held?.since ?? turn.now
                raise(.always, for: app, since: since, &directory, &turn)
            }
        }
        turn.questions.removeAll(keepingCapacity: true)
    }

    /// A service was started that needs consent: the question is asked with the level that its sessions need.
    private mutating func raiseIfUndetermined(
        _ manager: ManagerID, _ directory: inout Directory, _ services: Services, _ turn: inout Turn
    ) {
        guard directory.isOpen(manager), directory.authorization(of: manager).status == .notDetermined else { return }
        let level: AuthorizationLevel = services.sessions.needsAlways(manager) ? .always : .whenInUse
        raise(level, for: manager, &directory, &turn)
    }

    /// Asks for what the strongest session needs, and for full accuracy.
    private mutating func raiseForSessions(
        of manager: ManagerID, purposeKey: String?, canAsk: Bool, _ directory: inout Directory, _ services: Services,
        _ turn: inout Turn
    ) {
        if services.sessions.requires(.always, manager) {
            if canAskForAlways(manager, directory) { raiseAlways(for: manager, &directory, &turn) }
        } else if services.sessions.requires(.whenInUse, manager) {
            raiseIfUndetermined(manager, &directory, services, &turn)
        }
        let authorization = directory.authorization(of: manager)
        guard let purposeKey, canAsk, authorization.isAuthorized, authorization.accuracy == .reduced else { return }
        raise(.temporaryFullAccuracy, for: manager, purposeKey: purposeKey, &directory, &turn)
    }

    private mutating func raiseAlways(
        for manager: ManagerID, _ directory: inout Directory, _ turn: inout Turn
    ) {
        let identity = directory.identity(of: manager)
        if directory.authorization(of: manager).status == .authorizedWhenInUse {
            directory[identity].hasAskedAlways = true
            if directory[identity].decided != nil {
                directory[identity].decided?.hasAskedAlways = true
                turn.append(.saveConsent(identity))
            }
        }
        raise(.always, for: manager, &directory, &turn)
    }

    private mutating func raise(
        _ level: AuthorizationLevel, for manager: ManagerID, purposeKey: String? = nil, _ directory: inout Directory,
        _ turn: inout Turn
    ) {
        let app = directory.app(of: manager)
        raise(level, for: app, manager, purposeKey: purposeKey, since: turn.now, &directory, &turn)
    }

    /// Asks, unless that is being asked already. A question for always answers the smaller one, too.
    private mutating func raise(
        _ level: AuthorizationLevel, for app: AppID, _ manager: ManagerID? = nil, purposeKey: String? = nil,
        since: BootInstant, _ directory: inout Directory, _ turn: inout Turn
    ) {
        let identity = directory[app].identity
        guard mayAsk(for: identity, directory, turn.configuration.questionsPerUser) else {
            return heldBack.exist = true
        }
        let asked = pending.filter { $0.identity == identity }
        if asked.contains(where: { $0.level == level || $0.level == .always && level == .whenInUse }) { return }
        if level == .always {
            for request in asked where request.level == .whenInUse {
                close(request.number, .withdrawn, &directory, &turn)
            }
        }
        newest += 1
        pending.append(
            AuthorizationRequest(
                number: newest, identity: identity, app: app, manager: manager, level: level, purposeKey: purposeKey,
                since: since))
        directory[identity].asked.insert(AskedLevels(level))
        turn.append(.ask(request: newest))
        turn.haveSessionsToTell = true
    }

    /// Whether one more question about this user's undecided apps fits: a user can start apps without end (Protocol 6.3).
    private func mayAsk(for identity: IdentityID, _ directory: Directory, _ questionsPerUser: Int) -> Bool {
        guard let user = directory[identity].user, directory.authorization(of: identity).status == .notDetermined else {
            return true
        }
        let asked = Set(pending.map(\.identity)).filter { directory[$0].user == user }
        return asked.count < questionsPerUser || asked.contains(identity)
    }

    /// Raises questions that were held back, when another one is closed.
    mutating func raiseHeldBack(_ directory: inout Directory, _ services: Services, _ turn: inout Turn) {
        guard heldBack.exist, heldBack.mayFit else { return }
        heldBack = (exist: false, mayFit: false)
        for index in directory.identities.indices {
            raiseWanted(of: IdentityID(rawValue: Int32(index)), &directory, services, &turn)
        }
    }

    /// Raises questions again for the services that an identity has started and nobody has decided about.
    mutating func raiseWanted(
        of identity: IdentityID, _ directory: inout Directory, _ services: Services, _ turn: inout Turn
    ) {
        guard directory.authorization(of: identity).status == .notDetermined else { return }
        let wanting = directory.managers(of: identity)
            .filter { !directory.isAway($0) && services.wants($0, directory, turn) }
        guard let first = wanting.first(where: { services.sessions.needsAlways($0) }) ?? wanting.first else { return }
        raiseIfUndetermined(first, &directory, services, &turn)
    }

    // MARK: Closing

    /// Withdraws questions that a decision has answered. Switching services off for everyone answers none.
    mutating func withdrawNeedlessRequests(
        of identity: IdentityID, _ directory: inout Directory, _ turn: inout Turn
    ) {
        let decided = directory[identity].authorization(servicesEnabled: true)
        for request in pending where request.identity == identity {
            let isNeeded =
                switch request.level {
                case .whenInUse: decided.status == .notDetermined
                case .always:
                    decided.isProvisional || decided.status == .notDetermined || decided.status == .authorizedWhenInUse
                case .temporaryFullAccuracy: decided.isAuthorized && decided.accuracy == .reduced
                }
            if !isNeeded { close(request.number, .withdrawn, &directory, &turn) }
        }
    }

    /// Withdraws the questions of an app that is no longer in use, but for a second question about always.
    mutating func withdrawRequests(of identity: IdentityID, _ directory: inout Directory, _ turn: inout Turn) {
        for request in pending where request.identity == identity {
            if request.level == .always, directory.authorization(of: identity).isProvisional { continue }
            close(request.number, .withdrawn, &directory, &turn)
        }
    }

    mutating func close(
        _ number: UInt64, _ outcome: AuthorizationOutcome, _ directory: inout Directory, _ turn: inout Turn
    ) {
        if let closed = request(number) { directory[closed.identity].asked.remove(AskedLevels(closed.level)) }
        pending.removeAll { $0.number == number }
        heldBack.mayFit = true
        turn.append(.closeRequest(number, outcome))
        turn.haveSessionsToTell = true
    }

    /// The decision that an answer would put on record; nil: it changes nothing there.
    func decision(by answer: AuthorizationAnswer, to number: UInt64, _ directory: Directory) -> Consent? {
        guard let request = request(number), request.level != .temporaryFullAccuracy else { return nil }
        var identity = directory[request.identity]
        let before = identity.consent
        identity.take(answer, to: request.level)
        return identity.consent == before ? nil : identity.decided
    }
}
