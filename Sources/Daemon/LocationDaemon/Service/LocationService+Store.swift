// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore

// What the engine decides to keep, written before it is told (protocol.md 5, absent apps).
extension LocationService {
    /// Apps of one user of which the store keeps something.
    static let keptAppsPerUser = 256

    /// Writes what the effects of one turn have to keep, but for what is on the disk since before it. False: the disk does not take what
    /// somebody asked to be kept.
    func store(_ buffer: EffectBuffer, for event: Event, _ request: ClientRequest?) -> Bool {
        var changes: [RecordChange] = []
        var saved: Set<AppID> = []
        let written = request?.written ?? []
        let forgotten = written.compactMap { if case .forgetApp(let app) = $0 { app } else { nil } }
        for effect in buffer.effects {
            // What is saved of an app is how it is after the turn: once is enough.
            if case .saveApp(let app) = effect, !saved.insert(app).inserted { continue }
            guard let change = change(for: effect, buffer, request), !written.contains(change) else { continue }
            if let app = change.app, forgotten.contains(app) { continue }
            changes.append(change)
        }
        guard !changes.isEmpty, !commit(changes) else { return true }
        return !(event.isAsked && changes.contains(where: \.isPromise))
    }

    /// What an effect has to keep; nil: nothing.
    private func change(for effect: Effect, _ buffer: EffectBuffer, _ request: ClientRequest?) -> RecordChange? {
        switch effect {
        case .saveConsent(let identity): noteConsent(identity, request)
        case .noteUse(let identity, let isUsing): noteUse(identity, isUsing)
        case .saveStay: .saveStay(engine.stay)
        case .saveApp(let app), .storeEvent(let app, _), .forgetEvent(let app, _), .saveRegionState(let app, _),
            .saveCondition(let app, _):
            apps.key(of: app).flatMap { change(for: effect, of: app, $0, buffer) }
        default: nil
        }
    }

    private func change(for effect: Effect, of app: AppID, _ key: AppKey, _ buffer: EffectBuffer) -> RecordChange? {
        switch effect {
        case .saveApp: saving(app, key)
        case .storeEvent(_, let index): .saveEvent(key, buffer.events[index])
        case .forgetEvent(_, let number): .removeEvent(key, number: number)
        case .saveRegionState(_, let handle):
            engine.region(handle).map {
                .saveRegionState(key, identifier: $0.region.identifier, $0.state, engine.lastLocation?.timestamp)
            }
        case .saveCondition(_, let handle): engine.condition(handle).map { .save($0, of: key) }
        default: nil
        }
    }

    // MARK: Writing

    /// Makes changes, or has them wait for the disk and returns false.
    @discardableResult
    func commit(_ changes: [RecordChange]) -> Bool {
        noteOwned(by: changes)
        return records.commit(changes + dates(of: changes))
    }

    /// Makes changes that a request promises. Throws if they cannot be made now, and then none is.
    @discardableResult
    func require(_ changes: [RecordChange], _ what: String) throws(RPCError) -> [RecordChange] {
        do throws(StoreError) {
            try records.require(changes + dates(of: changes))
        } catch {
            throw RPCError(.unavailable, "cannot \(what): \(error)")
        }
        noteOwned(by: changes)
        return changes
    }

    /// Apps that are new in the store have the date at which they were there last.
    private func dates(of changes: [RecordChange]) -> [RecordChange] {
        var dates: [RecordChange] = []
        for case let key? in changes.map({ $0.isKept ? $0.app : nil }) where !records.holds(key) {
            let seen = apps.app(key).flatMap { lastSeen[$0] } ?? wallTime()
            if !dates.contains(where: { $0.app == key }) { dates.append(.noteSeen(key, seen)) }
        }
        return dates
    }

    private func noteOwned(by changes: [RecordChange]) {
        for change in changes {
            guard let app = change.app.flatMap({ apps.app($0) }) else { continue }
            if change.isKept { apps.setKept(app, true) }
            if case .forgetAppIfEmpty = change { apps.setKept(app, false) }
        }
    }

    // MARK: Apps

    /// Whether the store knows the app.
    func isKept(_ app: AppID) -> Bool { apps.key(of: app).map { records.holds($0) } ?? false }

    /// A change that writes the app's own numbers and switches.
    func saving(_ app: AppID, _ key: AppKey) -> RecordChange { saving(engine.record(of: app), key) }

    /// The same for numbers and switches as they will be.
    func saving(_ record: AppRecord, _ key: AppKey) -> RecordChange {
        .saveApp(key, record, isSystemUnit: systemUnits.contains(key.identity))
    }

    /// Forgets that an app is kept when nothing of it is; its numbers go on where they ended.
    func forgetIfEmpty(_ app: AppID) {
        guard let key = apps.key(of: app), records.holds(key), engine.isEmpty(app) else { return }
        // Must not wait for the disk: by then the app may be kept again, and would be gone.
        _ = try? require([.forgetAppIfEmpty(key)], "forget an app")
    }

    func forgetMonitor(_ name: String, of app: AppID, at now: BootInstant) {
        guard let key = apps.key(of: app), (try? require([.removeMonitor(key, name: name)], "forget a monitor")) != nil
        else { return }
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
        guard !isKept(app), let uid = apps.key(of: app)?.identity.uid, uid != 0 else { return true }
        return apps.kept.count { apps.key(of: $0)?.identity.uid == uid } <= LocationService.keptAppsPerUser
    }

    /// Numbers that the store gave to apps of that name before count on.
    func countEvents(at now: BootInstant) {
        guard records.hasCounts else { return }
        let counts = records.takeCounts().compactMap { key, next in apps.app(key).map { (app: $0, next: next) } }
        for (app, next) in counts.sorted(by: { $0.app < $1.app }) where next > 1 {
            decide(.eventsCounted(app, from: next), at: now)
        }
    }

    // MARK: Consent

    private func noteConsent(_ number: IdentityID, _ request: ClientRequest?) -> RecordChange? {
        guard let identity = apps.identity(number) else { return nil }
        let (consent, isDecided) = engine.consent(of: number)
        let entry = isDecided ? self.entry(for: identity, consent, request) : nil
        consents[identity] = entry
        if isDecided { formerUsers[identity] = nil }
        if identity.name == nil { decidedUsers.insert(identity.uid) }
        let authorization = engine.authorization(of: number)
        let decider = request?.decider ?? LocationService.ownName
        journal.info(
            "\(identity.description): \(authorization.words), decided by \(decider)",
            .consentChanged(app: identity.description, consent: authorization.field, decider: decider))
        return .decide(identity, entry)
    }

    private func noteUse(_ number: IdentityID, _ isUsing: Bool) -> RecordChange? {
        guard let identity = apps.identity(number) else { return nil }
        let date = wallTime()
        lastUses[number] = date
        let app = identity.description
        note(
            "\(app) \(isUsing ? "uses" : "no longer uses") the location",
            isUsing ? .useStarted(app: app) : .useEnded(app: app), about: identity.uid)
        let isDecided = consents[identity] != nil
        consents[identity]?.lastUse = date
        return .noteUse(identity, date, isDecided: isDecided)
    }

    // MARK: Everything

    /// All that is known, for a database that is new because the old one was damaged.
    func allRecords() -> [RecordChange] {
        var changes = consents.entries.keys.sorted { $0.description < $1.description }.map {
            RecordChange.decide($0, consents[$0])
        }
        changes.append(.switchServices(engine.areServicesEnabled))
        for app in apps.kept {
            guard let key = apps.key(of: app) else { continue }
            changes.append(saving(app, key))
            changes += engine.events(of: app).map { .saveEvent(key, $0) }
            for region in engine.monitoredRegions(of: app) {
                changes.append(
                    .saveRegion(key, region, engine.region(region.identifier, of: app)?.state ?? .unknown))
            }
            for name in engine.monitorNames(of: app) {
                changes.append(.saveMonitor(key, name: name))
                changes += engine.conditions(ofMonitor: name, of: app).map { .save($0, of: key) }
            }
            changes.append(.noteSeen(key, lastSeen[app] ?? wallTime()))
        }
        return changes
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
