// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore
import LocationWire

extension LocationService {
    /// Queues what an effect makes known to one client, which may have asked for it.
    func tell(_ manager: ClientManager, _ effect: Effect, _ request: ClientRequest?) {
        switch effect {
        case .positionStandard(_, let sequence):
            manager.outbox.rewindStandard(to: sequence)
            if let slot = manager.slot { keeper.slots.setDelivered(slot, sequence) }
        case .discardUndelivered: manager.outbox.discardPlaces()
        case .liveUpdate(_, let element): tell(manager, element)
        case .rangingFailed:
            guard case .startRangingBeacons(let beacons)? = request?.call else { return }
            notify(manager, NotificationWriter.rangingDidFail(beacons, LocationError(.rangingUnavailable)), .kept)
        case .event(_, let index, let monitor): tell(manager, buffer.events[index], monitor: monitor)
        default:
            let notification = effect.notification(
                in: buffer, authorization: engine.authorization(of: manager.id), purposeKey: request?.call.purposeKey,
                receiverProblem: receiverProblem())
            if let notification { notify(manager, notification.line, notification.kind) }
        }
        markDirty(manager)
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
            event.isUnmonitored ? NotificationKind.engineRepeats : .place(survives: !isStored && monitor == 0)
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
        let notification = element.notification(location)
        notify(manager, notification.line, notification.kind)
    }

    private func notify(_ manager: ClientManager, _ prefix: [UInt8], _ kind: NotificationKind) {
        guard manager.channel != nil || kind.survives else { return }
        manager.outbox.notify(prefix, kind)
    }

    /// Queues the answer to a request as the engine gives it. `isStored`: what it promises is on the disk.
    func answer(_ request: ClientRequest, _ reply: LocationEngine.Reply, isStored: Bool) {
        let manager = request.manager
        markDirty(manager)
        guard isStored else {
            let reason = "cannot keep that, it holds until the daemon ends: \(records.problem ?? "")"
            return manager.outbox.reply(ReplyWriter.refusal(request.id, RPCError(.unavailable, reason)))
        }
        manager.outbox.reply(
            reply.line(
                to: request.id, stateless: statelessResult(of: request), isAsked: isAsked(about: manager),
                reason: { reason(for: $0, manager, request.call) }))
    }

    /// What a request is answered with where there is no state to tell.
    private func statelessResult(of request: ClientRequest) -> StatelessResult {
        switch request.call {
        case .setProperties: return .properties(engine.properties(of: request.manager.id))
        case .openMonitor(let name):
            guard let app = request.manager.app else { return .number }
            return .monitor(identifiers: engine.conditions(ofMonitor: name, of: app).map(\.identifier))
        default: return .number
        }
    }

    /// Who a client is, for a person: by the kernel's word, and behind that what it calls itself.
    private func name(of manager: ClientManager) -> String {
        let identity = manager.identity?.description ?? "uid:\(manager.peer.uid)"
        guard let label = manager.label else { return identity }
        // Nothing inside the quotation can end it.
        return "\(identity) (calls itself \"\(label.replacing("\"", with: "'"))\")"
    }

    /// Why a service is in that state, where it is not plain. `call`: what asked for the service just now.
    func reason(for state: ServiceState, _ manager: ClientManager, _ call: Call? = nil) -> String? {
        let name = name(of: manager)
        switch state {
        case .running: return runningReason(manager)
        case .waitingForAuthorization:
            return isAsked(about: manager)
                ? "nobody has decided yet whether \(name) may have locations; somebody is asked now"
                : "nobody has decided yet whether \(name) may have locations; an administrator can: "
                    + grantingCommand(for: manager)
        case .denied:
            return engine.areServicesEnabled
                ? "locations are denied to \(name)" : "location services are off (locctl services on)"
        case .unavailable:
            if case .startRangingBeacons? = call { return "nothing here hears beacons" }
            return "no device has told where it points; gpsd would say so in ATT"
        case .ignored, .prompted, .alreadyDetermined: return nil
        }
    }
}

extension LocationService {
    // Whether there are fixes, and how the receiver does, would tell somebody with reduced accuracy whether others need it.
    private func runningReason(_ manager: ClientManager) -> String? {
        let problem = receiverProblem()
        guard engine.authorization(of: manager.id).accuracy == .reduced else { return problem }
        return problem == nil || surroundings().gpsd.connected ? nil : "gpsd is not connected"
    }
}

extension AppEvent {
    fileprivate var isUnmonitored: Bool {
        if case .monitor(_, _, let event) = content { event.state == .unmonitored } else { false }
    }
}

extension Call {
    /// What temporary full accuracy is wanted for; nil: it is not asked for.
    fileprivate var purposeKey: String? {
        if case .requestTemporaryFullAccuracyAuthorization(let key) = self { key } else { nil }
    }
}
