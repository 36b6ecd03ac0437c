// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A session that a client holds: what it is doing, or what it needs (CL 4.7, 10.2).
package struct Session: Sendable, Hashable {
    /// What it declares.
    package enum Kind: Sendable, Hashable {
        case backgroundActivity
        case service(ServiceSessionRequirement, wantsFullAccuracy: Bool)
    }

    /// Its number, from 1.
    package var number: UInt32
    /// What it declares.
    package var kind: Kind
    /// Which of the app's texts it wants full accuracy for; nil: it does not.
    package var purposeKey: String?
    /// What its client was told last; nil: nothing yet.
    var toldFlags: DiagnosticFlags?

    /// The session `number`.
    package init(number: UInt32, kind: Kind, purposeKey: String? = nil) {
        self.number = number
        self.kind = kind
        self.purposeKey = purposeKey
    }

    var needsAlways: Bool { if case .service(.always, _) = kind { true } else { false } }

    var asksForLocation: Bool {
        switch kind {
        case .backgroundActivity, .service(.none, _): false
        case .service: true
        }
    }
}

extension Engine {
    mutating func startBackgroundActivitySession(
        _ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        guard let number = openSession(manager, .backgroundActivity) else {
            return effects.append(.reply(manager, Reply(state: nil, refusal: .limitExceeded)))
        }
        effects.append(.reply(manager, Reply(state: nil, opened: number)))
        announceInitialAuthorization(manager, into: &effects)
        refreshSessionObstacles(of: managers[manager.index].app, at: now, into: &effects)
        effects.append(.saveManager(manager))
    }

    /// `purposeKey`: full accuracy is wanted, too, and the app has said what for.
    mutating func startServiceSession(
        _ manager: ManagerID, _ requirement: ServiceSessionRequirement, purposeKey: String?, canAsk: Bool,
        at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let kind = Session.Kind.service(requirement, wantsFullAccuracy: purposeKey != nil)
        guard let number = openSession(manager, kind, purposeKey) else {
            return effects.append(.reply(manager, Reply(state: nil, refusal: .limitExceeded)))
        }
        effects.append(.reply(manager, Reply(state: nil, opened: number)))
        announceInitialAuthorization(manager, into: &effects)
        refreshSessionObstacles(of: managers[manager.index].app, at: now, into: &effects)
        askForSessions(of: manager, at: now, into: &effects)
        let authorization = authorization(of: manager)
        if let purposeKey, canAsk, authorization.isAuthorized, authorization.accuracy == .reduced {
            let app = managers[manager.index].app
            raise(.temporaryFullAccuracy, for: app, manager, purposeKey: purposeKey, at: now, into: &effects)
        }
        tellSessions(of: manager, into: &effects)
        effects.append(.saveManager(manager))
    }

    private mutating func openSession(
        _ manager: ManagerID, _ kind: Session.Kind, _ purposeKey: String? = nil
    ) -> UInt32? {
        guard managers[manager.index].sessions.count < configuration.sessionsPerManager else { return nil }
        managers[manager.index].lastSession += 1
        let number = managers[manager.index].lastSession
        managers[manager.index].sessions.append(Session(number: number, kind: kind, purposeKey: purposeKey))
        return number
    }

    mutating func invalidateSession(
        _ manager: ManagerID, _ number: UInt32, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        guard let index = managers[manager.index].sessions.firstIndex(where: { $0.number == number }) else {
            return effects.append(.reply(manager, Reply(state: nil, refusal: .notFound)))
        }
        managers[manager.index].sessions.remove(at: index)
        refreshUse(manager, at: now, into: &effects)
        refreshSessionObstacles(of: managers[manager.index].app, at: now, into: &effects)
        effects.append(.saveManager(manager))
        tellChangedSessions(into: &effects)
        effects.append(.reply(manager, Reply(state: nil)))
    }

    /// Asks for what the strongest session needs and nobody decided.
    mutating func askForSessions(of manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        let requirements = managers[manager.index].sessions.compactMap { session in
            if case .service(let requirement, _) = session.kind { requirement } else { nil }
        }
        if requirements.contains(.always) {
            if canAskForAlways(manager) { raiseAlways(for: manager, at: now, into: &effects) }
        } else if requirements.contains(.whenInUse) {
            raiseIfUndetermined(manager, at: now, into: &effects)
        }
    }

    /// Something changed that sessions or streams tell of.
    mutating func touchSessions() { haveSessionsToTell = true }

    /// Tells every session whose flags changed.
    mutating func tellChangedSessions(into effects: inout EffectBuffer) {
        guard haveSessionsToTell else { return }
        haveSessionsToTell = false
        for index in managers.indices where managers[index].isOpen && !managers[index].isAway {
            let manager = ManagerID(rawValue: Int32(index))
            if !managers[index].sessions.isEmpty { tellSessions(of: manager, into: &effects) }
        }
    }

    mutating func tellSessions(of manager: ManagerID, into effects: inout EffectBuffer) {
        for index in managers[manager.index].sessions.indices {
            let session = managers[manager.index].sessions[index]
            guard case .service(let requirement, let wantsFullAccuracy) = session.kind else { continue }
            let flags = diagnosis(of: manager, requirement, wantsFullAccuracy: wantsFullAccuracy)
            guard flags != session.toldFlags else { continue }
            managers[manager.index].sessions[index].toldFlags = flags
            effects.append(.sessionDiagnostic(manager, session: session.number, flags))
        }
    }

    private func diagnosis(
        of manager: ManagerID, _ requirement: ServiceSessionRequirement, wantsFullAccuracy: Bool
    ) -> DiagnosticFlags {
        let authorization = authorization(of: manager)
        let identity = identity(of: manager)
        let obstacles = apps[managers[manager.index].app.index].sessionObstacles
        var flags = authorization.flags.union(obstacles.intersection(.insufficientlyInUse))
        let levels = authorizationRequests.filter { $0.identity == identity }.map(\.level)
        if !levels.isEmpty { flags.insert(.authorizationRequestInProgress) }
        if requirement == .always, authorization.status == .authorizedWhenInUse, !levels.contains(.always) {
            flags.insert(.alwaysAuthorizationDenied)
        }
        if wantsFullAccuracy, authorization.isAuthorized, authorization.accuracy == .reduced,
            !levels.contains(.temporaryFullAccuracy)
        {
            flags.insert(.fullAccuracyDenied)
        }
        return flags
    }
}

extension Authorization {
    /// What is told in-band by streams, sessions and monitors.
    var flags: DiagnosticFlags {
        switch status {
        case .denied: isDeniedGlobally ? [.authorizationDenied, .authorizationDeniedGlobally] : .authorizationDenied
        case .restricted: .authorizationRestricted
        case .notDetermined, .authorizedAlways, .authorizedWhenInUse: []
        }
    }
}
