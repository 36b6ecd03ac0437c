// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A pending `requestLocation`: the first fix that is good enough, else the best of the window (CL 5).
package struct LocationRequest: ManagerService, Hashable, BitwiseCopyable {
    /// Whose it is.
    package let manager: ManagerID
    /// Its number, from 1.
    package let number: UInt32
    /// When the best so far is taken.
    package let deadline: BootInstant
    /// The best so far; 0: none yet.
    package var best: UInt64 = 0
    /// Metres: its accuracy.
    package var bestAccuracy = Double.infinity
    /// Fixes in a row that were not clearly better.
    package var withoutGain = 0

    /// A request that ends at `deadline`.
    package init(manager: ManagerID, number: UInt32, deadline: BootInstant) {
        self.manager = manager
        self.number = number
        self.deadline = deadline
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

extension Engine {
    mutating func requestLocation(
        _ manager: ManagerID, timeout: TimeSpan, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        if standard.contains(manager) {
            effects.append(.reply(manager, Reply(state: .ignored)))
            announceInitialAuthorization(manager, into: &effects)
            return
        }
        let state = authorization(of: manager).serviceState
        if let pending = requests[of: manager] {
            effects.append(.reply(manager, Reply(state: state, request: pending.number)))
            return
        }
        managers[manager.index].lastRequest += 1
        let number = managers[manager.index].lastRequest
        effects.append(.reply(manager, Reply(state: state, request: number)))
        announceInitialAuthorization(manager, into: &effects)
        if state == .denied {
            effects.append(.fail(manager, code: .denied, source: .request, request: number))
        } else if !answerFromCache(manager, number: number, at: now, into: &effects) {
            requests.insert(LocationRequest(manager: manager, number: number, deadline: now + timeout))
            touch(identity(of: manager))
        }
        raiseIfUndetermined(manager, at: now, into: &effects)
        effects.append(.saveManager(manager))
    }

    /// A fix of the last seconds may do, if it is as good as the wish.
    mutating func answerFromCache(
        _ manager: ManagerID, number: UInt32, at now: BootInstant, into effects: inout EffectBuffer
    ) -> Bool {
        guard authorization(of: manager).isAuthorized else { return false }
        if hasReducedView(manager) {
            guard let view = reducedViewInLog, reducedClock.isInForce(at: now) else { return false }
            deliverAnswer(manager, number: number, sequence: view, into: &effects)
            return true
        }
        let wish = managers[manager.index].properties.desiredAccuracy
        guard let lastLocation, let lastFixAt, lastLocation.sequence != 0,
            now - lastFixAt <= configuration.requestCacheAge,
            lastLocation.horizontalAccuracy <= LocationRequest.goodEnough(for: wish)
        else { return false }
        deliverAnswer(manager, number: number, sequence: lastLocation.sequence, into: &effects)
        return true
    }

    private func deliverAnswer(
        _ manager: ManagerID, number: UInt32, sequence: UInt64, into effects: inout EffectBuffer
    ) {
        effects.append(
            .deliver(
                manager,
                Delivery(
                    first: sequence, last: sequence, source: .request, request: number,
                    flags: hasReducedView(manager) ? .reduced : [])))
    }

    mutating func cancelRequest(_ manager: ManagerID, by cause: RequestCancellation, into effects: inout EffectBuffer) {
        guard let request = requests.remove(manager) else { return }
        touch(identity(of: manager))
        effects.append(.cancelRequest(manager, request: request.number, by: cause))
    }

    mutating func answerRequests(_ location: Location, flags: LogFlags, into effects: inout EffectBuffer) {
        var position = 0
        while position < requests.indices.upperBound {
            let manager = requests[position].manager
            let isOpen = authorization(of: manager).isAuthorized
            let isVisible = !hasReducedView(manager) || flags.contains(.reducedView)
            let wish = accuracyInForce(manager)
            guard isOpen, isVisible, requests[position].examine(location, wish: wish),
                !managers[manager.index].isAway
            else {
                position += 1
                continue
            }
            endRequest(manager, into: &effects)
        }
    }

    mutating func endDueRequests(at now: BootInstant, into effects: inout EffectBuffer) {
        var position = 0
        while position < requests.indices.upperBound {
            let request = requests[position]
            if request.deadline <= now, !managers[request.manager.index].isAway {
                endRequest(request.manager, into: &effects)
            } else {
                position += 1
            }
        }
    }

    /// Exactly one of a location and an error.
    private mutating func endRequest(_ manager: ManagerID, into effects: inout EffectBuffer) {
        guard let request = requests.remove(manager) else { return }
        touch(identity(of: manager))
        // Accuracy may have been reduced since that fix: then the view in force answers.
        let isReduced = hasReducedView(manager)
        let answer = isReduced ? reducedViewInLog : isInLog(request.best) ? request.best : newestAccepted
        let isAnswered = request.best != 0 || isReduced && authorization(of: manager).isAuthorized
        if isAnswered, let answer {
            deliverAnswer(manager, number: request.number, sequence: answer, into: &effects)
        } else {
            effects.append(
                .fail(manager, code: .locationUnknown, source: .request, request: request.number))
        }
        effects.append(.saveManager(manager))
    }

    /// The client is back: what was answered meanwhile.
    mutating func answerAfterAbsence(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        guard let request = requests[of: manager] else { return }
        let wish = accuracyInForce(manager)
        if request.deadline <= now || request.isAnswered(wish: wish) {
            endRequest(manager, into: &effects)
        } else {
            // Consent may have come meanwhile.
            answerWaitingFromCache(manager, at: now, into: &effects)
        }
    }

    /// A request that waited for consent: the view in force may be minutes from being computed again. Nothing is said to who is away.
    mutating func answerWaitingFromCache(
        _ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        guard !managers[manager.index].isAway, let request = requests.remove(manager) else { return }
        touch(identity(of: manager))
        if !answerFromCache(manager, number: request.number, at: now, into: &effects) { requests.insert(request) }
    }
}
