// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// The program's deferrals: each ends in one finish, in the order of the commands, whatever the daemon remembers.
struct DeferralBook: Sendable {
    /// How long a new manager may be without a fix before a deferral that it was to go on with fails: the daemon's own limit.
    static let fixPatience = TimeSpan.seconds(30)
    // Batches follow their finishes at once; a few numbers are enough to name them.
    private static let rememberedNumbers = 16

    private struct Entry: Sendable {
        let ordinal: UInt64
        let untilTraveled: Double?
        let timeout: Double?
        /// The daemon's number; nil: it has not replied.
        var number: UInt64?
        /// A daemon had it; it may have been forgotten since.
        var wasAcknowledged = false
        var deadline = BootInstant.distantFuture
        var travel = ReceivedTravel()
        var finish: Finish?
    }

    private struct Finish: Sendable {
        var error: LocationError?
    }

    private struct Resumption: Sendable {
        var ordinal: UInt64
        /// Without a fix until then there is no deferral.
        var giveUp: BootInstant
    }

    private var entries: [Entry] = []
    private var lastOrdinal: UInt64 = 0
    private var finishedNumbers: [(number: UInt64, ordinal: UInt64)] = []
    // The daemon forgot this one, and can go on with it as soon as it has a fix.
    private var resumption: Resumption?

    /// When `expire` is due.
    var nextWake: BootInstant? {
        guard let resumption else { return nil }
        return min(resumption.giveUp, entry(resumption.ordinal)?.deadline ?? .distantFuture)
    }

    private func entry(_ ordinal: UInt64) -> Entry? { entries.first { $0.ordinal == ordinal } }

    private func index(of ordinal: UInt64) -> Int? { entries.firstIndex { $0.ordinal == ordinal } }

    // MARK: The program and the daemon's replies

    /// The program allows a deferral; returns its ordinal.
    mutating func begin(untilTraveled: Double?, timeout: Double?) -> UInt64 {
        lastOrdinal += 1
        entries.append(Entry(ordinal: lastOrdinal, untilTraveled: untilTraveled, timeout: timeout))
        return lastOrdinal
    }

    /// The daemon calls the deferral `number`. What it restored goes on with the limits that it had.
    mutating func acknowledge(_ ordinal: UInt64, number: UInt64?, isRestoration: Bool, at now: BootInstant) {
        guard let index = index(of: ordinal) else { return }
        entries[index].number = number
        entries[index].wasAcknowledged = true
        guard !isRestoration else { return }
        entries[index].deadline = entries[index].timeout.map { now + .seconds($0) } ?? .distantFuture
    }

    /// The daemon has carried out what ends every deferral before `ordinal`, nil: every one that it knows. It writes their
    /// finishes before that reply; one that did not come was lost.
    mutating func endKnown(before ordinal: UInt64? = nil) {
        for entry in entries where entry.number != nil && entry.ordinal < ordinal ?? .max {
            finish(entry.ordinal, .deferredCanceled)
        }
    }

    /// The deferral, or what was to become one, is over.
    mutating func finish(_ ordinal: UInt64, _ error: LocationErrorCode?) {
        if resumption?.ordinal == ordinal { resumption = nil }
        guard let index = index(of: ordinal), entries[index].finish == nil else { return }
        entries[index].finish = Finish(error: error.map { LocationError($0) })
    }

    /// The daemon finished its deferral `number`; one that nobody knows was an orphan, or is told already.
    mutating func finish(number: UInt64, _ error: LocationError?) {
        guard let index = entries.firstIndex(where: { $0.number == number && $0.finish == nil }) else { return }
        entries[index].finish = Finish(error: error)
    }

    /// The next finish to tell, if it is its turn.
    mutating func takeFinish() -> (ordinal: UInt64, error: LocationError?)? {
        guard let first = entries.first, let finish = first.finish else { return nil }
        entries.removeFirst()
        if let number = first.number {
            finishedNumbers.append((number, first.ordinal))
            if finishedNumbers.count > DeferralBook.rememberedNumbers { finishedNumbers.removeFirst() }
        }
        return (first.ordinal, finish.error)
    }

    /// The program's number of the daemon's deferral `number`; nil: an orphan's.
    func ordinal(of number: UInt64) -> UInt64? {
        entries.first { $0.number == number }?.ordinal ?? finishedNumbers.last { $0.number == number }?.ordinal
    }

    // MARK: A manager that knows nothing

    /// The daemon has forgotten all numbers. The deferral that ran goes on with the next fix, since a daemon without a recent
    /// one would refuse it; without standard updates it can only fail, now.
    mutating func beginAnew(at now: BootInstant, isUpdating: Bool) {
        finishedNumbers = []
        let running = entries.last { $0.wasAcknowledged && $0.finish == nil }?.ordinal
        for index in entries.indices where entries[index].wasAcknowledged && entries[index].finish == nil {
            entries[index].number = nil
            if entries[index].ordinal != running { finish(entries[index].ordinal, .deferredCanceled) }
        }
        resumption = nil
        guard let running else { return }
        guard isUpdating else { return finish(running, .deferredNotUpdatingLocation) }
        resumption = Resumption(ordinal: running, giveUp: now + DeferralBook.fixPatience)
        expire(at: now)
    }

    /// Ends what waits for a fix in vain, or whose own time is over.
    mutating func expire(at now: BootInstant) {
        guard let waiting = resumption, let entry = entry(waiting.ordinal) else { return }
        if entry.deadline <= now {
            finish(waiting.ordinal, nil)
        } else if waiting.giveUp <= now {
            finish(waiting.ordinal, .deferredFailed)
        }
    }

    /// The program ends what waits to go on, as the daemon would have.
    mutating func cancelResumption() {
        if let resumption { finish(resumption.ordinal, .deferredCanceled) }
    }

    /// New locations of the standard service came. Returns what to allow again, now that there is a fix.
    ///
    /// The distance that is left is the wish minus what the locations received since the command have travelled, measured as the
    /// daemon's odometer does.
    mutating func note(_ update: LocationUpdate, at now: BootInstant) -> (ordinal: UInt64, SessionCommand)? {
        for index in entries.indices where entries[index].untilTraveled != nil && entries[index].finish == nil {
            for location in update.locations { entries[index].travel.move(to: location) }
        }
        guard let waiting = resumption, !update.isCached, !update.hasMore, let entry = entry(waiting.ordinal) else {
            return nil
        }
        let distance = entry.untilTraveled.map { $0 - entry.travel.metres }
        if entry.deadline <= now || distance.map({ $0 <= 0 }) ?? false {
            finish(waiting.ordinal, nil)
            return nil
        }
        resumption = nil
        let time = entry.timeout.map { _ in (entry.deadline - now).seconds }
        let again = DeferralParameters(untilTraveled: distance, timeout: time)
        return (waiting.ordinal, SessionCommand(.allowDeferredLocationUpdates(again)))
    }
}

/// Metres along locations, with the daemon's step: jitter at rest travels nowhere.
private struct ReceivedTravel: Sendable {
    private static let step = 5.0
    private(set) var metres = 0.0
    private var anchor: Coordinate?

    mutating func move(to location: Location) {
        guard let anchor else {
            self.anchor = location.coordinate
            return
        }
        let distance = anchor.distance(to: location.coordinate)
        guard distance > max(ReceivedTravel.step, location.horizontalAccuracy) else { return }
        metres += distance
        self.anchor = location.coordinate
    }
}
