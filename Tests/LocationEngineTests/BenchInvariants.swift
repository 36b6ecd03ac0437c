// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

// What must hold after every event, whatever the test is about.
extension EngineBench {
    mutating func noteWish(_ manager: ManagerID, _ request: Request, isBefore: Bool) {
        connections[manager]?.asked = request
        switch request {
        case .startUpdatingLocation where isBefore: connections[manager]?.wantsStandard = true
        case .stopUpdatingLocation where !isBefore: connections[manager]?.wantsStandard = false
        case .startMonitoringSignificantLocationChanges where isBefore: connections[manager]?.wantsSignificant = true
        case .stopMonitoringSignificantLocationChanges where !isBefore: connections[manager]?.wantsSignificant = false
        case .startUpdatingHeading where isBefore: connections[manager]?.wantsHeading = true
        case .stopUpdatingHeading where !isBefore: connections[manager]?.wantsHeading = false
        case .stopLiveUpdates(let number) where !isBefore:
            connections[manager]?.streams.remove(UInt32(clamping: number))
        case .invalidateServiceSession(let number) where !isBefore:
            connections[manager]?.sessions.remove(UInt32(clamping: number))
        case .closeMonitor(let number) where !isBefore: connections[manager]?.monitors.remove(UInt32(clamping: number))
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
        case .live(let element):
            if element.sequence != 0, !permission(of: connection.app).isAuthorized {
                violate(line, manager, "is said without authorization")
            }
            if !connection.streams.contains(element.updates) { violate(line, manager, "comes after stop") }
        case .event(let event, let monitor): check(event, monitor, line, manager)
        case .heading:
            if !permission(of: connection.app).isAuthorized { violate(line, manager, "is said without authorization") }
            if !connection.wantsHeading { violate(line, manager, "comes after stop") }
        case .session(let number, _):
            if !connection.sessions.contains(number) { violate(line, manager, "comes after its end") }
        case .regionState(_, let state):
            let permission = permission(of: connection.app)
            if state != .unknown, !permission.isAuthorized || permission.accuracy == .reduced {
                violate(line, manager, "is said without authorization")
            }
        case .fail, .authorization, .pause, .temporaryFullAccuracy, .regionStarted, .regionFailed, .rangingFailed,
            .beaconsWanted:
            break
        case .ranged:
            let permission = permission(of: connection.app)
            if !permission.isAuthorized || permission.accuracy == .reduced {
                violate(line, manager, "is said without authorization")
            }
        }
    }

    private mutating func violate(_ line: Line, _ manager: ManagerID, _ reason: String) {
        violations.append("\(manager.rawValue): '\(line)' \(reason)")
    }

    private mutating func check(_ event: AppEvent, _ monitor: UInt32, _ line: Line, _ manager: ManagerID) {
        guard let connection = connections[manager] else { return }
        if connection.told.contains([event.number, UInt64(monitor)]) { violate(line, manager, "is told twice") }
        connections[manager]?.told.append([event.number, UInt64(monitor)])
        if monitor != 0, !connection.monitors.contains(monitor) { violate(line, manager, "comes after close") }
        // That there is no room says nothing of a place, and is said once.
        if case .monitor(_, _, let said) = event.content, said.state == .unmonitored { return }
        let permission = permission(of: connection.app)
        if !permission.isAuthorized { violate(line, manager, "is said without authorization") }
        if permission.accuracy == .reduced, !event.isRough { violate(line, manager, "is too precise") }
    }

    /// When it is said: a line that waited for its client is as true as one that the client had not read yet, whatever another connection
    /// of the app acknowledged meanwhile.
    mutating func checkWaits(_ event: AppEvent, _ monitor: UInt32, _ line: Line, _ manager: ManagerID) {
        guard let app = connections[manager]?.app else { return }
        if acknowledged[app]?.contains(event.number) == true { violate(line, manager, "was acknowledged") }
        let permission = permission(of: app)
        // What came before "always" is not stored, and is told for as long as its condition waits.
        guard permission.status == .authorizedAlways, !permission.isProvisional, monitor == 0 else { return }
        if store.events[app]?.contains(where: { $0.number == event.number }) != true {
            violate(line, manager, "is not stored")
        }
    }

    /// No line is said twice in one turn.
    mutating func checkRepetition() {
        for (index, said) in saidInTurn.enumerated().dropFirst()
        where saidInTurn[..<index].contains(where: { $0.manager == said.manager && $0.line == said.line }) {
            violate(said.line, said.manager, "is said twice in one turn")
        }
    }

    mutating func checkMayStore(_ app: AppID) {
        let permission = permission(of: app)
        guard permission.status != .authorizedAlways || permission.isProvisional else { return }
        violations.append("stores or wakes without always")
    }

    /// Counted from what the bench knows of connections.
    mutating func checkUses() {
        for identity in people.keys.sorted() where engine.isInUse(identity) != isInUse(identity) {
            violations.append("\(identity) is \(isInUse(identity) ? "" : "not ")in use")
        }
    }

    private mutating func note(_ reply: Reply, _ manager: ManagerID) {
        if reply.request > connections[manager]?.lastRequest ?? 0 {
            connections[manager]?.lastRequest = reply.request
            connections[manager]?.openRequests.insert(reply.request)
        }
        if reply.deferral != 0 { connections[manager]?.allowed = reply.deferral }
        guard reply.opened != 0 else { return }
        switch connections[manager]?.asked {
        case .startLiveUpdates: connections[manager]?.streams.insert(reply.opened)
        case .openMonitor: connections[manager]?.monitors.insert(reply.opened)
        default: connections[manager]?.sessions.insert(reply.opened)
        }
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
        let authorization = permission(of: connection.app)
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
        var rankOf: [ManagerID: Int] = [:]
        var previousOf: [ManagerID: Effect] = [:]
        // Timers that were due are served before the fix.
        var isFix = false
        for effect in buffer.effects {
            if case .recordFix = effect { isFix = true }
            guard let manager = effect.manager, let rank = effect.rank(in: buffer) else { continue }
            if isFix, rank > 0, rank < rankOf[manager] ?? 0 { violations.append("\(effect) comes too late") }
            if isFix { rankOf[manager] = max(rank, rankOf[manager] ?? 0) }
            if case .deliver(_, let delivery) = effect, delivery.deferral != 0, !delivery.flags.contains(.early),
                !(previousOf[manager]?.leads(to: delivery) ?? false)
            {
                violations.append("\(effect) does not follow its finish")
            }
            previousOf[manager] = effect
        }
    }

    mutating func checkReply(to event: Event) {
        guard case .asked(let manager, let request, _) = event else { return }
        let own = buffer.effects.filter { $0.manager == manager && $0.isLine }
        let replies = own.indices.filter { if case .reply = own[$0] { true } else { false } }
        guard replies.count == 1, let reply = replies.first else {
            return violations.append("\(request) has \(replies.count) replies")
        }
        if case .reply(_, let answer) = own[reply], request.hasState, answer.state == nil, answer.refusal == nil {
            violations.append("the reply to \(request) says no state")
        }
        switch request {
        case .stopUpdatingLocation, .disallowDeferredLocationUpdates, .stopMonitoringSignificantLocationChanges,
            .stopMonitoring, .stopMonitoringVisits, .stopUpdatingHeading, .stopLiveUpdates, .closeMonitor,
            .removeCondition, .invalidateBackgroundActivitySession, .invalidateServiceSession:
            for late in own[reply...].dropFirst() where !late.isWish {
                violations.append("\(late) follows the reply to \(request)")
            }
        default: break
        }
    }
}

extension Effect {
    /// Whether a connection carries it.
    var isLine: Bool {
        switch self {
        case .reply, .deliver, .fail, .cancelRequest, .finishDeferral, .announceAuthorization, .pause, .liveUpdate,
            .heading, .sessionDiagnostic, .temporaryFullAccuracy, .event, .regionState, .regionStarted, .regionFailed,
            .rangingFailed, .rangedBeacons, .beaconsWanted:
            true
        default: false
        }
    }

    /// Whether it tells somebody who hears beacons of which to report: what one stops, somebody hears no longer, who may be the same.
    fileprivate var isWish: Bool { if case .beaconsWanted = self { true } else { false } }

    /// The place among the effects of one fix.
    fileprivate func rank(in buffer: EffectBuffer) -> Int? {
        switch self {
        case .pause(_, let isPaused, _): isPaused ? 7 : 1
        case .finishDeferral: 2
        case .deliver(_, let delivery) where delivery.deferral != 0: 2
        case .deliver(_, let delivery) where delivery.source == .request: 3
        case .deliver(_, let delivery) where delivery.source == .standard: 4
        case .deliver: 5
        case .liveUpdate: 6
        case .event(_, let index, _): buffer.events[index].rank
        case .regionState: 9
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

extension Request {
    /// Whether its result names a state (A10).
    fileprivate var hasState: Bool {
        switch self {
        case .startUpdatingLocation, .requestLocation, .allowDeferredLocationUpdates,
            .startMonitoringSignificantLocationChanges, .requestWhenInUseAuthorization, .requestAlwaysAuthorization,
            .requestTemporaryFullAccuracyAuthorization, .startMonitoring, .requestState, .startMonitoringVisits,
            .startUpdatingHeading, .startRangingBeacons, .startLiveUpdates:
            true
        default: false
        }
    }
}

extension AppEvent {
    fileprivate var rank: Int {
        switch content {
        case .significantChange: 5
        case .region: 8
        case .monitor: 10
        case .visit: 11
        // No connection of the app is told.
        case .notice: 0
        }
    }

    /// Whether it says only what an app with reduced accuracy may know.
    fileprivate var isRough: Bool {
        switch content {
        case .region, .monitor, .notice: false
        case .significantChange(let location, _): location.coordinate == location.reducedView.coordinate
        case .visit(let visit):
            visit.coordinate
                == Location(
                    coordinate: visit.coordinate, horizontalAccuracy: visit.horizontalAccuracy,
                    timestamp: WallTime(milliseconds: 0)
                ).reducedView.coordinate
        }
    }
}

extension EffectBuffer {
    /// All that it says.
    var text: String {
        effects.map { "\($0)" }.joined(separator: ";") + events.map { "\($0)" }.joined()
            + regions.map { "\($0)" }.joined()
    }
}
