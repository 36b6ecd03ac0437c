// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore

extension LocationService {
    /// Queues what an effect makes known to one client.
    func tell(_ manager: ClientManager, _ effect: Effect) {
        switch effect {
        case .reply(_, let reply): answer(manager, reply)
        case .positionStandard(_, let sequence):
            manager.outbox.rewindStandard(to: sequence)
            if let slot = manager.slot { keeper.slots.setDelivered(slot, sequence) }
        case .discardUndelivered: manager.outbox.discardPlaces()
        case .finishDeferral(_, let finished):
            notify(
                manager,
                NotificationWriter.didFinishDeferredUpdates(
                    UInt64(finished.number), error: finished.error.map { LocationError($0) }), .engineRepeats)
        case .fail(_, let code, let source, let request):
            notify(
                manager,
                NotificationWriter.didFailWithError(
                    LocationError(code), source: source, request: request == 0 ? nil : UInt64(request)),
                request == 0 ? .engineRepeats : .kept)
        case .cancelRequest(_, let request, let cause):
            notify(manager, NotificationWriter.didCancelRequest(UInt64(request), by: cause.onTheWire), .kept)
        case .announceAuthorization(let id, let initial):
            announce(engine.authorization(of: id), to: manager, initial: initial)
        case .temporaryFullAccuracy(_, let code):
            notify(
                manager,
                NotificationWriter.didRequestTemporaryFullAccuracy(
                    manager.purposeKey ?? "", error: code.map { LocationError($0) }), .kept)
        case .sessionDiagnostic(_, let session, let flags):
            notify(manager, NotificationWriter.serviceSessionDiagnostic(UInt64(session), flags), .engineRepeats)
        case .pause(_, let isPaused, let reason):
            notify(
                manager,
                isPaused
                    ? NotificationWriter.didPauseLocationUpdates(reason: reason.rawValue)
                    : NotificationWriter.didResumeLocationUpdates(reason: reason.rawValue), .engineRepeats)
        default: tellPlace(manager, effect)
        }
        markDirty(manager)
    }

    /// What tells where the device is, or of places.
    private func tellPlace(_ manager: ClientManager, _ effect: Effect) {
        switch effect {
        case .liveUpdate(_, let element): tell(manager, element)
        case .heading:
            guard let heading = buffer.heading else { return }
            notify(manager, NotificationWriter.didUpdateHeading(heading), .element(.heading))
        case .rangingFailed:
            guard let beacons = manager.rangedBeacons else { return }
            notify(manager, NotificationWriter.rangingDidFail(beacons, LocationError(.rangingUnavailable)), .kept)
        case .event(_, let index, let monitor): tell(manager, buffer.events[index], monitor: monitor)
        case .regionState(_, let index, let state):
            notify(
                manager, NotificationWriter.didDetermineState(buffer.regions[index], state), .place(survives: false))
        case .regionStarted(_, let index):
            notify(manager, NotificationWriter.didStartMonitoring(buffer.regions[index]), .kept)
        case .regionFailed(_, let index, let code):
            notify(manager, NotificationWriter.monitoringDidFail(buffer.regions[index], LocationError(code)), .kept)
        default: break
        }
    }

    private func tell(_ manager: ClientManager, _ event: AppEvent, monitor: UInt32) {
        guard let app = manager.app else { return }
        let isStored = manager.takesEvents && engine.storesEvents(app)
        // What is stored can wait there; a client has to read before it gets more.
        let canWait = isStored && monitor == 0 && !event.content.isSignificantChange
        if canWait, manager.hasEventBacklog { return }
        guard let line = NotificationWriter.line(of: event, monitor: monitor == 0 ? nil : UInt64(monitor)) else {
            return
        }
        if canWait {
            let waiting = manager.outbox.undroppableBytes
            // One line always goes, however long: else none ever would.
            if records.isBehind || waiting > 0 && waiting + line.count > configuration.limits.outputLimit / 2 {
                manager.hasEventBacklog = true
                return
            }
            manager.toldEvent = event.number
        }
        // That nothing comes tells no place, and is told again when the client is back.
        let kind =
            event.isUnmonitored ? Outbox.NotificationKind.engineRepeats : .place(survives: !isStored && monitor == 0)
        notify(manager, line, kind)
    }

    /// The client has read: the stored events that waited for that.
    func tellBacklog(_ manager: ClientManager) {
        guard manager.hasEventBacklog, manager.channel != nil, !records.isBehind, let app = manager.app else { return }
        manager.hasEventBacklog = false
        for event in engine.events(of: app) where event.number > manager.toldEvent && !manager.hasEventBacklog {
            switch event.content {
            case .region, .visit: tell(manager, event, monitor: 0)
            case .monitor, .significantChange: break
            }
        }
    }

    private func tell(_ manager: ClientManager, _ element: LiveElement) {
        let isReduced = element.flags.contains(.accuracyLimited)
        let location = element.sequence == 0 ? nil : encoder.location(element.sequence, isReduced: isReduced)
        let line = NotificationWriter.didUpdate(
            UInt64(element.updates), location, stationary: element.isStationary, flags: element.flags)
        let isPlain = !element.isStationary && element.flags.isSubset(of: .accuracyLimited)
        notify(manager, line, isPlain ? .element(.liveUpdates(element.updates)) : .place(survives: false))
    }

    private func announce(_ authorization: Authorization, to manager: ClientManager, initial: Bool) {
        notify(
            manager,
            NotificationWriter.didChangeAuthorization(
                authorization.status, accuracy: authorization.accuracyOnTheWire,
                provisional: authorization.isProvisional, initial: initial), .engineRepeats)
    }

    private func notify(_ manager: ClientManager, _ prefix: [UInt8], _ kind: Outbox.NotificationKind) {
        guard manager.channel != nil || kind.survives else { return }
        manager.outbox.notify(prefix, kind)
    }

    private func answer(_ manager: ClientManager, _ reply: LocationEngine.Reply) {
        guard let id = manager.replyID else { return }
        manager.replyID = nil
        defer {
            manager.answersProperties = false
            manager.openedMonitor = nil
        }
        if let error = refusal(of: reply) { return manager.outbox.reply(ReplyWriter.refusal(id, error)) }
        if let name = manager.openedMonitor, let app = manager.app {
            let identifiers = engine.conditions(ofMonitor: name, of: app).map(\.identifier)
            return manager.outbox.reply(
                ReplyWriter.result(id, MonitorResult(monitor: UInt64(reply.opened), identifiers: identifiers)))
        }
        guard let state = reply.state else {
            // A request whose result says no state: its properties, or nothing.
            manager.outbox.reply(
                manager.answersProperties
                    ? ReplyWriter.result(id, engine.state(of: manager.id).properties)
                    : reply.opened != 0
                        ? ReplyWriter.result(id, SessionResult(session: UInt64(reply.opened)))
                        : ReplyWriter.empty(id))
            return
        }
        manager.outbox.reply(
            ReplyWriter.result(
                id,
                StateResult(
                    state.onTheWire, reason: reason(for: state, manager),
                    request: reply.request == 0 ? nil : UInt64(reply.request),
                    deferral: reply.deferral == 0 ? nil : UInt64(reply.deferral),
                    updates: reply.opened == 0 ? nil : UInt64(reply.opened))))
    }

    /// Why nothing was done, or why it cannot be promised.
    private func refusal(of reply: LocationEngine.Reply) -> RPCError? {
        guard isStored else {
            return RPCError(.unavailable, "cannot keep that, it holds until the daemon ends: \(records.problem ?? "")")
        }
        return switch reply.refusal {
        case nil: nil
        case .notFound: RPCError(.notFound, "cannot find that number or name: there is none")
        case .limitExceeded: RPCError(.limitExceeded, "cannot open another one: the connection has as many as it may")
        case .held: RPCError(.unavailable, "cannot open the monitor: another connection of the app has it open")
        }
    }

    /// Why a service is in that state, where it is not plain.
    func reason(for state: LocationEngine.ServiceState, _ manager: ClientManager) -> String? {
        let name = manager.label ?? manager.identity?.description ?? "uid:\(manager.peer.uid)"
        switch state {
        case .running: return receiverProblem()
        case .waitingForAuthorization:
            let identity = manager.identity?.description ?? name
            return "nobody has decided about \(name) yet; an administrator can: locctl authorize '\(identity)' always"
        case .denied:
            return engine.areServicesEnabled
                ? "\(name) is not authorized" : "location services are off (locctl services on)"
        case .unavailable where manager.rangedBeacons != nil: return "nothing here hears beacons"
        case .unavailable: return "no device has told where it points; gpsd would say so in ATT"
        case .ignored, .prompted, .alreadyDetermined: return nil
        }
    }
}

extension AppEvent {
    fileprivate var isUnmonitored: Bool {
        if case .monitor(_, _, let event) = content { event.state == .unmonitored } else { false }
    }
}

extension Authorization {
    /// nil while not determined, when accuracy means nothing.
    var accuracyOnTheWire: AccuracyAuthorization? { status == .notDetermined ? nil : accuracy }
}

extension LocationEngine.ServiceState {
    /// The same state in the protocol's words.
    var onTheWire: LocationProtocol.ServiceState {
        switch self {
        case .running: .running
        case .waitingForAuthorization: .waitingForAuthorization
        case .denied: .denied
        case .ignored: .ignored
        case .unavailable: .unavailable
        case .prompted: .prompted
        case .alreadyDetermined: .alreadyDetermined
        }
    }
}

extension CancelCause {
    fileprivate var onTheWire: RequestCancellation {
        switch self {
        case .startUpdatingLocation: .startUpdatingLocation
        case .stopUpdatingLocation: .stopUpdatingLocation
        case .allowDeferredLocationUpdates: .allowDeferredLocationUpdates
        }
    }
}
