// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// The program's one-shot request: it ends in one answer, without a daemon too.
struct RequestBook: Sendable {
    /// Seconds that a request takes unless it says otherwise, as at the daemon.
    static let usualTimeout = 10.0

    private struct Pending: Sendable {
        let ordinal: UInt64
        let timeout: Double
        var deadline: BootInstant
        /// The daemon's number; nil: it has not replied, or does not know of the request any more.
        var number: UInt64?
        /// A daemon had it; it may have been forgotten since.
        var wasAcknowledged = false
        /// Nobody has decided yet, which takes as long as it takes.
        var waitsForAuthorization = false
        /// The program has cancelled it; the daemon has yet to say so, and nothing else of it counts.
        var isCancelled = false
    }

    private var pending: Pending?
    private var lastOrdinal: UInt64 = 0
    private var lastNumber: UInt64 = 0

    /// When a request that the daemon does not have, or cannot answer, is over. `isConnected`: the daemon can answer.
    func deadline(isConnected: Bool) -> BootInstant? {
        guard let pending, !pending.waitsForAuthorization, !pending.isCancelled,
            !isConnected || pending.number == nil
        else { return nil }
        return pending.deadline
    }

    /// The program requests a location; one that is pending is the same request. Returns its ordinal.
    mutating func begin(timeout: Double?, at now: BootInstant) -> UInt64 {
        if let pending, !pending.isCancelled { return pending.ordinal }
        let seconds = timeout ?? RequestBook.usualTimeout
        lastOrdinal += 1
        pending = Pending(ordinal: lastOrdinal, timeout: seconds, deadline: now + .seconds(seconds))
        return lastOrdinal
    }

    /// The daemon's reply to a request; nil as its number: it ignores it. Returns the program's number for it.
    mutating func acknowledge(_ ordinal: UInt64, _ state: ServiceState, number: UInt64?) -> UInt64? {
        lastNumber = max(lastNumber, number ?? 0)
        guard pending?.ordinal == ordinal else { return nil }
        guard let number else {
            pending = nil
            return nil
        }
        pending?.number = number
        pending?.wasAcknowledged = true
        pending?.waitsForAuthorization = state == .waitingForAuthorization
        return ordinal
    }

    /// The daemon answers `number`; returns the program's number, or nil when nobody waits for that any more.
    ///
    /// Without a reply yet, a number that was never seen is the pending request's: the reply was lost.
    mutating func answer(_ number: UInt64, isCancellation: Bool = false) -> UInt64? {
        guard let pending, pending.number == number || pending.number == nil && number > lastNumber else { return nil }
        lastNumber = max(lastNumber, number)
        self.pending = nil
        return pending.isCancelled && !isCancellation ? nil : pending.ordinal
    }

    /// The program cancels its request, silently. Returns what is pending, and whether the daemon has numbered it.
    mutating func cancel() -> (ordinal: UInt64, isNumbered: Bool)? {
        guard let pending else { return nil }
        self.pending?.isCancelled = true
        return (pending.ordinal, pending.number != nil)
    }

    /// Whether this request has yet to be answered.
    func isPending(_ ordinal: UInt64) -> Bool { pending?.ordinal == ordinal }

    /// The daemon refused it: no answer will come.
    mutating func refuse(_ ordinal: UInt64) {
        if pending?.ordinal == ordinal { pending = nil }
    }

    /// Somebody has decided: the request's time begins.
    mutating func hasBeenDecided(at now: BootInstant) {
        guard let waiting = pending, waiting.waitsForAuthorization else { return }
        pending?.waitsForAuthorization = false
        pending?.deadline = now + .seconds(waiting.timeout)
    }

    /// The request whose time is over; it is answered now.
    mutating func expire(at now: BootInstant, isConnected: Bool) -> UInt64? {
        guard let deadline = deadline(isConnected: isConnected), deadline <= now else { return nil }
        defer { pending = nil }
        return pending?.ordinal
    }

    /// The daemon has forgotten all numbers. Returns the request that it had, with the time that is left.
    mutating func beginAnew(at now: BootInstant) -> (ordinal: UInt64, SessionCommand)? {
        lastNumber = 0
        if pending?.isCancelled ?? false { pending = nil }
        guard let known = pending, known.wasAcknowledged else { return nil }
        pending?.number = nil
        let left = known.waitsForAuthorization ? known.timeout : max((known.deadline - now).seconds, 0.001)
        return (known.ordinal, SessionCommand(.requestLocation(timeout: left)))
    }
}
