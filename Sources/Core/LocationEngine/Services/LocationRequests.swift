// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// A pending `requestLocation`: the first fix that is good enough, else the best of the window.
struct LocationRequest: ManagerService, Codable {
    /// Of whom.
    var manager = ManagerID(rawValue: 0)
    /// Its number, from 1.
    let number: UInt32
    /// When the best so far is taken.
    @Stored var deadline: BootInstant
    /// The best so far; 0: none yet.
    var best: UInt64 = 0
    /// Metres: its accuracy.
    @Stored var bestAccuracy = Double.infinity
    /// Fixes in a row that were not clearly better.
    var withoutGain = 0

    private enum CodingKeys: String, CodingKey {
        case number = "n", deadline = "t", best = "b", bestAccuracy = "a", withoutGain = "g"
    }

    var isUsable: Bool {
        number.isUsable && best.isUsable && bestAccuracy >= 0 && (0...Int(Int32.max)).contains(withoutGain)
    }

    /// Metres that are good enough for the wish. `best` names none: there, five metres are, or that accuracy stops improving.
    static func goodEnough(for wish: DesiredAccuracy) -> Double {
        switch wish {
        case .best, .bestForNavigation: 5
        default: wish.number
        }
    }

    /// Whether the request is answered by the best so far, which may be this fix.
    mutating func examine(_ location: Location, wish: DesiredAccuracy) -> Bool {
        if location.horizontalAccuracy < bestAccuracy * 0.9 || best == 0 {
            withoutGain = 0
        } else {
            withoutGain += 1
        }
        if location.horizontalAccuracy <= bestAccuracy {
            best = location.sequence
            bestAccuracy = location.horizontalAccuracy
        }
        return isAnswered(wish: wish)
    }

    /// Consent for what was seen is gone.
    mutating func forgetBest() {
        best = 0
        bestAccuracy = .infinity
        withoutGain = 0
    }

    func isAnswered(wish: DesiredAccuracy) -> Bool {
        guard best != 0 else { return false }
        if bestAccuracy <= LocationRequest.goodEnough(for: wish) { return true }
        let hasNoBound = wish == .best || wish == .bestForNavigation
        return hasNoBound && withoutGain >= 3
    }
}

/// Single requests (`requestLocation`, rules R1 to R7): each ends in exactly one location or one error.
///
/// At most one pends for a manager; another is given its number. A young fix that is as good as the wish answers at once. Standard updates
/// and deferrals cancel a request that pends. A fix costs one step for each pending request.
struct LocationRequests: Service {
    /// The part of a manager's requests that outlives a turn.
    struct Record: Sendable, Codable {
        /// The number of the last one.
        var lastNumber: UInt32 = 0
        /// The one that pends.
        var pending: LocationRequest?

        private enum CodingKeys: String, CodingKey { case lastNumber = "n", pending = "r" }

        var isUsable: Bool { lastNumber.isUsable && pending?.isUsable ?? true }
    }

    private var pending = ServiceTable<LocationRequest>()
    private var lastNumbers = PerSlot<ManagerID, UInt32>(blank: 0)

    // MARK: Requests

    mutating func makeWay(for request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        let cause: RequestCancellation
        switch request {
        case .startUpdatingLocation: cause = .startUpdatingLocation
        case .stopUpdatingLocation: cause = .stopUpdatingLocation
        case .allowDeferredLocationUpdates: cause = .allowDeferredLocationUpdates
        default: return
        }
        guard let ended = remove(manager, directory, &turn) else { return }
        turn.cancelled = (ended.number, cause)
    }

    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        guard case .requestLocation(let timeout) = request else { return false }
        let state = directory.authorization(of: manager).serviceState
        if let former = pending[of: manager] {
            turn.reply(manager, Reply(state: state, request: former.number))
            return true
        }
        lastNumbers[manager] += 1
        let number = lastNumbers[manager]
        turn.answer(manager, Reply(state: state, request: number))
        if state == .denied {
            turn.fail(manager, .denied, .request, request: number)
        } else if !answerFromCache(manager, number: number, directory, &turn) {
            let deadline = turn.now + (timeout.map { .seconds($0) } ?? turn.circumstances.requestTimeout)
            insert(LocationRequest(manager: manager, number: number, deadline: deadline), directory, &turn)
        }
        turn.questions.append(.service(manager))
        turn.save(manager)
        return true
    }

    private mutating func insert(_ request: LocationRequest, _ directory: Directory, _ turn: inout Turn) {
        pending.insert(request)
        turn.touch(directory.identity(of: request.manager))
    }

    @discardableResult
    private mutating func remove(
        _ manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> LocationRequest? {
        guard let request = pending.remove(manager) else { return nil }
        turn.touch(directory.identity(of: manager))
        return request
    }

    // MARK: Answers

    /// A fix of the last seconds may do, if it is as good as the wish.
    private func answerFromCache(
        _ manager: ManagerID, number: UInt32, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        guard directory.authorization(of: manager).isAuthorized else { return false }
        if directory.hasReducedView(manager) {
            guard let view = turn.reducedViewInLog, turn.reducedView.isInForce(at: turn.now) else { return false }
            deliver(view, to: manager, number: number, directory, &turn)
            return true
        }
        let wish = directory[manager].properties.desiredAccuracy
        guard let last = turn.intake.lastLocation, let lastFixAt = turn.intake.lastFixAt, last.sequence != 0,
            turn.now - lastFixAt <= turn.configuration.requestCacheAge,
            last.horizontalAccuracy <= LocationRequest.goodEnough(for: wish)
        else { return false }
        deliver(last.sequence, to: manager, number: number, directory, &turn)
        return true
    }

    private func deliver(
        _ sequence: UInt64, to manager: ManagerID, number: UInt32, _ directory: Directory, _ turn: inout Turn
    ) {
        turn.append(
            .deliver(
                manager,
                Delivery(
                    first: sequence, last: sequence, source: .request, request: number,
                    flags: directory.hasReducedView(manager) ? .reduced : [])))
    }

    mutating func finish(at fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {
        var position = 0
        while position < pending.indices.upperBound {
            let manager = pending[position].manager
            let isOpen = directory.authorization(of: manager).isAuthorized
            let isVisible = !directory.hasReducedView(manager) || fix.flags.contains(.reducedView)
            let wish = directory.accuracyInForce(manager)
            guard isOpen, isVisible, pending[position].examine(fix.location, wish: wish), !directory.isAway(manager)
            else {
                position += 1
                continue
            }
            end(manager, directory, &turn)
        }
    }

    mutating func serveTimers(_ directory: Directory, _ turn: inout Turn) {
        var position = 0
        while position < pending.indices.upperBound {
            let request = pending[position]
            if request.deadline <= turn.now, !directory.isAway(request.manager) {
                end(request.manager, directory, &turn)
            } else {
                position += 1
            }
        }
    }

    /// Exactly one of a location and an error (rules R1 to R3).
    private mutating func end(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard let request = remove(manager, directory, &turn) else { return }
        // Accuracy may have been reduced since the best fix: then the view in force answers.
        let isReduced = directory.hasReducedView(manager)
        let answer =
            isReduced
            ? turn.reducedViewInLog : turn.isInLog(request.best) ? request.best : turn.intake.newestAccepted
        let isAnswered = request.best != 0 || isReduced && directory.authorization(of: manager).isAuthorized
        if isAnswered, let answer {
            deliver(answer, to: manager, number: request.number, directory, &turn)
        } else {
            turn.fail(manager, .locationUnknown, .request, request: request.number)
        }
        turn.save(manager)
    }

    /// A request that waited for consent: the view in force may be minutes from being computed again.
    private mutating func answerWaiting(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard !directory.isAway(manager), let request = remove(manager, directory, &turn) else { return }
        if !answerFromCache(manager, number: request.number, directory, &turn) { pending.insert(request) }
    }

    // MARK: Rights

    mutating func rightsChanged(
        of manager: ManagerID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn
    ) {
        if change.isLost {
            if let position = pending.position(of: manager) { pending[position].forgetBest() }
            deny(manager, directory, &turn)
        } else if change.isGranted {
            answerWaiting(manager, directory, &turn)
        } else if change.old.serviceState == .waitingForAuthorization, !change.new.isAuthorized {
            deny(manager, directory, &turn)
        }
    }

    private mutating func deny(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard directory.isDenied(manager), let request = pending.remove(manager) else { return }
        turn.fail(manager, .denied, .request, request: request.number)
    }

    // MARK: The life of a manager

    mutating func attached(
        _ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn
    ) {
        deny(manager, directory, &turn)
        guard let request = pending[of: manager] else { return }
        let wish = directory.accuracyInForce(manager)
        if request.deadline <= turn.now || request.isAnswered(wish: wish) {
            end(manager, directory, &turn)
        } else {
            // Consent may have come meanwhile.
            answerWaiting(manager, directory, &turn)
        }
    }

    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        pending.remove(manager)
        lastNumbers.clear(manager)
    }

    mutating func open(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        lastNumbers[manager] = record.request.lastNumber
        guard var request = record.request.pending else { return }
        request.manager = manager
        request.withoutGain = 0
        insert(request, directory, &turn)
    }

    mutating func goOn(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        guard let position = pending.position(of: manager) else { return }
        pending[position].withoutGain = record.request.pending?.withoutGain ?? 0
    }

    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        record.request = Record(lastNumber: lastNumbers[manager], pending: pending[of: manager])
    }

    // MARK: Questions

    func deadline(_ directory: Directory, _ turn: Turn) -> WakeWindow? {
        var next: WakeWindow?
        for request in pending.services where !directory.isAway(request.manager) && request.deadline != .distantFuture {
            let window = WakeWindow(earliest: request.deadline, latest: request.deadline + .milliseconds(250))
            next = next?.merged(with: window) ?? window
        }
        return next
    }

    func demand(_ directory: Directory, _ turn: Turn, _ power: ReceiverPower) -> ReceiverDemand {
        pending.services.contains { directory.authorization(of: $0.manager).isAuthorized } ? .continuous : .none
    }

    func wants(_ manager: ManagerID, _ directory: Directory) -> Bool { pending.contains(manager) }

    func hasUser(_ directory: Directory, _ turn: Turn, where isMeant: (ReceiverUser) -> Bool) -> Bool {
        pending.services.contains {
            directory.authorization(of: $0.manager).isAuthorized && isMeant(.locations($0.manager, .request))
        }
    }

    func fill(_ report: inout ManagerReport, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        report.request = pending[of: manager].map { ($0.number, max($0.deadline - turn.now, .zero)) }
    }
}
