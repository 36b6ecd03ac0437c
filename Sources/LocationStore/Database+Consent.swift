// SPDX-License-Identifier: Apache-2.0
package import LocationModel

extension Database {
    /// All decisions, in the order in which their identities were first decided about.
    package func consents() throws(StoreError) -> [StoredConsent] {
        var consents: [StoredConsent] = []
        try connection.statement(
            """
            SELECT uid, name, choice, accuracy, has_asked_always, decided_by, decided_at, last_use
            FROM consents ORDER BY id
            """
        ).forEachRow { row in
            consents.append(
                StoredConsent(
                    uid: UInt32(clamping: row.integer(0)), name: row.name(1), choice: Int(row.integer(2)),
                    accuracy: Int(row.integer(3)), hasAskedAlways: row.flag(4), decidedBy: row.text(5),
                    decidedAt: row.date(6), lastUse: row.optionalDate(7)))
        }
        return consents
    }

    /// Keeps a decision in place of an earlier one about the same identity. It is on the disk before this returns.
    package func save(_ consent: StoredConsent) throws(StoreError) {
        try change(
            .power,
            """
            INSERT INTO consents (uid, name, choice, accuracy, has_asked_always, decided_by, decided_at, last_use)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (uid, name) DO UPDATE SET choice = excluded.choice, accuracy = excluded.accuracy,
                has_asked_always = excluded.has_asked_always, decided_by = excluded.decided_by,
                decided_at = excluded.decided_at, last_use = excluded.last_use
            """,
            .integer(Int64(consent.uid)), .text(consent.name ?? ""), .integer(Int64(consent.choice)),
            .integer(Int64(consent.accuracy)), .flag(consent.hasAskedAlways), .text(consent.decidedBy),
            .date(consent.decidedAt), .optional(consent.lastUse))
    }

    /// Forgets the decision about an identity; false: there was none.
    @discardableResult
    package func removeConsent(uid: UInt32, name: String?) throws(StoreError) -> Bool {
        try change(
            .power, "DELETE FROM consents WHERE uid = ? AND name = ?", .integer(Int64(uid)), .text(name ?? "")) > 0
    }

    /// Notes when an identity last used its consent. A power cut may forget it: it is for people to look at.
    package func setLastUse(_ date: WallTime, uid: UInt32, name: String?) throws(StoreError) {
        try change(
            .process, "UPDATE consents SET last_use = ? WHERE uid = ? AND name = ?", .date(date),
            .integer(Int64(uid)), .text(name ?? ""))
    }
}
