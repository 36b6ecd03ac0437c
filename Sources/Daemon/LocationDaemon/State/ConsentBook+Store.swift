// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationServices
import LocationStore

// Decisions as the database and the second file have them.
extension ConsentBook {
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

    /// All of it as the second file has it.
    func decisions(areServicesEnabled: Bool) -> Decisions {
        let identities = entries.keys.sorted { $0.description < $1.description }
        return Decisions(
            areServicesEnabled: areServicesEnabled, consents: identities.compactMap { entries[$0]?.stored($0) })
    }
}

extension ConsentBook.Entry {
    /// The store's form of an entry about `identity`.
    func stored(_ identity: PeerIdentity) -> StoredConsent {
        StoredConsent(
            uid: identity.uid, user: user, name: identity.name, choice: consent.choice.rawValue,
            accuracy: consent.accuracy.rawValue, hasAskedAlways: consent.hasAskedAlways, decidedBy: decidedBy,
            decidedAt: decidedAt, lastUse: lastUse)
    }
}
