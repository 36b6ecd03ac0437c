// SPDX-License-Identifier: Apache-2.0
import LocationModel

// The life of a manager: opened, asked, without its connection for a while, taken back, closed.
extension Engine {
    mutating func open(
        _ manager: ManagerID, _ state: ManagerState, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        enter(manager, state, at: now, into: &effects)
        refreshSessionObstacles(of: state.app, at: now, into: &effects)
    }

    /// Opens the manager, but for what its app's other managers have to say, too.
    mutating func enter(
        _ manager: ManagerID, _ state: ManagerState, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        while managers.count <= manager.index { managers.append(Manager()) }
        var opened = Manager()
        opened.isOpen = true
        opened.app = state.app
        opened.presence = state.presence
        opened.properties = state.properties
        opened.wantsStandard = state.wantsStandard
        opened.standardStart = state.standardStart
        opened.standardReference = state.standardReference
        opened.standardHasGap = state.standardHasGap
        opened.standardReferenceAccuracy = state.standardReferenceAccuracy
        opened.wantsSignificant = state.wantsSignificant
        opened.lastDeferral = state.lastDeferral
        opened.lastRequest = state.lastRequest
        opened.unconfirmedFinishes = state.unconfirmedFinishes
        opened.keepsEvents = state.keepsEvents
        opened.wantsHeading = state.wantsHeading
        opened.wasPaused = state.isPaused
        opened.sessions = state.sessions
        opened.lastLive = state.lastLive
        opened.lastSession = state.lastSession
        opened.lastMonitor = state.lastMonitor
        opened.awayUntil = state.isAway ? now + configuration.rejoinTime : nil
        managers[manager.index] = opened
        if state.isAway { away.append(manager) }
        refreshUse(manager, at: now, into: &effects)
        if let allowance = state.allowance { takeUp(allowance, of: manager, at: now, into: &effects) }
        restoreServices(manager, state, at: now)
        for monitor in state.monitors { hold(monitor.name, as: monitor.number, manager) }
        for stream in state.live { insertStream(manager, stream.number, stream.configuration, at: now) }
        if state.wantsHeading, authorization(of: manager).isAuthorized { runHeading(manager) }
    }

    private mutating func restoreServices(_ manager: ManagerID, _ state: ManagerState, at now: BootInstant) {
        var unheard = EffectBuffer()
        let isAuthorized = authorization(of: manager).isAuthorized
        if state.wantsStandard, isAuthorized {
            runStandard(manager, at: now, into: &unheard, isFresh: false)
        }
        if let deferral = state.deferral { restore(deferral, of: manager) }
        if !state.wantsStandard, let finished = state.unconfirmedFinishes.last, finished.through > state.standardStart {
            // Stopped, but the last batch may have to be delivered again.
            apps[state.app.index].windows.opened(after: state.standardStart)
            apps[state.app.index].windows.closed(at: finished.through)
        }
        if state.wantsSignificant, isAuthorized {
            runSignificant(manager, at: now, into: &unheard)
            if let position = significant.position(of: manager) {
                significant[position].reference = state.significantReference
                significant[position].lastEvent = state.significantLastEvent
                significant[position].pending = state.significantPending
            }
        }
        if let request = state.request {
            var restored = LocationRequest(manager: manager, number: request.number, deadline: request.deadline)
            restored.best = request.best
            restored.bestAccuracy = request.bestAccuracy
            requests.insert(restored)
            touch(identity(of: manager))
        }
    }

    /// Consent may have changed while no daemon ran: then the deferral is over, and what it held is not to be seen.
    private mutating func restore(_ deferral: Deferral, of manager: ManagerID) {
        if standard.contains(manager), !hasReducedView(manager) {
            insertDeferral(
                Deferral(
                    manager: manager, number: deferral.number, endOfTravel: deferral.endOfTravel,
                    deadline: deferral.deadline))
        } else {
            let error = standard.contains(manager) ? LocationErrorCode.deferredAccuracyTooLow : .deferredFailed
            managers[manager.index].unconfirmedFinishes.append(
                FinishedDeferral(number: deferral.number, error: error, through: 0))
        }
    }

    /// What a restarted daemon needs of the manager.
    package func state(of manager: ManagerID) -> ManagerState {
        let kept = managers[manager.index]
        var state = ManagerState(app: kept.app, presence: kept.presence)
        state.properties = kept.properties
        state.wantsStandard = kept.wantsStandard
        state.standardStart = kept.standardStart
        state.standardReference = kept.standardReference
        state.standardHasGap = kept.standardHasGap
        state.standardReferenceAccuracy = kept.standardReferenceAccuracy
        state.wantsSignificant = kept.wantsSignificant
        if let service = significant[of: manager] {
            state.significantReference = service.reference
            state.significantLastEvent = service.lastEvent
            state.significantPending = service.pending
        }
        state.deferral = deferrals[of: manager]
        state.lastDeferral = kept.lastDeferral
        state.lastRequest = kept.lastRequest
        state.request = requests[of: manager]
        state.unconfirmedFinishes = kept.unconfirmedFinishes
        state.keepsEvents = kept.keepsEvents
        state.isPaused = kept.wasPaused || standard[of: manager]?.mode == .paused
        state.wantsHeading = kept.wantsHeading
        state.live = live[of: manager]?.streams.map { ($0.number, $0.configuration) } ?? []
        state.sessions = kept.sessions
        state.monitors = kept.monitors
        state.lastLive = kept.lastLive
        state.lastSession = kept.lastSession
        state.lastMonitor = kept.lastMonitor
        state.allowance = allowance(of: manager)
        state.isAway = kept.isAway
        return state
    }

    mutating func detach(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        managers[manager.index].awayUntil = now + configuration.rejoinTime
        away.append(manager)
        if let position = standard.position(of: manager) {
            managers[manager.index].wasPaused = standard[position].mode == .paused
            standard[position].mode = .away
            refreshStandard(manager, at: now, into: &effects)
        }
        refreshUse(manager, at: now, into: &effects)
        refreshSessionObstacles(of: managers[manager.index].app, at: now, into: &effects)
        wakeForWhatIsLeft(of: managers[manager.index].app, into: &effects)
        effects.append(.saveManager(manager))
    }

    /// First what ended while the client was away, each finish with what is left of its batch, then what it has not seen.
    mutating func attach(
        _ manager: ManagerID, delivered: ResumePoint, presence: Presence, at now: BootInstant,
        into effects: inout EffectBuffer
    ) {
        managers[manager.index].awayUntil = nil
        managers[manager.index].keepsUse = false
        managers[manager.index].presence = presence
        managers[manager.index].hasAnnouncedAuthorization = false
        away.removeAll { $0 == manager }
        managers[manager.index].toldSignificantEvent = 0
        let newEvents = apps[managers[manager.index].app.index].nextEvent
        for index in managers[manager.index].sessions.indices {
            managers[manager.index].sessions[index].toldFlags = nil
        }
        refreshUse(manager, at: now, into: &effects)
        announceInitialAuthorization(manager, into: &effects)
        if managers[manager.index].wasPaused {
            managers[manager.index].wasPaused = false
            if standard.contains(manager) { effects.append(.pause(manager, isPaused: false, .restarted)) }
        }

        let position = standard.position(of: manager)
        if let position { takeUpReference(position, manager, delivered: delivered) }
        let start = max(delivered.sequence, managers[manager.index].standardStart)
        let (cursor, hasGap) = sendFinishesAgain(manager, after: start, into: &effects)
        if let position {
            if cursor > start { setReference(position, to: cursor == newestAccepted ? lastLocation : nil) }
            standard[position].countsFromCursor = start < cursor && cursor < newestAccepted
            standard[position].cursor = cursor
            let nothingDelivered = delivered.sequence <= managers[manager.index].standardStart
            standard[position].hasGap = hasGap || nothingDelivered && managers[manager.index].standardHasGap
        }
        tellDenial(manager, into: &effects)
        answerAfterAbsence(manager, at: now, into: &effects)
        deliverPendingSignificantChange(manager, into: &effects)
        refreshSessionObstacles(of: managers[manager.index].app, returning: manager, at: now, into: &effects)
        tellNewestLive(manager, into: &effects)
        tellSessions(of: manager, into: &effects)
        tellPendingConditions(of: manager, before: newEvents, at: now, into: &effects)
        if wantsLocation(manager) { raiseIfUndetermined(manager, at: now, into: &effects) }
        noteServiceStart(at: now)
        refreshStandard(manager, at: now, into: &effects)
        if let position {
            standard[position].startedAt = now
            if delivered.sequence <= managers[manager.index].standardStart {
                deliverViewBehind(position, at: now, into: &effects)
            }
        }
        effects.append(.saveManager(manager))
        catchUp(manager, into: &effects)
    }

    /// Who has none of the reduced view yet gets the one in force, unless that is read from the log.
    private func deliverViewBehind(_ position: Int, at now: BootInstant, into effects: inout EffectBuffer) {
        guard standard[position].isReduced, let view = reducedViewInLog, view <= standard[position].cursor else {
            return
        }
        deliverCached(to: standard[position].manager, source: .standard, at: now, into: &effects)
    }

    /// Finishes that the client may not have seen, each with what is left of its batch. Returns how far the client then is, and
    /// whether the log lost something on the way that no batch said.
    private mutating func sendFinishesAgain(
        _ manager: ManagerID, after start: UInt64, into effects: inout EffectBuffer
    ) -> (cursor: UInt64, hasGap: Bool) {
        var cursor = start
        var hasGap = fixes(after: cursor) > configuration.logCapacity
        let consent = authorization(of: manager)
        let mayReadBatch = consent.isAuthorized && consent.accuracy == .full
        for finished in managers[manager.index].unconfirmedFinishes {
            effects.append(.finishDeferral(manager, finished))
            guard mayReadBatch, finished.through > cursor else { continue }
            deliverBatch(
                manager, after: cursor, through: finished.through, deferral: finished.number,
                flags: hasGap ? .gap : [], into: &effects)
            if isInLog(finished.through) { hasGap = false }
            cursor = finished.through
        }
        return (cursor, hasGap)
    }

    /// The filter goes on from the last location that the client got, or from where delivery began.
    private mutating func takeUpReference(_ position: Int, _ manager: ManagerID, delivered: ResumePoint) {
        if delivered.sequence > managers[manager.index].standardStart {
            setReference(position, to: delivered.location)
        } else {
            setReference(position, to: nil)
            guard let reference = managers[manager.index].standardReference else { return }
            standard[position].isFirstPending = false
            standard[position].reference = reference
            standard[position].referenceAccuracy = managers[manager.index].standardReferenceAccuracy
        }
    }

    mutating func closeOverdue(at now: BootInstant, into effects: inout EffectBuffer) {
        while let manager = away.first, let end = managers[manager.index].awayUntil, end <= now {
            away.removeFirst()
            close(manager, at: now, into: &effects)
            effects.append(.closeManager(manager))
        }
    }

    mutating func close(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        guard managers.indices.contains(manager.index), managers[manager.index].isOpen else { return }
        let wasAway = managers[manager.index].isAway
        if wasAway { keepSignificant(of: manager, into: &effects) }
        managers[manager.index].isOpen = false
        touch(identity(of: manager))
        refreshUse(manager, at: now, into: &effects)
        releaseMonitors(of: manager)
        endLiveUpdates(manager)
        headings.remove(manager)
        endStandard(manager)
        significant.remove(manager)
        requests.remove(manager)
        deferrals.remove(manager)
        away.removeAll { $0 == manager }
        let app = managers[manager.index].app
        managers[manager.index] = Manager()
        refreshSessionObstacles(of: app, at: now, into: &effects)
        if !wasAway { wakeForWhatIsLeft(of: app, into: &effects) }
    }

    mutating func confirmFinishes(_ manager: ManagerID, into effects: inout EffectBuffer) {
        guard !managers[manager.index].unconfirmedFinishes.isEmpty else { return }
        managers[manager.index].unconfirmedFinishes.removeAll()
        effects.append(.saveManager(manager))
    }

    mutating func setProperties(
        _ manager: ManagerID, _ properties: ManagerProperties, at now: BootInstant,
        into effects: inout EffectBuffer
    ) {
        let hadReducedView = hasReducedView(manager)
        managers[manager.index].properties = properties
        if let unfit = unfitProperty(manager) { endDeferral(manager, error: unfit, into: &effects) }
        effects.append(.saveManager(manager))
        effects.append(.reply(manager, Reply(state: nil)))
        if let position = standard.position(of: manager), standard[position].mode == .paused,
            pausingActivity(of: manager) != standard[position].activity
        {
            restart(position, at: now, into: &effects)
        }
        refreshStandard(manager, at: now, into: &effects)
        if !hadReducedView { tellViewInForce(to: manager, at: now, into: &effects) }
    }

    /// The stored first location of a service, if it is young enough; of the reduced view the one in force, however old, since the next
    /// fix would be seen only in the next view. It is no part of the stream: no cursor moves. Returns whether there was one.
    @discardableResult
    func deliverCached(
        to manager: ManagerID, source: LocationSource, at now: BootInstant, into effects: inout EffectBuffer
    ) -> Bool {
        let isReduced = hasReducedView(manager)
        let sequence = isReduced ? reducedViewInLog ?? 0 : newestAccepted
        let isYoung = lastFixAt.map { now - $0 < configuration.cachedLocationAge } ?? false
        guard sequence != 0, isYoung || isReduced && reducedClock.isInForce(at: now) else { return false }
        effects.append(
            .deliver(
                manager,
                Delivery(
                    first: sequence, last: sequence, source: source, flags: isReduced ? [.cached, .reduced] : .cached)))
        return true
    }

    /// Finishes that the client may not have seen: the shell reads no further request past a bound of them.
    package func unconfirmedFinishes(of manager: ManagerID) -> Int {
        managers[manager.index].unconfirmedFinishes.count
    }
}
