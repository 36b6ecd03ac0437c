// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol

extension LocationService {
    /// Queues what an effect makes known to one client, which may have asked for it.
    func tell(_ manager: ClientManager, _ effect: Effect, _ request: ClientRequest?) {
        switch effect {
        case .positionStandard(_, let sequence):
            manager.outbox.rewindStandard(to: sequence)
            if let slot = manager.slot { keeper.setDelivered(slot, sequence) }
        case .discardUndelivered: manager.outbox.discardPlaces()
        case .liveUpdate(_, let element): tell(manager, element)
        case .event(_, let index, let monitor): tell(manager, effects.events[index], monitor: monitor)
        default:
            let notification = effect.notification(
                in: effects, authorization: engine.authorization(of: manager.id), asked: request?.call.request,
                receiverProblem: host.receiverProblem())
            if let notification { notify(manager, notification.line, notification.kind) }
        }
        markDirty(manager)
    }

    private func tell(_ manager: ClientManager, _ event: AppEvent, monitor: UInt32) {
        guard let app = manager.app else { return }
        let isStored = manager.events.areTaken && engine.storesEvents(app)
        // A stored event can wait in the store; a client has to read before it gets more.
        let canWait = isStored && monitor == 0 && !event.content.isSignificantChange
        if canWait, manager.events.hasBacklog { return }
        let number = monitor == 0 ? nil : UInt64(monitor)
        let hasNumber = number != nil || engine.storesEvents(app)
        guard let line = NotificationWriter.line(of: event, monitor: number, isToAcknowledge: hasNumber) else { return }
        if canWait {
            let waiting = manager.outbox.undroppableBytes
            // One line always goes, however long: else none ever would.
            if records.isBehind || waiting > 0 && waiting + line.count > settings.limits.outputLimit / 2 {
                manager.events.hasBacklog = true
                return
            }
            manager.events.told = event.number
        }
        if manager.channel != nil { manager.told.events += 1 }
        // That nothing comes tells no place, and is told again when the client is back.
        let kind =
            event.isUnmonitored ? NotificationKind.engineRepeats : .place(survives: !isStored && monitor == 0)
        notify(manager, line, kind)
    }

    /// The client has read: the stored events that waited for that.
    func tellBacklog(_ manager: ClientManager) {
        guard manager.events.hasBacklog, manager.channel != nil, !records.isBehind, let app = manager.app else {
            return
        }
        manager.events.hasBacklog = false
        for event in engine.events(of: app) where event.number > manager.events.told && !manager.events.hasBacklog {
            switch event.content {
            case .region, .visit: tell(manager, event, monitor: 0)
            case .monitor, .significantChange, .notice: break
            }
        }
    }

    private func tell(_ manager: ClientManager, _ element: LiveElement) {
        let isReduced = element.flags.contains(.accuracyLimited)
        let location = element.sequence == 0 ? nil : encoder.location(element.sequence, isReduced: isReduced)
        var element = element
        if location?.isCoarse == true { element.flags.insert(.accuracyLimited) }
        let notification = element.notification(location)
        if location != nil, manager.channel != nil { manager.told.liveUpdates += 1 }
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
        guard let app = manager.app, let asked = request.call.request else { return }
        manager.outbox.reply(
            reply.line(
                to: request.id, asked, of: manager.id, app, engine,
                isAsked: Prompting(service: self).isAsked(about: manager),
                reason: { StateReason(self, manager, asked).text(for: $0) }))
    }
}

extension AppEvent {
    fileprivate var isUnmonitored: Bool {
        if case .monitor(_, _, let event) = content { event.state == .unmonitored } else { false }
    }
}
