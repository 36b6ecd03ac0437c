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
        case .discardUndelivered: manager.outbox.discardLocations()
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
        default: break
        }
        markDirty(manager)
    }

    private func announce(_ authorization: Authorization, to manager: ClientManager, initial: Bool) {
        notify(
            manager,
            NotificationWriter.didChangeAuthorization(
                authorization.status, accuracy: authorization.accuracyOnTheWire,
                provisional: authorization.isProvisional, initial: initial), .engineRepeats)
    }

    private func notify(_ manager: ClientManager, _ prefix: [UInt8], _ kind: Outbox.NotificationKind) {
        guard manager.channel != nil || kind == .kept else { return }
        manager.outbox.notify(prefix, kind)
    }

    private func answer(_ manager: ClientManager, _ reply: LocationEngine.Reply) {
        guard let id = manager.replyID else { return }
        manager.replyID = nil
        guard let state = reply.state else {
            // A request whose result says no state: its properties, or nothing.
            manager.outbox.reply(
                manager.answersProperties
                    ? ReplyWriter.result(id, engine.state(of: manager.id).properties)
                    : ReplyWriter.empty(id))
            manager.answersProperties = false
            return
        }
        manager.outbox.reply(
            ReplyWriter.result(
                id,
                StateResult(
                    state.onTheWire, reason: reason(for: state, manager),
                    request: reply.request == 0 ? nil : UInt64(reply.request),
                    deferral: reply.deferral == 0 ? nil : UInt64(reply.deferral))))
    }

    /// Why a service is in that state, where it is not plain.
    func reason(for state: LocationEngine.ServiceState, _ manager: ClientManager) -> String? {
        let name = manager.label ?? manager.identity?.description ?? "uid:\(manager.peer.uid)"
        switch state {
        case .running: return receiverProblem()
        case .waitingForAuthorization:
            return
                "nobody has decided about \(name) yet; an administrator can: set [Authorization] Default= in locationd.conf, then kill -HUP \(getpid())"
        case .denied: return "\(name) is not authorized"
        case .ignored, .unavailable: return nil
        }
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
