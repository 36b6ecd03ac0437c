// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import SystemSupport

// What an app may do while nobody has decided about it: by its manifest, by the configuration, or by the decision about its user.
extension LocationService {
    /// What holds for an app that nobody decided about, and what says so, for people.
    struct Policy {
        var consent: Consent
        var rule: String
    }

    /// What holds for an identity. `manager`: a process of it; nil: none is there.
    func policy(for identity: PeerIdentity, _ manager: ClientManager?) -> Consent {
        rule(for: identity, manager).consent
    }

    /// What holds for an identity, and what says so.
    func rule(for identity: PeerIdentity, _ manager: ClientManager?) -> Policy {
        let configured = configuredRule(for: identity, manager)
        var own = Policy(
            consent: Consent(configured.status.consentChoice, accuracy: configured.accuracy), rule: configured.rule)
        // A rule might allow whom somebody refused.
        if !knowsDecisions, own.consent.allowsMore(than: Consent(.undecided)) { own.consent = Consent(.undecided) }
        guard let user = userDecision(covering: identity, manager) else { return own }
        let decided = Policy(consent: user, rule: "the decision about uid:\(identity.uid)")
        // A refusal goes before everything but a decision about the app itself; else what is said of the app goes before what is said of
        // its user.
        let isRefusal = user.choice == .denied || user.choice == .restricted
        return isRefusal || !configured.isAboutTheApp ? decided : own
    }

    private func configuredRule(for identity: PeerIdentity, _ manager: ClientManager?) -> DefaultDecision {
        let manifest = manager?.manifest ?? identity.name.flatMap { manifests.manifest(named: $0) }
        let isSystem = manager?.controlGroup?.isSystem ?? systemUnits.contains(identity)
        var subject = AuthorizationSubject(
            uid: identity.uid, userName: Accounts.name(of: identity.uid),
            service: manager?.controlGroup?.service ?? identity.service, isSystemService: isSystem,
            isMember: { text in
                guard let group = Accounts.system.gid(text) else { return false }
                return manager?.peer.isMember(group) ?? Accounts.groups(of: identity.uid).contains(group)
            })
        // Nobody is there to be looked at: the manifest says what it is.
        if manager?.controlGroup == nil, subject.service == nil { subject.possibleServices = manifest?.services ?? [] }
        return configuration.authorization.decision(for: subject, manifest: manifest)
    }

    /// The decision about the user who started the app. What the system's manager starts is the system's, whoever it runs as.
    private func userDecision(covering identity: PeerIdentity, _ manager: ClientManager?) -> Consent? {
        let isSystemUnit = manager?.isSystemUnit ?? systemUnits.contains(identity)
        guard let name = identity.name, !isSystemUnit, !name.hasPrefix("unit:"),
            let decided = consents[PeerIdentity(uid: identity.uid, name: nil)]?.consent
        else { return nil }
        // Provisional is a question that stays open, and that is the user's own.
        let choice = decided.choice == .provisionalAlways ? .whenInUse : decided.choice
        return Consent(choice, accuracy: decided.accuracy)
    }

    /// Puts decisions about users in force for what they have started. After the turn that made them: it says what it decides first.
    func coverApps(at now: BootInstant) {
        guard !decidedUsers.isEmpty else { return }
        let users = decidedUsers
        decidedUsers.removeAll()
        for number in apps.knownIdentities {
            guard let identity = apps.identity(number), identity.name != nil, users.contains(identity.uid) else {
                continue
            }
            decide(.policyChanged(number, policy(for: identity, process(of: identity))), at: now)
        }
    }

    /// A process of an identity that is there.
    func process(of identity: PeerIdentity) -> ClientManager? {
        managers.lazy.compactMap { $0 }.first { $0.identity == identity && $0.channel != nil }
    }
}
