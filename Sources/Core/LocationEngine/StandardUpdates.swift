// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The running standard service of one manager: a cursor into the log with a predicate.
struct StandardService: ManagerService {
    enum Mode: UInt8 {
        /// Fixes are delivered as they come.
        case live
        /// A deferral holds them: the cursor stays.
        case held
        /// No connection is there: the cursor stays, and the predicate runs when the client is back.
        case away
        /// The device rests: fixes go by.
        case paused
    }

    let manager: ManagerID
    var startedAt: BootInstant
    var mode = Mode.live
    var isReduced = false
    /// The next fix is delivered whatever the filter.
    var isFirstPending = true
    /// The first delivery after a resumption that could not reach back.
    var hasGap = false
    /// The fix at the cursor was delivered, but is still to be read: the filter counts from it.
    var countsFromCursor = false
    var hasToldLoss = false
    /// By which rest pauses it; nil: nothing does.
    var activity: ActivityType?
    /// Metres; negative: none.
    var distanceFilter = -1.0
    var reference = Coordinate(latitude: 0, longitude: 0)
    var referenceAccuracy = 0.0
    /// Everything up to this sequence was handed over or filtered out.
    var cursor: UInt64
    /// Fixes that a deferral holds.
    var held = 0
    /// Fixes that the distance filter kept back.
    var filtered: UInt64 = 0
    /// Fixes that went by while updates paused.
    var paused: UInt64 = 0

    /// Whether the fix is to be delivered now; moves the cursor.
    @inline(__always)
    mutating func examine(_ location: Location, _ view: Coordinate, flags: LogFlags, frame: LocalFrame) -> Bool {
        switch mode {
        case .away: return false
        case .paused:
            cursor = location.sequence
            paused += 1
            return false
        case .held:
            held += 1
            return false
        case .live:
            cursor = location.sequence
            if isReduced, !flags.contains(.reducedView) { return false }
            guard passes(view, accuracy: location.horizontalAccuracy, frame: frame) else {
                filtered += 1
                return false
            }
            isFirstPending = false
            reference = view
            referenceAccuracy = location.horizontalAccuracy
            return true
        }
    }

    /// The delivery of one location that was just examined.
    @inline(__always)
    mutating func delivery(of sequence: UInt64) -> Effect {
        var flags: DeliveryFlags = isReduced ? .reduced : []
        if hasGap {
            flags.insert(.gap)
            hasGap = false
        }
        return .deliver(manager, Delivery(first: sequence, last: sequence, source: .standard, flags: flags))
    }

    private func passes(_ place: Coordinate, accuracy: Double, frame: LocalFrame) -> Bool {
        if distanceFilter <= 0 || isFirstPending { return true }
        if StandardService.isClearlyBetter(accuracy, than: referenceAccuracy) { return true }
        // The frame decides where it cannot be wrong; near the threshold the exact distance does.
        let squared = frame.squaredDistance(reference, place)
        let threshold = distanceFilter * distanceFilter
        if abs(place.latitude) < 75 {
            let isNear = squared < 25e6
            if isNear, squared < threshold * 0.98 { return false }
            if isNear || distanceFilter < 5_000, squared > threshold * 1.02 { return true }
        }
        return reference.distance(to: place) >= distanceFilter
    }

    /// A fix of better accuracy may be delivered though the filter is not exceeded (CL 6.3): at most half the radius, and
    /// 20 metres better, so that a receiver's ordinary noise does not defeat the filter.
    private static func isClearlyBetter(_ accuracy: Double, than reference: Double) -> Bool {
        accuracy * 2 <= reference && reference - accuracy >= 20
    }
}

extension Engine {
    mutating func startUpdatingLocation(
        _ manager: ManagerID, resumeAfter: ResumePoint?, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        let wasWanted = managers[manager.index].wantsStandard
        let authorization = authorization(of: manager)
        effects.append(.reply(manager, Reply(state: authorization.serviceState)))
        announceInitialAuthorization(manager, into: &effects)
        cancelRequest(manager, by: .startUpdatingLocation, into: &effects)
        if !wasWanted {
            managers[manager.index].wantsStandard = true
            positionStandardAtNewest(manager, into: &effects)
            if authorization.isAuthorized { runStandard(manager, at: now, into: &effects, isFresh: resumeAfter == nil) }
        }
        if let position = standard.position(of: manager), standard[position].mode == .paused {
            restart(position, at: now, into: &effects)
        }
        raiseIfUndetermined(manager, at: now, into: &effects)
        if let resumeAfter, authorization.isAuthorized { resume(manager, after: resumeAfter, into: &effects) }
        if authorization.serviceState == .denied {
            effects.append(.fail(manager, code: .denied, source: .standard, request: 0))
        }
        effects.append(.saveManager(manager))
        if resumeAfter != nil { catchUp(manager, into: &effects) }
    }

    mutating func stopUpdatingLocation(
        _ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        cancelRequest(manager, by: .stopUpdatingLocation, into: &effects)
        endDeferral(manager, error: .deferredCanceled, into: &effects)
        if managers[manager.index].wantsStandard {
            managers[manager.index].wantsStandard = false
            endStandard(manager)
        }
        effects.append(.saveManager(manager))
        effects.append(.reply(manager, Reply(state: nil)))
    }

    /// Begins to run a wanted service that is now authorized.
    mutating func runStandard(
        _ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer, isFresh: Bool
    ) {
        let start = managers[manager.index].standardStart
        apps[managers[manager.index].app.index].windows.opened(after: start)
        var service = StandardService(manager: manager, startedAt: now, cursor: start)
        service.mode = managers[manager.index].isAway ? .away : .live
        service.isReduced = hasReducedView(manager)
        standard.insert(service)
        noteServiceStart(at: now)
        touch(identity(of: manager))
        refreshStandard(manager, at: now, into: &effects)
        guard isFresh, service.mode == .live else { return }
        deliverCached(to: manager, source: .standard, at: now, into: &effects)
    }

    /// Ends a running service, and with it the stretch of the log that the app may see again.
    mutating func endStandard(_ manager: ManagerID) {
        guard let service = standard.remove(manager) else { return }
        countRest(service.activity, by: -1)
        touch(identity(of: manager))
        managers[manager.index].filtered += service.filtered
        managers[manager.index].paused += service.paused
        apps[managers[manager.index].app.index].windows.closed(at: newestAccepted)
    }

    /// Brings what the service copied of the manager's properties up to date. Between the exact and the reduced view it begins anew: the
    /// filter does not count from a place in the other view, and the view in force is told at once.
    mutating func refreshStandard(_ manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer) {
        guard let position = standard.position(of: manager) else { return }
        let properties = managers[manager.index].properties
        standard[position].distanceFilter = properties.distanceFilter
        let isReduced = hasReducedView(manager)
        if isReduced != standard[position].isReduced {
            standard[position].isReduced = isReduced
            standard[position].isFirstPending = true
            if isReduced, standard[position].mode == .live {
                deliverCached(to: manager, source: .standard, at: now, into: &effects)
            }
        }
        let activity = pausingActivity(of: manager)
        guard activity != standard[position].activity else { return }
        countRest(standard[position].activity, by: -1)
        countRest(activity, by: 1)
        standard[position].activity = activity
    }

    /// Everyone who does not resume starts from now.
    mutating func positionStandardAtNewest(_ manager: ManagerID, into effects: inout EffectBuffer) {
        managers[manager.index].standardStart = newestAccepted
        managers[manager.index].standardHasGap = false
        managers[manager.index].standardReference = nil
        effects.append(.positionStandard(manager, at: newestAccepted))
    }

    private mutating func resume(
        _ manager: ManagerID, after point: ResumePoint, into effects: inout EffectBuffer
    ) {
        guard let position = standard.position(of: manager) else { return }
        let windows = apps[managers[manager.index].app.index].windows
        // A number that was never given cannot be behind anything: such a client starts from now.
        let start = min(point.sequence, newestSequence)
        let isComplete = point.location != nil && windows.covers(after: start, through: newestAccepted)
        managers[manager.index].standardStart = start
        managers[manager.index].standardHasGap = !isComplete
        managers[manager.index].standardReference = point.location?.coordinate
        managers[manager.index].standardReferenceAccuracy = point.location?.horizontalAccuracy ?? 0
        standard[position].cursor = start
        standard[position].held = 0
        standard[position].hasGap = !isComplete
        standard[position].countsFromCursor = false
        setReference(position, to: point.location)
        effects.append(.positionStandard(manager, at: start))
    }

    mutating func setReference(_ position: Int, to location: Location?) {
        standard[position].isFirstPending = location == nil
        guard let location else { return }
        standard[position].reference =
            standard[position].isReduced ? location.reducedView.coordinate : location.coordinate
        standard[position].referenceAccuracy = location.horizontalAccuracy
    }

    /// Goes on behind the cursor: holds what a deferral holds, delivers the rest. Appends the last effect for the manager.
    mutating func catchUp(_ manager: ManagerID, into effects: inout EffectBuffer) {
        guard let position = standard.position(of: manager) else { return }
        let holds = deferrals.contains(manager) && managers[manager.index].presence == .background
        standard[position].mode = holds ? .held : .live
        standard[position].held = holds ? fixes(after: standard[position].cursor) : 0
        if holds {
            deliverEarlyIfFull(position, into: &effects)
        } else if standard[position].cursor < newestAccepted {
            let cursor = standard[position].cursor
            effects.append(.readLog(manager, after: standard[position].countsFromCursor ? cursor - 1 : cursor))
        }
    }

    mutating func deliverStandard(
        _ location: Location, flags: LogFlags, into effects: inout EffectBuffer
    ) {
        guard !standard.isEmpty else { return }
        let frame = LocalFrame(latitude: location.coordinate.latitude)
        let reduced = flags.contains(.reducedView) ? location.reducedView.coordinate : location.coordinate
        let capacity = configuration.logCapacity
        var isAnyFull = false
        standard.withServices { services in
            for position in services.indices where services[position].cursor < location.sequence {
                let view = services[position].isReduced ? reduced : location.coordinate
                if services[position].examine(location, view, flags: flags, frame: frame) {
                    effects.append(services[position].delivery(of: location.sequence))
                } else if services[position].held >= capacity {
                    isAnyFull = true
                }
            }
        }
        guard isAnyFull else { return }
        for position in standard.indices { deliverEarlyIfFull(position, into: &effects) }
    }

    /// One fix of the log, for a manager that catches up.
    mutating func readLog(
        _ manager: ManagerID, _ location: Location, _ flags: LogFlags, into effects: inout EffectBuffer
    ) {
        guard let position = standard.position(of: manager), standard[position].mode == .live else { return }
        if standard[position].countsFromCursor, location.sequence == standard[position].cursor {
            setReference(position, to: location)
        }
        standard[position].countsFromCursor = false
        guard location.sequence > standard[position].cursor,
            apps[managers[manager.index].app.index].windows.contains(location.sequence)
        else { return }
        let frame = LocalFrame(latitude: location.coordinate.latitude)
        let view = standard[position].isReduced ? location.reducedView.coordinate : location.coordinate
        guard standard[position].examine(location, view, flags: flags, frame: frame) else { return }
        effects.append(standard[position].delivery(of: location.sequence))
    }
}
