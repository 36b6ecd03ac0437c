// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Deferrals hold standard updates (Protocol 5), and updates pause while the device is stationary (Protocol 4.9), which ends a deferral.
extension StandardUpdates {
    // MARK: Deferring

    mutating func allowDeferral(
        _ manager: ManagerID, _ criteria: DeferralParameters, _ directory: Directory, _ turn: inout Turn
    ) {
        let untilTraveled = criteria.untilTraveled ?? .infinity
        let timeout = criteria.timeout.map { TimeSpan.seconds($0) } ?? .unlimited
        endDeferral(manager, error: .deferredCanceled, directory, &turn)
        let number = deferrals.nextNumber(of: manager)
        let unmet = unmetPrecondition(manager, directory, turn)
        turn.reply(manager, Reply(state: deferralState(manager, unmet: unmet, directory), deferral: number))
        turn.tellCancelled(manager)
        if unmet != nil || untilTraveled <= Deferral.noDistance || timeout <= .zero {
            // A deferral that never ran has no batch, now or when its finish is sent again.
            let finished = FinishedDeferral(number: number, error: unmet, through: 0)
            deferrals.note(finished, of: manager)
            turn.append(.finishDeferral(manager, finished))
        } else {
            deferrals.insert(
                Deferral(
                    manager: manager, number: number,
                    endOfTravel: turn.intake.odometer.travelled + untilTraveled,
                    deadline: timeout == .unlimited ? .distantFuture : turn.now + timeout))
            if directory[manager].presence == .background, let position = running.position(of: manager) {
                running[position].mode = .held
                running[position].held = 0
            }
        }
        turn.save(manager)
    }

    /// Why a deferral cannot begin, in the order of Protocol 5.1 (rule F4); nil: it can.
    private func unmetPrecondition(
        _ manager: ManagerID, _ directory: Directory, _ turn: Turn
    ) -> LocationErrorCode? {
        guard let service = running[of: manager], service.mode != .paused else { return .deferredNotUpdatingLocation }
        if let unfit = unfitProperty(manager, directory) { return unfit }
        guard let last = turn.intake.lastFixAt, turn.now - last <= turn.configuration.deferralFreshFixAge else {
            return .deferredFailed
        }
        return nil
    }

    /// The property that makes a deferral impossible; nil: none does.
    func unfitProperty(_ manager: ManagerID, _ directory: Directory) -> LocationErrorCode? {
        let properties = directory[manager].properties
        let isBest = properties.desiredAccuracy == .best || properties.desiredAccuracy == .bestForNavigation
        if !isBest || directory.hasReducedView(manager) { return .deferredAccuracyTooLow }
        return properties.distanceFilter >= 0 ? .deferredDistanceFiltered : nil
    }

    /// The manager's properties changed: a deferral that they do not fit is over (rule F25).
    mutating func endUnfitDeferral(of manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard let unfit = unfitProperty(manager, directory) else { return }
        endDeferral(manager, error: unfit, directory, &turn)
    }

    private func deferralState(
        _ manager: ManagerID, unmet: LocationErrorCode?, _ directory: Directory
    ) -> ServiceState {
        if unmet == nil { return .running }
        guard records[manager].isWanted else { return .ignored }
        let state = directory.authorization(of: manager).serviceState
        return state == .running ? .ignored : state
    }

    /// Finish, then the held batch, then live again. Does nothing if no deferral runs.
    mutating func endDeferral(
        _ manager: ManagerID, error: LocationErrorCode?, _ directory: Directory, _ turn: inout Turn
    ) {
        guard let deferral = deferrals.remove(manager) else { return }
        let finished = FinishedDeferral(number: deferral.number, error: error, through: turn.intake.newestAccepted)
        deferrals.note(finished, of: manager)
        defer { turn.save(manager) }
        guard !directory.isAway(manager) else { return }
        turn.append(.finishDeferral(manager, finished))
        guard let position = running.position(of: manager), running[position].mode == .held else { return }
        deliverHeld(position, deferral: deferral.number, directory, &turn)
        running[position].mode = .live
    }

    private mutating func deliverHeld(
        _ position: Int, deferral: UInt32, flags: DeliveryFlags = [], _ directory: Directory, _ turn: inout Turn
    ) {
        guard running[position].held > 0 else { return }
        let newest = turn.intake.newestAccepted
        deliverBatch(
            running[position].manager, after: running[position].cursor, through: newest, deferral: deferral,
            flags: running[position].hasGap ? flags.union(.gap) : flags, directory, &turn)
        // All that was held is on its way: the filter, should one be set later, counts from the newest.
        running[position].cursor = newest
        running[position].held = 0
        running[position].hasGap = false
        running[position].setReference(to: turn.intake.lastLocation)
    }

    /// The log would overwrite what the deferral holds (Protocol 5.5, rules F12, F13).
    mutating func deliverEarlyIfFull(_ position: Int, _ directory: Directory, _ turn: inout Turn) {
        guard running[position].held >= turn.configuration.logCapacity else { return }
        deliverEarly(position, directory, &turn)
    }

    /// Delivers what is held; the deferral goes on.
    private mutating func deliverEarly(_ position: Int, _ directory: Directory, _ turn: inout Turn) {
        guard let deferral = deferrals.running[of: running[position].manager] else { return }
        deliverHeld(position, deferral: deferral.number, flags: .early, directory, &turn)
    }

    /// In the foreground fixes come live while the criteria are watched; back in the background the deferral goes on (rules F22, F23).
    mutating func presenceChanged(of manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard let position = running.position(of: manager), deferrals.running.contains(manager) else { return }
        if directory[manager].presence == .foreground {
            deliverEarly(position, directory, &turn)
            running[position].mode = .live
        } else {
            running[position].mode = .held
        }
    }

    /// Finishes that the client may not have seen, each with what is left of its batch. Returns how far the client then is, and
    /// whether the log lost something on the way that no batch said.
    mutating func sendFinishesAgain(
        _ manager: ManagerID, after start: UInt64, _ directory: Directory, _ turn: inout Turn
    ) -> (cursor: UInt64, hasGap: Bool) {
        var cursor = start
        var hasGap = turn.intake.fixes(after: cursor) > turn.configuration.logCapacity
        let consent = directory.authorization(of: manager)
        let mayReadBatch = consent.isAuthorized && consent.accuracy == .full
        for finished in deferrals.records[manager].unconfirmed {
            turn.append(.finishDeferral(manager, finished))
            guard mayReadBatch, finished.through > cursor else { continue }
            deliverBatch(
                manager, after: cursor, through: finished.through, deferral: finished.number,
                flags: hasGap ? .gap : [], directory, &turn)
            if turn.isInLog(finished.through) { hasGap = false }
            cursor = finished.through
        }
        return (cursor, hasGap)
    }

    /// The client has seen all finishes so far.
    mutating func confirmFinishes(_ manager: ManagerID, _ turn: inout Turn) {
        guard !deferrals.records[manager].unconfirmed.isEmpty else { return }
        deferrals.records[manager].unconfirmed.removeAll()
        turn.save(manager)
    }

    // MARK: One fix

    mutating func finish(at fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {
        if turn.stationary.hasMoved, turn.configuration.resumesAutomatically {
            for position in running.indices where running[position].mode == .paused {
                guard turn.stationary.hasMoved(running[position].activity) else { continue }
                resume(position, .moved, &turn)
            }
        }
        for manager in deferrals.met(travelled: turn.intake.odometer.travelled) {
            // The fix that met the distance belongs to the batch.
            finishWithNewest(manager, error: nil, directory, &turn)
        }
        guard turn.stationary.isPauseDue else { return }
        // A pause ends a deferral, and a finish comes before all that the fix brings.
        for position in running.indices {
            let manager = running[position].manager
            guard deferrals.running.contains(manager), let due = pauseDate(position, turn), due <= turn.now else {
                continue
            }
            finishWithNewest(manager, error: .deferredNotUpdatingLocation, directory, &turn)
        }
    }

    private mutating func finishWithNewest(
        _ manager: ManagerID, error: LocationErrorCode?, _ directory: Directory, _ turn: inout Turn
    ) {
        if let position = running.position(of: manager), running[position].mode == .held {
            running[position].held += 1
        }
        endDeferral(manager, error: error, directory, &turn)
    }

    mutating func pause(after fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {
        guard turn.stationary.isPauseDue else { return }
        for position in running.indices {
            guard let due = pauseDate(position, turn) else { continue }
            guard due <= turn.now else {
                turn.stationary.lookAgain(at: due)
                continue
            }
            let manager = running[position].manager
            running[position].mode = .paused
            turn.append(.pause(manager, isPaused: true, .stationary))
            turn.save(manager)
        }
    }

    // MARK: Pausing

    /// The activity by which the service may pause, by the properties in force; nil: it may not.
    func pausingActivity(of manager: ManagerID, _ directory: Directory) -> ActivityType? {
        let properties = directory[manager].properties
        // Reduced accuracy must not reveal when the device is stationary (Protocol 6.6).
        guard properties.pausesLocationUpdatesAutomatically, properties.activityType != .airborne,
            !directory.isAway(manager), directory.authorization(of: manager).accuracy == .full
        else { return nil }
        return properties.activityType
    }

    /// When the service pauses, should the device still be stationary; nil: the device moves, or the service does not pause.
    private func pauseDate(_ position: Int, _ turn: Turn) -> BootInstant? {
        guard let activity = running[position].activity, turn.stationary.isStationary(activity),
            running[position].mode == .live || running[position].mode == .held
        else { return nil }
        return running[position].startedAt + turn.configuration.stationary(for: activity).time
    }

    /// The client itself ends the pause: the next one comes when the device has been stationary for as long again.
    mutating func restart(_ position: Int, _ turn: inout Turn) {
        resume(position, .restarted, &turn)
        running[position].startedAt = turn.now
        turn.stationary.restart(at: turn.now)
        turn.noteServiceStart()
    }

    private mutating func resume(_ position: Int, _ reason: PauseReason, _ turn: inout Turn) {
        let manager = running[position].manager
        running[position].mode = .live
        running[position].isFirstPending = true
        turn.append(.pause(manager, isPaused: false, reason))
        turn.save(manager)
    }
}
