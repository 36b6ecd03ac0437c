// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationServices
import LocationStore

/// Tells the service what the store remembers, on start.
struct RecordRestoring {
    let service: LocationService
    let keeper: StateKeeper
    let now: BootInstant

    private var records: RecordKeeper { keeper.records }

    /// Tells the engine what apps own from before; only then clients and their managers come. The receiver may be needed for it.
    func restore() {
        if let reason = records.unreadable { service.distrustRules(because: reason) }
        guard let database = records.database else { return OwedDecisions(service, keeper).take(at: now) }
        do throws(StoreError) {
            try restore(from: database)
        } catch {
            service.journal.error("\(error)", .storeFailed(reason: "\(error)"))
            guard error.isDamage else {
                records.refuseAll(error)
                return restoreDecisions(database)
            }
            restoreSalvaged(database, because: error)
        }
        service.forgetAgedEvents(at: now)
    }

    private func restoreSalvaged(_ database: Database, because error: StoreError) {
        do throws(StoreError) {
            try records.replaceDamaged(database, because: error)
            try restore(from: database)
        } catch {
            service.journal.error("\(error)", .storeFailed(reason: "\(error)"))
            records.refuseAll(error)
            restoreDecisions(database)
        }
    }

    /// Restores people's decisions from the second file: without it the configured rules would outweigh a refusal. Where the file is
    /// damaged, too, decisions that were read before stay, and services are off for everyone if nothing says that they are on.
    private func restoreDecisions(_ database: Database) {
        let found = try? database.decisionsOnTheSide()
        if found?.isWhole != true {
            let reason = records.problem ?? "cannot use \(Database.decisionsPath(database.path))"
            service.distrustRules(because: UnwritableState.sentence(because: reason))
            // Some may be known already, from what could be read.
            service.refreshPolicies(at: now)
        }
        defer { OwedDecisions(service, keeper).take(at: now) }
        guard let decisions = found else { return }
        service.consents.take(decisions)
        // A database that could not be replaced is an empty one in memory, which knows of no switch.
        let known = database.isInMemory ? nil : try? database.locationServicesEnabled()
        let areEnabled = decisions.areServicesEnabled ?? known ?? false
        if !areEnabled { service.decide(.servicesSwitched(false), at: now) }
        service.journal.warning("only the decisions of people are known, from \(Database.decisionsPath(database.path))")
    }

    private func restore(from database: Database) throws(StoreError) {
        service.consents.read(try database.consents())
        for use in try database.uses() {
            service.dates.storedUses[PeerIdentity(uid: use.uid, name: use.name)] = use.date
        }
        if try database.areDecisionsLost() {
            service.distrustRules(because: UnwritableState.sentence(because: "the files with them were damaged"))
        }
        if try !database.locationServicesEnabled() { service.decide(.servicesSwitched(false), at: now) }
        OwedDecisions(service, keeper).take(at: now)
        var byRecord: [Int64: AppID] = [:]
        for stored in try database.apps() {
            let events = try database.events(of: stored.id)
            guard let app = enter(stored, events) else { continue }
            byRecord[stored.id] = app
            if let key = service.apps.key(of: app) { records.enter(key, id: stored.id) }
        }
        try records.readFirstEvent(database)
        try database.forEachRegion { stored in
            guard let app = byRecord[stored.app] else { return }
            service.decide(.regionRestored(app, stored.region, stored.state), at: now)
        }
        for monitor in try database.monitors() {
            guard let app = byRecord[monitor.app] else { continue }
            service.decide(.monitorRestored(app, name: monitor.name), at: now)
        }
        try database.forEachCondition { stored in
            guard let app = byRecord[stored.app] else { return }
            let last = stored.lastEvent ?? ConditionEvent(state: .unknown, date: service.host.date())
            service.decide(
                .conditionRestored(
                    app, monitor: stored.monitor,
                    RestoredCondition(
                        identifier: stored.identifier, shape: stored.shape, lastEvent: last,
                        pendingNumber: stored.pendingEvent ?? 0, found: stored.found)),
                at: now)
        }
        if let stay = try database.stay().flatMap({ StoredStay(decoding: $0) }) {
            service.decide(.stayRestored(stay), at: now)
        }
    }

    private func enter(_ stored: StoredApp, _ events: [AppEvent]) -> AppID? {
        let identity = PeerIdentity(uid: stored.uid, name: stored.name)
        if stored.isSystemUnit { service.rules.note(identity, isSystemUnit: true) }
        // First, because an app belongs to an identity that the engine knows.
        let number = service.enter(identity, nil, at: now)
        guard let (app, isNew) = service.apps.enter(AppKey(identity: identity, label: stored.label)) else { return nil }
        service.apps.setKept(app, true)
        service.dates.lastSeen[app] = stored.lastSeen
        // Known from the first attempt to read a file that was damaged.
        guard isNew else { return app }
        var state = AppRecord(identity: number)
        state.nextEvent = max(stored.nextEvent, (events.last?.number ?? 0) + 1)
        state.eventsDropped = stored.eventsDropped
        state.monitorsVisits = stored.monitorsVisits
        state.events = events
        state.significantChange = stored.significant.map { SignificantReference(place: $0.reference, date: nil) }
        service.decide(.appEntered(app, state), at: now)
        return app
    }

    // MARK: When the managers are there again

    /// Starts the apps that are not there and that something waits for.
    func wakeForStoredEvents() {
        let waking = AppWaking(service: service)
        for app in service.apps.kept where waking.hasEvents(app) && !service.engine.hasConnection(app) {
            waking.wake(app)
        }
    }

    /// Apps of which nothing is kept any more; a disk that takes no change keeps them until it does. Only when managers are there again,
    /// which may have a monitor open that is empty yet.
    func forgetEmptyApps() {
        for app in service.apps.kept {
            for name in service.engine.emptyMonitors(of: app) { service.forgetMonitor(name, of: app, at: now) }
            service.forgetIfEmpty(app)
        }
        service.forgetUnused(at: now)
    }
}
