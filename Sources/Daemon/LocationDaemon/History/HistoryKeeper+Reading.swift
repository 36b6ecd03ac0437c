// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationStore
import SystemSupport

extension HistoryKeeper {
    /// Calls `body` with the fixes of a stretch, oldest first, until it returns false: first those that are written, then those that still
    /// wait in the log. Returns how far it came, and the oldest fix that is kept. `isLogEnough`: while nothing is to be kept, the log's are told.
    func walk(
        _ stretch: HistoryFile.Stretch, isLogEnough: Bool = false, _ body: (LogEntry) -> Bool
    ) throws(StoreError) -> (HistoryFile.Walk, oldest: UInt64?) {
        if !isOn, isLogEnough {
            var walk = HistoryFile.Walk(last: stretch.after ?? 0)
            walkLog(stretch, &walk, body)
            return (walk, log.next(after: 0)?.location.sequence)
        }
        var hasTaken = false
        var (walk, oldest, hasFileGap) = try reading { file throws(StoreError) in
            let walk = try file.walk(stretch) { entry in
                guard body(entry) else { return false }
                hasTaken = true
                return true
            }
            return (walk, try file.oldestSequence, file.hasGap)
        }
        if walk.damaged > 0 { noteDamage() }
        guard !walk.hasMore else { return (walk, oldest) }
        let sequence = max(walk.last, cursor)
        let first = log.next(after: sequence)?.location.sequence
        let isBehindGap = hasFileGap && stretch.after ?? 0 < cursor
        if let first, sequence == cursor, first > cursor + 1 || isBehindGap, stretch.after != nil || walk.last > 0 {
            guard !hasTaken else {
                walk.hasMore = true
                return (walk, oldest)
            }
            walk.hasGap = true
        }
        walk.last = sequence
        walkLog(stretch, &walk, body)
        return (walk, oldest ?? first)
    }

    private func walkLog(
        _ stretch: HistoryFile.Stretch, _ walk: inout HistoryFile.Walk, _ body: (LogEntry) -> Bool
    ) {
        while let entry = log.next(after: walk.last) {
            guard !stretch.holds(entry) || body(entry) else {
                walk.hasMore = true
                break
            }
            walk.last = entry.location.sequence
        }
    }

    /// At most `limit` events of an app, oldest first; and the record behind which more may follow.
    func events(
        _ query: HistoryQuery, of app: HistoryApp, limit: Int
    ) throws(StoreError) -> (events: [HistoryEvent], last: UInt64?) {
        let (events, last, isFull) = try reading { file throws(StoreError) in
            try file.events(of: app, after: query.after ?? 0, from: query.from, to: query.to, limit: limit)
        }
        return (events, isFull ? last : nil)
    }

    /// Some entries of the ledger from the stretch of a time on, of the file and of what waits to be written, by their start; and when the first
    /// stretch begins that is left out. `holder`: only this one's.
    func ledger(
        from: WallTime?, to: WallTime?, of holder: LedgerEntry.Holder?
    ) throws(StoreError) -> (entries: [LedgerEntry], next: WallTime?) {
        let start = from.map(LedgerEntry.start)
        var kept: [LedgerEntry] = []
        if isOn, file != nil {
            kept = try reading { file throws(StoreError) in
                try file.ledger(from: start, to: to, of: holder, limit: HistoryKeeper.ledgerRows)
            }
        }
        // The last stretch of a full page may be a part of it.
        let next = kept.count == HistoryKeeper.ledgerRows ? kept.last?.start : nil
        var merged = LedgerBook(stretches: .max, entries: .max)
        for entry in kept where next.map({ entry.start < $0 }) ?? true { merged.add(entry) }
        let end = [to, next].compactMap { $0 }.min()
        for entry in ledger.entries(from: start, to: end, of: holder) { merged.add(entry) }
        return (merged.entries(), next)
    }

    /// Rows of the file that one page reads: more than one stretch has.
    private static let ledgerRows = 512

    /// Forgets fixes and events from one time on and before another, of the file and of what waits to be written; some at each call.
    func forget(from: WallTime?, to: WallTime?) throws(StoreError) -> HistoryForgotten {
        guard from != nil || to != nil else { return try forgetAll() }
        ledger.remove(from: from.map(LedgerEntry.start), to: to)
        // Fixes and events that wait are written first, so that they are forgotten, too; `forget` first saves the rest of a damaged file.
        if isOn { finish(at: bootClock()) }
        if let problem { throw StoreError(problem) }
        if isOn { return try reading { file throws(StoreError) in try forget(from, to, in: file) } }
        guard let file = try existing() else { return HistoryForgotten(locations: 0, events: 0) }
        return try forget(from, to, in: file)
    }

    private func forget(
        _ from: WallTime?, _ to: WallTime?, in file: HistoryFile
    ) throws(StoreError) -> HistoryForgotten {
        // Records that are saved later would come back, so the caller has to ask again, as for those that one call leaves.
        if try saveMore(into: file) { return HistoryForgotten(locations: 0, events: 0, more: true) }
        noteForgetting()
        let forgotten = try file.forget(from: from, to: to)
        if !forgotten.isPart { try file.removeDamaged() }
        return HistoryForgotten(
            locations: forgotten.fixes, events: forgotten.events, more: forgotten.isPart ? true : nil)
    }

    /// How it stands; nil: nothing is to be kept.
    var status: HistoryStatus? {
        guard isOn else { return nil }
        var status = HistoryStatus(keepDays: settings.keepDays)
        if let file {
            (status.fixes, status.events) = (file.totals.fixes, file.totals.events)
            (status.oldest, status.newest) = (file.totals.oldest, file.totals.newest)
            status.bytes = (try? file.size).map { UInt64($0) } ?? 0
        }
        noteLoss()
        (status.waiting, status.lost, status.problem) = (waiting, lost, problem)
        status.damage = damage
        status.lostEvents = lostEvents > 0 ? lostEvents : nil
        return status
    }
}
