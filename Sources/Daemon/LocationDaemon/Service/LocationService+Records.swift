// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore

// What the store remembers, on start.
extension LocationService {
    /// Tells the engine what apps own from before; only then clients and their managers come. The receiver may be needed for it.
    func restoreRecords(at now: BootInstant) {
        if let reason = records.unreadable { distrustRules(because: reason) }
        guard let database = records.database else { return takeOwedDecisions(at: now) }
        do throws(StoreError) {
            try restore(from: database, at: now)
        } catch {
            journal.error("\(error)", .storeFailed(reason: "\(error)"))
            guard error.isDamage else {
                records.refuseAll(error)
                return restoreDecisions(database, at: now)
            }
            restoreSalvaged(database, because: error, at: now)
        }
        forgetAgedEvents(at: now)
    }

    /// Starts the apps that are not there and that something waits for.
    func wakeForStoredEvents() {
        for app in apps.kept where !engine.events(of: app).isEmpty && !engine.hasConnection(app) { wake(app) }
    }

    /// Apps of which nothing is kept any more; a disk that takes no change keeps them until it does. Only when managers are there again,
    /// which may have a monitor open that is empty yet.
    func forgetEmptyApps(at now: BootInstant) {
        for app in apps.kept {
            for name in engine.emptyMonitors(of: app) { forgetMonitor(name, of: app, at: now) }
            forgetIfEmpty(app)
        }
        forgetUnused(at: now)
    }

    private func restoreSalvaged(_ database: Database, because error: StoreError, at now: BootInstant) {
        do throws(StoreError) {
            try records.replaceDamaged(database, because: error)
            try restore(from: database, at: now)
        } catch {
            journal.error("\(error)", .storeFailed(reason: "\(error)"))
            records.refuseAll(error)
            restoreDecisions(database, at: now)
        }
    }

    /// What people decided, from the second file: without it what is configured would outweigh a refusal. Where the file is damaged, too,
    /// what was read before stays, and services are off for everyone if nothing says that they are on.
    private func restoreDecisions(_ database: Database, at now: BootInstant) {
        let found = try? database.decisionsOnTheSide()
        if found?.isWhole != true {
            let reason = records.problem ?? "cannot use \(Database.decisionsPath(database.path))"
            distrustRules(because: UnwritableState.sentence(because: reason))
            // Some may be known already, from what could be read.
            refreshPolicies(at: now)
        }
        defer { takeOwedDecisions(at: now) }
        guard let decisions = found else { return }
        consents.take(decisions)
        // A database that could not be replaced is an empty one in memory, which knows of no switch.
        let known = database.isInMemory ? nil : try? database.locationServicesEnabled()
        let areEnabled = decisions.areServicesEnabled ?? known ?? false
        if !areEnabled { decide(.servicesSwitched(false), at: now) }
        journal.warning("only the decisions of people are known, from \(Database.decisionsPath(database.path))")
    }

    private func restore(from database: Database, at now: BootInstant) throws(StoreError) {
        consents = ConsentBook(try database.consents())
        for use in try database.uses() { storedUses[PeerIdentity(uid: use.uid, name: use.name)] = use.date }
        if try database.areDecisionsLost() {
            distrustRules(because: UnwritableState.sentence(because: "the files with them were damaged"))
        }
        if try !database.locationServicesEnabled() { decide(.servicesSwitched(false), at: now) }
        takeOwedDecisions(at: now)
        var byRecord: [Int64: AppID] = [:]
        for stored in try database.apps() {
            let events = try database.events(of: stored.id)
            guard let app = enter(stored, events, at: now) else { continue }
            byRecord[stored.id] = app
            if let key = apps.key(of: app) { records.enter(key, id: stored.id) }
        }
        try records.readFirstEvent(database)
        try database.forEachRegion { stored in
            guard let app = byRecord[stored.app] else { return }
            decide(.regionRestored(app, stored.region, stored.state), at: now)
        }
        for monitor in try database.monitors() {
            guard let app = byRecord[monitor.app] else { continue }
            decide(.monitorRestored(app, name: monitor.name), at: now)
        }
        try database.forEachCondition { stored in
            guard let app = byRecord[stored.app] else { return }
            let last = stored.lastEvent ?? ConditionEvent(state: .unknown, date: wallTime())
            decide(
                .conditionRestored(
                    app, monitor: stored.monitor,
                    RestoredCondition(identifier: stored.identifier, shape: stored.shape, lastEvent: last)), at: now)
        }
        if let stay = try database.stay().flatMap({ StoredStay(decoding: $0) }) {
            decide(.stayRestored(stay), at: now)
        }
    }

    private func enter(_ stored: StoredApp, _ events: [AppEvent], at now: BootInstant) -> AppID? {
        let identity = PeerIdentity(uid: stored.uid, name: stored.name)
        if stored.isSystemUnit { systemUnits.insert(identity) }
        // First, because an app belongs to an identity that the engine knows.
        let number = enter(identity, nil, at: now)
        guard let (app, isNew) = apps.enter(AppKey(identity: identity, label: stored.label)) else { return nil }
        apps.setKept(app, true)
        lastSeen[app] = stored.lastSeen
        // Known from the first attempt to read a file that was damaged.
        guard isNew else { return app }
        var state = AppRecord(identity: number)
        state.nextEvent = max(stored.nextEvent, (events.last?.number ?? 0) + 1)
        state.eventsDropped = stored.eventsDropped
        state.monitorsVisits = stored.monitorsVisits
        state.events = events
        state.significantChange = stored.significant.map { SignificantReference(place: $0.reference, date: nil) }
        decide(.appEntered(app, state), at: now)
        return app
    }
}
