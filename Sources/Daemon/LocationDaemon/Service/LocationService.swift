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
    /// Who decides where no person does, for the record.
    static let ownName = "locationd"

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
    /// Whether all that people decided could be read: else no rule allows anything.
    var knowsDecisions = true
    /// Why not, in a sentence.
    var decisionsProblem: String?
    /// What the journal was told of the engine's `turnsBack`, and when it may be told again.
    private var toldTurnsBack: UInt64 = 0
    private var nextTimeWarning = BootInstant(nanoseconds: 0)
    private(set) var buffer = EffectBuffer()
    private var isInTurn = false
    /// What arose in the turn that goes on, and waits until it is over.
    private var later: [(event: Event, request: ClientRequest?, now: BootInstant)] = []
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
    /// - Parameter request: What it is decided for; its answer is queued where the engine has it among the notifications.
    /// - Returns: Whether what the event had to keep for somebody who waits for an answer is on the disk; true within a turn.
    @discardableResult
    func decide(_ event: Event, for request: ClientRequest? = nil, at now: BootInstant) -> Bool {
        guard !isInTurn else {
            later.append((event, request, now))
            return true
        }
        isInTurn = true
        defer { isInTurn = false }
        let isStored = takeTurn(event, request, at: now)
        while !later.isEmpty {
            let next = later.removeFirst()
            takeTurn(next.event, next.request, at: next.now)
        }
        return isStored
    }

    @discardableResult
    private func takeTurn(_ event: Event, _ request: ClientRequest?, at now: BootInstant) -> Bool {
        turnTime = now
        noteLeftOut(at: now)
        buffer.removeAll()
        switch event {
        case .fixReceived, .headingReceived, .logRead, .woke: break
        default: engine.handle(.dated(request?.date ?? wallTime()), at: now, into: &buffer)
        }
        engine.handle(event, at: now, into: &buffer)
        if engine.turnsBack > toldTurnsBack { warnOfTime(at: now) }
        // The log goes first: what is stored speaks of its newest fix.
        if buffer.accepted != nil { recordFix() }
        let isStored = store(buffer, for: event, request)
        var (index, endOfCatchUp) = (0, 0)
        while index < buffer.effects.count {
            let effect = buffer.effects[index]
            if case .readLog(let id, let after) = effect {
                readLog(for: id, after: after, at: now)
                endOfCatchUp = buffer.effects.count
            } else {
                obey(effect, isLive: index >= endOfCatchUp, request, isStored: isStored)
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
        return isStored
    }

    private func saveManagers() {
        for manager in unsaved {
            manager.isUnsaved = false
            keeper.save(manager, engine.record(of: manager.id), journal)
        }
        unsaved.removeAll(keepingCapacity: true)
    }

    /// `isLive`: what it delivers was not read back from the log.
    private func obey(_ effect: Effect, isLive: Bool, _ request: ClientRequest?, isStored: Bool) {
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
        case .reply(_, let reply):
            if let request { answer(request, reply, isStored: isStored) }
        case .forgetEvent(let app, _): stopWaking(app)
        case .saveConsent, .noteUse, .saveApp, .storeEvent, .saveRegionState, .saveCondition, .saveStay:
            // Kept before anything is told.
            break
        default:
            if let id = effect.manager, let manager = managers[Int(id.rawValue)] { tell(manager, effect, request) }
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
        guard records.retry(at: now) else { return }
        for case let manager? in managers where manager.hasEventBacklog { tellBacklog(manager) }
    }

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
