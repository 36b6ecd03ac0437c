// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// Connecting, hello, loss.
extension SessionMachine {
    // A daemon may be held up by its disk. Whoever is silent for longer is stopped, or none.
    private static let greetingTolerance = SessionOutage.longPause

    mutating func greet(at now: BootInstant, into effects: inout [SessionEffect]) {
        guard case .connecting = link else { return }
        link = .greeting
        greeted = now
        lastID += 1
        let hello = HelloParameters(
            app: application.name, usageDescriptions: application.usageDescriptions, presence: wishes.presence,
            manager: token, events: true)
        effects.append(.send(.integer(lastID), .hello(hello)))
    }

    /// When nobody is waited for any more who took the connection and does not answer hello; nil: nobody is.
    var greetingDeadline: BootInstant? {
        guard case .greeting = link, let greeted else { return nil }
        return greeted + SessionMachine.greetingTolerance
    }

    /// Whether hello has had no answer for a while: where something changes at the address now, it may be for a successor.
    func isGreetingInVain(at now: BootInstant) -> Bool {
        guard case .greeting = link, let greeted else { return false }
        return now - greeted >= LocationSession.waitTolerance
    }

    mutating func giveUpGreeting(at now: BootInstant, into effects: inout [SessionEffect]) {
        drop(SessionMachine.silence, at: now, into: &effects)
        // The silence was the pause: a daemon that was held up for longer finds the next one.
        outage?.tryAgain(at: now)
    }

    /// Somebody wrote what is no message. Once the daemon has answered hello, it is a newer daemon's, and passed over.
    mutating func takeUnreadable(
        _ error: ServerMessageError, at now: BootInstant, into effects: inout [SessionEffect]
    ) {
        guard case .greeting = link else { return }
        let reason = "cannot talk to what answers at locationd's socket: it does not speak locationd's protocol"
        drop(.unreadable(reason: "\(reason) (\(error.reason))"), at: now, into: &effects)
    }

    /// The reply to hello.
    mutating func takeGreeting(_ reply: Reply, at now: BootInstant, into effects: inout [SessionEffect]) {
        if let error = reply.error { return refuseGreeting(error, at: now, into: &effects) }
        do {
            let hello = try reply.result(HelloResult.self)
            guard hello.protocolVersion == locationProtocolVersion else {
                let spoken = "version \(hello.protocolVersion) of its protocol (locationd \(hello.version))"
                return endForGood(
                    incompatible(spoken, isOlder: hello.protocolVersion < locationProtocolVersion), at: now,
                    into: &effects)
            }
            connect(hello, at: now, into: &effects)
        } catch {
            drop(.unreadable(reason: unreadableAnswer(to: "hello", error)), at: now, into: &effects)
        }
    }

    private mutating func connect(
        _ hello: HelloResult, at now: BootInstant, into effects: inout [SessionEffect]
    ) {
        link = .open
        outage = nil
        lastError = nil
        hasConnected = true
        let isTakenBack = hello.rejoined && token != nil
        token = hello.manager
        effects.append(.deliver(.connected(hello)))
        if isTakenBack { sendAgain() } else { restore(at: now) }
    }

    // MARK: Refusals

    /// A refusal that belongs to no request: of the connection, or of a line that could not be read.
    mutating func takeRefusal(_ error: RPCError, at now: BootInstant, into effects: inout [SessionEffect]) {
        drop(.refused(error), at: now, into: &effects)
    }

    private mutating func refuseGreeting(
        _ error: RPCError, at now: BootInstant, into effects: inout [SessionEffect]
    ) {
        switch error.code {
        // It is another app's, or one too many. What the program has under the name waits for it.
        case .identityMismatch where hasAssumedName, .limitExceeded where hasAssumedName && !hasConnected:
            application.name = nil
            effects.append(.deliver(.nameRefused(error)))
            effects.append(.close)
            link = .connecting
            effects.append(.open)
        case .invalidParams, .invalidRequest, .methodNotFound:
            endForGood(
                incompatible("another version, and says: \(error.message)", isOlder: nil), at: now, into: &effects)
        case .notPermitted, .identityMismatch: endForGood(.refused(error), at: now, into: &effects)
        default: drop(.refused(error), at: now, into: &effects)
        }
    }

    /// Another session of the program learned that the daemon does not take the name that nobody gave it.
    mutating func giveUpName() { if application.isNameAssumed { application.name = nil } }

    private var hasAssumedName: Bool { application.isNameAssumed && application.name != nil }

    private func incompatible(_ spoken: String, isOlder: Bool?) -> LocationClientError {
        let update =
            switch isOlder {
            case true?: "update locationd"
            case false?: "update this program's CoreLocation library"
            case nil: "update whichever of locationd and this program's CoreLocation library is older"
            }
        let own = "version \(locationProtocolVersion) (CoreLocation library \(locationdVersion))"
        return .refused(
            RPCError(
                .invalidParams, "cannot talk to locationd: this program speaks \(own), it speaks \(spoken); \(update)"))
    }

    /// The connection is of no use, and another one is tried later.
    private mutating func drop(
        _ reason: LocationClientError, at now: BootInstant, into effects: inout [SessionEffect]
    ) {
        effects.append(.close)
        lose(reason, at: now, into: &effects)
    }

    /// The connection is of no use, nor would another one be until something changes.
    private mutating func endForGood(
        _ reason: LocationClientError, at now: BootInstant, into effects: inout [SessionEffect]
    ) {
        effects.append(.close)
        link = .none
        lastError = reason
        outage?.giveUp(at: now, isWatched: isWatched)
        tellUnreachable(into: &effects)
        failQueries(reason, into: &effects)
    }

    // MARK: Loss

    mutating func lose(_ reason: LocationClientError, at now: BootInstant, into effects: inout [SessionEffect]) {
        if case .none = link { return }
        link = .none
        lastError = reason
        var outage = self.outage ?? SessionOutage(since: now)
        outage.fail(at: now)
        let isFirstLoss = !outage.hasToldLoss
        outage.hasToldLoss = true
        self.outage = outage
        if isFirstLoss { effects.append(.deliver(.disconnected(reason))) }
        dropAbandoned()
        // A restart takes a moment; somebody who was never there may never be.
        if !hasConnected { failQueries(reason, into: &effects) }
    }

    mutating func tellWaiting(into effects: inout [SessionEffect]) {
        outage?.hasToldWaiting = true
        effects.append(.deliver(.waiting(presentReason)))
    }

    // While the connection waits for its greeting, errors of earlier ones are no reason any more.
    private var presentReason: LocationClientError {
        if case .greeting = link { SessionMachine.silence } else { lastError ?? SessionMachine.silence }
    }

    private static var silence: LocationClientError {
        .refused(RPCError(.unavailable, "cannot reach locationd: it took the connection and does not answer hello"))
    }

    mutating func tellUnreachable(into effects: inout [SessionEffect]) {
        guard let outage, !outage.hasToldUnreachable else { return }
        self.outage?.hasToldUnreachable = true
        let reason = presentReason
        effects.append(.deliver(.unreachable(reason)))
        failQueries(reason, into: &effects)
    }

    mutating func failQueries(_ reason: LocationClientError, into effects: inout [SessionEffect]) {
        func number(_ job: SessionJob) -> UInt64? {
            if case .query(let number, _) = job.content { number } else { nil }
        }
        for entry in sent {
            if let number = number(entry.job) { effects.append(.answer(number, .failure(reason))) }
        }
        sent.removeAll { number($0.job) != nil }
        waiting.removeAll { job in
            guard let number = number(job) else { return false }
            effects.append(.answer(number, .failure(reason)))
            return true
        }
    }

    // MARK: After a loss

    /// The manager is taken back: what has no reply is sent again. The daemon may have carried it out, so that what would then be
    /// there twice is ended first; numbers are given in order, from 1.
    private mutating func sendAgain() {
        let questions = wishes.questions.map { SessionJob(content: .restore($0)) }
        func isQuestion(_ job: SessionJob) -> Bool { questions.contains { $0.content == job.content } }
        let again = sent.map(\.job).filter { !isQuestion($0) }
        sent = []
        waiting.removeAll(where: isQuestion)
        var ends: [SessionJob] = []
        for kind in Method.NumberedKind.allCases {
            let lost = self[kind].lose(again.count { $0.command?.opens?.kind == kind })
            ends += lost.map { SessionJob(content: .end(kind, $0)) }
        }
        // As after a restoration: a later end of what is asked about has the last word.
        waiting.putFirst(ends + questions + again)
    }

    /// The manager knows nothing: what was wished comes first, then what has no reply, then what waits.
    private mutating func restore(at now: BootInstant) {
        numbers = [:]
        func isOfFormerManager(_ job: SessionJob) -> Bool {
            if case .end = job.content { true } else { job.isRestoration }
        }
        let restored = request.beginAnew(at: now)
        let again = sent.map(\.job).filter { job in
            !isOfFormerManager(job) && !(job.command?.isLocationRequest ?? false && !request.isPending(job.ordinal))
        }
        sent = []
        waiting.removeAll(where: isOfFormerManager)
        delivered.beginAnew()
        deferrals.beginAnew(at: now, isUpdating: wishes.wantsStandard)
        var jobs = wishes.restoration.map { SessionJob(content: .restore($0)) }
        if let (ordinal, command) = restored {
            jobs.append(SessionJob(content: .restore(command), ordinal: ordinal))
        }
        waiting.putFirst(jobs + again)
    }
}
