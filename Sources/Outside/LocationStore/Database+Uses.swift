// SPDX-License-Identifier: Apache-2.0
package import LocationModel

extension Database {
    /// Identities of one user whose last use is kept; the ones that were used longest ago make room.
    package static let usesPerUser = 64

    /// When an identity was last given a location, whether somebody decided about it or a rule allows it.
    package func uses() throws(StoreError) -> [(uid: UInt32, name: String?, date: WallTime)] {
        var uses: [(uid: UInt32, name: String?, date: WallTime)] = []
        try connection.statement("SELECT uid, name, date FROM uses ORDER BY id").forEachRow { row in
            uses.append((UInt32(clamping: row.integer(0)), row.name(1), row.date(2)))
        }
        return uses
    }

    /// Notes when an identity was last given a location. A power cut may forget it: it is for people to look at.
    package func noteUse(_ date: WallTime, uid: UInt32, name: String?) throws(StoreError) {
        try transaction(.process) { () throws(StoreError) in
            try change(
                .process,
                """
                INSERT INTO uses (uid, name, date) VALUES (?, ?, ?)
                ON CONFLICT (uid, name) DO UPDATE SET date = excluded.date
                """, .integer(Int64(uid)), .text(name ?? ""), .date(date))
            try change(
                .process,
                """
                DELETE FROM uses WHERE uid = ?1 AND id NOT IN
                    (SELECT id FROM uses WHERE uid = ?1 ORDER BY date DESC, id DESC LIMIT ?2)
                """, .integer(Int64(uid)), .integer(Int64(Database.usesPerUser)))
        }
    }

    /// Forgets when an identity was last given a location.
    package func removeUse(uid: UInt32, name: String?) throws(StoreError) {
        try change(
            .power, "DELETE FROM uses WHERE uid = ? AND name = ?", .integer(Int64(uid)), .text(name ?? ""))
    }

    /// Notes when an app was there. A power cut may forget it.
    package func noteSeen(_ id: Int64, _ date: WallTime) throws(StoreError) {
        try change(.process, "UPDATE apps SET last_seen = ? WHERE id = ?", .date(date), .integer(id))
    }

    /// Forgets an app with all that is kept of it; the numbers of its events are not given again.
    package func removeApp(_ id: Int64) throws(StoreError) {
        try transaction(.power) { () throws(StoreError) in
            try change(
                .power,
                """
                INSERT INTO service (id, removed_events) SELECT 1, next_event - 1 FROM apps WHERE id = ?
                ON CONFLICT (id) DO UPDATE SET removed_events = max(removed_events, excluded.removed_events)
                """, .integer(id))
            try change(.power, "DELETE FROM apps WHERE id = ?", .integer(id))
        }
    }
}
