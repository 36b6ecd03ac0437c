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
        let body: (Database) throws(StoreError) -> Void

        init(_ durability: Durability = .power, _ body: @escaping (Database) throws(StoreError) -> Void) {
            self.durability = durability
            self.body = body
        }
    }

    /// Changes that wait for the disk; more are given up, and said.
    static let waitingChanges = 4096

    let database: Database?
    /// What is wrong, for `status` and the journal; nil: nothing.
    private(set) var problem: String?
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

    /// `database` nil: there is none that can be read. `isReadOnly`: it is not to be written, and `problem` says why.
    init(_ database: Database?, problem: String?, isReadOnly: Bool = false, journal: @escaping () -> Journal) {
        self.isReadOnly = isReadOnly
        self.database = database
        self.problem = problem
        repairs = database?.notes ?? []
        self.journal = journal
    }

    /// Whether changes wait for the disk.
    var isBehind: Bool { !waiting.isEmpty }

    /// Makes all changes or none. False: they wait.
    @discardableResult
    func commit(_ changes: [Change]) -> Bool {
        guard !changes.isEmpty || !waiting.isEmpty else { return true }
        do throws(StoreError) {
            try make(changes)
            return true
        } catch {
            note(error)
            let room = max(RecordKeeper.waitingChanges - waiting.count, 0)
            if changes.count > room {
                journal().error("cannot keep \(changes.count - room) changes: too many wait for the disk")
            }
            waiting += changes.prefix(room)
            return false
        }
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
        guard let database, !isReadOnly else {
            throw StoreError(problem ?? "cannot store anything: there is no state directory")
        }
        do throws(StoreError) {
            try makeWaiting(database)
            try run(changes, database)
        } catch {
            guard error.isDamage else { throw error }
            try replaceDamaged(database, because: error)
            try run(replaced() + changes, database)
        }
        guard problem != nil else { return }
        problem = nil
        journal().info("the state directory can be written again", .storeRepaired)
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
