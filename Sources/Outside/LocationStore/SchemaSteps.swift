// SPDX-License-Identifier: Apache-2.0
import CSQLite

/// The steps that lead to the tables of a database, and the number that tells it from others: step N takes it from version N to N + 1
/// (`user_version`).
///
/// A step that was released is never edited; a change is a new step.
struct SchemaSteps {
    let applicationID: Int64
    let steps: [String]

    /// Brings a database up to date, all steps in one transaction, which `begin` ends where it is new. Throws damage where its tables are
    /// not those of its version.
    func migrate(
        _ connection: SQLiteConnection, begin: () throws(StoreError) -> Void = {}
    ) throws(StoreError) {
        let version = try connection.integer("PRAGMA user_version")
        guard version < steps.count else { return }
        try connection.transaction(.power) { () throws(StoreError) in
            do throws(StoreError) {
                for step in steps[Int(version)...] { try connection.execute(step) }
            } catch {
                guard sqlite3_errcode(connection.handle) == SQLITE_ERROR else { throw error }
                throw StoreError("it has version \(version), but not its tables: \(error)", isDamage: true)
            }
            try connection.execute("PRAGMA application_id = \(applicationID)")
            try connection.execute("PRAGMA user_version = \(steps.count)")
            if version == 0 { try begin() }
        }
    }

    /// Why a database that is not new cannot be used, and whether its rows mean what they mean here; nil: it can.
    func objection(to connection: SQLiteConnection) throws(StoreError) -> (reason: String, isDamage: Bool)? {
        let version = try connection.integer("PRAGMA user_version")
        let identifier = try connection.integer("PRAGMA application_id")
        if version == 0, identifier == 0, try connection.integer("SELECT count(*) FROM sqlite_schema") == 0 {
            return nil
        }
        guard identifier == applicationID else { return ("it is a database of another program", false) }
        guard (1...Int64(steps.count)).contains(version) else {
            return ("it has version \(version), this is version \(steps.count)", version < 1)
        }
        return nil
    }
}
