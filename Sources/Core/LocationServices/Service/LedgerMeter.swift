// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Measures for the ledger how long the receiver is on, and for whom.
///
/// It looks when the receiver is switched, when a stretch ends, and when others may need the receiver, the last once a second at most: who comes or
/// goes within that second counts for all of it. It causes no wake-up: what it has not looked at counts with the next turn.
package struct LedgerMeter {
    /// When it looked last.
    private var since: BootInstant?
    private var stretchEnd = BootInstant(nanoseconds: 0)
    /// How long the receiver was on in all when it looked last.
    private var onTime = TimeSpan.zero
    /// Those who needed the receiver then.
    private var holders: Set<LedgerEntry.Holder> = []
    /// The amounts that apps were told whose clients are gone since.
    private var told: [LedgerEntry.Holder: LedgerEntry.Amounts] = [:]
    /// Others may need it since a turn that was too near to the last look.
    private var isPutOff = true
    /// Others may need it since the turn that goes on.
    private var isChanged = false

    private static let shortest = TimeSpan.seconds(1)
    /// Apps that one look may know of.
    private static let mostTold = 64

    /// Nothing is measured yet.
    package init() {}

    /// The turn that goes on may have changed who needs the receiver.
    package mutating func noteChange() { isChanged = true }

    /// Keeps what a client was told that goes. True: so many are gone that a look is due.
    package mutating func keep(_ amounts: LedgerEntry.Amounts, of holder: LedgerEntry.Holder) -> Bool {
        told[holder, default: LedgerEntry.Amounts()] += amounts
        return told.count >= LedgerMeter.mostTold
    }

    /// Whether to look before a turn.
    package func isDue(at now: BootInstant) -> Bool {
        guard let since else { return true }
        return now >= stretchEnd || isPutOff && now - since >= LedgerMeter.shortest
    }

    /// Whether to look after a turn that did not switch the receiver.
    package mutating func isDueAfterTurn(at now: BootInstant) -> Bool {
        guard isChanged else { return false }
        if let since, now - since < LedgerMeter.shortest { (isPutOff, isChanged) = (true, false) }
        return isChanged
    }

    /// Looks, and returns what came since it did so last.
    ///
    /// - Parameters:
    ///   - total: How long the receiver was on in all.
    ///   - date: The date at `now`.
    ///   - new: Asks who needs the receiver now.
    package mutating func look(
        at now: BootInstant, total: TimeSpan, date: WallTime, _ new: () -> Set<LedgerEntry.Holder>
    ) -> [LedgerEntry] {
        let start = LedgerEntry.start(of: date)
        let length = LedgerEntry.stretch
        let former = holders
        holders = new()
        let concerned = (isPutOff ? former.union(holders) : former).union([.device])
        defer {
            (since, onTime, isPutOff, isChanged) = (now, total, false, false)
            told.removeAll()
            stretchEnd = now + length - .milliseconds(date.milliseconds - start.milliseconds)
        }
        guard let since else { return [] }
        // It looks with the first turn of a stretch: what was told until then belongs to the one before.
        let told = told.filter { !$0.value.isNothing }
        let toldIn = LedgerEntry.start(
            of: WallTime(milliseconds: date.milliseconds - (now - since).nanoseconds / 1_000_000))
        var entries = told.map { LedgerEntry(start: toldIn, holder: $0.key, amounts: $0.value) }
        guard total > onTime else { return entries }
        for (start, time) in LedgerMeter.spread(total - onTime, over: now - since, endingAt: date) {
            var amounts = LedgerEntry.Amounts()
            amounts.receiver = time
            entries += concerned.map { LedgerEntry(start: start, holder: $0, amounts: amounts) }
        }
        return entries
    }

    /// Divides a time among the stretches of a span that ends at a date; of a very long span only the newest day counts.
    private static func spread(
        _ time: TimeSpan, over span: TimeSpan, endingAt end: WallTime
    ) -> [(start: WallTime, time: TimeSpan)] {
        let length = LedgerEntry.stretch.nanoseconds / 1_000_000
        let whole = max(1, span.nanoseconds / 1_000_000)
        let begin = max(end.milliseconds - whole, end.milliseconds - 86_400_000)
        var parts: [(start: WallTime, time: TimeSpan)] = []
        var at = begin
        while at < end.milliseconds || parts.isEmpty {
            let start = LedgerEntry.start(of: WallTime(milliseconds: at))
            let next = min(start.milliseconds + length, max(end.milliseconds, at + 1))
            let share = Double(next - at) / Double(whole)
            parts.append((start, TimeSpan(nanoseconds: Int64(Double(time.nanoseconds) * min(share, 1)))))
            at = next
        }
        return parts
    }
}
