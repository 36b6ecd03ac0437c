// SPDX-License-Identifier: Apache-2.0
import Glibc

/// The tables of the database.
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
        """,
        appsAndConsents,
        // The name of the user who was decided about: a number can be given anew. Empty: it had none, or was not noted.
        "ALTER TABLE consents ADD COLUMN user TEXT NOT NULL DEFAULT '';",
        """
        -- When a process of the app was there last; NULL: not noted.
        ALTER TABLE apps ADD COLUMN last_seen INTEGER;

        CREATE TABLE uses (
            id INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL CHECK (uid BETWEEN 0 AND 4294967295),
            name TEXT NOT NULL,
            date INTEGER NOT NULL,
            UNIQUE (uid, name)
        ) STRICT;
        """,
        // How it was found: `LocationKind`; 0: a receiver measured it.
        "ALTER TABLE last_location ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;",
        // NULL: the region has none.
        "ALTER TABLE regions ADD COLUMN notice BLOB;",
        """
        -- The state that was found while pending_event waited, and when; NULL: none.
        ALTER TABLE conditions ADD COLUMN found_state INTEGER CHECK (found_state BETWEEN 0 AND 3);
        ALTER TABLE conditions ADD COLUMN found_date INTEGER;
        """,
    ]

    /// Every table has a number as its key and each row stands for itself, so that a damaged page costs its own rows only.
    /// An empty name or label is none. Dates in milliseconds since 1970; NULL is unknown or none.
    private static let appsAndConsents = """
        CREATE TABLE service (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            location_services_enabled INTEGER NOT NULL DEFAULT 1 CHECK (location_services_enabled IN (0, 1)),
            -- All numbers up to these may have been given to requests, and to events of apps that were removed.
            authorization_requests INTEGER NOT NULL DEFAULT 0 CHECK (authorization_requests >= 0),
            removed_events INTEGER NOT NULL DEFAULT 0 CHECK (removed_events >= 0)
        ) STRICT;

        CREATE TABLE stay (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            state BLOB NOT NULL
        ) STRICT;

        CREATE TABLE consents (
            id INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL CHECK (uid BETWEEN 0 AND 4294967295),
            name TEXT NOT NULL,
            choice INTEGER NOT NULL,
            accuracy INTEGER NOT NULL,
            has_asked_always INTEGER NOT NULL CHECK (has_asked_always IN (0, 1)),
            decided_by TEXT NOT NULL,
            decided_at INTEGER NOT NULL,
            last_use INTEGER,
            -- Over who may do what: a bit that flips must not authorize anybody.
            checksum INTEGER NOT NULL,
            UNIQUE (uid, name)
        ) STRICT;

        CREATE TABLE apps (
            id INTEGER PRIMARY KEY,
            uid INTEGER NOT NULL CHECK (uid BETWEEN 0 AND 4294967295),
            name TEXT NOT NULL,
            label TEXT NOT NULL,
            is_system_unit INTEGER NOT NULL DEFAULT 0 CHECK (is_system_unit IN (0, 1)),
            next_event INTEGER NOT NULL CHECK (next_event >= 1),
            monitors_visits INTEGER NOT NULL DEFAULT 0 CHECK (monitors_visits IN (0, 1)),
            events_dropped INTEGER NOT NULL DEFAULT 0 CHECK (events_dropped >= 0),
            -- NULL: the significant-change service is not in use.
            significant_keeps_events INTEGER CHECK (significant_keeps_events IN (0, 1)),
            significant_latitude REAL,
            significant_longitude REAL,
            significant_at INTEGER,
            UNIQUE (uid, name, label)
        ) STRICT;

        -- A shape is three numbers (latitude, longitude, radius) or the latitudes and longitudes of its corners.
        CREATE TABLE regions (
            id INTEGER PRIMARY KEY,
            app INTEGER NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
            identifier TEXT NOT NULL,
            shape BLOB NOT NULL,
            notify_on_entry INTEGER NOT NULL CHECK (notify_on_entry IN (0, 1)),
            notify_on_exit INTEGER NOT NULL CHECK (notify_on_exit IN (0, 1)),
            cushion REAL,
            dwell_nanoseconds INTEGER,
            state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 2),
            state_date INTEGER,
            UNIQUE (app, identifier)
        ) STRICT;

        CREATE TABLE monitors (
            id INTEGER PRIMARY KEY,
            app INTEGER NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
            name TEXT NOT NULL,
            UNIQUE (app, name)
        ) STRICT;

        CREATE TABLE conditions (
            id INTEGER PRIMARY KEY,
            monitor INTEGER NOT NULL REFERENCES monitors (id) ON DELETE CASCADE,
            identifier TEXT NOT NULL,
            shape BLOB NOT NULL,
            -- NULL: no event was acknowledged.
            last_state INTEGER CHECK (last_state BETWEEN 0 AND 3),
            last_date INTEGER,
            last_refinement BLOB,
            last_flags INTEGER,
            pending_event INTEGER,
            UNIQUE (monitor, identifier)
        ) STRICT;

        CREATE TABLE events (
            id INTEGER PRIMARY KEY,
            app INTEGER NOT NULL REFERENCES apps (id) ON DELETE CASCADE,
            number INTEGER NOT NULL CHECK (number >= 1),
            date INTEGER NOT NULL,
            kind TEXT NOT NULL,
            content BLOB NOT NULL,
            UNIQUE (app, number)
        ) STRICT;
        CREATE INDEX events_by_date ON events (date);
        """

    static var currentVersion: Int64 { Int64(migrations.count) }

    /// Brings a database up to date.
    static func migrate(_ connection: SQLiteConnection, with steps: [String] = migrations) throws(StoreError) {
        try SchemaSteps(applicationID: applicationID, steps: steps).migrate(connection)
    }

    /// Why the database cannot be used, and whether it is damaged or not ours; nil if it can be used.
    static func objection(to connection: SQLiteConnection) throws(StoreError) -> (reason: String, isDamage: Bool)? {
        let steps = SchemaSteps(applicationID: applicationID, steps: migrations)
        if let objection = try steps.objection(to: connection) { return objection }
        var verdict = ""
        try connection.statement("PRAGMA quick_check(1)").forEachRow { row in verdict = row.text(0) }
        return verdict == "ok" ? nil : ("it is damaged: \(verdict)", true)
    }

    /// Whether the file at `path` is a database of a later version, by its header: it is not opened, and stays as it is.
    static func isLater(_ path: String) -> Bool {
        guard let descriptor = try? openRegularFile(path, O_RDONLY) else { return false }
        defer { close(descriptor) }
        var header = [UInt8](repeating: 0, count: 72)
        guard pread(descriptor, &header, header.count, 0) == header.count else { return false }
        func number(at offset: Int) -> Int32 { header[offset..<offset + 4].reduce(0) { $0 << 8 | Int32($1) } }
        return number(at: 68) == applicationID && number(at: 60) > currentVersion
    }
}
