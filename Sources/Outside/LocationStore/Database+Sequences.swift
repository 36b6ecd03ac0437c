// SPDX-License-Identifier: Apache-2.0
import LocationModel

extension Database {
    /// The greatest sequence that may ever have been given to a fix; 0 at first. The next fix gets a greater one.
    package func reservedSequence() throws(StoreError) -> UInt64 {
        let bound = try connection.integer("SELECT upper_bound FROM sequence_reservation WHERE id = 1")
        guard (0...Int64(Location.greatestSequence)).contains(bound) else { throw damaged("sequence_reservation") }
        return UInt64(bound)
    }

    /// Reserves all sequences up to `bound`; they may be used once this returned, since then a power cut does not forget it.
    ///
    /// A bound below the reserved one changes nothing; above 2^53 - 1 it throws.
    package func reserveSequences(upTo bound: UInt64) throws(StoreError) {
        guard bound <= Location.greatestSequence else {
            throw StoreError("cannot reserve the sequence \(bound): at most \(Location.greatestSequence) is allowed")
        }
        try Database.reserve(bound, connection)
    }

    /// Gives back what was reserved and not used, at an orderly stop: `newest` was the last sequence given.
    package func endReservation(at newest: UInt64) throws(StoreError) {
        try connection.transaction(.process) { () throws(StoreError) in
            try connection.statement(
                "UPDATE sequence_reservation SET upper_bound = ?1 WHERE id = 1 AND upper_bound > ?1"
            )
            .run(.count(newest))
        }
    }

    static func reserve(_ bound: UInt64, _ connection: SQLiteConnection) throws(StoreError) {
        try connection.transaction(.power) { () throws(StoreError) in
            try connection.statement(
                """
                INSERT INTO sequence_reservation (id, upper_bound) VALUES (1, ?)
                ON CONFLICT (id) DO UPDATE SET upper_bound = max(upper_bound, excluded.upper_bound)
                """
            ).run(.integer(Int64(clamping: bound)))
        }
    }

    /// The reservation in a database that cannot be used otherwise, as far as it can be read; 0 if not.
    static func savedReservation(_ path: String) -> UInt64 {
        guard let connection = try? SQLiteConnection(path: path),
            let bound = try? connection.integer("SELECT max(upper_bound) FROM sequence_reservation"),
            bound > 0, UInt64(bound) <= Location.greatestSequence
        else { return 0 }
        return UInt64(bound)
    }
}
