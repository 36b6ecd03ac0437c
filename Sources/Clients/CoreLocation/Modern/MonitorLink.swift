// SPDX-License-Identifier: Apache-2.0
internal import Foundation
internal import LocationClient
internal import LocationModel
internal import LocationProtocol
import Synchronization

/// A named monitor at the daemon, open as long as this object lives.
final class MonitorLink: Sendable {
    private enum Opening {
        case waiting
        /// Nobody has answered so far; the monitor opens by itself when somebody does.
        case late
        case open
        case refused(RPCError)
    }

    private struct State {
        var opening = Opening.waiting
        var identifiers: Set<String> = []
        /// Conditions that only this process knows, because nobody watches them, and what is known here of the others.
        var records: [String: CLMonitor.Record] = [:]
        var unwatched: Set<String> = []
        /// How many conditions the application may have; nil: the daemon has not said.
        var maximumConditions: Int?
    }

    /// The daemon's messages about the monitor. Not part of the link, because the connection's callback must not hold that.
    private final class Ledger: Sendable {
        let name: String
        let state = Mutex(State())
        let events = MonitorEvents()
        let opened = ElementQueue<Void> { waiting, element in waiting = [element] }

        init(name: String) { self.name = name }

        func note(_ event: SharedEvent) {
            switch event {
            case .session(.connected(let hello)):
                state.withLock { $0.maximumConditions = hello.capabilities.maximumConditions }
            case .session(.monitorOpened(_, let identifiers)): noteOpened(identifiers)
            case .session(.told(.monitorEvent(let event))): note(event)
            case .session(.refused(let command, let error)):
                if command.opens(.monitor) { noteRefused(error) }
                if case .addCondition(let condition) = command.request { noteRefused(condition.identifier, error) }
            case .session(.unreachable): noteUnreachable()
            case .session, .serviceSessionRequired, .serviceSessionHeld: break
            }
        }

        private func noteOpened(_ identifiers: [String]) {
            state.withLock { state in
                // The program may have added and removed conditions since then.
                if case .open = state.opening { return }
                state.opening = .open
                state.identifiers.formUnion(identifiers)
            }
            opened.push(())
        }

        private func note(_ event: MonitorEvent) {
            let (isHere, limit) = state.withLock { ($0.identifiers.contains(event.identifier), $0.maximumConditions) }
            guard isHere else { return }
            if event.content.flags.contains(.conditionLimitExceeded) {
                let advice = LimitedKind.conditions(limit: limit).advice
                ApplicationLog.write(
                    "CLMonitor \"\(name)\" cannot watch the condition \"\(event.identifier)\": \(advice)")
            }
            events.push(
                MonitorEvents.Pending(
                    event: CLMonitor.Event(identifier: event.identifier, event.content), number: event.event))
        }

        private func noteRefused(_ error: RPCError) {
            let identifiers = state.withLock { state in
                state.opening = .refused(error)
                return state.identifiers
            }
            let isHeld = error.code == .unavailable
            let advice = isHeld ? "; a name can be open once at a time: keep one monitor, and share it" : ""
            let reason = error.advising(on: .monitors)
            ApplicationLog.write(
                "CLMonitor \"\(name)\" is not open, and none of its conditions is watched: \(reason)\(advice)")
            for identifier in identifiers { refuse(identifier, .persistenceUnavailable, because: nil) }
            opened.push(())
        }

        private func noteRefused(_ identifier: String, _ error: RPCError) {
            // Of a monitor that is not open each condition has been told already.
            let isOpen = state.withLock { if case .refused = $0.opening { false } else { true } }
            guard isOpen else { return }
            let flag: DiagnosticFlags = error.code == .invalidParams ? .conditionUnsupported : .persistenceUnavailable
            refuse(identifier, flag, because: "\(error)")
        }

        private func noteUnreachable() {
            let isLate = state.withLock { state in
                guard case .waiting = state.opening else { return false }
                state.opening = .late
                return true
            }
            guard isLate else { return }
            ApplicationLog.write("CLMonitor \"\(name)\" will open when locationd answers")
            opened.push(())
        }

        /// Tells that a condition is not watched; `reason` is for the log.
        func refuse(_ identifier: String, _ flag: DiagnosticFlags, because reason: String?) {
            if let reason {
                ApplicationLog.write("CLMonitor \"\(name)\" cannot watch the condition \"\(identifier)\": \(reason)")
            }
            state.withLock { _ = $0.unwatched.insert(identifier) }
            let event = CLMonitor.Event(identifier: identifier, state: .unmonitored, date: Date(), flags: flag)
            events.push(MonitorEvents.Pending(event: event, number: nil))
        }
    }

    private let ledger: Ledger
    private let use: SharedUse

    /// Begins to open the monitor `name`.
    init(_ name: String, of shared: SharedSession) {
        let ledger = Ledger(name: name)
        self.ledger = ledger
        use = SharedUse(of: shared) { handle in
            SharedConnection.Commands(
                begin: SessionCommand(.openMonitor(name: name), opening: handle),
                end: SessionCommand(.closeMonitor(monitor: handle.number)))
        } receive: { event in
            ledger.note(event)
        }
    }

    /// Waits until the daemon has said what the monitor holds, or that it cannot be opened, or until it is clear that nobody answers
    /// at present; or until the task is cancelled.
    func waitUntilOpen(isolation: isolated (any Actor)? = #isolation) async {
        _ = try? await ledger.opened.next(isolation: isolation)
    }

    /// The identifiers of its conditions, in order.
    var identifiers: [String] { ledger.state.withLock { $0.identifiers.sorted() } }

    /// The name, the number of conditions, and whether it is open.
    var text: String {
        let (count, isOpen) = ledger.state.withLock { state in
            if case .open = state.opening { (state.identifiers.count, true) } else { (state.identifiers.count, false) }
        }
        return "name:'\(ledger.name)', conditions:\(count)\(isOpen ? "" : ", not open")"
    }

    /// Watches a condition in place of a former one of the same name.
    func add(_ condition: any CLCondition, _ identifier: String, assuming assumed: CLMonitor.Event.State) {
        ledger.events.forget(identifier)
        let isRefused = ledger.state.withLock { state in
            state.identifiers.insert(identifier)
            state.unwatched.remove(identifier)
            state.records[identifier] = CLMonitor.Record(
                condition: condition,
                lastEvent: CLMonitor.Event(identifier: identifier, state: assumed, date: Date()))
            if case .refused = state.opening { return true }
            return false
        }
        if isRefused { return ledger.refuse(identifier, .persistenceUnavailable, because: nil) }
        do {
            let shape = try RegionShape(condition)
            use.session?.perform(
                .addCondition(
                    ConditionParameters(
                        monitor: use.handle.number, identifier: identifier, condition: shape,
                        assuming: ConditionState(assumed))))
        } catch {
            // The daemon may still watch the condition that this one replaces.
            removeAtDaemon(identifier)
            ledger.refuse(identifier, .conditionUnsupported, because: error.reason)
        }
    }

    /// Forgets a condition, its record and what was to be told of it.
    func remove(_ identifier: String) {
        let isKnown = ledger.state.withLock { state in
            state.unwatched.remove(identifier)
            state.records[identifier] = nil
            return state.identifiers.remove(identifier) != nil
        }
        ledger.events.forget(identifier)
        if isKnown { removeAtDaemon(identifier) }
    }

    private func removeAtDaemon(_ identifier: String) {
        use.session?.perform(.removeCondition(ConditionName(monitor: use.handle.number, identifier: identifier)))
    }

    /// A condition and what was last taken of it, as the daemon has it; where nobody answers, as it was last known here.
    func record(for identifier: String) async -> CLMonitor.Record? {
        let (known, isUnwatched) = ledger.state.withLock { state in
            (state.records[identifier], state.unwatched.contains(identifier))
        }
        guard !isUnwatched, let session = use.session else { return known }
        let answer = await withCheckedContinuation { continuation in
            session.monitorRecord(identifier, of: use.handle) { continuation.resume(returning: $0) }
        }
        guard let record = try? answer.get() else { return known }
        return CLMonitor.Record(identifier: identifier, record)
    }

    /// A queue for another iteration over the events.
    func read() -> ElementQueue<MonitorEvents.Pending> { ledger.events.read() }

    /// The next event of an iteration, which counts as taken from now on; nil when the task was cancelled.
    func next(
        of queue: ElementQueue<MonitorEvents.Pending>, isolation: isolated (any Actor)? = #isolation
    ) async throws -> CLMonitor.Event? {
        guard let pending = try await queue.next(isolation: isolation) else { return nil }
        let event = pending.event
        let isFirst = ledger.events.take(pending)
        ledger.state.withLock { state in
            guard let record = state.records[event.identifier] else { return }
            state.records[event.identifier] = CLMonitor.Record(condition: record.condition, lastEvent: event)
        }
        if isFirst, let number = pending.number { use.session?.perform(.acknowledge(event: number)) }
        return event
    }
}

extension CLMonitor.Record {
    init(identifier: String, _ record: MonitorRecord) {
        let event = CLMonitor.Event(identifier: identifier, record.lastEvent)
        self.init(condition: record.condition.condition, lastEvent: event)
    }
}
