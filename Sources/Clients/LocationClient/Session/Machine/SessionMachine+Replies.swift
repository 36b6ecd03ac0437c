// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// The daemon's replies to requests.
extension SessionMachine {
    mutating func take(_ reply: Reply, at now: BootInstant, into effects: inout [SessionEffect]) {
        guard let id = reply.id else {
            if let error = reply.error { takeRefusal(error, at: now, into: &effects) }
            return
        }
        guard case .integer(let number) = id else { return }
        switch link {
        case .greeting where number == lastID: takeGreeting(reply, at: now, into: &effects)
        case .open:
            // Replies come in the order of the requests; others are to requests of a lost connection.
            guard let index = sent.firstIndex(where: { $0.id == number }) else { return }
            take(reply, to: sent.remove(at: index).job, at: now, into: &effects)
        default: break
        }
    }

    private mutating func take(
        _ reply: Reply, to job: SessionJob, at now: BootInstant, into effects: inout [SessionEffect]
    ) {
        switch job.content {
        case .end(let kind, let number): self[kind].hasEnded(number)
        case .query(let number, _):
            effects.append(.answer(number, reply.error.map { .failure(.refused($0)) } ?? .success(reply)))
        case .command(let command), .restore(let command):
            if let error = reply.error {
                refuse(command, job, error, into: &effects)
            } else {
                do {
                    try acknowledge(command, job, reply, at: now, into: &effects)
                } catch {
                    // The request may have coordinates, which belong in no log.
                    let message = unreadableAnswer(to: command.name, error)
                    refuse(command, job, RPCError(.parseError, message), into: &effects)
                }
            }
        }
    }

    /// One sentence, where the error of a result's reader alone would be another one.
    func unreadableAnswer(to question: String, _ error: any Error) -> String {
        let reason = (error as? UnreadableAnswer)?.reason ?? "\(error)"
        return "cannot read locationd's answer to \(question): \(reason)"
    }

    private mutating func refuse(
        _ command: SessionCommand, _ job: SessionJob, _ error: RPCError, into effects: inout [SessionEffect]
    ) {
        if let (kind, handle) = command.closes {
            // It is ended also if the daemon does not have it: the reply to an earlier request may have been lost.
            self[kind].remove(handle)
            wishes.note(command)
            if error.code == .notFound { return }
        }
        // The program is told that it has it no more; nor does a later manager begin it again.
        if let (_, handle) = command.opens, job.isRestoration { wishes.drop(handle) }
        if command.isDeferral { deferrals.finish(job.ordinal, .deferredFailed) }
        if command.isLocationRequest { request.refuse(job.ordinal) }
        if case .requestState(let identifier) = command.request { wishes.hasDeterminedState(of: identifier) }
        if job.isAbandoned { return }
        effects.append(.deliver(.refused(command, error)))
    }

    private mutating func acknowledge(
        _ command: SessionCommand, _ job: SessionJob, _ reply: Reply, at now: BootInstant,
        into effects: inout [SessionEffect]
    ) throws {
        switch command.opens {
        case (.monitor, let handle)?:
            let result = try reply.result(MonitorResult.self)
            self[.monitor].enter(result.monitor, for: handle)
            if !job.isRestoration {
                effects.append(.deliver(.monitorOpened(handle, identifiers: result.identifiers)))
            }
        case (.session, let handle)?: self[.session].enter(try reply.result(SessionResult.self).session, for: handle)
        case (.updates, _)?, nil:
            guard command.hasState else { break }
            var state = try reply.result(StateResult.self)
            try takeState(&state, of: command, job, at: now)
            if !job.isAbandoned, !job.isRestoration { effects.append(.deliver(.answered(command, state))) }
        }
        if let (kind, handle) = command.closes { self[kind].remove(handle) }
        if !job.isRestoration { note(command) }
    }

    // Puts the program's numbers in place of the daemon's.
    private mutating func takeState(
        _ state: inout StateResult, of command: SessionCommand, _ job: SessionJob, at now: BootInstant
    ) throws {
        if let (_, handle) = command.opens {
            if let number = state.updates { self[.updates].enter(number, for: handle) }
            state.updates = handle.number
            return
        }
        switch command.request {
        case .allowDeferredLocationUpdates:
            deferrals.endKnown(before: job.ordinal)
            deferrals.acknowledge(job.ordinal, number: state.deferral, isRestoration: job.isRestoration, at: now)
            state.deferral = job.ordinal
        case .requestLocation:
            state.request = request.acknowledge(job.ordinal, state.state, number: state.request)
        default: break
        }
    }

    private mutating func note(_ command: SessionCommand) {
        switch command.request {
        case .setProperties(let patch) where patch.desiredAccuracy != nil:
            if wishes.wantsReducedView != (patch.desiredAccuracy == .reduced) { delivered.changeView() }
        case .disallowDeferredLocationUpdates, .stopUpdatingLocation: deferrals.endKnown()
        default: break
        }
        wishes.note(command)
    }
}
