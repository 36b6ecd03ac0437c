// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// How many entries in the journal each user's apps may still cause: a few at once, and some a minute, of one user and of all together, so
/// that nobody can fill it. What is left out is counted, and told when the user has been quiet for a while.
struct JournalAllowance {
    /// Entries about one user at once, and in a minute after that.
    static let ofOneUser = (burst: 30.0, perMinute: 10.0)
    /// Entries about all users but root at once, and in a minute after that.
    static let ofAll = (burst: 300.0, perMinute: 60.0)
    /// How long after the first entry that was left out the number is told.
    static let interval = TimeSpan.seconds(60)

    /// Entries that were left out.
    struct LeftOut: Equatable {
        let uid: UInt32
        let count: UInt64
    }

    private struct Account {
        var balance: Double
        var at: BootInstant
        var leftOut: UInt64 = 0
        var tellAt: BootInstant?

        mutating func fill(_ limit: (burst: Double, perMinute: Double), at now: BootInstant) {
            balance = min(balance + (now - at).seconds / 60 * limit.perMinute, limit.burst)
            at = now
        }
    }

    private var accounts: [UInt32: Account] = [:]
    private var all = Account(balance: ofAll.burst, at: BootInstant(nanoseconds: 0))
    // The most accounts before those that are not needed go.
    private var pruneAt = 256
    /// When something that was left out is to be told; nil: nothing is.
    private(set) var dueAt: BootInstant?

    /// Takes an entry about an app of a user. False: it is left out.
    mutating func take(_ uid: UInt32, at now: BootInstant) -> Bool {
        var account = accounts[uid] ?? Account(balance: JournalAllowance.ofOneUser.burst, at: now)
        account.fill(JournalAllowance.ofOneUser, at: now)
        all.fill(JournalAllowance.ofAll, at: now)
        defer { accounts[uid] = account }
        if accounts.count >= pruneAt {
            // A user whose allowance is full again needs no account.
            accounts = accounts.filter { $0.value.tellAt != nil || now - $0.value.at < .seconds(180) }
            pruneAt = max(256, 2 * accounts.count)
        }
        guard account.balance >= 1, uid == 0 || all.balance >= 1 else {
            account.leftOut += 1
            if account.tellAt == nil {
                account.tellAt = now + JournalAllowance.interval
                dueAt = dueAt ?? account.tellAt
            }
            return false
        }
        account.balance -= 1
        if uid != 0 { all.balance -= 1 }
        return true
    }

    /// Returns the numbers of left-out entries that are to be told now, by user, and begins to count anew.
    mutating func takeLeftOut(at now: BootInstant) -> [LeftOut] {
        guard let dueAt, dueAt <= now else { return [] }
        let due = accounts.filter { ($0.value.tellAt ?? .distantFuture) <= now }.sorted { $0.key < $1.key }
        for uid in due.map(\.key) {
            accounts[uid]?.leftOut = 0
            accounts[uid]?.tellAt = nil
        }
        self.dueAt = accounts.values.compactMap(\.tellAt).min()
        return due.map { LeftOut(uid: $0.key, count: $0.value.leftOut) }
    }
}
