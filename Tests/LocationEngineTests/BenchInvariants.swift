// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

// What must hold after every event, whatever the test is about.
extension EngineBench {
    mutating func noteWish(_ manager: ManagerID, _ request: Request, isBefore: Bool) {
        switch request {
        case .startUpdatingLocation where isBefore: connections[manager]?.wantsStandard = true
        case .stopUpdatingLocation where !isBefore: connections[manager]?.wantsStandard = false
        case .startMonitoringSignificantLocationChanges where isBefore: connections[manager]?.wantsSignificant = true
        case .stopMonitoringSignificantLocationChanges where !isBefore: connections[manager]?.wantsSignificant = false
        default: break
        }
    }

    mutating func check(_ line: Line, to manager: ManagerID) {
        guard let connection = connections[manager] else { return violate(line, manager, "has no connection") }
        if !connection.isThere { violate(line, manager, "is said to an absent client") }
        switch line {
        case .reply(let reply): note(reply, manager)
        case .locations(let sequences, let delivery): check(sequences, delivery, line, manager)
        case .finish(let finished): check(finished, line, manager)
        case .fail(_, .request, let request), .cancel(let request, _): endRequest(request, line, manager)
        case .fail, .authorization: break
        }
    }

    private mutating func violate(_ line: Line, _ manager: ManagerID, _ reason: String) {
        violations.append("\(manager.rawValue): '\(line)' \(reason)")
    }

    private mutating func note(_ reply: Reply, _ manager: ManagerID) {
        if reply.request > connections[manager]?.lastRequest ?? 0 {
            connections[manager]?.lastRequest = reply.request
            connections[manager]?.openRequests.insert(reply.request)
        }
        if reply.deferral != 0 { connections[manager]?.allowed = reply.deferral }
    }

    private mutating func endRequest(_ request: UInt32, _ line: Line, _ manager: ManagerID) {
        guard connections[manager]?.openRequests.remove(request) == nil else { return }
        violate(line, manager, "ends no open request")
    }

    private mutating func check(
        _ sequences: [UInt64], _ delivery: Delivery, _ line: Line, _ manager: ManagerID
    ) {
        guard let connection = connections[manager] else { return }
        if sequences.isEmpty || sequences.last != delivery.last { violate(line, manager, "is not what the log holds") }
        if sequences != sequences.sorted() { violate(line, manager, "is out of order") }
        let authorization = authorizations[connection.app] ?? .undetermined
        if !authorization.isAuthorized { violate(line, manager, "is said without authorization") }
        if authorization.accuracy == .reduced { checkView(sequences, delivery, line, manager) }
        switch delivery.source {
        case .request: endRequest(delivery.request, line, manager)
        case .significantChange:
            if !connection.wantsSignificant { violate(line, manager, "comes after stop") }
        case .standard where delivery.isStandardStream:
            // What a deferral held before the stop is sent again with its finish.
            if !connection.wantsStandard, delivery.deferral == 0 { violate(line, manager, "comes after stop") }
            if let first = sequences.first, first <= connection.newestStandard { violate(line, manager, "goes back") }
            connections[manager]?.newestStandard = delivery.last
        case .standard:
            if sequences.count != 1 { violate(line, manager, "is not alone") }
        }
    }

    private mutating func checkView(
        _ sequences: [UInt64], _ delivery: Delivery, _ line: Line, _ manager: ManagerID
    ) {
        if !delivery.flags.contains(.reduced) { violate(line, manager, "is too precise") }
        for sequence in sequences where log[sequence]?.flags.contains(.reducedView) != true {
            violate(line, manager, "is not the daemon's view")
        }
    }

    private mutating func check(_ finished: FinishedDeferral, _ line: Line, _ manager: ManagerID) {
        guard let connection = connections[manager] else { return }
        if finished.number > connection.allowed || finished.number == 0 { violate(line, manager, "was never allowed") }
        if connection.finished.contains(finished.number), !isAttaching { violate(line, manager, "is a second finish") }
        if !connection.finished.contains(finished.number), let newest = connection.finished.max(),
            newest > finished.number
        {
            violate(line, manager, "is out of order")
        }
        connections[manager]?.finished.insert(finished.number)
    }

    /// Finish, request, standard, significant change: the order of one fix on a connection. A batch directly follows its finish.
    mutating func checkOrder(of event: Event) {
        var isFix = false
        if case .fixReceived = event { isFix = true }
        var rankOf: [ManagerID: Int] = [:]
        var previousOf: [ManagerID: Effect] = [:]
        for effect in buffer.effects {
            guard let manager = effect.manager, let rank = effect.rank else { continue }
            // Timers that were due are served before the fix.
            let isRecorded = buffer.accepted != nil
            if isFix, isRecorded, rank < rankOf[manager] ?? 0, rank > 0 {
                violations.append("\(effect) comes too late")
            }
            rankOf[manager] = max(rank, rankOf[manager] ?? 0)
            if case .deliver(_, let delivery) = effect, delivery.deferral != 0, !delivery.flags.contains(.early),
                !(previousOf[manager]?.leads(to: delivery) ?? false)
            {
                violations.append("\(effect) does not follow its finish")
            }
            previousOf[manager] = effect
        }
    }

    mutating func checkReply(to event: Event) {
        guard case .asked(let manager, let request) = event else { return }
        let own = buffer.effects.filter { $0.manager == manager && $0.isLine }
        let replies = own.indices.filter { if case .reply = own[$0] { true } else { false } }
        guard replies.count == 1, let reply = replies.first else {
            return violations.append("\(request) has \(replies.count) replies")
        }
        switch request {
        case .stopUpdatingLocation, .disallowDeferredLocationUpdates, .setProperties,
            .stopMonitoringSignificantLocationChanges:
            if reply != own.count - 1 { violations.append("\(own[own.count - 1]) follows the reply to \(request)") }
        default: break
        }
    }
}

extension Effect {
    var manager: ManagerID? {
        switch self {
        case .recordFix, .powerReceiver: nil
        case .reply(let manager, _), .deliver(let manager, _), .fail(let manager, _, _, _),
            .cancelRequest(let manager, _, _), .finishDeferral(let manager, _), .announceAuthorization(let manager, _),
            .readLog(let manager, _), .positionStandard(let manager, _), .discardUndelivered(let manager),
            .saveManager(let manager), .closeManager(let manager):
            manager
        }
    }

    /// Whether a connection carries it.
    var isLine: Bool {
        switch self {
        case .reply, .deliver, .fail, .cancelRequest, .finishDeferral, .announceAuthorization: true
        default: false
        }
    }

    /// The place among the effects of one fix.
    fileprivate var rank: Int? {
        switch self {
        case .finishDeferral: 1
        case .deliver(_, let delivery) where delivery.deferral != 0: 1
        case .deliver(_, let delivery) where delivery.source == .request: 2
        case .deliver(_, let delivery) where delivery.source == .standard: 3
        case .deliver: 4
        case .fail, .cancelRequest, .reply, .announceAuthorization: 0
        default: nil
        }
    }

    fileprivate func leads(to batch: Delivery) -> Bool {
        switch self {
        case .finishDeferral(_, let finished): finished.number == batch.deferral
        case .deliver(_, let delivery): delivery.deferral == batch.deferral && !delivery.flags.contains(.early)
        default: false
        }
    }
}
