// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Standard updates pause while the device rests, and go on by themselves when it moves (CL 6.6, CL 13 C3). Whether it rests is found out once
// for each activity, whoever asks; a service takes part when it has run as long as rest takes to be believed.
extension Engine {
    static let restingActivities: [ActivityType] = [.other, .automotiveNavigation, .fitness, .otherNavigation]

    /// A service with this activity begins (+1) or ends (-1) to care for rest.
    mutating func countRest(_ activity: ActivityType?, by change: Int) {
        guard let activity, activity != .airborne else { return }
        let index = activity.rawValue
        restUsers[index] += change
        if restUsers[index] == 0 { rest[index] = RestDetector() }
        // Who comes while the device rests has its own time to run.
        if change > 0, rest[index].isAtRest { nextPause = BootInstant(nanoseconds: 0) }
    }

    /// What the service may do about rest, by the properties in force.
    func pausingActivity(of manager: ManagerID) -> ActivityType? {
        let properties = managers[manager.index].properties
        // When the device rests is more than who may know roughly where it is may know (protocol.md 5).
        guard properties.pausesLocationUpdatesAutomatically, properties.activityType != .airborne,
            !managers[manager.index].isAway, authorization(of: manager).accuracy == .full
        else { return nil }
        return properties.activityType
    }

    /// Looks at the fix before it is delivered: who paused goes on.
    mutating func noteRest(_ location: Location, at now: BootInstant, into effects: inout EffectBuffer) {
        for activity in Engine.restingActivities where restUsers[activity.rawValue] > 0 {
            let change = rest[activity.rawValue].process(location, at: now, configuration.rest(of: activity))
            switch change {
            case nil: break
            case .moved: resume(activity, into: &effects)
            case .cameToRest: nextPause = now
            }
        }
    }

    private mutating func resume(_ activity: ActivityType, into effects: inout EffectBuffer) {
        guard configuration.resumesAutomatically else { return }
        for position in standard.indices where standard[position].mode == .paused {
            guard standard[position].activity == activity else { continue }
            resume(position, .moved, into: &effects)
        }
    }

    /// The client itself ends the pause: the next one comes when rest has lasted as long again.
    mutating func restart(_ position: Int, at now: BootInstant, into effects: inout EffectBuffer) {
        resume(position, .restarted, into: &effects)
        standard[position].startedAt = now
        nextPause = now
        noteServiceStart(at: now)
    }

    private mutating func resume(_ position: Int, _ reason: PauseReason, into effects: inout EffectBuffer) {
        let manager = standard[position].manager
        standard[position].mode = .live
        standard[position].isFirstPending = true
        effects.append(.pause(manager, isPaused: false, reason))
        effects.append(.saveManager(manager))
    }

    /// Whether somebody may have run long enough to pause; asked once a fix.
    mutating func isPauseDue(at now: BootInstant) -> Bool {
        guard now >= nextPause else { return false }
        nextPause = .distantFuture
        return true
    }

    /// When the service pauses, should the device still rest; nil: the device moves, or the service does not care.
    private func pauseDate(_ position: Int) -> BootInstant? {
        guard let activity = standard[position].activity, rest[activity.rawValue].isAtRest,
            standard[position].mode == .live || standard[position].mode == .held
        else { return nil }
        return standard[position].startedAt + configuration.rest(of: activity).time
    }

    /// Before the fix is delivered: a pause ends a deferral, and a finish comes before all that the fix brings (protocol.md 4).
    mutating func finishRestingDeferrals(at now: BootInstant, into effects: inout EffectBuffer) {
        for position in standard.indices {
            let manager = standard[position].manager
            guard deferrals.contains(manager), let due = pauseDate(position), due <= now else { continue }
            if standard[position].mode == .held { standard[position].held += 1 }
            endDeferral(manager, error: .deferredNotUpdatingLocation, into: &effects)
        }
    }

    /// After the fix was delivered: who has run long enough pauses.
    mutating func pauseResting(at now: BootInstant, into effects: inout EffectBuffer) {
        for position in standard.indices {
            guard let due = pauseDate(position) else { continue }
            guard due <= now else {
                nextPause = min(nextPause, due)
                continue
            }
            let manager = standard[position].manager
            standard[position].mode = .paused
            effects.append(.pause(manager, isPaused: true, .stationary))
            effects.append(.saveManager(manager))
        }
    }
}
