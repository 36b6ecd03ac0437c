// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The time without a daemon: when the next attempt to connect is due, and what the program was told of it.
struct SessionOutage: Sendable {
    /// Attempts follow one another quickly for so long: the time within which a manager can be taken back.
    static let rejoinTime = TimeSpan.seconds(30)
    /// After it, the next attempt comes after so long, or when something changes at the address.
    static let longPause = TimeSpan.seconds(60)
    // A change at the address is worth a few quick attempts, and no more than ten in a second.
    private static let hopefulTime = TimeSpan.seconds(3)
    private static let shortestPause = TimeSpan.milliseconds(100)

    let since: BootInstant
    /// The program was told of the loss.
    var hasToldLoss = false
    /// It was said that nobody is there yet.
    var hasToldWaiting = false
    /// The program was told that nobody is there for long, or ever will be.
    var hasToldUnreachable = false
    /// When to connect; nil: an attempt is under way, or only a change at the address could help.
    private(set) var nextAttempt: BootInstant?
    private var hopeful: BootInstant
    private var lastAttempt: BootInstant?
    private var backoff = ReconnectBackoff()

    /// Begins; the first attempt is the caller's to make.
    init(since: BootInstant) {
        self.since = since
        hopeful = since + SessionOutage.rejoinTime
    }

    /// When it is said that nobody is there yet; nil: it was, or more than that.
    var tellsWaitingAt: BootInstant? {
        hasToldWaiting || hasToldUnreachable ? nil : since + LocationSession.waitTolerance
    }

    /// When the program is told that nobody is there; nil: it was.
    var tellsUnreachableAt: BootInstant? {
        hasToldUnreachable ? nil : since + LocationSession.outageTolerance
    }

    /// An attempt is made.
    mutating func attempt(at now: BootInstant) {
        lastAttempt = now
        nextAttempt = nil
    }

    /// It failed, or the connection was lost.
    mutating func fail(at now: BootInstant) {
        let next = now + backoff.nextDelay()
        nextAttempt = next <= hopeful ? next : max(now, lastAttempt ?? now) + SessionOutage.longPause
    }

    /// The peer took the connection and was silent for too long: the next attempt is made at once.
    mutating func tryAgain(at now: BootInstant) { nextAttempt = now }

    /// To try again would end in the same refusal, until something changes: if nothing would tell of that, it is looked for.
    mutating func giveUp(at now: BootInstant, isWatched: Bool) {
        nextAttempt = isWatched ? nil : now + SessionOutage.longPause
    }

    /// Something changed at the address: attempts are worth while for a moment, the first one at once.
    mutating func hope(at now: BootInstant, isTrying: Bool) {
        hopeful = max(hopeful, now + SessionOutage.hopefulTime)
        backoff = ReconnectBackoff()
        guard !isTrying else { return }
        nextAttempt = max(now, lastAttempt.map { $0 + SessionOutage.shortestPause } ?? now)
    }
}
