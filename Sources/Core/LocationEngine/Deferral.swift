// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A running deferral. It holds nothing: what it held is the log behind the service's cursor (protocol.md, deferral).
package struct Deferral: ManagerService, Hashable, BitwiseCopyable {
    /// Whose it is.
    package let manager: ManagerID
    /// Its number, from 1.
    package let number: UInt32
    /// Metres on the odometer at which it ends; infinity: no such criterion.
    package let endOfTravel: Double
    /// When it ends; `distantFuture`: no such criterion.
    package let deadline: BootInstant

    /// A deferral that ends at the first of both.
    package init(manager: ManagerID, number: UInt32, endOfTravel: Double, deadline: BootInstant) {
        self.manager = manager
        self.number = number
        self.endOfTravel = endOfTravel
        self.deadline = deadline
    }

    /// Sums of steps miss a round number by rounding: a millimetre is no distance.
    func isMet(travelled: Double) -> Bool { travelled >= endOfTravel - 0.001 }
}

extension Engine {
    mutating func allowDeferredLocationUpdates(
        _ manager: ManagerID, untilTraveled: Double, timeout: TimeSpan, at now: BootInstant,
        into effects: inout EffectBuffer
    ) {
        endDeferral(manager, error: .deferredCanceled, into: &effects)
        managers[manager.index].lastDeferral += 1
        let number = managers[manager.index].lastDeferral
        let unmet = unmetPrecondition(manager, at: now)
        effects.append(
            .reply(manager, Reply(state: deferralState(manager, unmet: unmet), deferral: number)))
        cancelRequest(manager, by: .allowDeferredLocationUpdates, into: &effects)
        if unmet != nil || untilTraveled <= 0 || timeout <= .zero {
            finishAtOnce(manager, number: number, error: unmet, into: &effects)
        } else {
            insertDeferral(
                Deferral(
                    manager: manager, number: number, endOfTravel: odometer.travelled + untilTraveled,
                    deadline: timeout == .unlimited ? .distantFuture : now + timeout))
            if managers[manager.index].presence == .background, let position = standard.position(of: manager) {
                standard[position].mode = .held
                standard[position].held = 0
            }
        }
        effects.append(.saveManager(manager))
    }

    mutating func disallowDeferredLocationUpdates(_ manager: ManagerID, into effects: inout EffectBuffer) {
        endDeferral(manager, error: .deferredCanceled, into: &effects)
        effects.append(.saveManager(manager))
        effects.append(.reply(manager, Reply(state: nil)))
    }

    mutating func insertDeferral(_ deferral: Deferral) {
        if deferrals.isEmpty {
            // Bounds of deferrals that are gone would wake in vain.
            nextDeferralDeadline = .distantFuture
            nextDeferralTravel = .infinity
        }
        deferrals.insert(deferral)
        nextDeferralDeadline = min(nextDeferralDeadline, deferral.deadline)
        nextDeferralTravel = min(nextDeferralTravel, deferral.endOfTravel)
    }

    /// The order is the contract's: 12, 13, 14, 11.
    private func unmetPrecondition(_ manager: ManagerID, at now: BootInstant) -> LocationErrorCode? {
        guard let service = standard[of: manager], service.mode != .paused else { return .deferredNotUpdatingLocation }
        if let unfit = unfitProperty(manager) { return unfit }
        guard let lastFixAt, now - lastFixAt <= configuration.deferralFreshFixAge else { return .deferredFailed }
        return nil
    }

    /// The property that makes a deferral impossible.
    func unfitProperty(_ manager: ManagerID) -> LocationErrorCode? {
        let properties = managers[manager.index].properties
        let isBest = properties.desiredAccuracy == .best || properties.desiredAccuracy == .bestForNavigation
        if !isBest || hasReducedView(manager) { return .deferredAccuracyTooLow }
        return properties.distanceFilter >= 0 ? .deferredDistanceFiltered : nil
    }

    private func deferralState(_ manager: ManagerID, unmet: LocationErrorCode?) -> ServiceState {
        if unmet == nil { return .running }
        guard managers[manager.index].wantsStandard else { return .ignored }
        let state = authorization(of: manager).serviceState
        return state == .running ? .ignored : state
    }

    /// Finish, then the held batch, then live again. Nothing if no deferral runs.
    mutating func endDeferral(_ manager: ManagerID, error: LocationErrorCode?, into effects: inout EffectBuffer) {
        guard let deferral = deferrals.remove(manager) else { return }
        finish(manager, number: deferral.number, error: error, into: &effects)
        effects.append(.saveManager(manager))
    }

    /// A deferral that never ran has no batch, when its finish is sent again neither.
    private mutating func finishAtOnce(
        _ manager: ManagerID, number: UInt32, error: LocationErrorCode?, into effects: inout EffectBuffer
    ) {
        let finished = FinishedDeferral(number: number, error: error, through: 0)
        managers[manager.index].unconfirmedFinishes.append(finished)
        effects.append(.finishDeferral(manager, finished))
    }

    private mutating func finish(
        _ manager: ManagerID, number: UInt32, error: LocationErrorCode?, into effects: inout EffectBuffer
    ) {
        let finished = FinishedDeferral(number: number, error: error, through: newestAccepted)
        managers[manager.index].unconfirmedFinishes.append(finished)
        guard !managers[manager.index].isAway else { return }
        effects.append(.finishDeferral(manager, finished))
        guard let position = standard.position(of: manager), standard[position].mode == .held else { return }
        deliverHeld(position, deferral: number, into: &effects)
        standard[position].mode = .live
    }

    private mutating func deliverHeld(
        _ position: Int, deferral: UInt32, flags: DeliveryFlags = [], into effects: inout EffectBuffer
    ) {
        guard standard[position].held > 0 else { return }
        deliverBatch(
            standard[position].manager, after: standard[position].cursor, through: newestAccepted, deferral: deferral,
            flags: standard[position].hasGap ? flags.union(.gap) : flags, into: &effects)
        noteDelivered(position)
    }

    /// What a deferral held: one range, unless its client resumed over times in which its app's service did not run.
    func deliverBatch(
        _ manager: ManagerID, after: UInt64, through: UInt64, deferral: UInt32, flags: DeliveryFlags,
        into effects: inout EffectBuffer
    ) {
        var flags = flags
        apps[managers[manager.index].app.index].windows.forEachPart(after: after, through: through) { part in
            // A part of which the log holds nothing any more is none.
            guard isInLog(part.upperBound) else { return }
            effects.append(
                .deliver(
                    manager,
                    Delivery(
                        first: part.lowerBound, last: part.upperBound, source: .standard, deferral: deferral,
                        flags: flags)))
            flags.remove(.gap)
        }
    }

    /// All that was held is on its way: the filter, should one be set later, counts from the newest.
    private mutating func noteDelivered(_ position: Int) {
        standard[position].cursor = newestAccepted
        standard[position].held = 0
        standard[position].hasGap = false
        setReference(position, to: lastLocation)
    }

    mutating func deliverEarlyIfFull(_ position: Int, into effects: inout EffectBuffer) {
        guard standard[position].held >= configuration.logCapacity else { return }
        deliverEarly(position, into: &effects)
    }

    /// Delivers what is held; the deferral goes on.
    private mutating func deliverEarly(_ position: Int, into effects: inout EffectBuffer) {
        let manager = standard[position].manager
        guard let deferral = deferrals[of: manager] else { return }
        deliverHeld(position, deferral: deferral.number, flags: .early, into: &effects)
    }

    /// In the foreground fixes come live while the criteria are watched; back in the background deferral goes on.
    mutating func setPresence(
        _ manager: ManagerID, _ presence: Presence, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        managers[manager.index].presence = presence
        effects.append(.reply(manager, Reply(state: nil)))
        if let position = standard.position(of: manager), deferrals.contains(manager) {
            if presence == .foreground {
                deliverEarly(position, into: &effects)
                standard[position].mode = .live
            } else {
                standard[position].mode = .held
            }
        }
        refreshSessionObstacles(of: managers[manager.index].app, at: now, into: &effects)
        effects.append(.saveManager(manager))
    }

    /// The deferrals whose distance was met by the newest fix, which belongs to their batches.
    mutating func finishTravelledDeferrals(into effects: inout EffectBuffer) {
        guard odometer.travelled >= nextDeferralTravel - 0.001 else { return }
        nextDeferralTravel = .infinity
        var position = 0
        while position < deferrals.indices.upperBound {
            let deferral = deferrals[position]
            guard deferral.isMet(travelled: odometer.travelled) else {
                nextDeferralTravel = min(nextDeferralTravel, deferral.endOfTravel)
                position += 1
                continue
            }
            if let service = standard.position(of: deferral.manager), standard[service].mode == .held {
                standard[service].held += 1
            }
            endDeferral(deferral.manager, error: nil, into: &effects)
        }
    }

    /// The deferrals whose time is over, or which have had no fix for too long.
    mutating func finishDueDeferrals(at now: BootInstant, into effects: inout EffectBuffer) {
        let hasOutage = deferralOutageDeadline.map { $0 <= now } ?? false
        guard hasOutage || nextDeferralDeadline <= now else { return }
        nextDeferralDeadline = .distantFuture
        var position = 0
        while position < deferrals.indices.upperBound {
            let deferral = deferrals[position]
            if deferral.deadline <= now {
                endDeferral(deferral.manager, error: nil, into: &effects)
            } else if hasOutage {
                endDeferral(deferral.manager, error: .deferredFailed, into: &effects)
            } else {
                nextDeferralDeadline = min(nextDeferralDeadline, deferral.deadline)
                position += 1
            }
        }
    }

    var deferralOutageDeadline: BootInstant? {
        guard !deferrals.isEmpty else { return nil }
        return max(lastFixAt ?? openedAt, openedAt) + configuration.deferralOutage
    }
}
