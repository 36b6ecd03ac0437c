// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationStore
import SystemSupport

extension HistoryKeeper {
    /// Calls `body` with the fixes of a stretch, oldest first, until it returns false: first those that are written, then those that still
    /// wait in the log. Returns how far it came, and the oldest fix that is kept.
    func walk(
        _ stretch: HistoryFile.Stretch, _ body: (LogEntry) -> Bool
    ) throws(StoreError) -> (HistoryFile.Walk, oldest: UInt64?) {
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
        var sequence = max(walk.last, cursor)
        let first = log.next(after: sequence)?.location.sequence
        let isBehindGap = hasFileGap && stretch.after ?? 0 < cursor
        if let first, sequence == cursor, first > cursor + 1 || isBehindGap, stretch.after != nil || walk.last > 0 {
            guard !hasTaken else {
                walk.hasMore = true
                return (walk, oldest)
            }
            walk.hasGap = true
        }
        while let entry = log.next(after: sequence) {
            guard !stretch.holds(entry) || body(entry) else {
                walk.hasMore = true
                break
            }
            sequence = entry.location.sequence
        }
        walk.last = sequence
        return (walk, oldest ?? first)
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

    /// Forgets fixes and events from one time on and before another, of the file and of what waits to be written; some at each call.
    func forget(from: WallTime?, to: WallTime?) throws(StoreError) -> HistoryForgotten {
        guard from != nil || to != nil else { return try forgetAll() }
        // What waits is written first, so that it is forgotten, too, and what is still to be saved of a damaged file.
        if isOn { finish(at: bootClock()) }
        if let problem { throw StoreError(problem) }
        if isOn { return try reading { file throws(StoreError) in try forget(from, to, in: file) } }
        guard let file = try existing() else { return HistoryForgotten(locations: 0, events: 0) }
        return try forget(from, to, in: file)
    }

    private func forget(
        _ from: WallTime?, _ to: WallTime?, in file: HistoryFile
    ) throws(StoreError) -> HistoryForgotten {
        // What is saved later would come back; who forgets asks again, as for what one call leaves.
        if try saveMore(into: file) { return HistoryForgotten(locations: 0, events: 0, more: true) }
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
