// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import LocationStore

/// A state directory that can be read and not written: what people decided must hold all the same, so that a copy is read.
enum UnwritableState {
    /// The database as it was, from a copy in the runtime directory, else one of what people decided, from the second file; nil: neither
    /// can be read, or is there.
    static func database(in stateDirectory: String, copiedTo runtimeDirectory: String?, _ journal: Journal) -> Database?
    {
        let original = "\(stateDirectory)/locationd.sqlite"
        do {
            if let runtimeDirectory {
                return try copied(original, to: "\(runtimeDirectory)/locationd.sqlite.copy", journal)
            }
        } catch {
            journal.error("cannot read what is in \(stateDirectory) either: \(error)")
        }
        guard let decisions = Decisions(path: Database.decisionsPath(original)) else { return nil }
        journal.warning("only the decisions of people are known, from \(Database.decisionsPath(original))")
        return try? Database.inMemory(decisions)
    }

    private static func copied(_ original: String, to copy: String, _ journal: Journal) throws -> Database? {
        let files = FileManager.default
        let decisions = Database.decisionsPath("")
        guard files.fileExists(atPath: original) || files.fileExists(atPath: original + decisions) else { return nil }
        for suffix in ["", "-wal", "-shm", decisions] where files.fileExists(atPath: copy + suffix) {
            try files.removeItem(atPath: copy + suffix)
        }
        // What a killed daemon had committed last is in the second file.
        for suffix in ["", "-wal", decisions] where files.fileExists(atPath: original + suffix) {
            try files.copyItem(atPath: original + suffix, toPath: copy + suffix)
        }
        let database = try Database(path: copy)
        for note in database.notes { journal.warning(note) }
        return database
    }
}
