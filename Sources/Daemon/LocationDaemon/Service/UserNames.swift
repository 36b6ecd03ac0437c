// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import SystemSupport

// A user's number can be given to another when the user is gone: what was decided is about the name, too.
extension LocationService {
    /// The name of a user; nil: the system knows none.
    func userName(_ uid: UInt32) -> String? { userNames.answer(to: uid, at: turnTime) }

    /// Binds what an earlier version decided to the names that the users have now, and takes back what was decided about users who are
    /// gone and whose numbers are others' now.
    func bindDecisionsToUsers(at now: BootInstant) {
        for identity in consents.entries.keys.sorted(by: { $0.description < $1.description }) {
            guard consents[identity]?.user == nil, let name = userNames.answer(to: identity.uid, at: now) else {
                continue
            }
            consents[identity]?.user = name
            commit([.decide(identity, consents[identity])])
        }
        for uid in Set(consents.entries.keys.map(\.uid)).sorted() { forgetDecisionsAboutFormerUser(uid, at: now) }
    }

    /// Takes back what was decided about the user who had this number before. A user without a name, as where the system's databases do
    /// not answer, is nobody else.
    func forgetDecisionsAboutFormerUser(_ uid: UInt32, at now: BootInstant) {
        guard let name = userNames.answer(to: uid, at: now) else { return }
        let lapsed = consents.entries.filter { $0.key.uid == uid && $0.value.user.map { $0 != name } ?? false }
        for (identity, entry) in lapsed.sorted(by: { $0.key.description < $1.key.description }) {
            let former = entry.user ?? ""
            let words = engine.authorization(for: entry.consent).words
            journal.warning(
                "uid:\(uid) is \(name) now, and was \(former) when it was decided about \(identity.description): "
                    + "that decision (\(words)) no longer holds")
            if let number = apps.number(of: identity) {
                decide(.decided(number, nil), at: now)
            } else {
                consents[identity] = nil
                commit([.decide(identity, nil)])
            }
            formerUsers[identity] = former
            if identity.name == nil { decidedUsers.insert(uid) }
        }
        if !lapsed.isEmpty { coverApps(at: now) }
    }
}
