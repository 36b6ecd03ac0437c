// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationStore

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

    /// By slot number of `ManagerID`.
    private(set) var managers: [ClientManager?] = []
    private var freeSlots: [Int32] = []
    /// By user, those without a connection, longest ago first.
    private var away: [UInt32: [ClientManager]] = [:]
    var apps = AppTable()
    private var buffer = EffectBuffer()
    private var dirty: [ClientManager] = []
    private var unsaved: [ClientManager] = []
    private var duePower: Bool?

    /// A new secret for a manager.
    var makeToken: () -> ManagerToken = { .random() }
    /// Watch the receivers, or stop.
    var powerReceiver: (Bool) -> Void = { _ in }
    /// Why no location comes although the service runs; nil: one should.
    var receiverProblem: () -> String? = { nil }
    /// The channel of a manager is full or broken, or has room again.
    var channelChanged: (ClientManager, Outbox.Flushed) -> Void = { _, _ in }
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
            reducedSequence: keeper.lastReducedSequence, travelled: keeper.lastOdometer, at: now)
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
        let manager = ClientManager(id: ManagerID(rawValue: number), peer: peer, channel: channel)
        managers[Int(number)] = manager
        return manager
    }

    /// The connection ended: a manager with a token waits for its client, others end.
    func disconnect(_ manager: ClientManager, at now: BootInstant) {
        guard manager.channel != nil else { return }
        manager.channel = nil
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
        let uid = manager.peer.uid
        away[uid, default: []].append(manager)
        let limits = configuration.limits
        let limit = uid == 0 ? limits.connections : limits.connectionsPerUser
        guard let waiting = away[uid], waiting.count > limit, let oldest = waiting.first else { return }
        handle(.managerClosed(oldest.id), at: now)
        remove(oldest)
    }

    /// Its client is back, or it is gone.
    func forgetAway(_ manager: ClientManager) {
        let uid = manager.peer.uid
        away[uid]?.removeAll { $0 === manager }
        if away[uid]?.isEmpty == true { away[uid] = nil }
    }

    /// Forgets a manager that the engine has closed, or never knew.
    func remove(_ manager: ClientManager) {
        guard managers[Int(manager.id.rawValue)] === manager else { return }
        forgetAway(manager)
        if let app = manager.app { apps.leave(app) }
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

    /// Handles what happened without writing, so that more can be joined to it.
    func decide(_ event: Event, at now: BootInstant) {
        buffer.removeAll()
        engine.handle(event, at: now, into: &buffer)
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
        for manager in unsaved { keeper.save(manager, engine.state(of: manager.id), journal) }
        unsaved.removeAll(keepingCapacity: true)
        // Last, because the source may hand over a fix at once, which is the next event.
        if let isOn = duePower {
            duePower = nil
            powerReceiver(isOn)
        }
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
        case .recordFix: recordFix()
        case .powerReceiver(let isOn): duePower = isOn
        case .readLog: break
        case .saveManager(let id):
            if let manager = managers[Int(id.rawValue)], manager.slot != nil { unsaved.append(manager) }
        case .closeManager(let id):
            if let manager = managers[Int(id.rawValue)] { remove(manager) }
        case .reply, .fail, .cancelRequest, .finishDeferral, .announceAuthorization, .positionStandard,
            .discardUndelivered:
            if let manager = manager(of: effect) { tell(manager, effect) }
        }
    }

    private func manager(of effect: Effect) -> ClientManager? {
        switch effect {
        case .reply(let id, _), .fail(let id, _, _, _), .cancelRequest(let id, _, _), .finishDeferral(let id, _),
            .announceAuthorization(let id, _), .positionStandard(let id, _), .discardUndelivered(let id):
            managers[Int(id.rawValue)]
        default: nil
        }
    }

    private func recordFix() {
        guard let accepted = buffer.accepted else { return }
        keeper.record(accepted, journal)
    }

    private func readLog(for id: ManagerID, after: UInt64, at now: BootInstant) {
        var sequence = after
        while let entry = log.next(after: sequence) {
            sequence = entry.location.sequence
            engine.handle(
                .logRead(id, entry.location, LogFlags(rawValue: entry.flags)), at: now, into: &buffer)
        }
    }

    func markDirty(_ manager: ClientManager) {
        guard !manager.isDirty else { return }
        manager.isDirty = true
        dirty.append(manager)
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
        guard let channel = manager.channel else { return }
        let (slots, slot) = (keeper.slots, manager.slot)
        let flushed = manager.outbox.flush(to: channel, encoder) { delivered in
            if let slot { slots.setDelivered(slot, delivered) }
        }
        channelChanged(manager, flushed)
    }
}
