// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// What was decided about an identity.
package struct Consent: Sendable, Hashable, BitwiseCopyable {
    /// What it may do.
    package enum Choice: Int, Sendable, Hashable, CaseIterable, BitwiseCopyable {
        case undecided = 0
        /// An administrator forbids it, and nobody is asked.
        case restricted = 1
        case denied = 2
        case always = 3
        case whenInUse = 4
        /// Asked for always, a person said "while using": the app reads `authorizedAlways`, and the person is asked again when
        /// something happens that needs it (CL 4.2).
        case provisionalAlways = 5
    }

    /// What it may do.
    package var choice: Choice
    /// How precisely.
    package var accuracy: AccuracyAuthorization
    /// The one chance to ask for more than "while using" is spent.
    package var hasAskedAlways: Bool

    /// A decision.
    package init(_ choice: Choice, accuracy: AccuracyAuthorization = .full, hasAskedAlways: Bool = false) {
        self.choice = choice
        self.accuracy = accuracy
        self.hasAskedAlways = hasAskedAlways
    }

    var authorization: Authorization {
        switch choice {
        case .undecided: Authorization(status: .notDetermined, accuracy: accuracy)
        case .restricted: Authorization(status: .restricted, accuracy: accuracy)
        case .denied: Authorization(status: .denied, accuracy: accuracy)
        case .always: Authorization(status: .authorizedAlways, accuracy: accuracy)
        case .whenInUse: Authorization(status: .authorizedWhenInUse, accuracy: accuracy)
        case .provisionalAlways: Authorization(status: .authorizedAlways, accuracy: accuracy, isProvisional: true)
        }
    }
}

/// What the engine keeps of an identity.
struct Identity: Sendable {
    /// Whose it is; nil: not counted.
    var user: UInt32?
    /// nil: nobody decided.
    var decided: Consent?
    /// In force while nobody decided.
    var policy = Consent(.undecided)
    /// Allowed as long as it is in use now.
    var isOnce = false
    /// Has asked for more than the policy allows, which is no decision.
    var hasAskedAlways = false
    /// Its app holds its service sessions itself.
    var requiresSessions = false
    /// Full accuracy as long as it is in use now.
    var hasTemporaryFullAccuracy = false
    /// Managers by which it is in use.
    var uses = 0
    /// A service of it runs.
    var isUsingLocation = false

    var consent: Consent { decided ?? policy }

    func authorization(servicesEnabled: Bool) -> Authorization {
        var authorization = consent.authorization
        if isOnce { authorization = Authorization(status: .authorizedWhenInUse, accuracy: consent.accuracy) }
        if hasTemporaryFullAccuracy { authorization.accuracy = .full }
        guard !servicesEnabled else { return authorization }
        return Authorization(status: .denied, accuracy: authorization.accuracy, isDeniedGlobally: true)
    }
}

extension Consent {
    /// Whether it lets an app do or know anything that `other` does not.
    package func allowsMore(than other: Consent) -> Bool {
        if choice.rank != other.choice.rank { return choice.rank > other.choice.rank }
        return choice.rank > Choice.undecided.rank && accuracy == .full && other.accuracy == .reduced
    }
}

extension Consent.Choice {
    /// The more it allows, the greater. Nobody is asked about who is denied, so that undecided allows more.
    fileprivate var rank: Int {
        switch self {
        case .denied, .restricted: 0
        case .undecided: 1
        case .whenInUse: 2
        case .provisionalAlways: 3
        case .always: 4
        }
    }
}

extension Engine {
    /// What is decided, configured or known about an identity.
    mutating func handleConsent(_ event: Event, at now: BootInstant, into effects: inout EffectBuffer) {
        switch event {
        case .identityEntered(let identity, let user, let decided, let policy):
            enter(identity, user: user, decided: decided, policy: policy, into: &effects)
        case .policyChanged(let identity, let policy): setPolicy(of: identity, policy, at: now, into: &effects)
        case .decided(let identity, let consent): decide(identity, consent, at: now, into: &effects)
        case .allowedOnce(let identity): allowOnce(identity, at: now, into: &effects)
        case .answered(let request, let word): answer(request, word, at: now, into: &effects)
        case .sessionsRequired(let identity, let areRequired):
            requireSessions(identity, areRequired, at: now, into: &effects)
        case .servicesSwitched(let areEnabled): switchServices(areEnabled, at: now, into: &effects)
        default: break
        }
    }

    /// What the rules say of an identity; it is in force while nobody has decided.
    package func policy(of identity: IdentityID) -> Consent { identities[identity.index].policy }

    /// The consent in force for an identity and whether somebody decided it.
    package func consent(of identity: IdentityID) -> (consent: Consent, isDecided: Bool) {
        (identities[identity.index].consent, identities[identity.index].decided != nil)
    }

    /// The authorization that would follow from a decision.
    package func authorization(for consent: Consent) -> Authorization {
        var identity = Identity()
        identity.decided = consent
        return identity.authorization(servicesEnabled: areServicesEnabled)
    }

    /// The authorization that follows for its apps.
    package func authorization(of identity: IdentityID) -> Authorization {
        identities[identity.index].authorization(servicesEnabled: areServicesEnabled)
    }

    /// What was decided about an identity or holds for it otherwise, also while location services are off.
    package func decision(about identity: IdentityID) -> AuthorizationStatus {
        identities[identity.index].authorization(servicesEnabled: true).status
    }

    /// Whether a service of the identity runs now.
    package func isUsingLocation(_ identity: IdentityID) -> Bool { identities[identity.index].isUsingLocation }

    /// Whether it may only as long as it is in use now.
    package func isAllowedOnce(_ identity: IdentityID) -> Bool { identities[identity.index].isOnce }

    /// Whether the identity is in use: it has a connection, or a background activity session within the rejoin time.
    package func isInUse(_ identity: IdentityID) -> Bool {
        identities.indices.contains(identity.index) && identities[identity.index].uses > 0
    }

    mutating func enter(
        _ identity: IdentityID, user: UInt32?, decided: Consent?, policy: Consent, into effects: inout EffectBuffer
    ) {
        // An answer to what another asked is none to this one.
        for request in authorizationRequests where request.identity == identity {
            close(request.number, .withdrawn, into: &effects)
        }
        while identities.count <= identity.index { identities.append(Identity()) }
        identities[identity.index] = Identity()
        identities[identity.index].user = user
        identities[identity.index].decided = decided
        identities[identity.index].policy = policy
    }

    mutating func setPolicy(
        of identity: IdentityID, _ policy: Consent, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        guard identities[identity.index].policy != policy else { return }
        change(identity, at: now, into: &effects) { $0.policy = policy }
    }

    /// An administrator's word ends whatever was asked and whatever was allowed for a while.
    mutating func decide(
        _ identity: IdentityID, _ consent: Consent?, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        change(identity, at: now, into: &effects) {
            $0.decided = consent
            $0.isOnce = false
            $0.hasTemporaryFullAccuracy = false
            $0.hasAskedAlways = false
        }
        effects.append(.saveConsent(identity))
        saveAllowance(of: identity, into: &effects)
        let isOpen = identities[identity.index].authorization(servicesEnabled: true).status == .notDetermined
        for request in authorizationRequests where request.identity == identity && !isOpen {
            close(request.number, .withdrawn, into: &effects)
        }
        settleHeldEvents(of: identity, at: now, into: &effects)
    }

    mutating func allowOnce(_ identity: IdentityID, at now: BootInstant, into effects: inout EffectBuffer) {
        // What was decided stays on record, and is in force again when the use is over.
        change(identity, at: now, into: &effects) { $0.isOnce = $0.uses > 0 }
        saveAllowance(of: identity, into: &effects)
        for request in authorizationRequests where request.identity == identity {
            close(request.number, .once, into: &effects)
        }
        settleHeldEvents(of: identity, at: now, into: &effects)
    }

    /// Turns the services of the whole device off or on; off reads as denied, and on brings back what was (CL 4.2).
    mutating func switchServices(_ areEnabled: Bool, at now: BootInstant, into effects: inout EffectBuffer) {
        guard areEnabled != areServicesEnabled else { return }
        areServicesEnabled = areEnabled
        for index in identities.indices {
            refreshAuthorization(of: IdentityID(rawValue: Int32(index)), at: now, into: &effects)
        }
    }

    /// Changes what is known of an identity, and tells its apps if that changes their authorization.
    mutating func change(
        _ identity: IdentityID, at now: BootInstant, into effects: inout EffectBuffer,
        _ body: (inout Identity) -> Void
    ) {
        body(&identities[identity.index])
        refreshAuthorization(of: identity, at: now, into: &effects)
    }

    private mutating func refreshAuthorization(
        of identity: IdentityID, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let authorization = authorization(of: identity)
        for index in apps.indices where apps[index].identity == identity {
            changeAuthorization(of: AppID(rawValue: Int32(index)), to: authorization, at: now, into: &effects)
        }
        withdrawNeedlessRequests(of: identity, into: &effects)
        raiseWanted(of: identity, at: now, into: &effects)
        touch(identity)
    }
}
