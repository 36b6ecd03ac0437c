// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
package import LocationProtocol
import SystemSupport

// The identity of a client by the kernel's word, its app, and what both may do while nobody decided.
extension LocationService {
    /// Finds out who the client is, when that first matters, and opens its manager in the engine.
    func identify(_ manager: ClientManager, label: String? = nil, at now: BootInstant) throws(RPCError) {
        guard manager.app == nil else { return }
        let identity = try self.identity(of: manager)
        if let label, label != identity.name, rules.manifests.hasManifest(named: label) {
            throw RPCError(
                .identityMismatch,
                "cannot be \(quoted(label)): that app has a manifest, and this process is \(identity.description)")
        }
        // An app that a manifest names needs no label beside it.
        let ownLabel = label == identity.name ? nil : label
        let app = try enter(identity, manager, label: ownLabel, at: now)
        manager.app = app
        manager.label = ownLabel
        apps.join(app)
        if isKept(app) { noteSeen(app) }
        decide(.managerOpened(manager.id, ManagerRecord(app: app, presence: .background)), at: now)
    }

    package func identity(of manager: ClientManager) throws(RPCError) -> PeerIdentity {
        if let identity = manager.who.identity { return identity }
        guard let group = manager.peer.controlGroup() else {
            throw RPCError(
                .notPermitted, "cannot tell who you are: your user has no number outside your user namespace")
        }
        let peer = ManifestPeer(uid: manager.peer.uid, group: group, isMember: manager.peer.isMember)
        manager.who.controlGroup = group
        manager.who.manifest = rules.manifests.manifest(for: peer)
        let identity =
            manager.who.manifest.map { PeerIdentity(uid: manager.peer.uid, name: $0.identifier) }
            ?? PeerIdentity(uid: manager.peer.uid, group)
        manager.who.identity = identity
        manager.who.isSystemUnit = group.isSystem && group.service != nil
        rules.note(identity, isSystemUnit: manager.who.isSystemUnit)
        return identity
    }

    /// Returns the consent that holds for an identity while nobody has decided about it, and the rule behind it.
    func policy(for identity: PeerIdentity) -> AppRules.Policy {
        rules.policy(for: identity, managers.process(of: identity), consents)
    }

    /// The app of an identity and label, with what is decided about it or configured for it.
    package func enter(
        _ identity: PeerIdentity, _ manager: ClientManager?, label: String?, at now: BootInstant
    ) throws(RPCError) -> AppID {
        FormerUsers(service: self, now: now).forgetDecisions(about: identity.uid)
        // First, because an app belongs to an identity that the engine knows.
        let number = enter(identity, manager, at: now)
        guard let (app, isNew) = apps.enter(AppKey(identity: identity, label: label)) else {
            throw RPCError(
                .limitExceeded,
                "cannot take app '\(label ?? "")': \(identity.description) uses \(AppTable.labelsPerIdentity) names already"
            )
        }
        if isNew {
            var record = AppRecord(identity: number)
            record.nextEvent = records.firstEvent
            decide(.appEntered(app, record), at: now)
        }
        return app
    }

    /// The number of an identity; the engine knows it from then on. `manager`: a process of it; nil: none is there.
    package func enter(_ identity: PeerIdentity, _ manager: ClientManager?, at now: BootInstant) -> IdentityID {
        let (number, isNew) = apps.enter(identity)
        let policy = rules.policy(for: identity, manager, consents).consent
        if isNew {
            dates.lastUses[number] = dates.storedUses[identity]
            decide(
                .identityEntered(number, user: identity.uid, decided: consents[identity]?.consent, policy: policy),
                at: now)
        } else if manager != nil {
            decide(.policyChanged(number, policy), at: now)
        }
        let requiresSessions = rules.manifest(of: identity, manager)?.requiresExplicitServiceSession ?? false
        if requiresSessions || !isNew { decide(.sessionsRequired(number, requiresSessions), at: now) }
        return number
    }

    /// The manifests or the configuration may say something else now.
    package func refreshPolicies(at now: BootInstant) {
        // A client's identity was settled when it came; the manifest of that identity may be new.
        for manager in managers.all {
            manager.who.manifest = manager.who.identity?.name.flatMap { rules.manifests.manifest(named: $0) }
        }
        for user in prompts.refresh() { Noticing(service: self).tellWaiting(of: user) }
        for number in apps.knownIdentities {
            guard let identity = apps.identity(number) else { continue }
            let process = managers.process(of: identity)
            decide(.policyChanged(number, rules.policy(for: identity, process, consents).consent), at: now)
            let requiresSessions = rules.manifest(of: identity, process)?.requiresExplicitServiceSession ?? false
            decide(.sessionsRequired(number, requiresSessions), at: now)
        }
    }

    /// Puts decisions about users in force for what they have started. After the turn that made them: it says what it decides first.
    func coverApps(at now: BootInstant) {
        guard !consents.decidedUsers.isEmpty else { return }
        let users = consents.decidedUsers
        consents.decidedUsers.removeAll()
        for number in apps.knownIdentities {
            guard let identity = apps.identity(number), identity.name != nil, users.contains(identity.uid) else {
                continue
            }
            decide(.policyChanged(number, policy(for: identity).consent), at: now)
        }
    }

    /// Puts new settings in force, and rules that `rules` has already.
    package func apply(_ settings: ServiceSettings, engine configuration: EngineConfiguration, at now: BootInstant) {
        self.settings = settings
        decide(.configurationChanged(configuration), at: now)
        refreshPolicies(at: now)
        flush()
    }

    // MARK: Users

    /// The name of a user; nil: the system knows none.
    func userName(_ uid: UInt32) -> String? { rules.userNames.answer(to: uid, at: turnTime) }
}
