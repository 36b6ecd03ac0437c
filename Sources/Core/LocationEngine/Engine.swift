// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Every decision of the service: which fix is believed, who is told what and when, and whether the receiver is needed.
///
/// Events in, effects out; time is an argument. The same events give the same effects, in another process too: nothing here asks a
/// clock, a random source or a hash table.
package struct Engine: Sendable {
    package internal(set) var configuration: EngineConfiguration

    /// What is kept of each open manager beside its services.
    struct Manager: Sendable {
        var isOpen = false
        var app = AppID(rawValue: 0)
        var presence = Presence.background
        var properties = ManagerProperties()
        var wantsStandard = false
        var standardStart: UInt64 = 0
        var standardHasGap = false
        var standardReference: Coordinate?
        var standardReferenceAccuracy = 0.0
        var wantsSignificant = false
        var lastDeferral: UInt32 = 0
        var lastRequest: UInt32 = 0
        var unconfirmedFinishes: [FinishedDeferral] = []
        var hasAnnouncedAuthorization = false
        /// The client said `events: true`: it is told later what it misses.
        var keepsEvents = false
        var wantsHeading = false
        /// Updates paused when its connection was lost.
        var wasPaused = false
        /// It was a use of its app when the former process ended, and is one until its time to come back is up.
        var keepsUse = false
        /// It counts as a use of its app.
        var isUse = false
        var sessions: [Session] = []
        var monitors: [(number: UInt32, name: String)] = []
        /// Regions whose state was asked for when nobody could tell.
        var awaitedStates: [String] = []
        /// The significant change that the app missed and this connection was told of.
        var toldSignificantEvent: UInt64 = 0
        var lastLive: UInt32 = 0
        var lastSession: UInt32 = 0
        var lastMonitor: UInt32 = 0
        /// Fixes that the distance filter kept back in services that ended.
        var filtered: UInt64 = 0
        /// Fixes that went by while services that ended paused.
        var paused: UInt64 = 0
        /// When a manager without a connection ends; nil: the connection is there.
        var awayUntil: BootInstant?
        var isAway: Bool { awayUntil != nil }
    }

    var managers: [Manager] = []
    var apps: [App] = []
    var identities: [Identity] = []
    package internal(set) var areServicesEnabled = true
    /// Questions that wait for a person, oldest first.
    package internal(set) var authorizationRequests: [AuthorizationRequest] = []
    /// The number given last.
    package internal(set) var newestAuthorizationRequest: UInt64
    /// Something was not asked, since too much is asked already; and whether that is less now.
    var heldBackQuestions = (exist: false, mayFit: false)
    var touchedIdentities: [IdentityID] = []
    var haveSessionsToTell = false
    var standard = ServiceTable<StandardService>()
    var significant = ServiceTable<SignificantChangeService>()
    var requests = ServiceTable<LocationRequest>()
    var deferrals = ServiceTable<Deferral>()
    /// Managers without a connection, in the order in which they lost it.
    var away: [ManagerID] = []
    var live = ServiceTable<LiveService>()
    var headings = ServiceTable<HeadingService>()
    /// Some device has told where it points.
    package internal(set) var hasHeading = false
    /// Apps that are owed significant changes while no connection of theirs is there.
    var absentApps: [AppID] = []

    var regions = RegionMonitor()
    /// By handle.
    var regionOwners: [RegionOwner?] = []
    var crossings: [RegionCrossing] = []
    var crossingDate: WallTime?
    var visits = VisitDetector()
    /// The detector has seen fixes.
    var hasWatchedVisits = false
    /// As it was stored last.
    var savedStay: StoredStay?
    /// By raw value of the activity.
    var rest = [RestDetector](repeating: RestDetector(), count: 6)
    var restUsers = [Int](repeating: 0, count: 6)
    /// No service can pause before.
    var nextPause = BootInstant.distantFuture

    private var gate = FixGate()
    var receivers = ReceiverChoice()
    var odometer: Odometer
    var power = ReceiverPower()
    var reducedClock = ReducedViewClock()

    let openedAt: BootInstant
    var turnClock: TurnClock
    /// What the shell said last of the date; nil: nothing.
    var clock: (date: WallTime, at: BootInstant)?
    /// No fix gets this number or a smaller one. After an unclean stop that may be more than any fix has.
    package private(set) var newestSequence: UInt64
    /// Numbers from the newest of a former process to the first of this one that no fix has.
    private let skipped: (after: UInt64, through: UInt64)
    /// The newest accepted fix, or the one that a former run of the daemon left.
    package internal(set) var lastLocation: Location?
    /// When it was accepted.
    package internal(set) var lastFixAt: BootInstant?
    /// The fix from which the reduced view in force was computed; 0: none yet.
    package internal(set) var reducedSequence: UInt64 = 0
    /// The place that the view in force tells; nil: computed by a former process, or none yet.
    var reducedPlace: Coordinate?
    var hasToldLoss = false
    var nextLossCheck: BootInstant?
    /// Bounds: no deferral ends by time or by travel before.
    var nextDeferralDeadline = BootInstant.distantFuture
    var nextDeferralTravel = Double.infinity
    /// Fixes that were refused, by reason.
    package private(set) var rejected = [UInt64](repeating: 0, count: FixRejection.allCases.count)
    /// Fixes that were accepted.
    package private(set) var accepted: UInt64 = 0

    /// An engine that goes on where a former one stopped.
    ///
    /// - Parameters:
    ///   - newestSequence: No fix gets this number or a smaller one.
    ///   - authorizationRequests: No authorization request gets this number or a smaller one.
    ///   - view: The reduced view that a former process computed last, if it is still in force.
    ///   - last: The last known location and the moment of its acceptance, which may lie before boot.
    package init(
        configuration: EngineConfiguration, newestSequence: UInt64 = 0,
        last: (location: Location, at: BootInstant)? = nil,
        reducedSequence: UInt64 = 0, view: KeptView? = nil, travelled: Double = 0, authorizationRequests: UInt64 = 0,
        at now: BootInstant
    ) {
        self.configuration = configuration
        self.newestSequence = newestSequence
        let newestAccepted = last?.location.sequence ?? 0
        skipped = (newestAccepted, max(newestAccepted, newestSequence))
        self.reducedSequence = reducedSequence
        lastLocation = last?.location
        lastFixAt = last?.at
        odometer = Odometer(travelled: travelled, anchor: last?.location.coordinate)
        newestAuthorizationRequest = authorizationRequests
        openedAt = now
        turnClock = TurnClock(at: now)
        restore(view, at: now)
    }

    /// The sequence of the newest accepted fix; 0: none yet. All places in the log are counted by it.
    var newestAccepted: UInt64 { lastLocation?.sequence ?? 0 }

    /// How many fixes were accepted after one.
    func fixes(after sequence: UInt64) -> Int {
        guard newestAccepted > sequence else { return 0 }
        let numbers = newestAccepted - sequence
        guard sequence < skipped.through, newestAccepted > skipped.through else { return Int(numbers) }
        return Int(numbers - (skipped.through - max(sequence, skipped.after)))
    }

    /// Whether the log still holds the fix of this number, if there was one.
    func isInLog(_ sequence: UInt64) -> Bool { fixes(after: sequence) < configuration.logCapacity }

    /// The fix of the reduced view in force; nil: none yet, or the log lost it.
    var reducedViewInLog: UInt64? { reducedSequence != 0 && isInLog(reducedSequence) ? reducedSequence : nil }

    /// Handles what happened at `moment`, or at the moment of the event before if that is later, and appends what is to be done.
    ///
    /// Timers that are due are served first: a criterion that is met in the same turn as a request that cancels it wins.
    package mutating func handle(_ event: Event, at moment: BootInstant, into effects: inout EffectBuffer) {
        let now = turnClock.begin(at: moment)
        if case .logRead(let manager, let location, let flags) = event {
            return readLog(manager, location, flags, into: &effects)
        }
        if case .dated(let date) = event {
            clock = (date, now)
            return
        }
        serveTimers(at: now, into: &effects)
        handleDue(event, at: now, into: &effects)
        raiseHeldBack(at: now, into: &effects)
        tellChangedSessions(into: &effects)
        noteUses(into: &effects)
        updatePower(at: now, into: &effects)
    }

    private mutating func handleDue(_ event: Event, at now: BootInstant, into effects: inout EffectBuffer) {
        // A manager whose time was up is gone, whatever its client had still to say.
        if let manager = event.manager, !isOpen(manager) { return }
        switch event {
        case .fixReceived(let fix): receive(fix, at: now, into: &effects)
        case .greeted(let manager, let keepsEvents):
            managers[manager.index].keepsEvents = keepsEvents
            announceInitialAuthorization(manager, into: &effects)
            if keepsEvents { tellStoredEvents(to: manager, into: &effects) }
        case .asked(let manager, let request): answer(request, of: manager, at: now, into: &effects)
        case .finishesConfirmed(let manager): confirmFinishes(manager, into: &effects)
        case .managerOpened(let manager, let state): open(manager, state, at: now, into: &effects)
        case .clientsKept(let clients): keep(clients, at: now, into: &effects)
        case .managerDetached(let manager): detach(manager, at: now, into: &effects)
        case .managerAttached(let manager, let delivered, let presence):
            attach(manager, delivered: delivered, presence: presence, at: now, into: &effects)
        case .managerClosed(let manager): close(manager, at: now, into: &effects)
        case .headingReceived(let heading): receive(heading, into: &effects)
        case .eventsAged(let date): forgetEvents(before: date, into: &effects)
        case .identityEntered, .policyChanged, .decided, .allowedOnce, .answered, .servicesSwitched, .sessionsRequired:
            handleConsent(event, at: now, into: &effects)
        case .appEntered, .regionRestored, .monitorRestored, .conditionRestored, .monitorForgotten, .eventsCounted,
            .recordsForgotten, .stayRestored:
            restore(event, at: now, into: &effects)
        case .receiverPreferred(let receiver): receivers.preferred = receiver
        case .configurationChanged(let new): configuration = new
        case .logRead, .dated, .woke: break
        }
    }

    private mutating func restore(_ event: Event, at now: BootInstant, into effects: inout EffectBuffer) {
        switch event {
        case .appEntered(let app, let state): enter(app, state, at: now, into: &effects)
        case .regionRestored(let app, let region, let state): restore(region, of: app, state: state)
        case .monitorForgotten(let app, let name): forgetMonitor(name, of: app)
        case .recordsForgotten(let app): forgetRecords(of: app)
        case .monitorRestored(let app, let name): restoreMonitor(name, of: app)
        case .conditionRestored(let app, let monitor, let condition): restore(condition, ofMonitor: monitor, of: app)
        case .eventsCounted(let app, let next): apps[app.index].nextEvent = max(apps[app.index].nextEvent, next)
        case .stayRestored(let stay): visits = VisitDetector(restoring: stay, configuration.visits)
        default: break
        }
    }

    /// Whether the manager is there, with or without its connection.
    package func isOpen(_ manager: ManagerID) -> Bool {
        managers.indices.contains(manager.index) && managers[manager.index].isOpen
    }

    private mutating func answer(
        _ request: Request, of manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        switch request {
        case .setPresence(let presence): setPresence(manager, presence, at: now, into: &effects)
        case .setProperties(let properties): setProperties(manager, properties, at: now, into: &effects)
        case .startUpdatingLocation(let resumeAfter):
            startUpdatingLocation(manager, resumeAfter: resumeAfter, at: now, into: &effects)
        case .stopUpdatingLocation: stopUpdatingLocation(manager, at: now, into: &effects)
        case .requestLocation(let timeout): requestLocation(manager, timeout: timeout, at: now, into: &effects)
        case .allowDeferredLocationUpdates(let untilTraveled, let timeout):
            allowDeferredLocationUpdates(
                manager, untilTraveled: untilTraveled, timeout: timeout, at: now, into: &effects)
        case .disallowDeferredLocationUpdates: disallowDeferredLocationUpdates(manager, into: &effects)
        case .startMonitoringSignificantLocationChanges:
            startMonitoringSignificantLocationChanges(manager, at: now, into: &effects)
        case .stopMonitoringSignificantLocationChanges:
            stopMonitoringSignificantLocationChanges(manager, into: &effects)
        case .startUpdatingHeading: startUpdatingHeading(manager, at: now, into: &effects)
        case .stopUpdatingHeading: stopUpdatingHeading(manager, into: &effects)
        case .startRangingBeacons: startRangingBeacons(manager, into: &effects)
        case .startLiveUpdates(let configuration):
            startLiveUpdates(manager, configuration, at: now, into: &effects)
        case .stopLiveUpdates(let number): stopLiveUpdates(manager, number, into: &effects)
        default: answerForApp(request, of: manager, at: now, into: &effects)
        }
    }

    /// What concerns all connections of an app.
    private mutating func answerForApp(
        _ request: Request, of manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        switch request {
        case .requestWhenInUseAuthorization: requestWhenInUse(manager, at: now, into: &effects)
        case .requestAlwaysAuthorization: requestAlways(manager, at: now, into: &effects)
        case .requestTemporaryFullAccuracyAuthorization(let purposeKey, let isDeclared, let canAsk):
            requestTemporaryFullAccuracy(
                manager, purposeKey: purposeKey, isDeclared: isDeclared, canAsk: canAsk, at: now, into: &effects)
        case .startBackgroundActivitySession: startBackgroundActivitySession(manager, at: now, into: &effects)
        case .startServiceSession(let requirement, let purposeKey, let canAsk):
            startServiceSession(
                manager, requirement, purposeKey: purposeKey, canAsk: canAsk, at: now, into: &effects)
        case .invalidateSession(let number): invalidateSession(manager, number, at: now, into: &effects)
        case .acknowledge(let number): acknowledge(manager, number, at: now, into: &effects)
        case .startMonitoringVisits: startMonitoringVisits(manager, at: now, into: &effects)
        case .stopMonitoringVisits: stopMonitoringVisits(manager, into: &effects)
        default: answerAboutRegions(request, of: manager, at: now, into: &effects)
        }
    }

    private mutating func answerAboutRegions(
        _ request: Request, of manager: ManagerID, at now: BootInstant, into effects: inout EffectBuffer
    ) {
        switch request {
        case .startMonitoring(let region): startMonitoring(manager, region, at: now, into: &effects)
        case .stopMonitoring(let identifier): stopMonitoring(manager, identifier, into: &effects)
        case .requestState(let identifier): requestState(manager, identifier, into: &effects)
        case .openMonitor(let name): openMonitor(manager, name, at: now, into: &effects)
        case .closeMonitor(let number): closeMonitor(manager, number, into: &effects)
        case .addCondition(let monitor, let identifier, let shape, let assuming, let date):
            addCondition(
                manager, monitor: monitor, identifier, shape, assuming: assuming, on: date, at: now, into: &effects)
        case .removeCondition(let monitor, let identifier):
            removeCondition(manager, monitor: monitor, identifier, into: &effects)
        default: break
        }
    }

    /// The order of this method is the order on each connection (protocol.md 4).
    private mutating func receive(_ fix: Fix, at now: BootInstant, into effects: inout EffectBuffer) {
        if let rejection = examine(fix, at: now) {
            rejected[rejection.rawValue] += 1
            return
        }
        accepted += 1
        newestSequence += 1
        var location = fix.location
        location.sequence = newestSequence
        odometer.move(to: location, step: configuration.odometerStep)
        let flags: LogFlags = reducedClock.isDue(at: now) ? .reducedView : []
        if flags.contains(.reducedView) {
            reducedSequence = newestSequence
            reducedPlace = location.reducedView.coordinate
        }
        lastLocation = location
        lastFixAt = now
        power.noteFix(location, at: now)
        forgetLoss()
        nextLossCheck = now + configuration.lossAge
        effects.accepted = AcceptedFix(location: location, odometer: odometer.travelled, flags: flags)
        effects.append(.recordFix)
        noteRest(location, at: now, into: &effects)
        if !deferrals.isEmpty { finishTravelledDeferrals(into: &effects) }
        let isPauseDue = isPauseDue(at: now)
        if isPauseDue { finishRestingDeferrals(at: now, into: &effects) }
        if !requests.isEmpty { answerRequests(location, flags: flags, into: &effects) }
        deliverStandard(location, flags: flags, into: &effects)
        if !significant.isEmpty { deliverSignificantChanges(location, flags: flags, at: now, into: &effects) }
        if !absentApps.isEmpty { watchAbsentSignificant(location, flags: flags, at: now, into: &effects) }
        if isPauseDue { restLiveUpdates(at: now, into: &effects) }
        if !live.isEmpty { deliverLiveUpdates(location, flags: flags, into: &effects) }
        if isPauseDue { pauseResting(at: now, into: &effects) }
        watchRegions(location, at: now, into: &effects)
        watchVisits(location, at: now, into: &effects)
    }

    /// Nonsense goes first: it tells nothing of the receiver that it came from.
    private mutating func examine(_ fix: Fix, at now: BootInstant) -> FixRejection? {
        guard FixGate.isValid(fix) else { return .invalid }
        guard receivers.accepts(fix, at: now, switchTime: configuration.receiverSwitchTime) else {
            return .otherReceiver
        }
        return gate.examine(fix, at: now)
    }

    private mutating func serveTimers(at now: BootInstant, into effects: inout EffectBuffer) {
        if !deferrals.isEmpty { finishDueDeferrals(at: now, into: &effects) }
        if !requests.isEmpty { endDueRequests(at: now, into: &effects) }
        if power.wakeIfDue(at: now) {
            noteServiceStart(at: now)
            effects.append(.powerReceiver(true))
        }
        if let deadline = nextLossDeadline, deadline <= now { tellLoss(at: now, into: &effects) }
        if !away.isEmpty { closeOverdue(at: now, into: &effects) }
    }

    private mutating func updatePower(at now: BootInstant, into effects: inout EffectBuffer) {
        let isSwitched = power.update(
            demand: demand(at: now), accuracy: lastLocation?.horizontalAccuracy, blindSleep: blindSleep, at: now,
            configuration.power)
        if areVisitsWanted, power.gaveUp == now { visits.noteVainSearch(at: now) }
        guard isSwitched else { return }
        if power.isOn { noteServiceStart(at: now) }
        effects.append(.powerReceiver(power.isOn))
    }

    /// When `woke` has to be handled if nothing else happens; nil: never.
    package var nextWake: WakeWindow? {
        // What is due at the end of time is never due.
        var next = power.wake(configuration.power).flatMap { $0.earliest == .distantFuture ? nil : $0 }
        func add(_ deadline: BootInstant?, slack: TimeSpan) {
            guard let deadline, deadline != .distantFuture else { return }
            let window = WakeWindow(earliest: deadline, latest: deadline + slack)
            next = next?.merged(with: window) ?? window
        }
        if !deferrals.isEmpty { add(nextDeferralDeadline, slack: .milliseconds(500)) }
        for request in requests.services where !managers[request.manager.index].isAway {
            add(request.deadline, slack: .milliseconds(250))
        }
        add(deferralOutageDeadline, slack: .seconds(1))
        add(nextLossDeadline, slack: .seconds(1))
        if let manager = away.first { add(managers[manager.index].awayUntil, slack: .seconds(2)) }
        return next
    }
}
