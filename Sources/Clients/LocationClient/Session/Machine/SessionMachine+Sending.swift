// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// Commands and questions on their way to the daemon.
extension SessionMachine {
    mutating func take(_ command: SessionCommand, at now: BootInstant, into effects: inout [SessionEffect]) {
        var job = SessionJob(content: .command(command))
        let isFull = waiting.count >= SessionMachine.maximumWaiting
        switch command.request {
        case .allowDeferredLocationUpdates(let criteria):
            job.ordinal = deferrals.begin(untilTraveled: criteria.untilTraveled, timeout: criteria.timeout)
            if isFull { deferrals.finish(job.ordinal, .deferredFailed) }
        case .requestLocation(let timeout) where !isFull:
            job.ordinal = request.begin(timeout: timeout, at: now)
        case .acknowledge(let event): events.acknowledge(event)
        default: break
        }
        if command.cancelsRequest, !isFull { cancelRequest() }
        guard !isFull else {
            let limit = SessionMachine.maximumWaiting
            let message = "cannot keep the command until locationd takes it: at most \(limit) may wait"
            return effects.append(.deliver(.refused(command, RPCError(.limitExceeded, message))))
        }
        waiting.append(job)
    }

    mutating func take(_ query: SessionQuery, _ number: UInt64, into effects: inout [SessionEffect]) {
        // While there is hope for an answer soon, it is waited for.
        if case .none = link, let lastError, !hasConnected || outage?.hasToldUnreachable ?? false {
            return effects.append(.answer(number, .failure(lastError)))
        }
        waiting.append(SessionJob(content: .query(number, query)))
    }

    /// Sends as much as may be under way.
    mutating func send(into effects: inout [SessionEffect]) {
        guard isOpen else { return }
        let most = isProgramEnding ? SessionMachine.maximumSentAtExit : SessionMachine.maximumSent
        while sent.count < most, let job = waiting.first {
            switch call(of: job) {
            case .call(let call):
                waiting.removeFirst()
                send(job, call, into: &effects)
            case .waitsForReply: return
            case .nothing:
                waiting.removeFirst()
                dismiss(job, into: &effects)
            }
        }
    }

    private mutating func send(_ job: SessionJob, _ call: Call, into effects: inout [SessionEffect]) {
        switch call {
        case .asked(.allowDeferredLocationUpdates) where !job.isRestoration, .asked(.disallowDeferredLocationUpdates),
            .asked(.stopUpdatingLocation):
            deferrals.cancelResumption()
            tellFinishes(into: &effects)
        default: break
        }
        if case .command(let command) = job.content {
            switch command.request {
            case .startUpdatingLocation where !hasSentStandard:
                hasSentStandard = true
                delivered.begin()
            case .stopUpdatingLocation: hasSentStandard = false
            default: break
            }
        }
        lastID += 1
        sent.append(SentJob(id: lastID, job: job))
        effects.append(.send(.integer(lastID), call))
    }

    // The stream, monitor or session does not exist at the daemon.
    private mutating func dismiss(_ job: SessionJob, into effects: inout [SessionEffect]) {
        switch job.content {
        case .query(let number, _): effects.append(.answer(number, .success(nil)))
        case .command(let command) where command.closes == nil:
            let message = "cannot change the monitor: it is not open"
            effects.append(.deliver(.refused(command, RPCError(.notFound, message))))
        case .command(let command): wishes.note(command)
        default: break
        }
    }

    // MARK: One-shot requests that were answered without the daemon

    // The effect at the daemon, which may get the command late or never.
    private mutating func cancelRequest() {
        guard let (ordinal, isNumbered) = request.cancel() else { return }
        let isSent = sent.contains { $0.job.ordinal == ordinal && $0.job.command?.isLocationRequest ?? false }
        guard !isNumbered, !isSent else { return }
        abandon(ordinal)
        request.refuse(ordinal)
    }

    mutating func abandon(_ ordinal: UInt64) {
        waiting.removeAll { $0.ordinal == ordinal && $0.command?.isLocationRequest ?? false }
        for index in sent.indices
        where sent[index].job.ordinal == ordinal && sent[index].job.command?.isLocationRequest ?? false {
            sent[index].job.isAbandoned = true
        }
    }

    mutating func dropAbandoned() { sent.removeAll { $0.job.isAbandoned } }

    // MARK: Numbers

    subscript(kind: Method.NumberedKind) -> NumberBook {
        get { numbers[kind] ?? NumberBook() }
        set { numbers[kind] = newValue }
    }

    enum Sendability {
        case call(Call)
        /// The daemon has yet to say what it calls what this is about.
        case waitsForReply
        /// The stream, monitor or session does not exist.
        case nothing
    }

    func call(of job: SessionJob) -> Sendability {
        switch job.content {
        case .end(let kind, let number): return .call(.asked(kind.end(number)))
        case .query(_, .location): return .call(.location)
        case .query(_, .monitoredRegions): return .call(.monitoredRegions)
        case .query(_, .monitorRecord(let handle, let identifier)):
            return about(handle, .monitor) { .monitorRecord(ConditionName(monitor: $0, identifier: identifier)) }
        case .command(let command), .restore(let command):
            if case .startUpdatingLocation = command.request,
                job.isRestoration || hasSentStandard && !wishes.wantsStandard
            {
                // Sent before, and its reply was lost: locations may have come.
                return .call(.asked(.startUpdatingLocation(resumeAfter: delivered.resumePoint)))
            }
            guard let (kind, number) = command.request.numbered else { return .call(.asked(command.request)) }
            return about(SessionHandle(number), kind) { .asked(command.request.about($0)) }
        }
    }

    private func about(_ handle: SessionHandle, _ kind: Method.NumberedKind, _ call: (UInt64) -> Call) -> Sendability {
        if let number = self[kind].number(of: handle) { return .call(call(number)) }
        let isComing = sent.contains { $0.job.command?.opens?.handle == handle }
        return isComing ? .waitsForReply : .nothing
    }
}
