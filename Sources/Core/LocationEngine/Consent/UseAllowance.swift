// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// What was allowed for a use that goes on: the end of the daemon is not the end of the use, as long as the app can come back to its
/// manager.
package struct UseAllowance: Sendable, Equatable {
    /// Allowed once.
    package var isOnce: Bool
    /// Full accuracy for now.
    package var hasTemporaryFullAccuracy: Bool
    /// What was decided or configured beside it: if that is another after a restart, somebody has decided since, and this is over.
    package var consent: Consent

    /// Allowed beside `consent`.
    package init(isOnce: Bool, hasTemporaryFullAccuracy: Bool, consent: Consent) {
        self.isOnce = isOnce
        self.hasTemporaryFullAccuracy = hasTemporaryFullAccuracy
        self.consent = consent
    }
}

extension Engine {
    /// What a manager that is a use of its app takes over a restart; nil: nothing was allowed for this use.
    func allowance(of manager: ManagerID) -> UseAllowance? {
        let identity = identities[identity(of: manager).index]
        guard managers[manager.index].isUse, identity.isOnce || identity.hasTemporaryFullAccuracy else { return nil }
        return UseAllowance(
            isOnce: identity.isOnce, hasTemporaryFullAccuracy: identity.hasTemporaryFullAccuracy,
            consent: identity.consent)
    }

    /// Takes the manager of a former process for a use until its time to come back is up.
    mutating func takeUp(
        _ allowance: UseAllowance, of manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let identity = identity(of: manager)
        guard managers[manager.index].isAway, identities[identity.index].consent == allowance.consent else { return }
        managers[manager.index].keepsUse = true
        refreshUse(manager, at: now, into: &effects)
        guard !identities[identity.index].has(allowance) else { return }
        change(identity, at: now, into: &effects) { $0.take(allowance) }
    }

    /// What was allowed for the use of an identity changed: its managers must tell the next process so.
    func saveAllowance(of identity: IdentityID, into effects: inout EffectBuffer) {
        for index in managers.indices where managers[index].isOpen {
            let manager = ManagerID(rawValue: Int32(index))
            if self.identity(of: manager) == identity { effects.append(.saveManager(manager)) }
        }
    }
}

extension Identity {
    /// What was allowed for the use that goes on is allowed.
    mutating func take(_ allowance: UseAllowance) {
        isOnce = allowance.isOnce
        hasTemporaryFullAccuracy = allowance.hasTemporaryFullAccuracy
    }

    fileprivate func has(_ allowance: UseAllowance) -> Bool {
        isOnce == allowance.isOnce && hasTemporaryFullAccuracy == allowance.hasTemporaryFullAccuracy
    }
}
