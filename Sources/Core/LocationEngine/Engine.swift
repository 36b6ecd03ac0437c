// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Every decision of the service: which fix is believed, who is told what and when, and whether the receiver is needed.
///
/// Events in, effects out; time is an argument. The same events give the same effects, in another process too: nothing here asks a
/// clock, a random source or a hash table. A turn is one event. What it walks, in this order:
///
/// 1. what is due: deadlines of services, the end of a sleep, a loss, clients that did not come back in time;
/// 2. the event itself. A fix becomes an accepted location (`Intake`), and the services have it in the order of Protocol 4.4. A request goes to
///    the service whose it is. A decision changes what apps may have (`Authorizations`), and the services hear of it;
/// 3. what services noted: questions for a person, sessions whose diagnosis changed, identities that began or ceased to use the location;
/// 4. `ReceiverPower`: what all services need of the receiver together.
///
/// Each service is a value in a file of `Services/`, and sees nothing but the `Directory` (who is there, and what each may have) and the `Turn`
/// (time, configuration, effects, and what services share). To add one, see `Services`.
package struct Engine: ~Copyable, Sendable {
    var directory = Directory()
    var services = Services()
    var authorizations: Authorizations
    var power = ReceiverPower()
    var turn: Turn

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
        let intake = Intake(newestSequence: newestSequence, last: last, travelled: travelled, at: now)
        turn = Turn(configuration, intake, reducedSequence: reducedSequence, at: now)
        authorizations = Authorizations(newest: authorizationRequests)
        turn.reducedView.restore(view, newestSequence: newestSequence, at: now)
    }

    /// Handles what happened at `moment`, or at the moment of the event before if that is later, and appends what is to be done.
    ///
    /// Timers that are due are served first: a criterion that is met in the same turn as a request that cancels it wins.
    package mutating func handle(_ event: Event, at moment: BootInstant, into effects: inout EffectBuffer) {
        turn.begin(at: moment)
        swap(&turn.effects, &effects)
        defer { swap(&turn.effects, &effects) }
        switch event {
        case .logRead(let manager, let location, let flags):
            services.standard.readLog(manager, location, flags, directory, &turn)
        case .dated(let date): turn.setDate(date)
        case .slept(let span): turn.borders.beacons.sleep(span, until: turn.now)
        default:
            serveTimers()
            handleDue(event)
            services.tellBeacons(directory, &turn)
            authorizations.raiseQuestions(&directory, services, &turn)
            authorizations.raiseHeldBack(&directory, services, &turn)
            services.sessions.tellChanged(directory, &turn)
            authorizations.noteUses(&directory, services, &turn)
            updatePower()
        }
    }

    private mutating func handleDue(_ event: Event) {
        // A manager whose time was up is gone, whatever its client had still to say.
        if let manager = event.manager, !directory.isOpen(manager) { return }
        switch event {
        case .fixReceived(let fix): receive(fix)
        case .asked(let manager, let request, let facts): answer(request, of: manager, facts)
        case .greeted(let manager, let keepsEvents):
            directory[manager].keepsEvents = keepsEvents
            announceAuthorization(to: manager)
            if keepsEvents { turn.tellStoredEvents(to: manager, directory) }
        case .finishesConfirmed(let manager): services.standard.confirmFinishes(manager, &turn)
        case .headingReceived(let heading): services.headings.receive(heading, directory, &turn)
        case .deviceHears, .beaconsHeard: services.beacons.handle(event, directory, &turn)
        case .managerOpened(let manager, let record): open(manager, record)
        case .managerDetached(let manager): detach(manager)
        case .managerAttached(let manager, let delivered, let presence):
            attach(manager, delivered: delivered, presence: presence)
        case .managerClosed(let manager): close(manager)
        case .clientsKept(let clients): goOn(with: clients)
        case .identityEntered, .policyChanged, .decided, .allowedOnce, .answered, .servicesSwitched, .sessionsRequired:
            authorizations.handle(event, &directory, &services, &turn)
        case .appEntered(let app, let record): enter(app, record)
        case .regionRestored(let app, let region, let state):
            services.regions.restore(region, of: app, state: state, directory, &turn)
        case .monitorRestored(let app, let name): services.monitors.restore(name, of: app, directory)
        case .conditionRestored(let app, let monitor, let condition):
            services.monitors.restore(condition, ofMonitor: monitor, of: app, directory, &turn)
        case .monitorForgotten(let app, let name): services.monitors.forget(name, of: app)
        case .recordsForgotten(let app):
            turn.forgetEvents(of: app)
            services.tell(.forget(app), directory, &turn)
            turn.touch(directory[app].identity)
        case .eventsAged(let date): turn.forgetEvents(before: date)
        case .eventsCounted(let app, let next): turn.events[app].next = max(turn.events[app].next, next)
        case .stayRestored(let stay): services.visits.restore(stay, turn.configuration.visits)
        case .noFixReported(let satellites): power.noteNoFix(satellites: satellites, at: turn.now)
        case .locationEnded: turn.endLocation()
        case .receiverPreferred(let receiver): turn.intake.receivers.preferred = receiver
        case .configurationChanged(let new): turn.configuration = new
        case .logRead, .dated, .slept, .woke: break
        }
    }

    // MARK: A fix

    /// The order here is the order on each connection (Protocol 4.4).
    private mutating func receive(_ fix: Fix) {
        guard let location = turn.intake.accept(fix, at: turn.now, turn.configuration) else { return }
        let isView = turn.reducedView.note(location, at: turn.now)
        // Of the receiver, and of how fast the device moves, a place that somebody says tells nothing.
        if location.kind == .receiver { power.noteFix(location, at: turn.now) }
        let check = turn.now + max(turn.configuration.lossAge, fix.validity)
        if turn.loss.noteFix(nextCheck: check) { services.tell(.forgetLoss, directory, &turn) }
        let accepted = AcceptedFix(
            location: location, odometer: turn.intake.odometer.travelled, flags: isView ? .reducedView : [])
        turn.effects.accepted = accepted
        turn.append(.recordFix)
        // Nobody rests, comes or goes by a place that is known only roughly.
        if !location.isCoarse {
            turn.stationary.note(location, at: turn.now, turn.configuration)
            turn.borders.note(location, at: turn.now, turn.configuration.regions)
        }
        services.tell(.finish(accepted), directory, &turn)
        services.tell(.deliver(accepted), directory, &turn)
        guard !location.isCoarse else { return }
        services.tell(.pause(accepted), directory, &turn)
        services.tell(.watch(accepted), directory, &turn)
    }

    // MARK: A request

    private mutating func answer(_ request: Request, of manager: ManagerID, _ facts: Circumstances) {
        turn.circumstances = facts
        turn.mustAnnounce = !directory[manager].hasAnnouncedAuthorization
        let isFirst = turn.mustAnnounce
        services.tell(.makeWay(request, manager), directory, &turn)
        switch request {
        case .setPresence(let presence): setPresence(of: manager, presence)
        case .setProperties(let patch): setProperties(of: manager, patch)
        default:
            if authorizations.take(request, of: manager, &directory, &turn) { break }
            _ = services.take(request, of: manager, directory, &turn)
        }
        if isFirst, !turn.mustAnnounce { directory[manager].hasAnnouncedAuthorization = true }
        turn.mustAnnounce = false
        turn.circumstances = Circumstances()
        if turn.changedSessions != nil { settleSessions(of: manager) }
    }

    private mutating func setPresence(of manager: ManagerID, _ presence: Presence) {
        directory[manager].presence = presence
        turn.reply(manager, Reply(state: nil))
        services.tell(.presenceChanged(manager), directory, &turn)
        authorizations.refreshSessions(of: directory.app(of: manager), &directory, &services, &turn)
        turn.save(manager)
    }

    private mutating func setProperties(of manager: ManagerID, _ patch: PropertiesPatch) {
        let hadReducedView = directory.hasReducedView(manager)
        directory[manager].properties = patch.apply(to: directory[manager].properties)
        services.standard.endUnfitDeferral(of: manager, directory, &turn)
        turn.save(manager)
        turn.reply(manager, Reply(state: nil))
        services.tell(.propertiesChanged(manager, hadReducedView: hadReducedView), directory, &turn)
    }

    /// A session began or ended: its app may be in use by it, or get streams by it.
    private mutating func settleSessions(of manager: ManagerID) {
        turn.changedSessions = nil
        authorizations.refreshUse(manager, &directory, &services, &turn)
        authorizations.refreshSessions(of: directory.app(of: manager), &directory, &services, &turn)
        guard let reply = turn.answerAfterChanges else { return }
        turn.answerAfterChanges = nil
        services.sessions.tellChanged(directory, &turn)
        turn.reply(manager, reply)
    }

    // MARK: Time

    private mutating func serveTimers() {
        services.serveTimers(directory, &turn)
        if power.wakeIfDue(at: turn.now) {
            turn.noteServiceStart()
            turn.append(.powerReceiver(true))
        }
        if let onSince = power.onSince, let check = turn.loss.nextCheck, check <= turn.now,
            services.canBeAtLoss(directory, &turn)
        {
            turn.loss.beginCheck()
            services.tell(.tellLoss(onSince: onSince), directory, &turn)
        }
        closeOverdue()
    }

    private mutating func updatePower() {
        let isSwitched = power.update(
            demand: services.demand(directory, &turn, power), accuracy: turn.intake.lastLocation?.horizontalAccuracy,
            blindSleep: services.blindSleep(power, turn.borders, directory), at: turn.now, turn.configuration.power
        )
        if power.gaveUp == turn.now { services.visits.noteVainSearch(directory, at: turn.now) }
        guard isSwitched else { return }
        if power.isOn { turn.noteServiceStart() }
        turn.append(.powerReceiver(power.isOn))
    }

    /// When `woke` has to be handled if nothing else happens; nil: never. It changes nothing: a getter that may not change the engine would
    /// copy all of it at each fix, since services are visited where they stand.
    package var nextWake: WakeWindow? {
        mutating get {
            // A deadline at the end of time means never.
            var next = power.wake(turn.configuration.power).flatMap { $0.earliest == .distantFuture ? nil : $0 }
            func add(_ window: WakeWindow?) {
                if let window, window.earliest != .distantFuture { next = next?.merged(with: window) ?? window }
            }
            func add(_ deadline: BootInstant?, slack: TimeSpan) {
                add(deadline.map { WakeWindow(earliest: $0, latest: $0 + slack) })
            }
            add(services.deadline(directory, &turn))
            if power.isOn, services.canBeAtLoss(directory, &turn) { add(turn.loss.nextCheck, slack: .seconds(1)) }
            if let manager = directory.away.first { add(directory[manager].awayUntil, slack: .seconds(2)) }
            return next
        }
    }
}
