// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

// How what is late is read, a window at a time: from the history, which goes on in the log, else from the log.
extension UplinkMachine {
    /// The daemon's newest location: it goes ahead of what is late, and a daemon that counts anew is found by it.
    mutating func learn(_ newest: Location?) {
        reader.asksNewest = false
        guard isAllowed, options.mode == .move else { return }
        guard let newest else { return }
        noticeNewCount(by: newest)
        guard link.isConnected else { return }
        if options.backlog == .drop, !state.startsAtNewest, !queue.isContiguous, reader.phase == .closed,
            newest.sequence > queue.settled.through
        {
            leaveOut(before: newest.sequence)
        }
        if newest.sequence > newestOnTopic, !queue.settled.contains(newest.sequence) { ahead = newest }
    }

    /// Finds that the daemon has begun to count anew.
    mutating func noticeNewCount(by location: Location?) {
        // After a power cut the daemon tells an older one: only one taken since the broker last answered can be counted anew.
        guard let location, consent == .full, location.sequence < min(queue.settled.through, state.newest),
            location.timestamp.milliseconds > state.acknowledged ?? .max
        else { return }
        effects.append(.say("locationd counts its locations anew: the next ones get identifiers of their own"))
        state.generation += 1
        state.newest = 0
        newestOnTopic = 0
        queue.restart()
        closeLog()
        saving.isUrgent = true
        saving.isDirty = true
    }

    // From here on all is to be sent, also by a program that is killed before anything was acknowledged.
    mutating func begin(at first: Location?) {
        guard state.startsAtNewest, let first, first.sequence > 0 else { return }
        queue.skip(through: first.sequence - 1)
        state.startsAtNewest = false
        saving.isDirty = true
        saving.isUrgent = true
    }

    private mutating func leaveOut(before sequence: UInt64) {
        let count = sequence - 1 - queue.settled.through
        guard count > 0 else { return }
        state.leftOut += count
        queue.skip(through: sequence - 1)
        effects.append(.say("at most \(count) late locations are left out, since Backlog=drop"))
        saving.isDirty = true
    }

    // MARK: Reading

    mutating func read(_ locations: [Location], hasGap: Bool) {
        guard reader.phase == .log, link.isConnected, isAllowed else { return }
        guard let end = reader.stopgap else { return append(locations, hasGap: hasGap) }
        let missing = locations.filter { $0.sequence < end }
        append(missing, hasGap: hasGap)
        if missing.count < locations.count { endStopgap() }
    }

    // The history goes on where the log ended, and what both have not is lost.
    private mutating func endStopgap() {
        closeLog()
        queue.isGapSure = true
    }

    // `through`: an empty page tells of none up to here.
    private mutating func append(_ locations: [Location], through: UInt64? = nil, hasGap: Bool) {
        let last = locations.first.map { max($0.sequence, 1) - 1 } ?? through
        if hasGap, !queue.keepsHoles, let last, case let count = queue.unsettled(through: last), count > 0 {
            state.lost += count
            effects.append(.say("at most \(count) locations are lost: locationd has them no more"))
        }
        queue.append(locations)
        saving.isDirty = true
    }

    mutating func take(page locations: [Location], through: UInt64?, hasGap: Bool) {
        guard reader.phase == .history else { return }
        reader.phase = .closed
        guard link.isConnected, isAllowed else { return }
        reader.succeeded()
        queue.keepsHoles = false
        if queue.hasHole {
            effects.append(.say("the history can be read again: what was left out is sent now"))
            queue.rewind()
        }
        let start = locations.first?.sequence ?? through.map { $0 + 1 } ?? 0
        if hasGap, !queue.isGapSure, start > queue.fetched + 1 {
            // It was switched on later, or this program was another app: the log may have what it has not.
            reader.phase = .log
            reader.stopgap = start
            return effects.append(.openLog(after: queue.fetched))
        }
        queue.isGapSure = false
        append(locations, through: through, hasGap: hasGap)
        if let through {
            queue.pass(through: through)
        } else {
            queue.caughtUp()
            closeLog()
        }
    }

    mutating func noHistory() {
        guard reader.phase == .history else { return }
        reader.phase = .closed
        reader.hasNoHistory = true
        reader.succeeded()
        queue.keepsHoles = false
        if queue.hasHole { queue.rewind() }
    }

    mutating func readToEnd() {
        guard reader.phase == .log else { return }
        guard reader.stopgap == nil else { return endStopgap() }
        queue.caughtUp()
        closeLog()
    }

    mutating func readingFailed(at now: BootInstant) {
        let readsLogInstead = reader.failed(at: now)
        closeLog()
        guard readsLogInstead, !queue.keepsHoles else { return }
        queue.keepsHoles = true
        effects.append(.say("cannot read the history: the log is read instead, and what it has not waits"))
    }

    mutating func closeLog() {
        if reader.phase == .log { effects.append(.closeLog) }
        reader.phase = .closed
        reader.heldSince = nil
        reader.hasNoHistory = false
        reader.stopgap = nil
    }

    /// Whether what is late may be read now.
    var canRead: Bool {
        link.isConnected && isAllowed && isDaemonHere && options.mode == .move && !state.startsAtNewest
    }

    /// Opens, holds and closes the log as there is room.
    mutating func readOn(at now: BootInstant) {
        if isAllowed, isDaemonHere, options.mode == .move { askNewest(at: now) }
        guard canRead else { return closeLog() }
        switch reader.phase {
        case .closed where queue.hasReachedTold && !queue.hasHole:
            if !queue.isContiguous { queue.join() }
        case .closed:
            let isHistoryDue = reader.historyDue.map { $0 <= now } ?? true
            guard !queue.isContiguous || queue.hasHole && isHistoryDue, queue.isLow, !reader.wantsNewest,
                !reader.asksNewest, reader.notBefore.map({ $0 <= now }) ?? true
            else { return }
            reader.notBefore = nil
            if options.readsHistory, !reader.hasNoHistory, isHistoryDue {
                reader.phase = .history
                let start = queue.hasHole ? queue.settled.through : queue.fetched
                effects.append(.fetchPage(after: start, limit: LocationQueue.room))
            } else {
                reader.phase = .log
                effects.append(.openLog(after: queue.fetched))
            }
        // The daemon may hold what comes: to wait until the log is quiet would send it one by one.
        case .log where queue.hasReachedTold && reader.stopgap == nil:
            queue.join()
            closeLog()
        case .log where queue.isFull:
            guard let since = reader.heldSince else {
                reader.heldSince = now
                effects.append(.setReading(false))
                return
            }
            if now - since >= LogReader.patience { closeLog() }
        case .log where queue.isLow && reader.heldSince != nil:
            reader.heldSince = nil
            effects.append(.setReading(true))
        case .log, .history: break
        }
    }

    private mutating func askNewest(at now: BootInstant) {
        let isDue = newestDue.map { $0 <= now } ?? false
        guard reader.wantsNewest || isDue, !reader.asksNewest else { return }
        reader.wantsNewest = false
        reader.asksNewest = true
        reader.newestAskedAt = now
        effects.append(.askNewest)
    }

    /// When the newest location is to be sent ahead again; nil: it needs not.
    var newestDue: BootInstant? {
        guard canRead, !queue.isContiguous else { return nil }
        return reader.newestAskedAt.map { $0 + UplinkMachine.newestInterval }
    }
}
