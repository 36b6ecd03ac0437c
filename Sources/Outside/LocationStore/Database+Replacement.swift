// SPDX-License-Identifier: Apache-2.0
import Glibc

extension Database {
    /// Goes on with a new file after an error with `isDamage`: the damaged one is set aside as `path.corrupt-N`, and what can still
    /// be read of it is saved, row by row; what people decided is taken from the second file too. Returns a sentence for the journal on
    /// each. The caller reads everything anew.
    ///
    /// If no new file can be made it throws, and the database goes on in memory: empty, and gone with the process. Not to be called
    /// within a transaction.
    package func replaceDamaged(because error: StoreError) throws(StoreError) -> [String] {
        guard connection.transactionDepth == 0, !isInMemory else { throw error }
        let path = connection.path
        let given = requests
        // The file must be closed before it is renamed: its log is written into it then.
        connection = try Database.memory()
        requests = nil
        let (fresh, notes) = try Database.replace(path, because: error.description, salvaging: true)
        connection = fresh
        writtenDecisions = nil
        if let given { try keepRequests(above: given.reserved) }
        return notes + [try reconcileDecisions()].compactMap { $0 }
    }

    /// Sets the file aside and makes a new one with what could be saved.
    static func replace(
        _ path: String, because reason: String, salvaging isOurs: Bool
    ) throws(StoreError) -> (SQLiteConnection, notes: [String]) {
        let reserved = savedReservation(path)
        let name = try setAside(path, companions: ["-wal", "-shm"])
        var notes = ["set \(path) aside as \(name): \(reason)"]
        try makePrivateFile(path)
        guard case .usable(let fresh) = try open(path) else {
            throw StoreError("cannot use \(path): a new database is damaged at once")
        }
        if reserved > 0 { try reserve(reserved, fresh) }
        guard isOurs, let damaged = try? SQLiteConnection(path: name) else {
            try countAnew(fresh)
            try noteLostDecisions(fresh)
            return (fresh, notes)
        }
        var salvage = Salvage(from: damaged, to: fresh)
        do throws(StoreError) {
            try fresh.transaction(.power) { () throws(StoreError) in
                try salvage.run()
                guard !salvage.isComplete else { return }
                try countAnew(fresh)
                try noteLostDecisions(fresh)
            }
            if let note = salvage.note(name) { notes.append(note) }
        } catch {
            notes.append("cannot save what is in \(name): \(error)")
            try countAnew(fresh)
            try noteLostDecisions(fresh)
        }
        return (fresh, notes)
    }

    /// Numbers that were given and are not known any more must not be given again: no device has counted one a second since 1970.
    static func countAnew(_ connection: SQLiteConnection) throws(StoreError) {
        let floor = Int64(max(time(nil), 0))
        try connection.transaction(.power) { () throws(StoreError) in
            try connection.statement(
                """
                INSERT INTO service (id, authorization_requests, removed_events) VALUES (1, ?1, ?1)
                ON CONFLICT (id) DO UPDATE SET authorization_requests = max(authorization_requests, ?1),
                    removed_events = max(removed_events, ?1)
                """
            ).run(.integer(floor))
        }
    }
}
