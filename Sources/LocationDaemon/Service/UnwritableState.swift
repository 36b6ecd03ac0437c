// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import LocationStore

/// A state directory that can be read and not written: what people decided must hold all the same, so that a copy is read.
enum UnwritableState {
    /// The database as it was, from a copy in the runtime directory; nil: it cannot be read, or there is none.
    static func database(in stateDirectory: String, copiedTo runtimeDirectory: String, _ journal: Journal) -> Database?
    {
        let (original, copy) = ("\(stateDirectory)/locationd.sqlite", "\(runtimeDirectory)/locationd.sqlite.copy")
        let files = FileManager.default
        guard files.fileExists(atPath: original) else { return nil }
        do {
            for suffix in ["", "-wal", "-shm"] {
                if files.fileExists(atPath: copy + suffix) { try files.removeItem(atPath: copy + suffix) }
            }
            // What a killed daemon had committed last is in the second file.
            for suffix in ["", "-wal"] where files.fileExists(atPath: original + suffix) {
                try files.copyItem(atPath: original + suffix, toPath: copy + suffix)
            }
            return try Database(path: copy)
        } catch {
            journal.error("cannot read what is in \(stateDirectory) either: \(error)")
            return nil
        }
    }
}
