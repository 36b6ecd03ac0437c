// SPDX-License-Identifier: Apache-2.0
import LocationModel

// An app is in use while it has a connection, or a background activity session within the rejoin time (protocol.md 5).
extension Engine {
    func identity(of manager: ManagerID) -> IdentityID { apps[managers[manager.index].app.index].identity }

    /// Whether the app has a connection, or is in use without one.
    func isInUse(_ app: AppID) -> Bool { apps[app.index].uses > 0 }

    /// Brings the count of uses up to date after a manager came, went, or began or ended a session.
    mutating func refreshUse(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        let kept = managers[manager.index]
        let isUse =
            kept.isOpen && (!kept.isAway || kept.keepsUse || kept.sessions.contains { $0.kind == .backgroundActivity })
        guard isUse != kept.isUse else { return }
        managers[manager.index].isUse = isUse
        let change = isUse ? 1 : -1
        let identity = apps[kept.app.index].identity
        apps[kept.app.index].uses += change
        identities[identity.index].uses += change
        if apps[kept.app.index].uses == (isUse ? 1 : 0) { refreshWatching(of: kept.app, into: &effects) }
        if identities[identity.index].uses == 0 { endUse(of: identity, at: now, into: &effects) }
    }

    /// What was allowed for this use is over.
    private mutating func endUse(of identity: IdentityID, at now: BootInstant, into effects: inout EffectBuffer) {
        withdrawRequests(of: identity, into: &effects)
        let kept = identities[identity.index]
        guard kept.isOnce || kept.hasTemporaryFullAccuracy else { return }
        change(identity, at: now, into: &effects) {
            $0.isOnce = false
            $0.hasTemporaryFullAccuracy = false
        }
        saveAllowance(of: identity, into: &effects)
    }

    /// Whether something of the manager waits for consent.
    func wantsLocation(_ manager: ManagerID) -> Bool {
        let kept = managers[manager.index]
        let app = apps[kept.app.index]
        if app.monitorsVisits || !app.regions.isEmpty || app.conditionCount > 0 { return true }
        return kept.wantsStandard || kept.wantsSignificant || kept.wantsHeading || requests.contains(manager)
            || live.contains(manager) || !kept.monitors.isEmpty || kept.sessions.contains { $0.asksForLocation }
    }

    /// Something of the identity started or ended: whether it uses the location is looked at when the turn ends.
    mutating func touch(_ identity: IdentityID) {
        if !touchedIdentities.contains(identity) { touchedIdentities.append(identity) }
    }

    mutating func noteUses(into effects: inout EffectBuffer) {
        guard !touchedIdentities.isEmpty else { return }
        for identity in touchedIdentities where identities.indices.contains(identity.index) {
            let isUsing = usesLocation(identity)
            guard isUsing != identities[identity.index].isUsingLocation else { continue }
            identities[identity.index].isUsingLocation = isUsing
            effects.append(.noteUse(identity, isUsing: isUsing))
        }
        touchedIdentities.removeAll(keepingCapacity: true)
    }

    private func usesLocation(_ identity: IdentityID) -> Bool {
        guard authorization(of: identity).isAuthorized else { return false }
        func isTheirs(_ manager: ManagerID) -> Bool { self.identity(of: manager) == identity }
        return standard.services.contains { isTheirs($0.manager) }
            || significant.services.contains { isTheirs($0.manager) }
            || requests.services.contains { isTheirs($0.manager) }
            || live.services.contains { isTheirs($0.manager) && mayStream($0.manager) }
            || headings.services.contains { isTheirs($0.manager) }
            || apps.contains {
                $0.identity == identity && ($0.watchesRegions || $0.watchesVisits || $0.absentSignificant != nil)
            }
    }
}
