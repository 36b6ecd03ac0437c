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
