// SPDX-License-Identifier: Apache-2.0
import LocationEngine
package import LocationModel
import SystemSupport

/// A user's number can be given to another when the user is gone: what was decided is about the name, too.
package struct FormerUsers {
    let service: LocationService
    let now: BootInstant

    /// Decisions of `service` as of `now`.
    package init(service: LocationService, now: BootInstant) { (self.service, self.now) = (service, now) }

    /// Binds what an earlier version decided to the names that the users have now, and takes back what was decided about users who are
    /// gone and whose numbers are others' now.
    package func bindDecisions() {
        for identity in service.consents.entries.keys.sorted(by: { $0.description < $1.description }) {
            guard service.consents[identity]?.user == nil,
                let name = service.rules.userNames.answer(to: identity.uid, at: now)
            else {
                continue
            }
            service.consents[identity]?.user = name
            service.commit([.decide(identity, service.consents[identity])])
        }
        for uid in Set(service.consents.entries.keys.map(\.uid)).sorted() { forgetDecisions(about: uid) }
    }

    /// Takes back what was decided about the user who had this number before. A user without a name, as where the system's databases do
    /// not answer, is nobody else.
    func forgetDecisions(about uid: UInt32) {
        guard let name = service.rules.userNames.answer(to: uid, at: now) else { return }
        let lapsed = service.consents.entries.filter { $0.key.uid == uid && $0.value.user.map { $0 != name } ?? false }
        for (identity, entry) in lapsed.sorted(by: { $0.key.description < $1.key.description }) {
            let former = entry.user ?? ""
            let words = service.engine.authorization(for: entry.consent).words
            service.journal.warning(
                "uid:\(uid) is \(name) now, and was \(former) when it was decided about \(identity.description): "
                    + "that decision (\(words)) no longer holds")
            if let number = service.apps.number(of: identity) {
                service.decide(.decided(number, nil), at: now)
            } else {
                service.consents[identity] = nil
                service.commit([.decide(identity, nil)])
            }
            service.consents.formerUsers[identity] = former
            if identity.name == nil { service.consents.decidedUsers.insert(uid) }
        }
        if !lapsed.isEmpty { service.coverApps(at: now) }
    }
}
