// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import SystemSupport

/// The names of users, looked up once for a screen that shows many of them: the system's databases may be files, or slower.
struct UserNames {
    /// How long a name is taken for the user's.
    static let lifetime = TimeSpan.seconds(2)

    /// Looks a name up; tests have users of their own.
    var look: (UInt32) -> String? = { Accounts.name(of: $0) }
    private var names: [UInt32: String?] = [:]
    private var lookedAt = BootInstant(nanoseconds: 0)

    /// The name of a user; nil: the system knows none.
    mutating func name(of uid: UInt32, at now: BootInstant) -> String? {
        if now - lookedAt > UserNames.lifetime {
            names.removeAll()
            lookedAt = now
        }
        if let known = names[uid] { return known }
        let name = look(uid)
        names[uid] = .some(name)
        return name
    }
}

// A user's number can be given to another when the user is gone: what was decided is about the name, too.
extension LocationService {
    /// The name of a user; nil: the system knows none.
    func userName(_ uid: UInt32) -> String? { userNames.name(of: uid, at: turnTime) }

    /// Binds what an earlier version decided to the names that the users have now, and takes back what was decided about users who are
    /// gone and whose numbers are others' now.
    func bindDecisionsToUsers(at now: BootInstant) {
        for identity in consents.entries.keys.sorted(by: { $0.description < $1.description }) {
            guard consents[identity]?.user == nil, let name = userNames.name(of: identity.uid, at: now) else {
                continue
            }
            consents[identity]?.user = name
            records.commit([saving(consents[identity], of: identity)])
        }
        for uid in Set(consents.entries.keys.map(\.uid)).sorted() { forgetDecisionsAboutFormerUser(uid, at: now) }
    }

    /// Takes back what was decided about the user who had this number before. A user without a name, as where the system's databases do
    /// not answer, is nobody else.
    func forgetDecisionsAboutFormerUser(_ uid: UInt32, at now: BootInstant) {
        guard let name = userNames.name(of: uid, at: now) else { return }
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
                records.commit([saving(nil, of: identity)])
            }
            formerUsers[identity] = former
            if identity.name == nil { decidedUsers.insert(uid) }
        }
        if !lapsed.isEmpty { coverApps(at: now) }
    }
}
