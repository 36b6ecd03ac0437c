// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore

// What the engine decides to keep, written before it is told (Protocol 7.5, 7.7).
extension LocationService {
    /// Apps of one user of which the store keeps something.
    static let keptAppsPerUser = 256

    /// Writes what the effects of one turn have to keep. False: the disk does not take what somebody asked to be kept.
    func store(_ buffer: EffectBuffer, for event: Event) -> Bool {
        var changes: [RecordKeeper.Change] = []
        var saved: Set<AppID> = []
        var isPromised = false
        for effect in buffer.effects {
            // What is saved of an app is how it is after the turn: once is enough.
            if case .saveApp(let app) = effect, !saved.insert(app).inserted { continue }
            let count = changes.count
            note(effect, buffer, &changes)
            if changes.count > count, effect.isPromise { isPromised = true }
        }
        guard !changes.isEmpty, !records.commit(changes) else { return true }
        return !(event.isAsked && isPromised)
    }

    private func note(_ effect: Effect, _ buffer: EffectBuffer, _ changes: inout [RecordKeeper.Change]) {
        switch effect {
        case .saveConsent(let identity): noteConsent(identity, &changes)
        case .noteUse(let identity, let isUsing): noteUse(identity, isUsing, &changes)
        case .saveApp(let app):
            let state = engine.record(of: app)
            if written.app?.app != app || written.app?.state != state { changes.append(saving(app, state)) }
        case .storeEvent(let app, let index):
            let event = buffer.events[index]
            changes.append(change(of: app) { database, id throws(StoreError) in try database.save(event, of: id) })
        case .forgetEvent(let app, let number):
            if let removed = written.event, removed == (app, number) { return }
            changes.append(
                change(of: app) { database, id throws(StoreError) in try database.removeEvent(number, of: id) })
        case .saveRegionState(let app, let handle):
            guard let (region, state) = engine.region(handle) else { return }
            let date = engine.lastLocation?.timestamp
            changes.append(
                change(of: app) { database, id throws(StoreError) in
                    try database.setRegionState(app: id, identifier: region.identifier, state, at: date)
                })
        case .saveCondition(let app, let handle):
            guard let condition = engine.condition(handle) else { return }
            changes.append(
                change(of: app) { database, id throws(StoreError) in
                    try database.save(condition.stored(app: id))
                })
        case .saveStay:
            let stay = engine.stay?.encoded
            changes.append(
                RecordKeeper.Change(.process) { database throws(StoreError) in try database.saveStay(stay) })
        default: break
        }
    }

    // MARK: Apps

    /// A change of what an app owns; the app is kept from then on.
    func change(
        of app: AppID, _ durability: Durability = .power,
        _ body: @escaping (Database, Int64) throws(StoreError) -> Void
    ) -> RecordKeeper.Change {
        apps.setKept(app, true)
        return RecordKeeper.Change(durability) { [unowned self] database throws(StoreError) in
            try body(database, try record(of: app, database))
        }
    }

    /// The store's key of an app, which is kept from now on if it was not.
    private func record(of app: AppID, _ database: Database) throws(StoreError) -> Int64 {
        if let id = recordIDs[app] ?? newRecords[app]?.id { return id }
        guard let key = apps.key(of: app) else { throw StoreError("cannot store: the app is gone") }
        let stored = try database.app(uid: key.identity.uid, name: key.identity.name, label: key.label)
        newRecords[app] = (stored.id, stored.nextEvent)
        try database.noteSeen(stored.id, lastSeen[app] ?? wallTime())
        return stored.id
    }

    /// A key is good only when the transaction that made it is.
    func noteRecords(areMade: Bool) {
        if areMade {
            for (app, record) in newRecords {
                recordIDs[app] = record.id
                countedFrom[app] = record.nextEvent
            }
        }
        newRecords.removeAll()
    }

    /// A change that writes the app's own numbers and switches.
    func saving(_ app: AppID) -> RecordKeeper.Change { saving(app, engine.record(of: app)) }

    /// The same for numbers and switches as they will be.
    func saving(_ app: AppID, _ state: AppRecord) -> RecordKeeper.Change {
        let isSystemUnit = apps.key(of: app).map { systemUnits.contains($0.identity) } ?? false
        let significant = state.significantChange.map {
            StoredSignificant(reference: $0.place, at: nil, keepsEvents: true)
        }
        return change(of: app, .power) { database, id throws(StoreError) in
            var stored = StoredApp(id: id, state)
            stored.significant = significant
            stored.isSystemUnit = isSystemUnit
            try database.save(stored)
        }
    }

    /// Forgets that an app is kept when nothing of it is; its numbers go on where they ended.
    func forgetIfEmpty(_ app: AppID) {
        guard let id = recordIDs[app], engine.isEmpty(app) else { return }
        let removal = RecordKeeper.Change { database throws(StoreError) in try database.removeAppIfEmpty(id) }
        // Must not wait for the disk: by then the app may be kept again, under the key that would be gone.
        guard (try? records.require(removal)) != nil else { return }
        recordIDs[app] = nil
        apps.setKept(app, false)
    }

    func forgetMonitor(_ name: String, of app: AppID, at now: BootInstant) {
        let removal = change(of: app) { database, id throws(StoreError) in
            try database.removeMonitor(StoredMonitor(app: id, name: name))
        }
        guard (try? records.require(removal)) != nil else { return }
        decide(.monitorForgotten(app, name: name), at: now)
    }

    /// Events that nobody came for in a month.
    func forgetAgedEvents(at now: BootInstant) {
        // A receiver whose weeks have rolled over dates its events decades ago: they are not older than its newest fix.
        let today = min(wallTime().milliseconds, engine.lastLocation?.timestamp.milliseconds ?? .max)
        let date = today - configuration.events.keep.nanoseconds / 1_000_000
        nextAgeing = now + .seconds(3600)
        decide(.eventsAged(before: WallTime(milliseconds: date)), at: now)
    }

    /// A user's apps that are kept are bounded, as everything is that a client can make us hold.
    func mayKeep(_ app: AppID) -> Bool {
        guard recordIDs[app] == nil, let uid = apps.key(of: app)?.identity.uid, uid != 0 else { return true }
        return apps.kept.count { apps.key(of: $0)?.identity.uid == uid } <= LocationService.keptAppsPerUser
    }

    /// Numbers that the store gave to apps of that name before count on.
    func countEvents(at now: BootInstant) {
        guard !countedFrom.isEmpty else { return }
        let counted = countedFrom.sorted { $0.key < $1.key }
        countedFrom.removeAll()
        for (app, next) in counted where next > 1 { decide(.eventsCounted(app, from: next), at: now) }
    }

    // MARK: Consent

    private func noteConsent(_ number: IdentityID, _ changes: inout [RecordKeeper.Change]) {
        guard let identity = apps.identity(number) else { return }
        let (consent, isDecided) = engine.consent(of: number)
        let before = written.decision.flatMap { $0.identity == identity ? $0 : nil }
        let isWritten = before.map { $0.entry?.consent == (isDecided ? consent : nil) } ?? false
        let entry = isWritten ? before?.entry : isDecided ? self.entry(for: identity, consent) : nil
        consents[identity] = entry
        if isDecided { formerUsers[identity] = nil }
        if identity.name == nil { decidedUsers.insert(identity.uid) }
        let authorization = engine.authorization(of: number)
        journal.info(
            "\(identity.description): \(authorization.words), decided by \(decider)",
            .consentChanged(app: identity.description, consent: authorization.field, decider: decider))
        if !isWritten { changes.append(saving(entry, of: identity)) }
    }

    private func noteUse(_ number: IdentityID, _ isUsing: Bool, _ changes: inout [RecordKeeper.Change]) {
        guard let identity = apps.identity(number) else { return }
        let date = wallTime()
        lastUses[number] = date
        let app = identity.description
        note(
            "\(app) \(isUsing ? "uses" : "no longer uses") the location",
            isUsing ? .useStarted(app: app) : .useEnded(app: app), about: identity.uid)
        let isDecided = consents[identity] != nil
        consents[identity]?.lastUse = date
        changes.append(
            RecordKeeper.Change(.process) { database throws(StoreError) in
                try database.noteUse(date, uid: identity.uid, name: identity.name)
                if isDecided { try database.setLastUse(date, uid: identity.uid, name: identity.name) }
            })
    }

    // MARK: Everything

    /// All that is known, for a database that is new because the old one was damaged.
    func allRecords() -> [RecordKeeper.Change] {
        recordIDs.removeAll()
        var changes = consents.entries.keys.sorted { $0.description < $1.description }.map {
            saving(consents[$0], of: $0)
        }
        changes.append(savingSwitch(engine.areServicesEnabled))
        for app in apps.kept {
            changes.append(saving(app))
            for event in engine.events(of: app) {
                changes.append(change(of: app) { database, id throws(StoreError) in try database.save(event, of: id) })
            }
            for region in engine.monitoredRegions(of: app) {
                let state = engine.region(region.identifier, of: app)?.state ?? .unknown
                changes.append(
                    change(of: app) { database, id throws(StoreError) in
                        try database.save(StoredRegion(app: id, region: region, state: state))
                    })
            }
            for name in engine.monitorNames(of: app) {
                changes.append(
                    change(of: app) { database, id throws(StoreError) in
                        try database.save(StoredMonitor(app: id, name: name))
                    })
                for condition in engine.conditions(ofMonitor: name, of: app) {
                    changes.append(
                        change(of: app) { database, id throws(StoreError) in
                            try database.save(condition.stored(app: id))
                        })
                }
            }
        }
        return changes
    }
}

extension Effect {
    /// Whether an answer promises that it is kept. What is not, such as the date of last use, disturbs nobody when it is not.
    fileprivate var isPromise: Bool {
        switch self {
        case .saveConsent, .forgetEvent, .saveCondition: true
        default: false
        }
    }
}

extension Event {
    /// Whether somebody waits for an answer.
    fileprivate var isAsked: Bool {
        switch self {
        case .asked, .answered, .decided, .allowedOnce: true
        default: false
        }
    }
}

extension Condition {
    fileprivate func stored(app: Int64) -> StoredCondition {
        StoredCondition(
            app: app, monitor: monitor, identifier: identifier, shape: shape, lastEvent: lastEvent,
            pendingEvent: pendingNumber == 0 ? nil : pendingNumber)
    }
}

extension Authorization {
    /// For machines: `authorizedAlways with full accuracy`.
    var field: String {
        status == .notDetermined
            ? "\(status)" : "\(status) with \(accuracy) accuracy" + (isProvisional ? ", provisionally" : "")
    }

    /// For people: `locations always, full accuracy`.
    var words: String {
        let scope =
            switch status {
            case .notDetermined: "not decided"
            case .restricted: "locations restricted"
            case .denied: "locations denied"
            case .authorizedAlways:
                isProvisional ? "locations always, until it is asked about again" : "locations always"
            case .authorizedWhenInUse: "locations when in use"
            }
        return isAuthorized ? "\(scope), \(accuracy) accuracy" : scope
    }
}
