// SPDX-License-Identifier: Apache-2.0
import CSQLite
import Glibc
package import LocationModel

/// What must outlive a reboot and a power cut, in SQLite (write-ahead log, every commit on the disk unless said otherwise).
///
/// Errors leave what was stored before; the caller reports them and tries again when there is something new to store.
/// Use from one thread.
package final class Database {
    /// What had to be repaired or given up on opening, a sentence each, for the journal.
    package let notes: [String]
    /// Whether a database was there and could not be used: numbers reserved in it may be unknown now.
    package let wasReplaced: Bool

    let connection: SQLiteConnection
    /// Sequences go over the wire as numbers that every JSON reader holds exactly.
    private static let greatestSequence: UInt64 = 1 << 53 - 1

    /// Opens the database at `path` or makes it. One that is damaged, of a later version or of another program is set aside with its
    /// companions as `path.corrupt-N`, see `notes`; the reserved sequence is saved from it if it can still be read.
    ///
    /// Throws if the directory is missing or read-only, or the disk is full.
    package init(path: String) throws(StoreError) {
        var notes: [String] = []
        try Database.makePrivateFile(path)
        let opened = try Database.open(path)
        if let connection = opened.connection {
            self.connection = connection
            wasReplaced = false
        } else {
            let saved = Database.savedReservation(path)
            let name = try setAside(path, companions: ["-wal", "-shm"])
            notes.append("set \(path) aside as \(name): \(opened.reason)")
            try Database.makePrivateFile(path)
            guard let fresh = try Database.open(path).connection else {
                throw StoreError("cannot use \(path): a new database is damaged at once")
            }
            connection = fresh
            wasReplaced = true
            if saved > 0 { try Database.reserve(saved, fresh) }
        }
        self.notes = notes
    }

    private init(connection: SQLiteConnection) {
        self.connection = connection
        notes = []
        wasReplaced = false
    }

    /// A database that ends with the process, for when no file can be had.
    package static func inMemory() throws(StoreError) -> Database {
        let connection = try SQLiteConnection(path: ":memory:")
        try connection.configure()
        try Schema.migrate(connection)
        return Database(connection: connection)
    }

    /// The greatest sequence that may ever have been given to a fix; 0 at first. The next fix gets a greater one.
    package func reservedSequence() throws(StoreError) -> UInt64 {
        UInt64(max(0, try connection.integer("SELECT upper_bound FROM sequence_reservation WHERE id = 1")))
    }

    /// Reserves all sequences up to `bound`; they may be used once this returned, since then a power cut does not forget it.
    ///
    /// A bound below the reserved one changes nothing; above 2^53 - 1 it throws.
    package func reserveSequences(upTo bound: UInt64) throws(StoreError) {
        guard bound <= Database.greatestSequence else {
            throw StoreError("cannot reserve the sequence \(bound): at most \(Database.greatestSequence) is allowed")
        }
        try Database.reserve(bound, connection)
    }

    /// Gives back what was reserved and not used, at an orderly stop: `newest` was the last sequence given.
    package func endReservation(at newest: UInt64) throws(StoreError) {
        try connection.statement("UPDATE sequence_reservation SET upper_bound = ?1 WHERE id = 1 AND upper_bound > ?1")
            .run(.integer(Int64(newest)))
    }

    /// The location saved last, nil if none ever was.
    package func lastLocation() throws(StoreError) -> Location? {
        var location: Location?
        try connection.statement(
            """
            SELECT latitude, longitude, horizontal_accuracy, timestamp, sequence, altitude, ellipsoidal_altitude,
                vertical_accuracy, speed, speed_accuracy, course, course_accuracy, is_simulated
            FROM last_location WHERE id = 1
            """
        ).forEachRow { row in
            location = Location(
                coordinate: Coordinate(latitude: row.real(0), longitude: row.real(1)), horizontalAccuracy: row.real(2),
                timestamp: WallTime(milliseconds: row.integer(3)), sequence: UInt64(max(0, row.integer(4))),
                altitude: row.optionalReal(5), ellipsoidalAltitude: row.optionalReal(6),
                verticalAccuracy: row.optionalReal(7), speed: row.optionalReal(8), speedAccuracy: row.optionalReal(9),
                course: row.optionalReal(10), courseAccuracy: row.optionalReal(11),
                isSimulatedBySoftware: row.integer(12) != 0)
        }
        return location
    }

    /// Saves the last known location. It survives a kill at once, a power cut only after the next durable write:
    /// an fsync for each would wear the flash for a value that the next minute replaces.
    package func saveLastLocation(_ location: Location) throws(StoreError) {
        try connection.execute("PRAGMA synchronous = NORMAL")
        try connection.statement(
            """
            INSERT OR REPLACE INTO last_location (id, latitude, longitude, horizontal_accuracy, timestamp, sequence,
                altitude, ellipsoidal_altitude, vertical_accuracy, speed, speed_accuracy, course, course_accuracy,
                is_simulated)
            VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """
        ).run(
            .real(location.coordinate.latitude), .real(location.coordinate.longitude),
            .real(location.horizontalAccuracy), .integer(location.timestamp.milliseconds),
            .integer(Int64(clamping: location.sequence)), .optional(location.altitude),
            .optional(location.ellipsoidalAltitude), .optional(location.verticalAccuracy), .optional(location.speed),
            .optional(location.speedAccuracy), .optional(location.course), .optional(location.courseAccuracy),
            .integer(location.isSimulatedBySoftware ? 1 : 0))
    }

    private static func reserve(_ bound: UInt64, _ connection: SQLiteConnection) throws(StoreError) {
        try connection.execute("PRAGMA synchronous = FULL")
        try connection.statement(
            """
            INSERT INTO sequence_reservation (id, upper_bound) VALUES (1, ?)
            ON CONFLICT (id) DO UPDATE SET upper_bound = max(upper_bound, excluded.upper_bound)
            """
        ).run(.integer(Int64(clamping: bound)))
    }
}

extension Database {
    /// A usable connection, or the reason why the file must be set aside. What is no fault of the file's is thrown.
    private static func open(_ path: String) throws(StoreError) -> (connection: SQLiteConnection?, reason: String) {
        do throws(StoreError) {
            let connection = try SQLiteConnection(path: path)
            if let reason = try Schema.objection(to: connection) { return (nil, reason) }
            try connection.configure()
            try Schema.migrate(connection)
            return (connection, "")
        } catch {
            guard error.isDamage else { throw error }
            return (nil, error.description)
        }
    }

    /// The reservation in a database that cannot be used otherwise, as far as it can be read; 0 if not.
    private static func savedReservation(_ path: String) -> UInt64 {
        guard let connection = try? SQLiteConnection(path: path),
            let bound = try? connection.integer("SELECT max(upper_bound) FROM sequence_reservation"),
            bound > 0, UInt64(bound) <= greatestSequence
        else { return 0 }
        return UInt64(bound)
    }

    /// Makes the file before SQLite does, which would let everyone read where the device is. Its companions get the same mode.
    private static func makePrivateFile(_ path: String) throws(StoreError) {
        let descriptor = Glibc.open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw StoreError(cannot: "open \(path)") }
        close(descriptor)
    }
}
