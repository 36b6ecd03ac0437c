// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A person's allowance for as long as an app is in use. It survives a restart of the daemon, because the app's use goes on as long as the app
/// can come back to its manager.
package struct UseAllowance: Sendable, Equatable {
    /// Allowed once.
    package var isOnce: Bool
    /// Full accuracy for now.
    package var hasTemporaryFullAccuracy: Bool
    /// The decision or rule that held when this was allowed. If another one holds after a restart, somebody has decided since, and the
    /// allowance ends.
    package var consent: Consent

    /// Allowed beside `consent`.
    package init(isOnce: Bool, hasTemporaryFullAccuracy: Bool, consent: Consent) {
        self.isOnce = isOnce
        self.hasTemporaryFullAccuracy = hasTemporaryFullAccuracy
        self.consent = consent
    }
}
