// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Standard updates (Protocol 4.6, 4.9, 5, rules S1 to S15): every accepted location, but for what the manager's distance filter keeps back,
/// with pauses while the device is stationary, and with deferrals.
///
/// A service is a cursor into the log with a predicate. Live, the cursor moves with each fix; while a deferral holds locations, or the
/// client is away, it stays, and the log behind it is read or delivered later. No client has a queue, and a fix costs one
/// step over a packed table: a comparison for a manager that gets nothing, an effect for one that gets the location.
///
/// - `records`: what each client asked for, and from where delivery counts.
/// - `running`: services that run now, because their app is authorized.
/// - `windows`: by app, the stretches of the log that may be seen again by `resumeAfter`.
/// - `deferrals`: see there; `StandardUpdates+Deferring.swift` joins both.
struct StandardUpdates: Service {
    /// The part of a manager's standard updates that outlives a turn.
    struct Record: Sendable, Codable {
        /// `startUpdatingLocation` was called, and not `stop…`.
        var isWanted = false
        /// Delivery began behind this number.
        var start: UInt64 = 0
        /// Locations between that number and the client's own may be missing; the first delivery says `gap`.
        var hasGap = false
        /// The distance filter counted from here when delivery began; nil: the next live fix is delivered whatever the filter.
        @Stored var reference: Coordinate?
        /// Metres: accuracy at `reference`.
        @Stored var referenceAccuracy = 0.0
        /// Updates paused when the connection was lost.
        var wasPaused = false
        /// Fixes that the distance filter kept back in services that ended.
        var filtered: UInt64 = 0
        /// Fixes that went by while services that ended paused.
        var paused: UInt64 = 0
        /// Where the service stands; only in a manager's record.
        var running: StandardService?

        private enum CodingKeys: String, CodingKey {
            case isWanted = "w", start = "a", hasGap = "g", reference = "r", referenceAccuracy = "e", wasPaused = "i"
            case filtered = "f", paused = "p", running = "s"
        }

        var isUsable: Bool { start.isUsable && filtered.isUsable && paused.isUsable && running?.isUsable ?? true }
    }

    var records = PerSlot<ManagerID, Record>(blank: Record())
    var running = ServiceTable<StandardService>()
    var windows = PerSlot<AppID, ServiceWindows>(blank: ServiceWindows())
    var deferrals = Deferrals()

    // MARK: Requests

    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        switch request {
        case .startUpdatingLocation(let sequence):
            let point = sequence.map { ResumePoint(sequence: $0, location: turn.circumstances.resumeLocation) }
            start(manager, resumeAfter: point, directory, &turn)
        case .stopUpdatingLocation: stop(manager, directory, &turn)
        case .allowDeferredLocationUpdates(let criteria): allowDeferral(manager, criteria, directory, &turn)
        case .disallowDeferredLocationUpdates:
            endDeferral(manager, error: .deferredCanceled, directory, &turn)
            turn.save(manager)
            turn.reply(manager, Reply(state: nil))
        case .requestLocation where running.contains(manager):
            // Rule R4.
            turn.answer(manager, Reply(state: .ignored))
        default: return false
        }
        return true
    }

    private mutating func start(
        _ manager: ManagerID, resumeAfter: ResumePoint?, _ directory: Directory, _ turn: inout Turn
    ) {
        let authorization = directory.authorization(of: manager)
        turn.answer(manager, Reply(state: authorization.serviceState))
        turn.tellCancelled(manager)
        if !records[manager].isWanted {
            records[manager].isWanted = true
            positionAtNewest(manager, &turn)
            if authorization.isAuthorized { run(manager, isFresh: resumeAfter == nil, directory, &turn) }
        }
        if let position = running.position(of: manager), running[position].mode == .paused {
            restart(position, &turn)
        }
        turn.questions.append(.service(manager))
        if let resumeAfter, authorization.isAuthorized { resume(manager, after: resumeAfter, directory, &turn) }
        if authorization.serviceState == .denied { turn.fail(manager, .denied, .standard) }
        turn.save(manager)
        if resumeAfter != nil { catchUp(manager, directory, &turn) }
    }

    private mutating func stop(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        turn.tellCancelled(manager)
        endDeferral(manager, error: .deferredCanceled, directory, &turn)
        if records[manager].isWanted {
            records[manager].isWanted = false
            end(manager, directory, &turn)
        }
        turn.save(manager)
        turn.reply(manager, Reply(state: nil))
    }

    mutating func propertiesChanged(
        of manager: ManagerID, hadReducedView: Bool, _ directory: Directory, _ turn: inout Turn
    ) {
        if let position = running.position(of: manager), running[position].mode == .paused,
            pausingActivity(of: manager, directory) != running[position].activity
        {
            restart(position, &turn)
        }
        refresh(manager, directory, &turn)
    }

    // MARK: Running

    /// Begins to run a wanted service whose app is authorized.
    private mutating func run(_ manager: ManagerID, isFresh: Bool, _ directory: Directory, _ turn: inout Turn) {
        let start = records[manager].start
        windows[directory.app(of: manager)].opened(after: start)
        var service = StandardService(manager: manager, startedAt: turn.now, cursor: start)
        service.mode = directory.isAway(manager) ? .away : .live
        service.isReduced = directory.hasReducedView(manager)
        running.insert(service)
        turn.noteServiceStart()
        turn.touch(directory.identity(of: manager))
        refresh(manager, directory, &turn)
        guard isFresh, service.mode == .live else { return }
        turn.deliverCached(to: manager, source: .standard, directory)
    }

    /// Ends a running service, and with it the stretch of the log that the app may see again.
    private mutating func end(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard let service = running.remove(manager) else { return }
        turn.stationary.count(service.activity, by: -1)
        turn.touch(directory.identity(of: manager))
        records[manager].filtered += service.filtered
        records[manager].paused += service.paused
        windows[directory.app(of: manager)].closed(at: turn.intake.newestAccepted)
    }

    /// Brings what the service copied of the manager's properties up to date. Between the exact and the reduced view it begins anew: the
    /// filter does not count from a place in the other view, and the view in force is told at once.
    private mutating func refresh(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard let position = running.position(of: manager) else { return }
        running[position].distanceFilter = directory[manager].properties.distanceFilter
        let isReduced = directory.hasReducedView(manager)
        if isReduced != running[position].isReduced {
            running[position].isReduced = isReduced
            running[position].isFirstPending = true
            if isReduced, running[position].mode == .live {
                turn.deliverCached(to: manager, source: .standard, directory)
            }
        }
        let activity = pausingActivity(of: manager, directory)
        guard activity != running[position].activity else { return }
        turn.stationary.count(running[position].activity, by: -1)
        turn.stationary.count(activity, by: 1)
        running[position].activity = activity
    }

    // MARK: One fix

    mutating func deliver(_ fix: AcceptedFix, _ directory: Directory, _ turn: inout Turn) {
        guard !running.isEmpty else { return }
        let location = fix.location
        let frame = LocalFrame(latitude: location.coordinate.latitude)
        let reduced = fix.flags.contains(.reducedView) ? location.reducedView.coordinate : location.coordinate
        let capacity = turn.configuration.logCapacity
        var isAnyFull = false
        running.withServices { services in
            for position in services.indices where services[position].cursor < location.sequence {
                let view = services[position].isReduced ? reduced : location.coordinate
                if services[position].examine(location, view, flags: fix.flags, frame: frame) {
                    turn.append(services[position].delivery(of: location.sequence))
                } else if services[position].held >= capacity {
                    isAnyFull = true
                }
            }
        }
        guard isAnyFull else { return }
        for position in running.indices { deliverEarlyIfFull(position, directory, &turn) }
    }

    // MARK: Rights

    mutating func rightsChanged(of app: AppID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn) {
        if change.old.accuracy != change.new.accuracy { windows[app].restart(after: turn.intake.newestAccepted) }
    }

    mutating func rightsChanged(
        of manager: ManagerID, _ change: RightsChange, _ directory: Directory, _ turn: inout Turn
    ) {
        if change.isLost {
            discard(manager, error: .deferredFailed, directory, &turn)
            end(manager, directory, &turn)
            deny(manager, directory, &turn)
        } else if change.isReduced {
            discard(manager, error: .deferredAccuracyTooLow, directory, &turn)
            if let position = running.position(of: manager), running[position].mode == .paused {
                restart(position, &turn)
            }
            refresh(manager, directory, &turn)
        } else if change.isGranted, records[manager].isWanted {
            positionAtNewest(manager, &turn)
            run(manager, isFresh: true, directory, &turn)
        } else if change.new.isAuthorized {
            refresh(manager, directory, &turn)
        } else if change.old.serviceState == .waitingForAuthorization {
            deny(manager, directory, &turn)
        }
    }

    /// A client that is away is told when it is back.
    private func deny(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard records[manager].isWanted, directory.isDenied(manager) else { return }
        turn.fail(manager, .denied, .standard)
    }

    /// Consent for all that was not delivered is gone, also for what would be delivered again; a deferral ends without its batch.
    private mutating func discard(
        _ manager: ManagerID, error: LocationErrorCode, _ directory: Directory, _ turn: inout Turn
    ) {
        turn.append(.discardUndelivered(manager))
        records[manager].start = turn.intake.newestAccepted
        records[manager].hasGap = false
        records[manager].reference = nil
        if let position = running.position(of: manager) {
            running[position].held = 0
            running[position].cursor = turn.intake.newestAccepted
        }
        endDeferral(manager, error: error, directory, &turn)
    }

    // MARK: The life of a manager

    mutating func detached(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        guard let position = running.position(of: manager) else { return }
        records[manager].wasPaused = running[position].mode == .paused
        running[position].mode = .away
        refresh(manager, directory, &turn)
    }

    mutating func attached(
        _ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn
    ) {
        if records[manager].wasPaused {
            records[manager].wasPaused = false
            if running.contains(manager) { turn.append(.pause(manager, isPaused: false, .restarted)) }
        }
        let position = running.position(of: manager)
        if let position { takeUpReference(position, manager, delivered: delivered) }
        let record = records[manager]
        let start = max(delivered.sequence, record.start)
        let (cursor, hasGap) = sendFinishesAgain(manager, after: start, directory, &turn)
        if let position {
            let newest = turn.intake.newestAccepted
            if cursor > start { running[position].setReference(to: cursor == newest ? turn.intake.lastLocation : nil) }
            running[position].countsFromCursor = start < cursor && cursor < newest
            running[position].cursor = cursor
            running[position].hasGap = hasGap || delivered.sequence <= record.start && record.hasGap
        }
        deny(manager, directory, &turn)
    }

    /// The filter goes on from the last location that the client got, or from where delivery began.
    private mutating func takeUpReference(_ position: Int, _ manager: ManagerID, delivered: ResumePoint) {
        if delivered.sequence > records[manager].start {
            running[position].setReference(to: delivered.location)
        } else {
            running[position].setReference(to: nil)
            guard let reference = records[manager].reference else { return }
            running[position].isFirstPending = false
            running[position].reference = reference
            running[position].referenceAccuracy = records[manager].referenceAccuracy
        }
    }

    mutating func resume(
        _ manager: ManagerID, delivered: ResumePoint, _ directory: Directory, _ turn: inout Turn
    ) {
        turn.noteServiceStart()
        refresh(manager, directory, &turn)
        if let position = running.position(of: manager) {
            running[position].startedAt = turn.now
            if delivered.sequence <= records[manager].start { deliverViewBehind(position, directory, &turn) }
        }
        turn.save(manager)
        catchUp(manager, directory, &turn)
    }

    /// A client that has none of the reduced view yet gets the one in force, unless that is read from the log.
    private func deliverViewBehind(_ position: Int, _ directory: Directory, _ turn: inout Turn) {
        guard running[position].isReduced, let view = turn.reducedViewInLog, view <= running[position].cursor else {
            return
        }
        turn.deliverCached(to: running[position].manager, source: .standard, directory)
    }

    mutating func closed(_ manager: ManagerID, _ directory: Directory, _ turn: inout Turn) {
        end(manager, directory, &turn)
        records.clear(manager)
        deferrals.remove(manager)
        deferrals.records.clear(manager)
    }

    // MARK: Records

    mutating func open(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        records[manager] = record.standard
        records[manager].running = nil
        deferrals.records[manager] = record.deferral
        deferrals.records[manager].running = nil
        if record.standard.isWanted, directory.authorization(of: manager).isAuthorized {
            run(manager, isFresh: false, directory, &turn)
        }
        if let deferral = record.deferral.running { restore(deferral, of: manager, directory) }
        if !record.standard.isWanted, let finished = record.deferral.unconfirmed.last,
            finished.through > record.standard.start
        {
            // Stopped, but the last batch may have to be delivered again.
            let app = directory.app(of: manager)
            windows[app].opened(after: record.standard.start)
            windows[app].closed(at: finished.through)
        }
    }

    /// Consent may have changed while no daemon ran: then the deferral is over, and what it held is not to be seen.
    private mutating func restore(_ deferral: Deferral, of manager: ManagerID, _ directory: Directory) {
        let isRunning = running.contains(manager)
        if isRunning, !directory.hasReducedView(manager) {
            var restored = deferral
            restored.manager = manager
            deferrals.insert(restored)
        } else {
            let error = isRunning ? LocationErrorCode.deferredAccuracyTooLow : .deferredFailed
            deferrals.note(FinishedDeferral(number: deferral.number, error: error, through: 0), of: manager)
        }
    }

    mutating func goOn(_ manager: ManagerID, _ record: ManagerRecord, _ directory: Directory, _ turn: inout Turn) {
        records[manager].wasPaused = false
        guard let position = running.position(of: manager), let left = record.standard.running else { return }
        running[position].goOn(as: left)
        if left.hasToldLoss { turn.loss.noteTold() }
    }

    func fill(_ record: inout ManagerRecord, of manager: ManagerID, _ directory: Directory, _ turn: Turn) {
        record.standard = records[manager]
        record.standard.running = running[of: manager]
        record.standard.wasPaused = record.standard.wasPaused || record.standard.running?.mode == .paused
        record.deferral = deferrals.records[manager]
        record.deferral.running = deferrals.running[of: manager]
    }

    mutating func enter(_ app: AppID, _ record: AppRecord, _ directory: Directory, _ turn: inout Turn) {
        windows.clear(app)
    }

    // MARK: Time

    mutating func serveTimers(_ directory: Directory, _ turn: inout Turn) {
        guard !deferrals.running.isEmpty else { return }
        for (manager, error) in deferrals.due(turn) { endDeferral(manager, error: error, directory, &turn) }
    }

    func deadline(_ directory: Directory, _ turn: Turn) -> WakeWindow? {
        guard let outage = deferrals.outageDeadline(turn) else { return nil }
        let end = WakeWindow(earliest: outage, latest: outage + .seconds(1))
        guard deferrals.nextDeadline != .distantFuture else { return end }
        let deadline = deferrals.nextDeadline
        return end.merged(with: WakeWindow(earliest: deadline, latest: deadline + .milliseconds(500)))
    }

    mutating func tellLoss(onSince: BootInstant, _ directory: Directory, _ turn: inout Turn) {
        for position in running.indices where !running[position].hasToldLoss {
            let service = running[position]
            if directory.isAway(service.manager) || service.mode == .paused { continue }
            guard turn.isLost(startedAt: service.startedAt, onSince: onSince) else { continue }
            running[position].hasToldLoss = true
            turn.loss.noteTold()
            turn.fail(service.manager, .locationUnknown, .standard)
        }
    }

    mutating func forgetLoss() {
        for position in running.indices { running[position].hasToldLoss = false }
    }

    var canBeAtLoss: Bool { !running.isEmpty }
}
