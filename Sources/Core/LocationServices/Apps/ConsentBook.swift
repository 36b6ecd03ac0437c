// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel

/// Decisions about identities, with who made them and when, as they are stored and shown.
package struct ConsentBook {
    package struct Entry: Equatable, Sendable {
        package var consent: Consent
        package var decidedBy: String
        package var decidedAt: WallTime
        package var lastUse: WallTime?
        /// The user's name when it was decided; nil: it had none, or none was noted.
        package var user: String?

        /// Made of `consent` by `decidedBy`, in words for people.
        package init(
            consent: Consent, decidedBy: String, decidedAt: WallTime, lastUse: WallTime? = nil, user: String? = nil
        ) {
            self.consent = consent
            (self.decidedBy, self.decidedAt, self.lastUse, self.user) = (decidedBy, decidedAt, lastUse, user)
        }
    }

    package var entries: [PeerIdentity: Entry] = [:]
    /// For whom it was decided before, where the user's number is another's now.
    var formerUsers: [PeerIdentity: String] = [:]
    /// Users about whom somebody has decided, and whose apps do not know it yet.
    var decidedUsers: Set<UInt32> = []
    /// Why not all that people decided is known, in a sentence: no rule allows anything. nil: it is.
    package var problem: String?
    /// Decisions are in force that neither the disk nor the runtime directory has taken.
    package var areInMemoryAlone = false

    package subscript(_ identity: PeerIdentity) -> Entry? {
        get { entries[identity] }
        set { entries[identity] = newValue }
    }
}
