// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationProtocol

/// The decisions of a session, without clock, input or output: inputs go in with their moment, effects come out in order.
///
/// Commands that the daemon has acknowledged are kept as `SessionWishes`, the others as jobs in their order. A manager
/// that is taken back gets the jobs without a reply again; one that knows nothing gets the wishes first.
package struct SessionMachine: Sendable {
    /// How many commands may wait to be sent; more are refused.
    package static let maximumWaiting = 4096
    // The daemon reads no further while much of its output is unread: what is under way stays small.
    static let maximumSent = 16
    // The daemon carries out so many lasting changes of a program that is gone (`ChangeAllowance.mostOwed`).
    static let maximumSentAtExit = 128

    enum Link: Sendable {
        /// No connection; the outage says when the next attempt is.
        case none
        case connecting
        /// Hello is sent.
        case greeting
        case open
        /// The program has closed the session.
        case ended
    }

    var application: SessionApplication
    /// Something tells when the daemon's address changes.
    var isWatched = true
    var link = Link.none
    /// When hello was sent last.
    var greeted: BootInstant?
    var outage: SessionOutage?
    var lastError: LocationClientError?
    var hasConnected = false
    var token: ManagerToken?
    var wishes: SessionWishes
    var waiting = JobQueue()
    var sent: [SentJob] = []
    var lastID: Int64 = 0
    var numbers: [Method.NumberedKind: NumberBook] = [:]
    var deferrals = DeferralBook()
    var request = RequestBook()
    var delivered = DeliveredLocations()
    var events = ToldEvents()
    var authorization: AuthorizationChange?
    // The last of the program's starts and stops of the standard service that was sent was a start.
    var hasSentStandard = false
    /// The program is about to end.
    var isProgramEnding = false

    /// A session of `application` that has yet to begin.
    package init(of application: SessionApplication, presence: Presence) {
        self.application = application
        wishes = SessionWishes(presence: presence)
    }

    /// Begins to connect. `isWatched`: whether `daemonMayBeBack` will come when something changes at the daemon's address.
    package mutating func begin(at now: BootInstant, isWatched: Bool = true, into effects: inout [SessionEffect]) {
        self.isWatched = isWatched
        var outage = SessionOutage(since: now)
        outage.attempt(at: now)
        self.outage = outage
        link = .connecting
        effects.append(.open)
    }

    /// Takes `input` and appends what is to be done.
    package mutating func handle(
        _ input: SessionInput, at now: BootInstant, into effects: inout [SessionEffect]
    ) {
        if case .ended = link { return answerAfterEnd(input, into: &effects) }
        switch input {
        case .received(.notification(let notification, _)): take(notification, at: now, into: &effects)
        case .received(.reply(let reply)): take(reply, at: now, into: &effects)
        case .command(let command): take(command, at: now, into: &effects)
        case .query(let number, let query): take(query, number, into: &effects)
        case .unreadable(let error): takeUnreadable(error, at: now, into: &effects)
        case .opened: greet(at: now, into: &effects)
        case .closed(let reason): lose(reason, at: now, into: &effects)
        case .woken: wake(at: now, into: &effects)
        case .programEnds: hurry(at: now, into: &effects)
        case .daemonMayBeBack:
            if isGreetingInVain(at: now) { giveUpGreeting(at: now, into: &effects) }
            hope(at: now, into: &effects)
        }
        send(into: &effects)
        tellFinishes(into: &effects)
    }

    /// When `woken` is due; nil: never.
    package var nextWake: BootInstant? {
        if case .ended = link { return nil }
        var moments = [deferrals.nextWake, request.deadline(isConnected: isOpen), greetingDeadline]
        if let outage { moments += [outage.nextAttempt, outage.tellsWaitingAt, outage.tellsUnreachableAt] }
        return moments.compactMap { $0 }.min()
    }

    var isOpen: Bool {
        if case .open = link { true } else { false }
    }

    private var isTrying: Bool {
        switch link {
        case .connecting, .greeting, .open: true
        case .none, .ended: false
        }
    }

    /// An attempt to connect is worth while now.
    mutating func hope(at now: BootInstant, into effects: inout [SessionEffect]) {
        let isTrying = isTrying
        outage?.hope(at: now, isTrying: isTrying)
        wake(at: now, into: &effects)
    }

    private mutating func wake(at now: BootInstant, into effects: inout [SessionEffect]) {
        deferrals.expire(at: now)
        if let ordinal = request.expire(at: now, isConnected: isOpen) {
            abandon(ordinal)
            let why = lastError.map { "; \($0)" } ?? ""
            let error = LocationError(
                .locationUnknown,
                message: "cannot tell the location: locationd did not answer within the time of the request\(why)")
            effects.append(.deliver(.told(.didFailWithError(error, source: .request, request: ordinal))))
        }
        if let due = greetingDeadline, due <= now { giveUpGreeting(at: now, into: &effects) }
        if let due = outage?.tellsWaitingAt, due <= now { tellWaiting(into: &effects) }
        if let due = outage?.tellsUnreachableAt, due <= now { tellUnreachable(into: &effects) }
        if let due = outage?.nextAttempt, due <= now {
            outage?.attempt(at: now)
            link = .connecting
            effects.append(.open)
        }
    }

    func tellFinish(_ ordinal: UInt64, _ error: LocationError?) -> SessionEffect {
        .deliver(.told(.didFinishDeferredUpdates(deferral: ordinal, error: error)))
    }

    mutating func tellFinishes(into effects: inout [SessionEffect]) {
        while let (ordinal, error) = deferrals.takeFinish() { effects.append(tellFinish(ordinal, error)) }
    }

    private func answerAfterEnd(_ input: SessionInput, into effects: inout [SessionEffect]) {
        guard case .query(let number, _) = input else { return }
        let error = RPCError(.unavailable, "cannot ask locationd: the session is closed")
        effects.append(.answer(number, .failure(.refused(error))))
    }
}
