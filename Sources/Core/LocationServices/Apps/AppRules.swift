// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
package import SystemSupport

/// Rules for apps that nobody decided about: by their manifests, by the configuration, or by the decision about their user.
package struct AppRules {
    /// The consent of an app that nobody decided about, and the rule behind it, for people.
    struct Policy {
        var consent: Consent
        var rule: String
    }

    package private(set) var authorization = AuthorizationRules()
    package private(set) var manifests = ManifestDirectory()
    /// Identities that were last seen as units of the system's manager: rules for units grant only to those.
    private var systemUnits: Set<PeerIdentity> = []
    /// The names of users.
    package var userNames = RecentAnswers<UInt32, String> { Accounts.name(of: $0) }
    /// Names of users and groups in the rules that mean nobody, a sentence each.
    private(set) var unknownNames: [String] = []

    /// Takes the rules of a configuration and the manifests; a manifest with which something is wrong counts for nothing, and that is said.
    package mutating func take(_ authorization: AuthorizationRules, _ manifests: ManifestDirectory, _ journal: Journal)
    {
        (self.authorization, self.manifests) = (authorization, manifests)
        for problem in manifests.problems { journal.error(problem) }
        for warning in manifests.warnings { journal.warning(warning) }
    }

    /// Says which names in the rules mean nobody.
    package mutating func note(unknownNames: [String], _ journal: Journal) {
        self.unknownNames = unknownNames
        for warning in unknownNames { journal.warning(warning) }
    }

    /// Remembers what rules for units hold for, when no process is there to be looked at.
    package mutating func note(_ identity: PeerIdentity, isSystemUnit: Bool) {
        if isSystemUnit { systemUnits.insert(identity) } else { systemUnits.remove(identity) }
    }

    func isSystemUnit(_ identity: PeerIdentity) -> Bool { systemUnits.contains(identity) }

    /// The manifest of an identity, of which `process` is one; nil: it has none.
    func manifest(of identity: PeerIdentity, _ process: ClientManager?) -> AppManifest? {
        process?.who.manifest ?? identity.name.flatMap { manifests.manifest(named: $0) }
    }

    /// Returns the consent that holds for an identity, and the rule behind it. `process`: one of it; nil: none is there.
    func policy(for identity: PeerIdentity, _ process: ClientManager?, _ consents: ConsentBook) -> Policy {
        let configured = configuredRule(for: identity, process)
        var own = Policy(
            consent: Consent(configured.status.consentChoice, accuracy: configured.accuracy), rule: configured.rule)
        // A rule might allow whom somebody refused.
        if consents.problem != nil, own.consent.allowsMore(than: Consent(.undecided)) {
            own.consent = Consent(.undecided)
        }
        guard let user = userDecision(covering: identity, process, consents) else { return own }
        let decided = Policy(consent: user, rule: "the decision about uid:\(identity.uid)")
        // A refusal goes before everything but a decision about the app itself; else what is said of the app goes before what is said of
        // its user.
        return user.isRefusal || !configured.isAboutTheApp ? decided : own
    }

    /// Whether a list names the process of a client: its user, or its service where the system's manager runs that.
    func names(_ process: ClientManager, in list: AuthorizationRules.Subjects) -> Bool {
        guard let identity = process.who.identity else { return false }
        return list.names(subject(identity, process))
    }

    private func subject(_ identity: PeerIdentity, _ process: ClientManager?) -> AuthorizationSubject {
        let group = process?.who.controlGroup
        return AuthorizationSubject(
            uid: identity.uid, userName: Accounts.name(of: identity.uid), service: group?.service ?? identity.service,
            isSystemService: group?.isSystem ?? isSystemUnit(identity),
            isMember: { text in
                guard let group = Accounts.system.gid(text) else { return false }
                return process?.peer.isMember(group) ?? Accounts.groups(of: identity.uid).contains(group)
            })
    }

    private func configuredRule(for identity: PeerIdentity, _ process: ClientManager?) -> DefaultDecision {
        let manifest = manifest(of: identity, process)
        var subject = subject(identity, process)
        // Nobody is there to be looked at: the manifest says what it is.
        if process?.who.controlGroup == nil, subject.service == nil {
            subject.possibleServices = manifest?.services ?? []
        }
        return authorization.decision(for: subject, manifest: manifest)
    }

    /// The decision about the user who started the app. What the system's manager starts is the system's, whoever it runs as.
    private func userDecision(
        covering identity: PeerIdentity, _ process: ClientManager?, _ consents: ConsentBook
    ) -> Consent? {
        guard let name = identity.name, !(process?.who.isSystemUnit ?? isSystemUnit(identity)),
            !name.hasPrefix("unit:"),
            let decided = consents[PeerIdentity(uid: identity.uid, name: nil)]?.consent
        else { return nil }
        // Provisional is a question that stays open, and that is the user's own.
        let choice = decided.choice == .provisionalAlways ? .whenInUse : decided.choice
        return Consent(choice, accuracy: decided.accuracy)
    }
}

extension PeerIdentity {
    /// The service of an identity that is one.
    var service: String? {
        guard let name else { return nil }
        for prefix in ["unit:", "user-unit:"] where name.hasPrefix(prefix) {
            return String(name.dropFirst(prefix.count))
        }
        return nil
    }

    /// Without the word for its kind: what a person would type.
    var shortName: String? {
        name.flatMap { name in name.firstIndex(of: ":").map { String(name[name.index(after: $0)...]) } }
    }
}

extension Consent {
    /// Whether somebody has said no.
    var isRefusal: Bool { choice == .denied || choice == .restricted }
}

extension Consent.Choice {
    /// The authorization that follows from it while location services are on.
    var authorizationStatus: AuthorizationStatus {
        switch self {
        case .undecided: .notDetermined
        case .restricted: .restricted
        case .denied: .denied
        case .always, .provisionalAlways: .authorizedAlways
        case .whenInUse: .authorizedWhenInUse
        }
    }
}

extension AuthorizationStatus {
    /// The decision that leads to it.
    var consentChoice: Consent.Choice {
        switch self {
        case .notDetermined: .undecided
        case .restricted: .restricted
        case .denied: .denied
        case .authorizedAlways: .always
        case .authorizedWhenInUse: .whenInUse
        }
    }
}
