// SPDX-License-Identifier: Apache-2.0
package import LocationModel

extension Database {
    /// All decisions, in the order in which their identities were first decided about.
    ///
    /// A row that is not what was written, in what it allows and to whom, is an error with `isDamage`: it authorizes nobody.
    package func consents() throws(StoreError) -> [StoredConsent] {
        var consents: [StoredConsent] = []
        try connection.statement(
            """
            SELECT uid, name, choice, accuracy, has_asked_always, checksum, user, decided_by, decided_at, last_use
            FROM consents ORDER BY id
            """
        ).forEachRow { row throws(StoreError) in
            guard var consent = row.consent(0) else { throw damaged("consents") }
            consent.decidedBy = row.text(7)
            consent.decidedAt = row.date(8)
            consent.lastUse = row.optionalDate(9)
            consents.append(consent)
        }
        return consents
    }

    /// Keeps a decision in place of an earlier one about the same identity. It is on the disk, twice, before this returns.
    package func save(_ consent: StoredConsent) throws(StoreError) {
        haveDecisionsChanged = true
        try change(
            .power,
            """
            INSERT INTO consents (uid, name, choice, accuracy, has_asked_always, decided_by, decided_at, last_use,
                checksum, user)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            ON CONFLICT (uid, name) DO UPDATE SET choice = excluded.choice, accuracy = excluded.accuracy,
                has_asked_always = excluded.has_asked_always, decided_by = excluded.decided_by,
                decided_at = excluded.decided_at, last_use = excluded.last_use, checksum = excluded.checksum,
                user = excluded.user
            """,
            .integer(Int64(consent.uid)), .text(consent.name ?? ""), .integer(Int64(consent.choice)),
            .integer(Int64(consent.accuracy)), .flag(consent.hasAskedAlways), .text(consent.decidedBy),
            .date(consent.decidedAt), .optional(consent.lastUse), .integer(consent.checksum),
            .text(consent.user ?? ""))
    }

    /// Forgets the decision about an identity; false: there was none.
    @discardableResult
    package func removeConsent(uid: UInt32, name: String?) throws(StoreError) -> Bool {
        haveDecisionsChanged = true
        return try change(
            .power, "DELETE FROM consents WHERE uid = ? AND name = ?", .integer(Int64(uid)), .text(name ?? "")) > 0
    }

    /// Notes when an identity last used its consent. A power cut may forget it: it is for people to look at.
    package func setLastUse(_ date: WallTime, uid: UInt32, name: String?) throws(StoreError) {
        try change(
            .process, "UPDATE consents SET last_use = ? WHERE uid = ? AND name = ?", .date(date),
            .integer(Int64(uid)), .text(name ?? ""))
    }
}

extension StoredConsent {
    /// Over who may do what.
    fileprivate var checksum: Int64 {
        var writer = BlobWriter()
        writer.append(UInt64(uid))
        writer.append(Int64(choice))
        writer.append(Int64(accuracy))
        writer.append(UInt64(hasAskedAlways ? 1 : 0))
        writer.append(name ?? "")
        // Version 0.1.0 noted no name of the user.
        if let user { writer.append(user) }
        // Whole words, the last filled up with zeros: the length of the name stands before it.
        while writer.bytes.count % 8 != 0 { writer.append(byte: 0) }
        let sum = writer.bytes.withUnsafeBytes { bytes in
            bytes.baseAddress.map { LocationStore.checksum($0, count: bytes.count / 8, seed: 0) }
        }
        return Int64(bitPattern: sum ?? 0)
    }
}

extension SQLiteRow {
    /// The decision whose members stand from `column` on, the checksum and the user's name last, without who decided and when; nil: it is
    /// not what was written.
    func consent(_ column: CInt) -> StoredConsent? {
        guard let uid = UInt32(exactly: integer(column)) else { return nil }
        let consent = StoredConsent(
            uid: uid, user: name(column + 6), name: name(column + 1), choice: Int(integer(column + 2)),
            accuracy: Int(integer(column + 3)),
            hasAskedAlways: flag(column + 4), decidedBy: "", decidedAt: WallTime(milliseconds: 0))
        return consent.checksum == integer(column + 5) ? consent : nil
    }
}
