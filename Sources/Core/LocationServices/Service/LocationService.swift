// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
import LocationProtocol

/// The one service: clients' requests become events of the engine, and what the engine decides becomes records, lines, questions and power.
///
/// Knows no socket, no disk and no clock: the daemon, a replay and the simulation of apps' tests fill its doors (`StateKeeping`,
/// `RecordKeeping`, `Channel`, `Journal`, `ServiceHost`) each with its own. A turn is one event of the engine: the fix goes into the log,
/// what is to be kept is written (`RecordChange`), and only then is anybody told. What arises in a turn waits until it is over. The parts that
/// have state of their own are values: who is there (`ManagerTable`), which apps are known (`AppTable`) and when they were there
/// (`AppDates`), what was decided (`ConsentBook`), what agents are asked (`Prompts`), what holds for whom nobody decided about (`AppRules`).
package final class LocationService {
    /// The decider that records name where no person decides.
    static let ownName = "locationd"

    package var settings: ServiceSettings
    package var engine: Engine
    let encoder: LineEncoder
    /// The keeper of all that must outlive the process, but for what apps own.
    package let keeper: any StateKeeping
    /// The keeper of what apps own and what people decided, on the disk.
    package let records: any RecordKeeping
    package var journal: ServiceJournal
    package var managers = ManagerTable()
    package var apps = AppTable()
    package var dates = AppDates()
    package var consents = ConsentBook()
    package var prompts = Prompts()
    package var rules = AppRules()
    var ledger = LedgerMeter()
    private var sleep = SleepMeter()
    /// The functions that the service calls in its surroundings.
    package var host = ServiceHost()
    private var turn = Turn()
    private var fanOut = FanOut()
    /// Managers with something to write.
    private var dirty: [ClientManager] = []
    /// Managers that are to be kept for a restarted daemon when the turn is over.
    private var unsaved: [ClientManager] = []

    /// The turn that goes on.
    private struct Turn {
        var buffer = EffectBuffer()
        var isOn = false
        /// When it began.
        var now = BootInstant(nanoseconds: 0)
        /// Events that arose in it and wait until it is over.
        var later: [(event: Event, request: ClientRequest?, now: BootInstant)] = []
        /// Whether the receivers are to be watched from its end on; nil: as before.
        var power: Bool?
        /// The engine's `turnsBack` that the journal was told last, and the time from which it may be told again.
        var toldTurnsBack: UInt64 = 0
        var nextTimeWarning = BootInstant(nanoseconds: 0)
    }

    /// A service around an engine that knows nothing yet but where it goes on.
    ///
    /// - Parameter last: A location of a former run, which the log may not hold.
    package init(
        _ settings: ServiceSettings, engine: consuming Engine, last: Location?, keeper: any StateKeeping,
        records: any RecordKeeping, journal: Journal
    ) {
        self.settings = settings
        self.engine = engine
        self.keeper = keeper
        self.records = records
        self.journal = ServiceJournal(journal)
        encoder = LineEncoder(log: keeper.log)
        encoder.stored = last
    }

    /// The effects of the turn that goes on.
    var effects: EffectBuffer {
        _read { yield turn.buffer }
    }

    /// When the turn that goes on began.
    var turnTime: BootInstant {
        get { turn.now }
        set { (turn.now, journal.now) = (newValue, newValue) }
    }

    // MARK: Managers

    /// A client connected.
    package func openManager(peer: Peer, channel: (any Channel)?) -> ClientManager {
        managers.open(peer: peer, channel: channel)
    }

    /// The connection ended: a manager with a token waits for its client, others end.
    package func disconnect(_ manager: ClientManager, at now: BootInstant) {
        guard manager.channel != nil else { return }
        manager.channel = nil
        host.providerLeft(manager, now)
        (manager.flushed, manager.awaitsRoom) = (.done, false)
        if prompts.leave(manager) { Noticing(service: self).tellWaiting(of: manager.peer.uid) }
        if let app = manager.app, isKept(app) { noteSeen(app) }
        if manager.token != nil {
            manager.outbox.detach()
            handle(.managerDetached(manager.id), at: now)
            noteAway(manager, at: now)
        } else {
            if manager.app != nil { handle(.managerClosed(manager.id), at: now) }
            remove(manager)
        }
    }

    /// A user's managers that wait for their clients are bounded as its connections are: the one that waits longest goes.
    package func noteAway(_ manager: ClientManager, at now: BootInstant) {
        let limits = settings.limits
        let limit = manager.peer.account == 0 ? limits.connections : limits.connectionsPerUser
        guard let oldest = managers.noteAway(manager, limit: limit) else { return }
        handle(.managerClosed(oldest.id), at: now)
        remove(oldest)
    }

    /// Forgets a manager that the engine has closed, or never knew.
    package func remove(_ manager: ClientManager) {
        guard managers.remove(manager) else { return }
        accountForLeaving(manager)
        prompts.leave(manager)
        if let app = manager.app {
            apps.leave(app)
            forgetIfRefused(app, at: turn.now)
        }
        if let slot = manager.slot { keeper.free(slot) }
        manager.app = nil
        manager.slot = nil
        manager.token = nil
    }

    // MARK: Events and effects

    /// Handles what happened, and writes what can be written of what came of it.
    package func handle(_ event: Event, at now: BootInstant) {
        decide(event, at: now)
        flush()
    }

    /// Handles what happened, and writes only live locations, so that more can be joined to the rest. What arises in a turn waits until that is over.
    ///
    /// - Parameter request: What it is decided for; its answer is queued where the engine has it among the notifications.
    /// - Returns: Whether what the event had to keep for somebody who waits for an answer is on the disk; true within a turn.
    @discardableResult
    package func decide(_ event: Event, for request: ClientRequest? = nil, at now: BootInstant) -> Bool {
        guard !turn.isOn else {
            turn.later.append((event, request, now))
            return true
        }
        turn.isOn = true
        defer { turn.isOn = false }
        let isStored = takeTurn(event, request, at: now)
        while !turn.later.isEmpty {
            let next = turn.later.removeFirst()
            takeTurn(next.event, next.request, at: next.now)
        }
        return isStored
    }

    @discardableResult
    private func takeTurn(_ event: Event, _ request: ClientRequest?, at now: BootInstant) -> Bool {
        turnTime = now
        journal.tellLeftOut()
        lookForLedger(at: now)
        turn.buffer.removeAll()
        if let span = sleep.span(host.slept) { engine.handle(.slept(span), at: now, into: &turn.buffer) }
        switch event {
        case .fixReceived, .headingReceived, .logRead: break
        default:
            engine.handle(.dated(request?.date ?? host.date()), at: now, into: &turn.buffer)
            ledger.noteChange()
        }
        engine.handle(event, at: now, into: &turn.buffer)
        sleep.follow(engine.awaitsSilence, host.slept)
        if engine.turnsBack > turn.toldTurnsBack { warnOfTime(at: now) }
        // The log goes first: what is stored speaks of its newest fix.
        if turn.buffer.accepted != nil { recordFix() }
        let isStored = TurnRecords(service: self, request: request).store(after: event)
        var (index, endOfCatchUp) = (0, 0)
        while index < turn.buffer.effects.count {
            let effect = turn.buffer.effects[index]
            if case .readLog(let id, let after) = effect {
                readLog(for: id, after: after, at: now)
                endOfCatchUp = turn.buffer.effects.count
            } else if index >= endOfCatchUp, case .deliver(_, let delivery) = effect, delivery.isEverybodys {
                index = fanOut.write(
                    delivery, from: index, of: turn.buffer.effects, managers, backlog: settings.limits.backlogLocations,
                    encoder, keeper, isLeft: markDirty)
                continue
            } else {
                obey(effect, isLive: index >= endOfCatchUp, request, isStored: isStored)
            }
            index += 1
        }
        saveManagers()
        countEvents(at: now)
        let hasStored = turn.buffer.effects.contains { if case .storeEvent = $0 { true } else { false } }
        if hasStored, now >= dates.nextAgeing { forgetAgedEvents(at: now) }
        retryWhatWaits(at: now)
        coverApps(at: now)
        // Last, because the source may hand over a fix at once, which is the next event.
        if let isOn = turn.power {
            turn.power = nil
            settleLedger(at: now)
            host.powerReceiver(isOn, now)
        } else if host.account != nil, ledger.isDueAfterTurn(at: now) {
            settleLedger(at: now)
        }
        // A source repeats nothing for a client that is told nothing.
        if case .asked(let id, let asked, _) = event, asked.asksForLocation, engine.authorization(of: id).isAuthorized {
            host.locationAsked(now)
        }
        return isStored
    }

    private func saveManagers() {
        for manager in unsaved {
            manager.isUnsaved = false
            save(manager)
        }
        unsaved.removeAll(keepingCapacity: true)
    }

    /// `isLive`: what it delivers was not read back from the log.
    private func obey(_ effect: Effect, isLive: Bool, _ request: ClientRequest?, isStored: Bool) {
        switch effect {
        case .deliver(let id, let delivery):
            guard let manager = managers[id] else { return }
            let backlog = settings.limits.backlogLocations
            if manager.deliver(delivery, isLive: isLive, backlog: backlog) { markDirty(manager) }
        case .recordFix: break
        case .powerReceiver(let isOn): turn.power = isOn
        case .readLog: break
        case .saveManager(let id):
            ledger.noteChange()
            // How it is after the turn is what is saved: once is enough.
            guard let manager = managers[id], manager.slot != nil, !manager.isUnsaved else { return }
            manager.isUnsaved = true
            unsaved.append(manager)
        case .closeManager(let id):
            if let manager = managers[id] { remove(manager) }
        case .ask(let number): Prompting(service: self).raise(number)
        case .closeRequest(let number, let outcome): Prompting(service: self).close(number, outcome)
        case .wake(let app): AppWaking(service: self).wake(app)
        case .reply(_, let reply):
            if let request { answer(request, reply, isStored: isStored) }
        case .forgetEvent(let app, _): AppWaking(service: self).stop(app)
        case .storeEvent(let app, let index):
            if let key = apps.key(of: app) { host.eventStored(key, effects.events[index]) }
        case .raiseNotice(let app, let index): Noticing(service: self).raise(effects.events[index], of: app)
        case .saveConsent, .noteUse, .saveApp, .saveRegion, .saveRegionState, .saveCondition, .saveStay:
            // Kept before anything is told.
            break
        default:
            if let id = effect.manager, let manager = managers[id] { tell(manager, effect, request) }
        }
    }

    /// Once an hour at most: it is a fault of this service, which the engine makes good.
    private func warnOfTime(at now: BootInstant) {
        guard now >= turn.nextTimeWarning else { return }
        turn.nextTimeWarning = now + .seconds(3600)
        journal.warning(
            "\(engine.turnsBack - turn.toldTurnsBack) events were handled with a time before that of the event before them"
        )
        turn.toldTurnsBack = engine.turnsBack
    }

    /// Events that are not on the disk are not told to those who acknowledge them: they are when the disk takes them.
    package func retryWhatWaits(at now: BootInstant) {
        guard records.retry(at: now) else { return }
        for manager in managers.all where manager.events.hasBacklog { tellBacklog(manager) }
        for user in prompts.usersWithNotices { Noticing(service: self).tellWaiting(of: user) }
    }

    private func recordFix() {
        guard let accepted = turn.buffer.accepted else { return }
        keeper.record(accepted, journal.unlimited)
        if accepted.flags.contains(.reducedView), let view = engine.keptView {
            keeper.save(view, host.date(), journal.unlimited)
        }
    }

    private func readLog(for id: ManagerID, after: UInt64, at now: BootInstant) {
        var sequence = after
        while let entry = keeper.log.next(after: sequence) {
            sequence = entry.location.sequence
            engine.handle(
                .logRead(id, entry.location, LogFlags(rawValue: entry.flags)), at: now, into: &turn.buffer)
        }
    }

    /// Something waits to be written to the manager's channel. A full one is not tried again: it is waited for.
    package func markDirty(_ manager: ClientManager) {
        guard manager.flushed != .full else {
            if manager.outbox.undroppableBytes > settings.limits.outputLimit {
                host.channelChanged(manager, .full)
            }
            return
        }
        guard !manager.isDirty else { return }
        manager.isDirty = true
        dirty.append(manager)
    }

    /// The channel takes bytes again.
    package func channelHasRoom(_ manager: ClientManager) {
        if manager.flushed == .full { manager.flushed = .done }
        markDirty(manager)
    }

    /// Writes what the dirty managers' channels take.
    package func flush() {
        for manager in dirty {
            manager.isDirty = false
            write(manager)
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// Writes what one manager's channel takes.
    package func write(_ manager: ClientManager) {
        // Whoever is gone is let go of when the turn is over. To make lines for many of them at each fix until then would put that off.
        guard let channel = manager.channel, manager.flushed == .done else { return }
        let flushed = manager.flush(to: channel, encoder, keeper)
        if manager.events.hasBacklog, !records.isBehind, flushed == .done {
            tellBacklog(manager)
            return write(manager)
        }
        // The usual case, and the one that must cost nothing: everything was written, and nobody waits for that.
        if flushed == .done, !manager.awaitsRoom, !manager.awaitsEnd { return }
        host.channelChanged(manager, flushed)
    }

    /// Whether nothing runs or is pending for the manager.
    package func isIdle(_ manager: ClientManager) -> Bool {
        guard manager.app != nil else { return true }
        return engine.record(of: manager.id).isIdle && !manager.events.areAwaited && !prompts.mayNeed(manager)
    }

    /// Keeps what a restarted daemon would need of a manager.
    func save(_ manager: ClientManager) {
        keeper.save(manager, engine.record(of: manager.id), journal.unlimited)
    }

    /// Keeps everything for the next process.
    package func saveAll() {
        for manager in managers.all where manager.slot != nil { save(manager) }
        keeper.saveAll(last: engine.lastLocation, journal.unlimited)
    }
}
