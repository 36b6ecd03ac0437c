// SPDX-License-Identifier: Apache-2.0
import LocationServices
import LocationStore

/// A state directory that cannot be written, or not even be read: what people decided must hold all the same.
struct UnwritableState {
    /// The database as it was, from a copy in the runtime directory, else one of what people decided, from the second file; nil: there
    /// is nothing that can be read.
    private(set) var database: Database?
    /// Why not all that people decided is known, in a sentence for them; nil: it is, or nobody has decided anything yet.
    private(set) var unreadable: String?
    /// The same where an administrator has said that rules count all the same: why nothing that is stored is used.
    private(set) var unused: String?

    init(in stateDirectory: String, copiedTo runtimeDirectory: String?, _ journal: Journal) {
        let original = "\(stateDirectory)/locationd.sqlite"
        let side = Database.decisionsPath(original)
        // A new directory that cannot be written has nothing to be read.
        if fileExists(original) == false, fileExists(side) == false { return }
        var reason: StoreError?
        if let runtimeDirectory {
            do throws(StoreError) {
                let copy = "\(runtimeDirectory)/locationd.sqlite.copy"
                database = try UnwritableState.copied(original, to: copy, journal)
                return
            } catch {
                reason = error
            }
        }
        let decisions = try? Decisions(path: side)
        database = decisions.flatMap { try? Database.inMemory($0) }
        if decisions?.isWhole == true, database != nil {
            if let reason { journal.error("\(reason)") }
            journal.warning("only the decisions of people are known, from \(side)")
            return
        }
        let cause = reason?.description ?? "cannot use \(side)"
        unreadable = UnwritableState.sentence(because: cause)
        unused = "\(cause); nothing that is stored is used until that can be read and locationd is restarted"
    }

    /// The sentence for `status` and the journal about decisions that cannot be read.
    static func sentence(because reason: String) -> String {
        "cannot tell what people decided (\(reason)): rules allow nobody until that can be read and locationd is restarted, "
            + "or an administrator says 'locctl services on'"
    }

    private static func copied(_ original: String, to copy: String, _ journal: Journal) throws(StoreError) -> Database {
        let decisions = Database.decisionsPath("")
        for suffix in ["", "-wal", "-shm", decisions] { try Decisions.remove(copy + suffix) }
        // The last commits of a killed daemon may still be in the write-ahead log.
        for suffix in ["", "-wal", decisions] where fileExists(original + suffix) != false {
            try copyFile(original + suffix, to: copy + suffix)
        }
        let database = try Database(path: copy)
        for note in database.notes { journal.warning(note) }
        return database
    }
}
