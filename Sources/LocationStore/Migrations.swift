// SPDX-License-Identifier: Apache-2.0

/// The schema, as the steps that lead to it: step N takes a database from version N to N + 1 (`user_version`).
///
/// A step that was released is never edited; a change is a new step.
enum Schema {
    /// "locd": tells our databases from others.
    static let applicationID: Int64 = 0x6C6F_6364

    static let migrations: [String] = [
        """
        CREATE TABLE meta (
            key TEXT PRIMARY KEY NOT NULL,
            value TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;

        -- All numbers up to upper_bound may have been given to fixes.
        CREATE TABLE sequence_reservation (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            upper_bound INTEGER NOT NULL CHECK (upper_bound >= 0)
        ) STRICT;

        -- NULL is unknown. Degrees, metres, metres per second; timestamp in milliseconds since 1970.
        CREATE TABLE last_location (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            sequence INTEGER NOT NULL,
            timestamp INTEGER NOT NULL,
            latitude REAL NOT NULL,
            longitude REAL NOT NULL,
            horizontal_accuracy REAL NOT NULL,
            altitude REAL,
            ellipsoidal_altitude REAL,
            vertical_accuracy REAL,
            speed REAL,
            speed_accuracy REAL,
            course REAL,
            course_accuracy REAL,
            is_simulated INTEGER NOT NULL
        ) STRICT;
        """
    ]

    static var currentVersion: Int64 { Int64(migrations.count) }

    /// Brings a database up to date, all steps in one transaction.
    static func migrate(
        _ connection: SQLiteConnection, with steps: [String] = migrations
    ) throws(StoreError) {
        let version = try connection.integer("PRAGMA user_version")
        guard version < steps.count else { return }
        try connection.transaction { () throws(StoreError) in
            for step in steps[Int(version)...] { try connection.execute(step) }
            try connection.execute("PRAGMA application_id = \(applicationID)")
            try connection.execute("PRAGMA user_version = \(steps.count)")
        }
    }

    /// Why the database cannot be used; nil if it can.
    static func objection(to connection: SQLiteConnection) throws(StoreError) -> String? {
        let version = try connection.integer("PRAGMA user_version")
        let identifier = try connection.integer("PRAGMA application_id")
        guard version == 0 || identifier == applicationID else { return "it is a database of another program" }
        guard (0...currentVersion).contains(version) else {
            return "it has version \(version), this is version \(currentVersion)"
        }
        let tables = try connection.integer("SELECT count(*) FROM sqlite_schema")
        guard version > 0 || tables == 0 else { return "it is a database of another program" }
        var verdict = ""
        try connection.statement("PRAGMA quick_check(1)").forEachRow { row in verdict = row.text(0) }
        return verdict == "ok" ? nil : "it is damaged: \(verdict)"
    }
}
