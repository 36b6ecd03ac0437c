// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationEngine
import LocationModel
import LocationProtocol
import SystemSupport

// Who a client is: its identity by the kernel's word, its app, and what both may do while nobody decided.
extension LocationService {
    /// Finds out who the client is, when that first matters, and opens its manager in the engine.
    func identify(_ manager: ClientManager, label: String? = nil, at now: BootInstant) throws(RPCError) {
        guard manager.app == nil else { return }
        let identity = try self.identity(of: manager)
        if let label, label != identity.name, manifests.hasManifest(named: label) {
            throw RPCError(
                .identityMismatch,
                "cannot be \(quoted(label)): that app has a manifest, and this process is \(identity.description)")
        }
        // What a manifest names needs no label beside it.
        let ownLabel = label == identity.name ? nil : label
        let app = try enter(identity, manager, label: ownLabel, at: now)
        manager.app = app
        manager.label = ownLabel
        apps.join(app)
        if isKept(app) { noteSeen(app) }
        decide(.managerOpened(manager.id, ManagerRecord(app: app, presence: .background)), at: now)
    }

    func identity(of manager: ClientManager) throws(RPCError) -> PeerIdentity {
        if let identity = manager.identity { return identity }
        guard let group = manager.peer.controlGroup() else {
            throw RPCError(
                .notPermitted, "cannot tell who you are: your user has no number outside your user namespace")
        }
        let peer = ManifestPeer(uid: manager.peer.uid, group: group, isMember: manager.peer.isMember)
        manager.controlGroup = group
        manager.manifest = manifests.manifest(for: peer)
        let identity =
            manager.manifest.map { PeerIdentity(uid: manager.peer.uid, name: $0.identifier) }
            ?? PeerIdentity(uid: manager.peer.uid, group)
        manager.identity = identity
        manager.isSystemUnit = group.isSystem && group.service != nil
        noteUnit(of: manager)
        return identity
    }

    /// Remembers what rules for units hold for, when no process is there to be looked at.
    func noteUnit(of manager: ClientManager) {
        guard let identity = manager.identity else { return }
        if manager.isSystemUnit { systemUnits.insert(identity) } else { systemUnits.remove(identity) }
    }

    /// The app of an identity and label, with what is decided about it or configured for it.
    func enter(
        _ identity: PeerIdentity, _ manager: ClientManager?, label: String?, at now: BootInstant
    ) throws(RPCError) -> AppID {
        forgetDecisionsAboutFormerUser(identity.uid, at: now)
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
    func enter(_ identity: PeerIdentity, _ manager: ClientManager?, at now: BootInstant) -> IdentityID {
        let (number, isNew) = apps.enter(identity)
        let policy = policy(for: identity, manager)
        if isNew {
            lastUses[number] = storedUses[identity]
            decide(
                .identityEntered(number, user: identity.uid, decided: consents[identity]?.consent, policy: policy),
                at: now)
        } else if manager != nil {
            decide(.policyChanged(number, policy), at: now)
        }
        let requiresSessions = requiresSessions(identity, manager)
        if requiresSessions || !isNew { decide(.sessionsRequired(number, requiresSessions), at: now) }
        return number
    }

    private func requiresSessions(_ identity: PeerIdentity, _ manager: ClientManager?) -> Bool {
        let manifest = manager?.manifest ?? identity.name.flatMap { manifests.manifest(named: $0) }
        return manifest?.requiresExplicitServiceSession ?? false
    }

    /// The manifests or the configuration may say something else now.
    func refreshPolicies(at now: BootInstant) {
        // Who a client is was settled when it came; what is said of that may be new.
        for case let manager? in managers {
            manager.manifest = manager.identity?.name.flatMap { manifests.manifest(named: $0) }
        }
        agents.removeAll { !mayBeAgent($0) }
        for number in apps.knownIdentities {
            guard let identity = apps.identity(number) else { continue }
            let manager = process(of: identity)
            decide(.policyChanged(number, policy(for: identity, manager)), at: now)
            decide(.sessionsRequired(number, requiresSessions(identity, manager)), at: now)
        }
    }

    /// Says which names of the configuration mean nobody.
    func noteUnknownNames() {
        unknownNames = configuration.unknownNames()
        for warning in unknownNames { journal.warning(warning) }
    }

    /// Reads the manifests; what is wrong with one is said, and it counts for nothing.
    func loadManifests() {
        manifests = ManifestDirectory(path: configuration.apps.directory)
        for problem in manifests.problems { journal.error(problem) }
        for warning in manifests.warnings { journal.warning(warning) }
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

extension Consent.Choice {
    /// What follows from it while location services are on.
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
