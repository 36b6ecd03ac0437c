// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Entries of the ledger in memory: those still to be written, and while no history is kept those of the newest day.
package struct LedgerBook: Sendable {
    /// The apps of one stretch that are told apart, in all and of one user: none crowds out the others'.
    static let mostApps = (all: 64, ofUser: 16)

    private let mostStretches: Int
    private let mostEntries: Int
    private var stretches: [(start: WallTime, amounts: [LedgerEntry.Holder: LedgerEntry.Amounts])] = []
    private var count = 0

    /// An empty one, which holds no more than so many stretches, a day of them unless said, and so many entries.
    package init(stretches: Int = 288, entries: Int = 4096) { (mostStretches, mostEntries) = (stretches, entries) }

    /// Whether it holds nothing.
    package var isEmpty: Bool { stretches.isEmpty }

    /// Adds an entry to what is there of its stretch and holder. What there is no room for pushes out the oldest.
    package mutating func add(_ entry: LedgerEntry) {
        let index = self.index(of: entry.start)
        let holder = LedgerBook.bounded(entry.holder) { uid in
            let holders = stretches[index].amounts.keys
            guard !holders.contains(entry.holder) else { return nil }
            let users = holders.compactMap { if case .app(let uid, _) = $0 { uid } else { nil } }
            return (users.count, users.count { $0 == uid })
        }
        if stretches[index].amounts[holder] == nil { count += 1 }
        stretches[index].amounts[holder, default: LedgerEntry.Amounts()] += entry.amounts
        while stretches.count > mostStretches || count > mostEntries, stretches.count > 1 {
            count -= stretches.removeFirst().amounts.count
        }
    }

    /// The holder itself, or `others` where a stretch has room for no further app. `present`: how many apps it has in all and of a user; nil:
    /// this one is among them.
    static func bounded<Failure: Error>(
        _ holder: LedgerEntry.Holder, present: (UInt32) throws(Failure) -> (all: Int, ofUser: Int)?
    ) throws(Failure) -> LedgerEntry.Holder {
        guard case .app(let uid, _) = holder, let present = try present(uid) else { return holder }
        return present.all < mostApps.all && present.ofUser < mostApps.ofUser ? holder : .others
    }

    // A clock that was set back begins an earlier stretch again.
    private mutating func index(of start: WallTime) -> Int {
        var index = stretches.count
        while index > 0, stretches[index - 1].start > start { index -= 1 }
        if index > 0, stretches[index - 1].start == start { return index - 1 }
        stretches.insert((start, [:]), at: index)
        return index
    }

    /// The entries of stretches that begin from one time on and before another, in the order in which they are told; `holder`: only this one's.
    package func entries(
        from: WallTime? = nil, to: WallTime? = nil, of holder: LedgerEntry.Holder? = nil
    ) -> [LedgerEntry] {
        stretches.filter { LedgerBook.isMeant($0.start, from, to) }.flatMap { start, amounts in
            amounts.filter { holder == nil || $0.key == holder }
                .map { LedgerEntry(start: start, holder: $0.key, amounts: $0.value) }
                .sorted { LedgerBook.rank($0.holder) < LedgerBook.rank($1.holder) }
        }
    }

    private static func isMeant(_ start: WallTime, _ from: WallTime?, _ to: WallTime?) -> Bool {
        start >= from ?? start && to.map { start < $0 } ?? true
    }

    private static func rank(_ holder: LedgerEntry.Holder) -> (Int64, String) {
        switch holder {
        case .device: (-1, "")
        case .app(let uid, let name): (Int64(uid), name ?? "")
        case .others: (Int64.max, "")
        }
    }

    /// Forgets stretches that begin from one time on and before another.
    package mutating func remove(from: WallTime? = nil, to: WallTime? = nil) {
        stretches.removeAll { LedgerBook.isMeant($0.start, from, to) }
        count = stretches.reduce(0) { $0 + $1.amounts.count }
    }
}
