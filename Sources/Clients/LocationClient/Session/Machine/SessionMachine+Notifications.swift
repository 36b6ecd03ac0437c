// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// The daemon's notifications: each goes to the program once, in the program's own numbers.
extension SessionMachine {
    mutating func take(_ notification: Notification, at now: BootInstant, into effects: inout [SessionEffect]) {
        guard isOpen else { return }
        switch notification {
        case .didUpdateLocations(let update): take(update, at: now, into: &effects)
        case .didUpdate(var update):
            guard let handle = handle(of: update.updates, .updates) else { return }
            update.updates = handle.number
            tell(.didUpdate(update), into: &effects)
        case .didFailWithError(let error, let source, let number?):
            guard let ordinal = answer(number) else { return }
            tell(.didFailWithError(error, source: source, request: ordinal), into: &effects)
        case .didCancelRequest(let number, let cause):
            guard let ordinal = answer(number, isCancellation: true) else { return }
            tell(.didCancelRequest(ordinal, by: cause), into: &effects)
        case .didFinishDeferredUpdates(let number, let error):
            deferrals.finish(number: number, error)
            tellFinishes(into: &effects)
        case .didChangeAuthorization(let change): take(change, at: now, into: &effects)
        case .didRequestTemporaryFullAccuracy(let key, _):
            wishes.hasAnsweredPurpose(key)
            tell(notification, into: &effects)
        case .didDetermineState(let region, .unknown):
            guard wishes.noteUnknownState(of: region.identifier) else { return }
            tell(notification, into: &effects)
        case .didDetermineState(let region, _):
            wishes.hasDeterminedState(of: region.identifier)
            tell(notification, into: &effects)
        case .serviceSessionDiagnostic(let number, let flags):
            guard let handle = handle(of: number, .session) else { return }
            tell(.serviceSessionDiagnostic(session: handle.number, flags), into: &effects)
        default: takeEvent(notification, into: &effects)
        }
    }

    private func tell(_ notification: Notification, into effects: inout [SessionEffect]) {
        effects.append(.deliver(.told(notification)))
    }

    // MARK: Locations

    private mutating func take(_ update: LocationUpdate, at now: BootInstant, into effects: inout [SessionEffect]) {
        var update = update
        if let number = update.request {
            guard let ordinal = answer(number) else { return }
            update.request = ordinal
        }
        if let event = update.event, !isNew(event) { return }
        guard update.source == .standard else { return tell(.didUpdateLocations(update), into: &effects) }
        guard var new = delivered.new(of: update, at: now) else { return }
        new.deferral = new.deferral.flatMap { deferrals.ordinal(of: $0) }
        if let (ordinal, command) = deferrals.note(new, at: now) {
            waiting.putFirst([SessionJob(content: .restore(command), ordinal: ordinal)])
        }
        tell(.didUpdateLocations(new), into: &effects)
    }

    private mutating func answer(_ number: UInt64, isCancellation: Bool = false) -> UInt64? {
        guard let ordinal = request.answer(number, isCancellation: isCancellation) else { return nil }
        abandon(ordinal)
        return ordinal
    }

    // MARK: Authorization

    private mutating func take(
        _ change: AuthorizationChange, at now: BootInstant, into effects: inout [SessionEffect]
    ) {
        let last = authorization
        authorization = change
        if let last {
            var known = last
            known.isInitial = change.isInitial
            guard known != change else { return }
            if last.accuracyAuthorization != change.accuracyAuthorization { delivered.changeView() }
        }
        if change.authorizationStatus != .notDetermined { request.hasBeenDecided(at: now) }
        tell(.didChangeAuthorization(change), into: &effects)
    }

    // MARK: Stored events

    private mutating func takeEvent(_ notification: Notification, into effects: inout [SessionEffect]) {
        switch notification {
        case .didEnterRegion(let crossing), .didExitRegion(let crossing):
            if let event = crossing.event, !isNew(event) { return }
            tell(notification, into: &effects)
        case .didVisit(_, let event):
            if let event, !isNew(event) { return }
            tell(notification, into: &effects)
        case .monitorEvent(var monitorEvent):
            guard let number = monitorEvent.monitor, let handle = handle(of: number, .monitor) else { return }
            if let event = monitorEvent.event, !isNew(event, of: handle) { return }
            monitorEvent.monitor = handle.number
            tell(.monitorEvent(monitorEvent), into: &effects)
        case .unknown, .authorizationRequested, .authorizationRequestClosed: break
        default: tell(notification, into: &effects)
        }
    }

    private mutating func isNew(_ event: UInt64, of monitor: SessionHandle? = nil) -> Bool {
        if events.isAcknowledged(event) {
            // The daemon missed it.
            if waiting.count < SessionMachine.maximumWaiting {
                waiting.append(SessionJob(content: .restore(SessionCommand(.acknowledge(event: event)))))
            }
            return false
        }
        return events.isNew(ToldEvents.Key(event: event, monitor: monitor?.number ?? 0))
    }

    // MARK: Numbers of nobody

    // No handle is for this number, so it is ended: it was begun by a request whose reply was lost.
    private mutating func handle(of number: UInt64, _ kind: Method.NumberedKind) -> SessionHandle? {
        if let handle = self[kind].handle(of: number) { return handle }
        if self[kind].beginToEnd(number) { waiting.append(SessionJob(content: .end(kind, number))) }
        return nil
    }
}
