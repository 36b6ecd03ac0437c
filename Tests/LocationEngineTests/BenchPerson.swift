// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

/// What a person and the administrator said about one identity, kept as simply as possible beside the engine.
struct BenchPerson: Sendable {
    var choice: Consent.Choice
    var accuracy: AccuracyAuthorization
    /// Allowed for this use.
    var isOnce = false
    /// Full accuracy for this use.
    var isFullForNow = false

    func permission(areServicesEnabled: Bool) -> Authorization {
        guard areServicesEnabled else { return Authorization(status: .denied) }
        let accuracy: AccuracyAuthorization = isFullForNow ? .full : accuracy
        if isOnce { return Authorization(status: .authorizedWhenInUse, accuracy: accuracy) }
        let status: AuthorizationStatus =
            switch choice {
            case .undecided: .notDetermined
            case .restricted: .restricted
            case .denied: .denied
            case .whenInUse: .authorizedWhenInUse
            case .always, .provisionalAlways: .authorizedAlways
            }
        return Authorization(status: status, accuracy: accuracy, isProvisional: choice == .provisionalAlways)
    }

    mutating func hear(_ answer: AuthorizationAnswer, to level: AuthorizationLevel, isInUse: Bool) {
        switch (level, choice, answer) {
        case (.temporaryFullAccuracy, _, .deny): break
        case (.temporaryFullAccuracy, _, _): isFullForNow = isInUse
        case (_, .undecided, .deny): choice = .denied
        case (_, .undecided, .once): isOnce = isInUse
        case (.always, .undecided, .whileUsing): choice = .provisionalAlways
        case (_, .undecided, .whileUsing): choice = .whenInUse
        case (_, _, .always): choice = .always
        case (_, .provisionalAlways, _): choice = .whenInUse
        default: break
        }
    }
}

extension EngineBench {
    func permission(of app: AppID) -> Authorization {
        people[IdentityID(rawValue: app.rawValue)]?.permission(areServicesEnabled: areServicesEnabled) ?? .undetermined
    }

    func isInUse(_ identity: IdentityID) -> Bool {
        connections.contains { manager, connection in
            guard connection.app.rawValue == identity.rawValue, engine.isOpen(manager) else { return false }
            return connection.isThere || keptUses.contains(manager)
                || engine.report(of: manager, at: now).sessions.contains { $0.kind == .backgroundActivity }
        }
    }

    /// What the event says of consent, before the engine hears it.
    mutating func noteConsent(_ event: Event) {
        switch event {
        case .decided(let identity, let consent):
            people[identity] = BenchPerson(choice: consent?.choice ?? .undecided, accuracy: consent?.accuracy ?? .full)
        case .allowedOnce(let identity):
            let isInUse = isInUse(identity)
            people[identity]?.isOnce = isInUse
        case .answered(let number, let answer):
            guard let request = prompts[number] else { return }
            let isInUse = isInUse(request.identity)
            people[request.identity]?.hear(answer, to: request.level, isInUse: isInUse)
        case .servicesSwitched(let areEnabled): areServicesEnabled = areEnabled
        case .sessionsRequired(let identity, let areRequired):
            if areRequired { requiringSessions.insert(identity) } else { requiringSessions.remove(identity) }
        case .managerOpened(let manager, let state): noteAllowance(manager, state)
        case .clientsKept(let clients): for absent in clients.absent { noteAllowance(absent.manager, absent.record) }
        default: break
        }
    }

    private mutating func noteAllowance(_ manager: ManagerID, _ state: ManagerRecord) {
        guard state.isAway, let allowance = state.allowance, let app = connections[manager]?.app else { return }
        let identity = IdentityID(rawValue: app.rawValue)
        guard allowance.consent == store.consents[identity] ?? Consent(.undecided) else { return }
        keptUses.insert(manager)
        people[identity]?.isOnce = allowance.isOnce
        people[identity]?.isFullForNow = allowance.hasTemporaryFullAccuracy
    }

    /// What was allowed for a use is over with it.
    mutating func endUses() {
        // Its managers are not there yet.
        if isRestoring { return }
        for identity in people.keys.sorted() where !isInUse(identity) {
            people[identity]?.isOnce = false
            people[identity]?.isFullForNow = false
        }
    }
}
