// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationStore

/// Writes what apps own: consents, regions, monitors, events. What is told or acknowledged was written before.
///
/// When the disk is full or broken the service goes on: what it decided by itself waits here and is tried again with the next change, and
/// what clients ask to be kept is refused.
final class RecordKeeper {
    /// One change, to be tried again if it has to.
    struct Change {
        /// What it survives once it is made.
        var durability = Durability.power
        /// What people decided about, of which the newest word counts; nil: it is no decision.
        let decision: String?
        let body: (Database) throws(StoreError) -> Void

        init(
            _ durability: Durability = .power, decision: String? = nil,
            _ body: @escaping (Database) throws(StoreError) -> Void
        ) {
            self.durability = durability
            self.decision = decision
            self.body = body
        }
    }

    /// Changes that wait for the disk; more are given up, and said.
    static let waitingChanges = 4096

    private(set) var database: Database?
    /// What is wrong, for `status` and the journal; nil: nothing.
    private(set) var problem: String?
    /// Why nobody can tell what people decided; nil: it is known.
    let unreadable: String?
    /// What was set aside and saved since the start, a sentence each.
    private(set) var repairs: [String]
    private var waiting: [Change] = []
    /// What could be stored would be lost, or would stand for what is stored and could not be read.
    private var isReadOnly: Bool
    private let journal: () -> Journal
    /// A transaction was made, or was not.
    var ended: (_ isMade: Bool) -> Void = { _ in }
    /// The database was damaged and is new: what the service knows must be written again.
    var replaced: () -> [Change] = { [] }
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
    func commit(_ changes: [Change]) -> Bool {
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
    private func wait(_ changes: [Change]) {
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

    /// Makes a change that is refused if it cannot be made now.
    func require(_ change: Change) throws(StoreError) {
        do throws(StoreError) {
            try make([change])
        } catch {
            note(error)
            throw error
        }
    }

    /// What is stored could not be read: it must not be overwritten by what is known without it.
    func refuseAll(_ error: StoreError) {
        problem = error.description
        isReadOnly = true
    }

    private func make(_ changes: [Change]) throws(StoreError) {
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
            for note in notes { journal().warning(note, .storeRepaired) }
            repairs += notes
        } catch {
            refuseAll(error)
            throw error
        }
    }

    private func run(_ changes: [Change], _ database: Database) throws(StoreError) {
        let isDurable = changes.contains { $0.durability == .power }
        do throws(StoreError) {
            try database.transaction(isDurable ? .power : .process) { () throws(StoreError) in
                for change in changes { try change.body(database) }
            }
        } catch {
            ended(false)
            throw error
        }
        ended(true)
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
}
