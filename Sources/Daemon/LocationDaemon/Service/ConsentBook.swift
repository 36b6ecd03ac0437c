// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationStore

/// What was decided about whom, by whom and when, as it is stored and shown.
struct ConsentBook {
    struct Entry: Equatable, Sendable {
        var consent: Consent
        var decidedBy: String
        var decidedAt: WallTime
        var lastUse: WallTime?
        /// The user's name when it was decided; nil: it had none, or none was noted.
        var user: String?
    }

    private(set) var entries: [PeerIdentity: Entry] = [:]
    /// For whom it was decided before, where the user's number is another's now.
    var formerUsers: [PeerIdentity: String] = [:]
    /// Users about whom somebody has decided, and whose apps do not know it yet.
    var decidedUsers: Set<UInt32> = []
    /// Why not all that people decided is known, in a sentence: no rule allows anything. nil: it is.
    var problem: String?
    /// Decisions are in force that neither the disk nor the runtime directory has taken.
    var areInMemoryAlone = false

    init(_ stored: [StoredConsent] = []) { read(stored) }

    /// The decisions of the store, and no others.
    mutating func read(_ stored: [StoredConsent]) {
        entries.removeAll()
        for consent in stored { enter(consent) }
    }

    /// Takes over what the second file says. Of a damaged one what is there goes before what was read otherwise, which else stays.
    mutating func take(_ decisions: Decisions) {
        if decisions.isWhole { entries.removeAll() }
        for consent in decisions.consents { enter(consent) }
    }

    /// Takes over what a former process had in force and not on the disk: only what allows less, because more is never owed. What an
    /// administrator allowed while the state could not be read held as long as that process.
    mutating func takeOwed(_ owed: Decisions) {
        let known = entries
        take(owed)
        for identity in Set(known.keys).union(entries.keys) {
            let (before, after) = (known[identity], entries[identity])
            if (after?.consent ?? Consent(.undecided)).allowsMore(than: before?.consent ?? Consent(.undecided)) {
                entries[identity] = before
            }
        }
    }

    private mutating func enter(_ consent: StoredConsent) {
        guard let choice = Consent.Choice(rawValue: consent.choice),
            let accuracy = AccuracyAuthorization(rawValue: consent.accuracy)
        else { return }
        entries[PeerIdentity(uid: consent.uid, name: consent.name)] = Entry(
            consent: Consent(choice, accuracy: accuracy, hasAskedAlways: consent.hasAskedAlways),
            decidedBy: consent.decidedBy, decidedAt: consent.decidedAt, lastUse: consent.lastUse,
            user: consent.user)
    }

    subscript(_ identity: PeerIdentity) -> Entry? {
        get { entries[identity] }
        set { entries[identity] = newValue }
    }

    /// All of it as the second file has it.
    func decisions(areServicesEnabled: Bool) -> Decisions {
        let identities = entries.keys.sorted { $0.description < $1.description }
        return Decisions(
            areServicesEnabled: areServicesEnabled, consents: identities.compactMap { entries[$0]?.stored($0) })
    }
}

extension ConsentBook.Entry {
    /// What the store keeps of an entry about `identity`.
    func stored(_ identity: PeerIdentity) -> StoredConsent {
        StoredConsent(
            uid: identity.uid, user: user, name: identity.name, choice: consent.choice.rawValue,
            accuracy: consent.accuracy.rawValue, hasAskedAlways: consent.hasAskedAlways, decidedBy: decidedBy,
            decidedAt: decidedAt, lastUse: lastUse)
    }
}
