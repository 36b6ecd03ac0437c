// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationServices
import LocationStore

/// Writes what apps own: consents, regions, monitors, events. What is told or acknowledged was written before.
///
/// When the disk is full or broken the service goes on: what it decided by itself waits here and is tried again with the next change, and
/// what clients ask to be kept is refused.
final class RecordKeeper: RecordKeeping {
    /// Changes that wait for the disk; more are given up, and said.
    static let waitingChanges = 4096

    private(set) var database: Database?
    /// A sentence about what is wrong, for `status` and the journal; nil: nothing is.
    private(set) var problem: String?
    /// Why nobody can tell what people decided; nil: it is known.
    let unreadable: String?
    /// Sentences about what was set aside and saved since the start.
    private(set) var repairs: [String]
    private var waiting: [RecordChange] = []
    /// Nothing may be stored: it would be lost, or would stand for stored records that could not be read.
    private var isReadOnly: Bool
    private let journal: () -> Journal
    /// The database's keys of apps that own something.
    private var ids: [AppKey: Int64] = [:]
    /// Changes of `ids` by the transaction that goes on, and where the events of new apps count from; nil: the app is forgotten.
    private var newIDs: [AppKey: (id: Int64, firstEvent: UInt64)?] = [:]
    /// Where events of apps count from that are new in the database, until somebody takes it.
    private var counts: [AppKey: UInt64] = [:]
    /// Where events of apps count from that the database does not know.
    private(set) var firstEvent: UInt64 = 1
    /// Transactions that were tried since the start, made or not.
    private(set) var transactions = 0
    private var retries = RetryClock()
    private var wasBehind = false
    /// The database was damaged and is new: what the service knows must be written again.
    var replaced: () -> [RecordChange] = { [] }
    /// Decisions are in force that the disk has not taken, or it has taken the last of them.
    var owesDecisionsChanged: (_ owesDecisions: Bool) -> Void = { _ in }
    /// Opens the database for writing, where that was not possible before; nil: that is not tried.
    var reopen: (() throws(StoreError) -> Database)?

    /// `database` nil: there is none that can be read. `isReadOnly`: it is not to be written, and `problem` says why. `unreadable`:
    /// what people decided is there and cannot be read.
    init(
        _ database: Database?, problem: String?, isReadOnly: Bool = false, unreadable: String? = nil,
        journal: @escaping () -> Journal
    ) {
        self.isReadOnly = isReadOnly
        self.database = database
        self.problem = problem
        self.unreadable = unreadable
        repairs = database?.notes ?? []
        self.journal = journal
    }

    /// Whether changes wait for the disk.
    var isBehind: Bool { !waiting.isEmpty }

    /// Decisions that are in force and not on the disk.
    var owedDecisions: Int { waiting.count { $0.decision != nil } }

    /// Makes all changes or none. False: they wait.
    @discardableResult
    func commit(_ changes: [RecordChange]) -> Bool {
        guard !changes.isEmpty || !waiting.isEmpty else { return true }
        do throws(StoreError) {
            try make(changes)
            return true
        } catch {
            note(error)
            wait(changes)
            return false
        }
    }

    /// There is always room for decisions: they are no more than the identities that people decided about.
    private func wait(_ changes: [RecordChange]) {
        let decisions = changes.filter { $0.decision != nil }
        for decision in decisions { waiting.removeAll { $0.decision == decision.decision } }
        let room = max(RecordKeeper.waitingChanges - waiting.count, 0)
        let others = changes.count - decisions.count
        if others > room { journal().error("cannot keep \(others - room) changes: too many wait for the disk") }
        var taken = 0
        for change in changes {
            if change.decision == nil { taken += 1 }
            if change.decision != nil || taken <= room { waiting.append(change) }
        }
        if !decisions.isEmpty { owesDecisionsChanged(true) }
    }

    /// Makes all changes or none; they are refused if they cannot be made now.
    func require(_ changes: [RecordChange]) throws(RecordError) {
        guard !changes.isEmpty else { return }
        do throws(StoreError) {
            try make(changes)
        } catch {
            note(error)
            throw RecordError(error.description)
        }
    }

    /// Refuses all changes from now on: stored records could not be read, and what is known without them must not overwrite them.
    func refuseAll(_ error: StoreError) {
        problem = error.description
        isReadOnly = true
    }

    private func make(_ changes: [RecordChange]) throws(StoreError) {
        try openAgain()
        guard let database, !isReadOnly else {
            throw StoreError(problem ?? "cannot store anything: there is no state directory")
        }
        let wasBehind = isBehind
        do throws(StoreError) {
            try makeWaiting(database)
            try run(changes, database)
        } catch {
            guard error.isDamage else { throw error }
            try replaceDamaged(database, because: error)
            try run(replaced() + changes, database)
        }
        // A change that fits into what the database has in reserve does not show that the disk has room again.
        guard problem != nil, wasBehind || database.hasRoom else { return }
        problem = nil
        journal().info("the state directory can be written again", .storeRepaired)
    }

    private func openAgain() throws(StoreError) {
        guard isReadOnly, let reopen else { return }
        database = try reopen()
        isReadOnly = false
        self.reopen = nil
    }

    /// Goes on with a new file; nothing is written any more if there can be none.
    func replaceDamaged(_ database: Database, because error: StoreError) throws(StoreError) {
        do throws(StoreError) {
            let notes = try database.replaceDamaged(because: error)
            ids.removeAll()
            for note in notes { journal().warning(note, .storeRepaired) }
            repairs += notes
        } catch {
            refuseAll(error)
            throw error
        }
    }

    private func run(_ changes: [RecordChange], _ database: Database) throws(StoreError) {
        let isDurable = changes.contains { !$0.isPassing }
        transactions += 1
        defer { newIDs.removeAll() }
        try database.transaction(isDurable ? .power : .process) { () throws(StoreError) in
            for change in changes { try carryOut(change, database) }
        }
        // A key is good only when the transaction that made it is.
        for (app, new) in newIDs { (ids[app], counts[app]) = (new?.id, new?.firstEvent) }
    }

    /// A change that does not fit its table never will: it must not keep all others waiting.
    private func makeWaiting(_ database: Database) throws(StoreError) {
        guard !waiting.isEmpty else { return }
        let changes = waiting
        defer { if owedDecisions == 0, changes.contains(where: { $0.decision != nil }) { owesDecisionsChanged(false) } }
        do throws(StoreError) {
            try run(changes, database)
            return waiting.removeAll()
        } catch {
            guard error.isConstraint else { throw error }
        }
        waiting.removeAll()
        for (index, change) in changes.enumerated() {
            do throws(StoreError) {
                try run([change], database)
            } catch {
                guard error.isConstraint else {
                    waiting = Array(changes[index...])
                    throw error
                }
                journal().error("\(error); that change is given up")
            }
        }
    }

    private func note(_ error: StoreError) {
        guard problem != error.description else { return }
        problem = error.description
        journal().error(
            "\(error); what has to be kept waits, and requests to keep more are refused",
            .storeFailed(reason: error.description))
    }

    // MARK: Trying again

    /// Tries again what waits, when it is time to. True: all that waited is on the disk now.
    func retry(at now: BootInstant) -> Bool {
        if isBehind {
            wasBehind = true
            guard retries.isDue(at: now) else { return false }
            commit([])
        }
        guard wasBehind, !isBehind else { return false }
        wasBehind = false
        retries = RetryClock()
        return true
    }

    /// When the disk is tried again for what waits; nil: nothing waits.
    var nextRetry: BootInstant? { isBehind ? retries.next ?? BootInstant(nanoseconds: 0) : nil }

    // MARK: Apps

    /// Whether the database knows the app.
    func holds(_ app: AppKey) -> Bool { ids[app] != nil }

    /// An app was read from the database; apps that are new there count their events from `firstEvent` on.
    func enter(_ app: AppKey, id: Int64) { ids[app] = id }

    /// Those that were just found empty count, too.
    func readFirstEvent(_ database: Database) throws(StoreError) { firstEvent = try database.firstEventOfNewApps() }

    /// Whether some app is new in the database.
    var hasCounts: Bool { !counts.isEmpty }

    /// Where events of apps count from that are new in the database since the last time.
    func takeCounts() -> [AppKey: UInt64] {
        defer { counts.removeAll() }
        return counts
    }

    private func id(of app: AppKey) -> Int64? {
        if let new = newIDs[app] { return new?.id }
        return ids[app]
    }

    /// The key of an app, which owns something from now on if it did not.
    private func makeID(of app: AppKey, _ database: Database) throws(StoreError) -> Int64 {
        if let id = id(of: app) { return id }
        let stored = try database.app(uid: app.identity.uid, name: app.identity.name, label: app.label)
        newIDs[app] = .some((stored.id, stored.nextEvent))
        return stored.id
    }

    // MARK: Carrying out

    private func carryOut(_ change: RecordChange, _ database: Database) throws(StoreError) {
        switch change {
        case .decide(let identity, .some(let entry)): try database.save(entry.stored(identity))
        case .decide(let identity, nil): try database.removeConsent(uid: identity.uid, name: identity.name)
        case .switchServices(let areEnabled): try database.setLocationServicesEnabled(areEnabled)
        case .acceptLostDecisions: try database.acceptLostDecisions()
        case .noteUse(let identity, let date, let isDecided):
            try database.noteUse(date, uid: identity.uid, name: identity.name)
            if isDecided { try database.setLastUse(date, uid: identity.uid, name: identity.name) }
        case .forgetUse(let identity): try database.removeUse(uid: identity.uid, name: identity.name)
        case .saveStay(let stay): try database.saveStay(stay?.encoded)
        case .app(let app, let change):
            if let id = change.isKept ? try makeID(of: app, database) : id(of: app) {
                try carryOut(change, of: app, id, database)
            }
        }
    }

    private func carryOut(
        _ change: AppChange, of app: AppKey, _ id: Int64, _ database: Database
    ) throws(StoreError) {
        switch change {
        case .noteSeen(let date): try database.noteSeen(id, date)
        case .save(let record, let isSystemUnit):
            var stored = StoredApp(id: id, nextEvent: record.nextEvent)
            stored.monitorsVisits = record.monitorsVisits
            stored.eventsDropped = record.eventsDropped
            stored.isSystemUnit = isSystemUnit
            stored.significant = record.significantChange.map {
                StoredSignificant(reference: $0.place, at: nil, keepsEvents: true)
            }
            try database.save(stored)
        case .forget:
            try database.removeApp(id)
            newIDs[app] = .some(nil)
        case .forgetIfEmpty:
            try database.removeAppIfEmpty(id)
            newIDs[app] = .some(nil)
        case .saveRegion(let region, let state):
            try database.save(StoredRegion(app: id, region: region, state: state))
        case .setRegionState(let identifier, let state, let date):
            try database.setRegionState(app: id, identifier: identifier, state, at: date)
        case .removeRegion(let identifier): try database.removeRegion(app: id, identifier: identifier)
        case .saveEvent(let event): try database.save(event, of: id)
        case .removeEvent(let number): try database.removeEvent(number, of: id)
        case .saveMonitor(let name): try database.save(StoredMonitor(app: id, name: name))
        case .removeMonitor(let name): try database.removeMonitor(StoredMonitor(app: id, name: name))
        case .saveCondition(let monitor, let identifier, let shape, let lastEvent, let pending, let found):
            try database.save(
                StoredCondition(
                    app: id, monitor: monitor, identifier: identifier, shape: shape, lastEvent: lastEvent,
                    pendingEvent: pending == 0 ? nil : pending, found: found))
        case .removeCondition(let monitor, let identifier):
            try database.removeCondition(app: id, monitor: monitor, identifier: identifier)
        }
    }
}

/// When the disk is tried again that did not take something: soon at first, then less and less often.
struct RetryClock {
    static let shortest = TimeSpan.seconds(10)
    static let longest = TimeSpan.seconds(300)

    private var wait = RetryClock.shortest
    /// The next time; nil: nothing has failed.
    private(set) var next: BootInstant?

    /// Whether to try now.
    mutating func isDue(at now: BootInstant) -> Bool {
        guard let due = next else {
            // It was tried just now, when it failed.
            next = now + wait
            return false
        }
        guard now >= due else { return false }
        wait = min(wait + wait, RetryClock.longest)
        next = now + wait
        return true
    }
}
