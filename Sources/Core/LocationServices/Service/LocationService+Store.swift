// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
import LocationProtocol

// Changes that are to outlive the process, on their way to the disk.
extension LocationService {
    /// It is not known what people decided, so that a rule might allow whom they refused: rules allow nobody.
    package func distrustRules(because reason: String) {
        guard consents.problem == nil else { return }
        consents.problem = reason
        journal.error(reason, .storeFailed(reason: reason))
    }

    /// A decision with who made it and when: whoever made the same one before. `request`: what it is made by; nil: nobody's.
    func entry(for identity: PeerIdentity, _ consent: Consent, _ request: ClientRequest?) -> ConsentBook.Entry {
        let former = consents[identity]
        let same =
            former?.consent.choice == consent.choice && former?.consent.accuracy == consent.accuracy
            ? former : nil
        return ConsentBook.Entry(
            consent: consent, decidedBy: same?.decidedBy ?? request?.decider ?? LocationService.ownName,
            decidedAt: same?.decidedAt ?? request?.date ?? host.date(), lastUse: former?.lastUse,
            user: userName(identity.uid))
    }

    // MARK: Writing

    /// Makes changes, or has them wait for the disk and returns false.
    @discardableResult
    package func commit(_ changes: [RecordChange]) -> Bool {
        noteOwned(by: changes)
        return records.commit(changes + dates(of: changes))
    }

    /// Makes changes that a request promises. Throws if they cannot be made now, and then none is.
    @discardableResult
    func require(_ changes: [RecordChange], _ what: String) throws(RPCError) -> [RecordChange] {
        do throws(RecordError) {
            try records.require(changes + dates(of: changes))
        } catch {
            throw RPCError(.unavailable, "cannot \(what): \(error)")
        }
        noteOwned(by: changes)
        return changes
    }

    /// Apps that are new in the store have the date at which they were there last.
    private func dates(of changes: [RecordChange]) -> [RecordChange] {
        var new: [AppKey] = []
        for case .app(let key, let change) in changes where change.isKept && !records.holds(key) && !new.contains(key) {
            new.append(key)
        }
        return new.map { .app($0, .noteSeen(apps.app($0).flatMap { dates.lastSeen[$0] } ?? host.date())) }
    }

    private func noteOwned(by changes: [RecordChange]) {
        for case .app(let key, let change) in changes {
            guard let app = apps.app(key) else { continue }
            if change.isKept { apps.setKept(app, true) } else if change == .forgetIfEmpty { apps.setKept(app, false) }
        }
    }

    // MARK: Apps

    /// Whether the store knows the app.
    func isKept(_ app: AppID) -> Bool { apps.key(of: app).map { records.holds($0) } ?? false }

    /// A change that writes the app's own numbers and switches.
    func saving(_ app: AppID, _ key: AppKey) -> AppChange { saving(engine.record(of: app), key) }

    /// The same for numbers and switches as they will be.
    func saving(_ record: AppRecord, _ key: AppKey) -> AppChange {
        .save(record, isSystemUnit: rules.isSystemUnit(key.identity))
    }

    /// Forgets that an app is kept when nothing of it is; its numbers go on where they ended.
    package func forgetIfEmpty(_ app: AppID) {
        guard let key = apps.key(of: app), records.holds(key), engine.isEmpty(app) else { return }
        // Must not wait for the disk: by then the app may be kept again, and would be gone.
        _ = try? require([.app(key, .forgetIfEmpty)], "forget an app")
    }

    package func forgetMonitor(_ name: String, of app: AppID, at now: BootInstant) {
        guard let key = apps.key(of: app),
            (try? require([.app(key, .removeMonitor(name: name))], "forget a monitor")) != nil
        else { return }
        decide(.monitorForgotten(app, name: name), at: now)
    }

    /// Numbers that the store gave to apps of that name before count on.
    func countEvents(at now: BootInstant) {
        guard records.hasCounts else { return }
        let counts = records.takeCounts().compactMap { key, next in apps.app(key).map { (app: $0, next: next) } }
        for (app, next) in counts.sorted(by: { $0.app < $1.app }) where next > 1 {
            decide(.eventsCounted(app, from: next), at: now)
        }
    }
}
