// SPDX-License-Identifier: Apache-2.0

// The second file with what people decided. It is written before the transaction of a decision is committed, so that it is never behind;
// ahead it can only be of what nobody was promised yet, and a database that can be read is believed before it.
extension Database {
    /// Where the second file of the database at `path` is.
    package static func decisionsPath(_ path: String) -> String { path + ".decisions" }

    /// Returns people's decisions according to the second file; nil: there is none. Throws if there is one that cannot be read.
    package func decisionsOnTheSide() throws(StoreError) -> Decisions? {
        try Decisions(path: Database.decisionsPath(path))
    }

    /// Within a transaction, before its commit: writes the second file if it is not what the database has now.
    func writeDecisions() throws(StoreError) {
        guard !isInMemory else { return }
        let current = try decisions()
        guard current != writtenDecisions else { return }
        try current.write(to: Database.decisionsPath(path))
        writtenDecisions = current
        try connection.statement("INSERT OR REPLACE INTO meta (key, value) VALUES ('decisions', 'in the second file')")
            .run()
    }

    /// Whether decisions were lost with a damaged database whose second file was damaged or gone, too; until somebody says that
    /// what is left will do.
    package func areDecisionsLost() throws(StoreError) -> Bool {
        try connection.integer("SELECT count(*) FROM meta WHERE key = 'decisions lost'") > 0
    }

    /// Accepts the decisions that are left: none count as lost any more.
    package func acceptLostDecisions() throws(StoreError) {
        try change(.power, "DELETE FROM meta WHERE key = 'decisions lost'")
    }

    static func noteLostDecisions(_ connection: SQLiteConnection) throws(StoreError) {
        try connection.transaction(.power) { () throws(StoreError) in
            try connection.statement("INSERT OR REPLACE INTO meta (key, value) VALUES ('decisions lost', 'yes')").run()
        }
    }

    /// Brings both files together on opening. A database that never wrote the second file, but finds one, came in place of one that is
    /// lost: what the file says holds, and a file that cannot be read throws. Returns what was taken from it, a sentence for the journal; nil:
    /// nothing.
    func reconcileDecisions() throws(StoreError) -> String? {
        let isKept = try connection.integer("SELECT count(*) FROM meta WHERE key = 'decisions'") > 0
        // Decisions that the database has need no second file, which is written anew.
        let file = isKept ? try? decisionsOnTheSide() : try decisionsOnTheSide()
        if !isKept, let file { return try transaction(.power) { () throws(StoreError) in try adopt(file) } }
        do throws(StoreError) {
            writtenDecisions = file
            try transaction(.power) { () throws(StoreError) in haveDecisionsChanged = true }
        } catch {
            // Rows that are damaged are found again by whoever reads them, and a disk without room takes the file later.
            haveDecisionsChanged = !error.isDamage
        }
        return isKept && file?.isWhole == false
            ? "wrote \(Database.decisionsPath(path)) anew: it was damaged" : nil
    }

    /// Whether the database is new, beside a second file of one that is gone.
    static func cameInPlaceOfAnother(_ connection: SQLiteConnection, _ path: String) throws(StoreError) -> Bool {
        guard try connection.integer("SELECT count(*) FROM meta WHERE key = 'decisions'") == 0 else { return false }
        return try Decisions(path: decisionsPath(path)) != nil
    }

    private func decisions() throws(StoreError) -> Decisions {
        Decisions(areServicesEnabled: try locationServicesEnabled(), consents: try consents())
    }

    /// A whole file is the last word; of a damaged one what is there goes before what was saved otherwise.
    private func adopt(_ file: Decisions) throws(StoreError) -> String? {
        let saved = try decisions()
        var changed = 0
        for consent in file.consents where !saved.consents.contains(consent) {
            try save(consent)
            changed += 1
        }
        if file.isWhole {
            for consent in saved.consents
            where !file.consents.contains(where: { $0.uid == consent.uid && $0.name == consent.name }) {
                try removeConsent(uid: consent.uid, name: consent.name)
                changed += 1
            }
        }
        if let areEnabled = file.areServicesEnabled, areEnabled != saved.areServicesEnabled {
            try setLocationServicesEnabled(areEnabled)
            changed += 1
        }
        haveDecisionsChanged = true
        if file.isWhole { try acceptLostDecisions() } else { try Database.noteLostDecisions(connection) }
        guard changed > 0 || !file.isWhole else { return nil }
        let path = Database.decisionsPath(path)
        let lost = file.isWhole ? "" : "; it is damaged, too, and some may be lost"
        let count = "\(file.consents.count) decision\(file.consents.count == 1 ? "" : "s")"
        return "took \(count) of people from \(path), where they are kept a second time\(lost)"
    }
}
