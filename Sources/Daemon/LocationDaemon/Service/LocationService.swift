// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore
import SystemSupport

/// The engine and what it decides about: the log, the managers with their outboxes, what is kept for a restart.
///
/// Knows no socket and no clock: the daemon and a replay drive the same service.
final class LocationService {
    var configuration: Configuration
    var engine: Engine
    let log: FixLog
    let encoder: LineEncoder
    let keeper: StateKeeper
    var journal: Journal
    /// Decisions are in force that neither the disk nor the runtime directory has taken.
    var isKeptInMemoryAlone = false
    /// Names of users and groups in the configuration that mean nobody, a sentence each.
    var unknownNames: [String] = []

    /// By slot number of `ManagerID`.
    private(set) var managers: [ClientManager?] = []
    private var freeSlots: [Int32] = []
    /// The number of the next connection.
    var nextConnection: UInt64 = 1
    /// By user, those without a connection, longest ago first.
    private var away: [UInt32: [ClientManager]] = [:]
    var apps = AppTable()
    /// What apps own, on the disk.
    let records: RecordKeeper
    var consents = ConsentBook()
    /// When apps were there last, of those that are kept.
    var lastSeen: [AppID: WallTime] = [:]
    /// When identities were last given a location.
    var lastUses: [IdentityID: WallTime] = [:]
    /// The same as the store had it on start.
    var storedUses: [PeerIdentity: WallTime] = [:]
    var nextAgeing = BootInstant(nanoseconds: 0)
    var journalAllowance = JournalAllowance()
    /// The names of users.
    var userNames = RecentAnswers<UInt32, String> { Accounts.name(of: $0) }
    /// For whom it was decided before, where the user's number is another's now.
    var formerUsers: [PeerIdentity: String] = [:]
    /// When the turn that goes on began.
    var turnTime = BootInstant(nanoseconds: 0)
    /// The store's keys of apps that are kept.
    var recordIDs: [AppID: Int64] = [:]
    /// Those made in the transaction that goes on.
    var newRecords: [AppID: (id: Int64, nextEvent: UInt64)] = [:]
    /// Where events of apps count from that the store does not know.
    var firstEvent: UInt64 = 1
    /// Where events of apps that are new in the store count from.
    var countedFrom: [AppID: UInt64] = [:]
    var manifests = ManifestDirectory()
    /// Identities that were last seen as units of the system's manager: rules for units grant only to those.
    var systemUnits: Set<PeerIdentity> = []
    var wakeFiles = WakeFiles(runtimeDirectory: nil)
    /// Users about whom somebody decided in this turn.
    var decidedUsers: Set<UInt32> = []
    /// Clients that answer authorization requests.
    var agents: [ClientManager] = []
    /// What agents were asked, by number.
    var questions: [UInt64: LocationProtocol.AuthorizationRequest] = [:]
    /// Who decides in this turn, for the record.
    var decider = "locationd"
    /// What is on the disk already of what the next turn keeps.
    var written = WrittenBefore()
    /// Whether all that people decided could be read: else no rule allows anything.
    var knowsDecisions = true
    /// Why not, in a sentence.
    var decisionsProblem: String?
    /// What this turn had to keep is kept.
    private(set) var isStored = true
    /// What the journal was told of the engine's `turnsBack`, and when it may be told again.
    private var toldTurnsBack: UInt64 = 0
    private var nextTimeWarning = BootInstant(nanoseconds: 0)
    private(set) var retries = RetryClock()
    private var wasBehind = false
    private(set) var buffer = EffectBuffer()
    private var isInTurn = false
    /// What arose in the turn that goes on, and waits until it is over.
    private var later: [(event: Event, now: BootInstant)] = []
    private var dirty: [ClientManager] = []
    private var unsaved: [ClientManager] = []
    private var duePower: Bool?

    /// The date.
    var wallTime: () -> WallTime = wallClock
    /// A new secret for a manager.
    var makeToken: () -> ManagerToken = { .random() }
    /// Watch the receivers, or stop.
    var powerReceiver: (Bool, BootInstant) -> Void = { _, _ in }
    /// Why no location comes although the service runs; nil: one should.
    var receiverProblem: () -> String? = { nil }
    /// The channel of a manager is full or broken, or has room again.
    var channelChanged: (ClientManager, Outbox.Flushed) -> Void = { _, _ in }
    /// Closes the connection of a number, for a reason that the journal gets. False: there is none.
    var closeConnection: (UInt64, String) -> Bool = { _, _ in false }
    /// What `status` says of gpsd and of connections.
    var surroundings: () -> StatusSurroundings = { StatusSurroundings() }
    /// An administrator asked for the configuration to be read again. Throws what is wrong with it.
    var reload: () throws -> Void = {}

    init(configuration: Configuration, keeper: StateKeeper, journal: Journal, at now: BootInstant, _ wall: WallTime) {
        self.configuration = configuration
        self.keeper = keeper
        self.journal = journal
        log = keeper.log
        encoder = LineEncoder(log: keeper.log)
        let last = keeper.lastKnown(at: now, wall)
        encoder.stored = last?.location
        engine = Engine(
            configuration: configuration.engine, newestSequence: keeper.newestSequence, last: last,
            reducedSequence: keeper.lastReducedSequence, view: keeper.reducedView(at: now, wall),
            travelled: keeper.lastOdometer,
            authorizationRequests: keeper.newestAuthorizationRequest, at: now)
        records = keeper.records
        wakeFiles = WakeFiles(runtimeDirectory: keeper.runtimeDirectory)
        records.replaced = { [unowned self] in allRecords() }
        records.ended = { [unowned self] isMade in noteRecords(areMade: isMade) }
        records.owesDecisionsChanged = { [unowned self] owes in keepOwedDecisions(owes) }
        loadManifests()
    }

    // MARK: Managers

    /// A client connected.
    func openManager(peer: Peer, channel: Channel?) -> ClientManager {
        let number: Int32
        if let free = freeSlots.popLast() {
            number = free
        } else {
            number = Int32(managers.count)
            managers.append(nil)
        }
        let manager = ClientManager(
            id: ManagerID(rawValue: number), peer: peer, connection: nextConnection, channel: channel)
        nextConnection += 1
        managers[Int(number)] = manager
        return manager
    }

    /// The connection ended: a manager with a token waits for its client, others end.
    func disconnect(_ manager: ClientManager, at now: BootInstant) {
        guard manager.channel != nil else { return }
        manager.channel = nil
        (manager.isFull, manager.awaitsRoom) = (false, false)
        agents.removeAll { $0 === manager }
        if let app = manager.app, recordIDs[app] != nil { noteSeen(app) }
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
    func noteAway(_ manager: ClientManager, at now: BootInstant) {
        let uid = manager.peer.account
        away[uid, default: []].append(manager)
        let limits = configuration.limits
        let limit = uid == 0 ? limits.connections : limits.connectionsPerUser
        guard let waiting = away[uid], waiting.count > limit, let oldest = waiting.first else { return }
        handle(.managerClosed(oldest.id), at: now)
        remove(oldest)
    }

    /// Its client is back, or it is gone.
    func forgetAway(_ manager: ClientManager) {
        let uid = manager.peer.account
        away[uid]?.removeAll { $0 === manager }
        if away[uid]?.isEmpty == true { away[uid] = nil }
    }

    /// Forgets a manager that the engine has closed, or never knew.
    func remove(_ manager: ClientManager) {
        guard managers[Int(manager.id.rawValue)] === manager else { return }
        forgetAway(manager)
        agents.removeAll { $0 === manager }
        if let app = manager.app {
            apps.leave(app)
            forgetIfRefused(app, at: turnTime)
        }
        if let slot = manager.slot { keeper.slots.free(slot) }
        manager.app = nil
        manager.slot = nil
        manager.token = nil
        managers[Int(manager.id.rawValue)] = nil
        freeSlots.append(manager.id.rawValue)
    }

    /// The manager behind a token, if it is known.
    func manager(with token: ManagerToken) -> ClientManager? {
        for manager in managers {
            if let manager, manager.token == token { return manager }
        }
        return nil
    }

    // MARK: Events and effects

    /// Handles what happened, and writes what can be written of what came of it.
    func handle(_ event: Event, at now: BootInstant) {
        decide(event, at: now)
        flush()
    }

    /// Handles what happened without writing, so that more can be joined to it. What arises in a turn waits until that is over.
    ///
    /// - Returns: Whether what the event had to keep for somebody who waits for an answer is on the disk; true within a turn.
    @discardableResult
    func decide(_ event: Event, at now: BootInstant) -> Bool {
        guard !isInTurn else {
            later.append((event, now))
            return true
        }
        isInTurn = true
        defer { isInTurn = false }
        takeTurn(event, at: now)
        let isKept = isStored
        while !later.isEmpty {
            let next = later.removeFirst()
            takeTurn(next.event, at: next.now)
        }
        return isKept
    }

    private func takeTurn(_ event: Event, at now: BootInstant) {
        turnTime = now
        noteLeftOut(at: now)
        buffer.removeAll()
        switch event {
        case .fixReceived, .headingReceived, .logRead, .woke: break
        default: engine.handle(.dated(wallTime()), at: now, into: &buffer)
        }
        engine.handle(event, at: now, into: &buffer)
        if engine.turnsBack > toldTurnsBack { warnOfTime(at: now) }
        // The log goes first: what is stored speaks of its newest fix.
        if buffer.accepted != nil { recordFix() }
        isStored = store(buffer, for: event)
        var (index, endOfCatchUp) = (0, 0)
        while index < buffer.effects.count {
            let effect = buffer.effects[index]
            if case .readLog(let id, let after) = effect {
                readLog(for: id, after: after, at: now)
                endOfCatchUp = buffer.effects.count
            } else {
                obey(effect, isLive: index >= endOfCatchUp)
            }
            index += 1
        }
        saveManagers()
        countEvents(at: now)
        if buffer.effects.contains(where: { if case .storeEvent = $0 { true } else { false } }), now >= nextAgeing {
            forgetAgedEvents(at: now)
        }
        retryWhatWaits(at: now)
        coverApps(at: now)
        // Last, because the source may hand over a fix at once, which is the next event.
        if let isOn = duePower {
            duePower = nil
            powerReceiver(isOn, now)
        }
    }

    private func saveManagers() {
        for manager in unsaved {
            manager.isUnsaved = false
            keeper.save(manager, engine.record(of: manager.id), journal)
        }
        unsaved.removeAll(keepingCapacity: true)
    }

    /// `isLive`: what it delivers was not read back from the log.
    private func obey(_ effect: Effect, isLive: Bool) {
        switch effect {
        case .deliver(let id, let delivery):
            guard let manager = managers[Int(id.rawValue)], manager.channel != nil else { return }
            // Only these are bounded by the backlog: a deferral's batch is bounded by the log, the others are few.
            let isStream = delivery.source == .standard && delivery.deferral == 0 && !delivery.flags.contains(.cached)
            manager.outbox.deliver(delivery, isLive: isLive && isStream, backlog: configuration.limits.backlogLocations)
            markDirty(manager)
        case .recordFix: break
        case .powerReceiver(let isOn): duePower = isOn
        case .readLog: break
        case .saveManager(let id):
            // How it is after the turn is what is saved: once is enough.
            guard let manager = managers[Int(id.rawValue)], manager.slot != nil, !manager.isUnsaved else { return }
            manager.isUnsaved = true
            unsaved.append(manager)
        case .closeManager(let id):
            if let manager = managers[Int(id.rawValue)] { remove(manager) }
        case .ask(let request): raise(request)
        case .closeRequest(let request, let outcome): close(request, outcome)
        case .wake(let app): wake(app)
        case .forgetEvent(let app, _): stopWaking(app)
        case .saveConsent, .noteUse, .saveApp, .storeEvent, .saveRegionState, .saveCondition, .saveStay:
            // Kept before anything is told.
            break
        default:
            if let id = effect.manager, let manager = managers[Int(id.rawValue)] { tell(manager, effect) }
        }
    }

    /// Once an hour at most: it is a fault of this service, which the engine makes good.
    private func warnOfTime(at now: BootInstant) {
        guard now >= nextTimeWarning else { return }
        nextTimeWarning = now + .seconds(3600)
        journal.warning(
            "\(engine.turnsBack - toldTurnsBack) events were handled with a time before that of the event before them")
        toldTurnsBack = engine.turnsBack
    }

    /// Events that are not on the disk are not told to those who acknowledge them: they are when the disk takes them.
    func retryWhatWaits(at now: BootInstant) {
        if records.isBehind {
            wasBehind = true
            guard retries.isDue(at: now) else { return }
            records.commit([])
        }
        guard wasBehind, !records.isBehind else { return }
        wasBehind = false
        retries = RetryClock()
        for case let manager? in managers where manager.hasEventBacklog { tellBacklog(manager) }
    }

    /// When the disk is tried again for what waits; nil: nothing waits.
    var nextRetry: BootInstant? { records.isBehind ? retries.next ?? BootInstant(nanoseconds: 0) : nil }

    /// No client is there, and none can come back for what it left.
    var hasNoManagers: Bool { managers.allSatisfy { $0 == nil } }

    private func recordFix() {
        guard let accepted = buffer.accepted else { return }
        keeper.record(accepted, journal)
        if accepted.flags.contains(.reducedView), let view = engine.keptView { keeper.save(view, wallTime(), journal) }
    }

    private func readLog(for id: ManagerID, after: UInt64, at now: BootInstant) {
        var sequence = after
        while let entry = log.next(after: sequence) {
            sequence = entry.location.sequence
            engine.handle(
                .logRead(id, entry.location, LogFlags(rawValue: entry.flags)), at: now, into: &buffer)
        }
    }

    /// Something waits to be written to the manager's channel. A full one is not tried again: it is waited for.
    func markDirty(_ manager: ClientManager) {
        guard !manager.isFull else {
            if manager.outbox.undroppableBytes > configuration.limits.outputLimit { channelChanged(manager, .full) }
            return
        }
        guard !manager.isDirty else { return }
        manager.isDirty = true
        dirty.append(manager)
    }

    /// The channel takes bytes again.
    func channelHasRoom(_ manager: ClientManager) {
        manager.isFull = false
        markDirty(manager)
    }

    /// Writes what the dirty managers' channels take.
    func flush() {
        for manager in dirty {
            manager.isDirty = false
            write(manager)
        }
        dirty.removeAll(keepingCapacity: true)
    }

    /// Writes what one manager's channel takes.
    func write(_ manager: ClientManager) {
        // Whoever is gone is let go of when the turn is over. To make lines for many of them at each fix until then would put that off.
        guard let channel = manager.channel, !channel.isBroken, !manager.isFull else { return }
        let (slots, slot) = (keeper.slots, manager.slot)
        let flushed = manager.outbox.flush(to: channel, encoder) { delivered in
            if let slot { slots.setDelivered(slot, delivered) }
        }
        if flushed == .broken { channel.isBroken = true }
        manager.isFull = flushed == .full
        if manager.hasEventBacklog, !records.isBehind, flushed == .done {
            tellBacklog(manager)
            return write(manager)
        }
        channelChanged(manager, flushed)
    }
}
