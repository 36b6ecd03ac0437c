// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The authorizations of apps (Protocol 6, rules A1 to A10): decisions, allowances for a use, uses, and questions for a person.
///
/// An event becomes a changed `Identity` (`change`), that a changed `Authorization` of each of its apps, and that a `RightsChange`, which all
/// services are told. Only this type changes authorizations in the `Directory`. Questions are in `Authorizations+Requests.swift`. Nothing
/// here runs for a fix, unless an event of it waits for a person.
struct Authorizations: Sendable {
    /// Questions that wait for a person, oldest first.
    var pending: [AuthorizationRequest] = []
    /// The number given last.
    var newest: UInt64
    /// Whether questions were held back because too many are open, and whether one has closed since.
    var heldBack = (exist: false, mayFit: false)

    init(newest: UInt64) { self.newest = newest }

    // MARK: Decisions

    /// Carries out an event about an identity: a decision, a rule, an answer, a manifest.
    mutating func handle(
        _ event: Event, _ directory: inout Directory, _ services: inout Services, _ turn: inout Turn
    ) {
        switch event {
        case .identityEntered(let identity, let user, let decided, let policy):
            enter(identity, user: user, decided: decided, policy: policy, &directory, &turn)
        case .policyChanged(let identity, let policy):
            guard directory[identity].policy != policy else { return }
            change(identity, &directory, &services, &turn) { $0.policy = policy }
        case .decided(let identity, let consent): decide(identity, consent, &directory, &services, &turn)
        case .allowedOnce(let identity): allowOnce(identity, &directory, &services, &turn)
        case .answered(let request, let word): answer(request, word, &directory, &services, &turn)
        case .sessionsRequired(let identity, let areRequired):
            requireSessions(identity, areRequired, &directory, &services, &turn)
        case .servicesSwitched(let areEnabled): switchServices(areEnabled, &directory, &services, &turn)
        default: break
        }
    }

    private mutating func enter(
        _ identity: IdentityID, user: UInt32?, decided: Consent?, policy: Consent, _ directory: inout Directory,
        _ turn: inout Turn
    ) {
        // The slot may have been another identity's: an answer to its questions must not count for this one.
        for request in pending where request.identity == identity {
            close(request.number, .withdrawn, &directory, &turn)
        }
        while directory.identities.count <= identity.index { directory.identities.append(Identity()) }
        directory[identity] = Identity()
        directory[identity].user = user
        directory[identity].decided = decided
        directory[identity].policy = policy
    }

    /// An administrator's decision ends questions and allowances.
    private mutating func decide(
        _ identity: IdentityID, _ consent: Consent?, _ directory: inout Directory, _ services: inout Services,
        _ turn: inout Turn
    ) {
        change(identity, &directory, &services, &turn) {
            $0.decided = consent
            $0.isOnce = false
            $0.hasTemporaryFullAccuracy = false
            $0.hasAskedAlways = false
        }
        turn.append(.saveConsent(identity))
        saveAllowance(of: identity, directory, &turn)
        let isOpen = directory[identity].authorization(servicesEnabled: true).status == .notDetermined
        for request in pending where request.identity == identity && !isOpen {
            close(request.number, .withdrawn, &directory, &turn)
        }
        settleHeldEvents(of: identity, directory, services, &turn)
    }

    private mutating func allowOnce(
        _ identity: IdentityID, _ directory: inout Directory, _ services: inout Services, _ turn: inout Turn
    ) {
        // The decision stays on record, and is in force again when the use is over.
        change(identity, &directory, &services, &turn) { $0.isOnce = $0.uses > 0 }
        saveAllowance(of: identity, directory, &turn)
        for request in pending where request.identity == identity {
            close(request.number, .once, &directory, &turn)
        }
        settleHeldEvents(of: identity, directory, services, &turn)
    }

    /// The first answer wins; a later one finds no question any more (Protocol 6.7).
    private mutating func answer(
        _ number: UInt64, _ answer: AuthorizationAnswer, _ directory: inout Directory, _ services: inout Services,
        _ turn: inout Turn
    ) {
        guard let request = request(number) else { return }
        close(number, answer.outcome, &directory, &turn)
        if request.level == .temporaryFullAccuracy {
            guard answer != .deny else { return }
            change(request.identity, &directory, &services, &turn) { $0.hasTemporaryFullAccuracy = $0.uses > 0 }
            return saveAllowance(of: request.identity, directory, &turn)
        }
        let before = directory[request.identity].consent
        change(request.identity, &directory, &services, &turn) { $0.take(answer, to: request.level) }
        if directory[request.identity].consent != before { turn.append(.saveConsent(request.identity)) }
        saveAllowance(of: request.identity, directory, &turn)
        settleHeldEvents(of: request.identity, directory, services, &turn)
    }

    /// Turns the services of the whole device off or on; off reads as denied, and on brings back what was (rule A6).
    private mutating func switchServices(
        _ areEnabled: Bool, _ directory: inout Directory, _ services: inout Services, _ turn: inout Turn
    ) {
        guard areEnabled != directory.areServicesEnabled else { return }
        directory.areServicesEnabled = areEnabled
        for index in directory.identities.indices {
            refresh(IdentityID(rawValue: Int32(index)), &directory, &services, &turn)
        }
    }

    /// The manifest of the identity's app says whether it holds its service sessions itself (Protocol 6.8), or no longer so.
    private mutating func requireSessions(
        _ identity: IdentityID, _ areRequired: Bool, _ directory: inout Directory, _ services: inout Services,
        _ turn: inout Turn
    ) {
        guard directory[identity].requiresSessions != areRequired else { return }
        directory[identity].requiresSessions = areRequired
        for app in directory.apps(of: identity) { refreshSessions(of: app, &directory, &services, &turn) }
    }

    /// Tells the events that waited for a person's second answer about always.
    private func settleHeldEvents(
        of identity: IdentityID, _ directory: Directory, _ services: Services, _ turn: inout Turn
    ) {
        for app in directory.apps(of: identity) {
            guard let event = turn.settleHeldEvent(of: app, directory) else { continue }
            services.monitors.notePending(event, of: app, &turn)
            turn.announce(event, of: app, holder: services.monitors.holder(of: event, app), directory)
            if !directory.hasConnection(app) { turn.append(.wake(app)) }
        }
    }

    // MARK: Changes

    /// Changes what is known of an identity, and tells its apps if that changes their authorization.
    mutating func change(
        _ identity: IdentityID, _ directory: inout Directory, _ services: inout Services, _ turn: inout Turn,
        _ body: (inout Identity) -> Void
    ) {
        body(&directory[identity])
        refresh(identity, &directory, &services, &turn)
    }

    private mutating func refresh(
        _ identity: IdentityID, _ directory: inout Directory, _ services: inout Services, _ turn: inout Turn
    ) {
        let authorization = directory.authorization(of: identity)
        for app in directory.apps(of: identity) { change(app, to: authorization, &directory, &services, &turn) }
        withdrawNeedlessRequests(of: identity, &directory, &turn)
        raiseWanted(of: identity, &directory, services, &turn)
        turn.touch(identity)
    }

    /// Gives an app another authorization: services are told of the app, then of each manager, and last why monitors are silent.
    func change(
        _ app: AppID, to new: Authorization, _ directory: inout Directory, _ services: inout Services,
        _ turn: inout Turn
    ) {
        let change = RightsChange(old: directory[app].authorization, new: new)
        guard change.old != new else { return }
        directory[app].authorization = new
        directory[app].sessionFlags = services.sessions.flags(of: app, directory)
        turn.discardEvents(of: app, change, directory)
        services.tell(.appRights(app, change), directory, &turn)
        for manager in directory.managers(of: app) {
            if change.old.isToldApart(from: new), directory[manager].hasAnnouncedAuthorization,
                !directory.isAway(manager)
            {
                turn.append(.announceAuthorization(manager, initial: false))
            }
            services.tell(.managerRights(manager, change), directory, &turn)
            let wasWaiting = change.old.serviceState == .waitingForAuthorization && !directory.isAway(manager)
            if change.isLost || change.isReduced || wasWaiting { turn.save(manager) }
        }
        services.tell(.appDiagnosis(app), directory, &turn)
        turn.haveSessionsToTell = true
    }

    /// A manager came or went, a session began or ended, or the app went to the background or to the foreground.
    ///
    /// - Parameter returning: A manager whose client is back: its streams are told next how they stand.
    mutating func refreshSessions(
        of app: AppID, returning: ManagerID? = nil, _ directory: inout Directory, _ services: inout Services,
        _ turn: inout Turn
    ) {
        let flags = services.sessions.flags(of: app, directory)
        guard flags != directory[app].sessionFlags else { return }
        directory[app].sessionFlags = flags
        services.tell(.appRights(app, directory[app].unchanged), directory, &turn)
        services.tell(.appDiagnosis(app), directory, &turn)
        for manager in directory.managers(of: app) where manager != returning {
            services.tell(.managerDiagnosis(manager), directory, &turn)
        }
        turn.haveSessionsToTell = true
    }

    // MARK: Use

    /// Brings the count of uses up to date after a manager came, went, or began or ended a session (Protocol 6.4).
    mutating func refreshUse(
        _ manager: ManagerID, _ directory: inout Directory, _ services: inout Services, _ turn: inout Turn
    ) {
        let entry = directory[manager]
        let hasReason = !entry.isAway || entry.keepsUse || services.sessions.hasBackgroundActivity(manager)
        let isUse = entry.isOpen && hasReason
        guard isUse != entry.isUse else { return }
        directory[manager].isUse = isUse
        let identity = directory[entry.app].identity
        directory[entry.app].uses += isUse ? 1 : -1
        directory[identity].uses += isUse ? 1 : -1
        if directory[entry.app].uses == (isUse ? 1 : 0) {
            services.tell(.appRights(entry.app, directory[entry.app].unchanged), directory, &turn)
        }
        if directory[identity].uses == 0 { endUse(of: identity, &directory, &services, &turn) }
    }

    /// Ends the allowance for this use (rule A5).
    private mutating func endUse(
        of identity: IdentityID, _ directory: inout Directory, _ services: inout Services, _ turn: inout Turn
    ) {
        withdrawRequests(of: identity, &directory, &turn)
        guard directory[identity].isOnce || directory[identity].hasTemporaryFullAccuracy else { return }
        change(identity, &directory, &services, &turn) {
            $0.isOnce = false
            $0.hasTemporaryFullAccuracy = false
        }
        saveAllowance(of: identity, directory, &turn)
    }

    /// The allowance that a manager carries over a restart for its app; nil: there is none.
    func allowance(of manager: ManagerID, _ directory: Directory) -> UseAllowance? {
        let identity = directory[directory.identity(of: manager)]
        guard directory[manager].isUse, identity.isOnce || identity.hasTemporaryFullAccuracy else { return nil }
        return UseAllowance(
            isOnce: identity.isOnce, hasTemporaryFullAccuracy: identity.hasTemporaryFullAccuracy,
            consent: identity.consent)
    }

    /// Takes the manager of a former process for a use until its time to come back is up.
    mutating func takeUp(
        _ allowance: UseAllowance, of manager: ManagerID, _ directory: inout Directory, _ services: inout Services,
        _ turn: inout Turn
    ) {
        let identity = directory.identity(of: manager)
        guard directory.isAway(manager), directory[identity].consent == allowance.consent else { return }
        directory[manager].keepsUse = true
        refreshUse(manager, &directory, &services, &turn)
        guard !directory[identity].has(allowance) else { return }
        change(identity, &directory, &services, &turn) { $0.take(allowance) }
    }

    /// Saves an identity's changed allowance in the records of its managers, for the next process.
    private func saveAllowance(of identity: IdentityID, _ directory: Directory, _ turn: inout Turn) {
        for manager in directory.managers(of: identity) { turn.save(manager) }
    }

    /// Says for identities of which something started or ended whether they use the location now.
    func noteUses(_ directory: inout Directory, _ services: Services, _ turn: inout Turn) {
        guard !turn.touched.isEmpty else { return }
        for identity in turn.touched where directory.identities.indices.contains(identity.index) {
            let isUsing =
                directory.authorization(of: identity).isAuthorized
                && services.hasUser(directory, turn) { $0.identity(directory) == identity }
            guard isUsing != directory[identity].isUsingLocation else { continue }
            directory[identity].isUsingLocation = isUsing
            turn.append(.noteUse(identity, isUsing: isUsing))
        }
        turn.touched.removeAll(keepingCapacity: true)
    }
}
