// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationStore

@Suite("A database of version 1")
struct DatabaseMigrationTests {
    private let directory: TemporaryDirectory
    private let path: String

    // As it was released, and not as the first step may read one day.
    private static let version1 = """
        CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
        CREATE TABLE sequence_reservation (
            id INTEGER PRIMARY KEY CHECK (id = 1), upper_bound INTEGER NOT NULL CHECK (upper_bound >= 0)) STRICT;
        CREATE TABLE last_location (
            id INTEGER PRIMARY KEY CHECK (id = 1), sequence INTEGER NOT NULL, timestamp INTEGER NOT NULL,
            latitude REAL NOT NULL, longitude REAL NOT NULL, horizontal_accuracy REAL NOT NULL, altitude REAL,
            ellipsoidal_altitude REAL, vertical_accuracy REAL, speed REAL, speed_accuracy REAL, course REAL,
            course_accuracy REAL, is_simulated INTEGER NOT NULL) STRICT;
        INSERT INTO meta VALUES ('key', 'kept');
        INSERT INTO sequence_reservation VALUES (1, 4711);
        INSERT INTO last_location VALUES (1, 12, 1000, 1.5, -2.5, 8, NULL, NULL, NULL, 3.25, NULL, NULL, NULL, 1);
        PRAGMA application_id = 1819239268;
        PRAGMA user_version = 1;
        """

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.file("state.db")
        let connection = try SQLiteConnection(path: path)
        try connection.execute("PRAGMA journal_mode = WAL")
        try connection.execute(DatabaseMigrationTests.version1)
    }

    @Test("is brought to the current version and loses nothing")
    func migrated() throws {
        let database = try Database(path: path)
        #expect(database.notes == [] && !database.wasReplaced)
        #expect(try database.connection.integer("PRAGMA user_version") == Schema.currentVersion)
        #expect(try database.reservedSequence() == 4711)
        let location = Location(
            coordinate: Coordinate(latitude: 1.5, longitude: -2.5), horizontalAccuracy: 8,
            timestamp: WallTime(milliseconds: 1000), sequence: 12, speed: 3.25, isSimulatedBySoftware: true)
        #expect(try database.lastLocation() == location)
        #expect(try database.connection.integer("SELECT count(*) FROM meta WHERE value = 'kept'") == 1)
        #expect(try database.consents() == [] && database.apps() == [] && database.locationServicesEnabled())
        try database.save(StoredConsent(uid: 1, name: nil, choice: 1, accuracy: 0, decidedBy: "x", decidedAt: date(1)))
        #expect(try Database(path: path).consents().count == 1)
    }

    @Test("of version 2 keeps its decisions, which have no name of a user yet")
    func withoutNames() throws {
        let consent = StoredConsent(uid: 1, name: "a", choice: 2, accuracy: 0, decidedBy: "x", decidedAt: date(1))
        do {
            try Database(path: directory.file("new.db")).save(consent)
            let connection = try SQLiteConnection(path: path)
            try Schema.migrate(connection, with: Array(Schema.migrations.prefix(2)))
            try connection.execute("ATTACH '\(directory.file("new.db"))' AS new")
            let columns = "uid, name, choice, accuracy, has_asked_always, decided_by, decided_at, checksum"
            try connection.execute("INSERT INTO consents (\(columns)) SELECT \(columns) FROM new.consents")
            try connection.execute("DETACH new")
        }
        #expect(try Database(path: path).consents() == [consent])
    }

    @Test("of version 5 keeps its regions, which have no notice yet")
    func withoutNotices() throws {
        do {
            let database = try Database(path: directory.file("new.db"))
            let app = try database.app(uid: 1, name: nil, label: nil).id
            try database.save(region(1, app: app))
            let connection = try SQLiteConnection(path: path)
            try Schema.migrate(connection, with: Array(Schema.migrations.prefix(5)))
            try connection.execute("ATTACH '\(directory.file("new.db"))' AS new")
            for table in ["apps", "regions"] {
                var columns: [String] = []
                try connection.statement("PRAGMA main.table_info(\(table))").forEachRow { columns.append($0.text(1)) }
                let names = columns.joined(separator: ", ")
                try connection.execute("INSERT INTO main.\(table) (\(names)) SELECT \(names) FROM new.\(table)")
            }
            try connection.execute("DETACH new")
        }
        let database = try Database(path: path)
        var former = region(1, app: 1)
        former.region.notice = nil
        #expect(try storedRegions(database) == [former])
    }

    @Test("stays version 1 when a step on the way fails, wherever it fails")
    func failed() throws {
        let connection = try SQLiteConnection(path: path)
        let statements = Schema.migrations[1].split(separator: ";\n", omittingEmptySubsequences: true)
        #expect(statements.count > 5)
        for count in 0..<statements.count {
            let half = statements[0..<count].joined(separator: ";\n") + ";\nnonsense"
            #expect(throws: StoreError.self) { try Schema.migrate(connection, with: [Schema.migrations[0], half]) }
            #expect(try connection.integer("PRAGMA user_version") == 1)
            #expect(try connection.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table'") == 3)
            #expect(try connection.integer("SELECT upper_bound FROM sequence_reservation") == 4711)
        }
        try Schema.migrate(connection)
        #expect(try connection.integer("PRAGMA user_version") == Schema.currentVersion)
    }

    @Test("of a later version it is set aside, and its reservation goes on")
    func later() throws {
        let (current, later) = (Schema.currentVersion, Schema.currentVersion + 1)
        do { try SQLiteConnection(path: path).execute("PRAGMA user_version = \(later)") }
        let database = try Database(path: path)
        #expect(database.wasReplaced)
        #expect(
            database.notes == [
                "set \(path) aside as \(path).corrupt-1: it has version \(later), this is version \(current)",
                "regions, monitors, visits and events of apps are missing: they stay in \(path).corrupt-1, of a later version",
            ])
        #expect(try database.reservedSequence() == 4711)
        #expect(try database.nextAuthorizationRequest() > 1_000_000_000)
    }
}
