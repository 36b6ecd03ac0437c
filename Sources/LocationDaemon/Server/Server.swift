// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationEngine
import LocationModel
import LocationProtocol
import SystemSupport

/// Takes clients, reads requests and writes what the service queues. All clients sit behind one epoll descriptor of their own,
/// because sd-event alone looks at every ready source again for each that it dispatches.
final class Server {
    let service: LocationService
    private let loop: EventLoop
    private let poll: Int32
    private var listener: Listener?
    private var pollSource: EventLoop.Source?
    private var laterSource: EventLoop.Source?
    private var stallTimer: EventLoop.Timer?
    private var changeTimer: EventLoop.Timer?
    /// Connections whose next request is a change that has to wait.
    private var changes = ChangeQueue()

    private(set) var connections: [Connection?] = []
    private var freeNumbers: [Int] = []
    private var byManager: [Int32: Connection] = [:]
    private(set) var perUser: [UInt32: Int] = [:]
    private(set) var count = 0
    /// Connections that are to be closed when the turn is over.
    private var ended: [Connection] = []
    /// Connections with requests that wait for their turn.
    private var waiting: [Connection] = []
    private var isStopping = false
    /// Connections whose peer reads slower than we write.
    private var blocked = SlowReaders()
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    private let decoder = RequestDecoder()
    /// Buffers that are read of a peer that is gone: all that its socket holds. One that only reads no more could write for ever.
    private static let lastReads = 8
    /// Whether output of any connection waits for room in its socket.
    var hasSlowReaders: Bool { !blocked.isEmpty }
    private var ready = [clinux_ready](repeating: clinux_ready(), count: 64)

    init(service: LocationService, loop: EventLoop, listener: Int32) throws(SystemError) {
        self.service = service
        self.loop = loop
        poll = clinux_epoll_create()
        guard poll >= 0 else { throw SystemError(cannot: "create a poll for clients") }
        self.listener = try Listener(listener, loop: loop, journal: service.journal) { [unowned self] channel, now in
            admit(channel, at: now)
        }
        pollSource = try loop.watch(poll) { [unowned self] in serveReady() }
        laterSource = try loop.deferred { [unowned self] in serveWaiting() }
        stallTimer = try loop.timer { [unowned self] in closeStalled() }
        changeTimer = try loop.timer { [unowned self] in allowChanges() }
        service.channelChanged = { [unowned self] manager, flushed in channelChanged(manager, flushed) }
    }

    deinit {
        close(poll)
        buffer.deallocate()
    }

    // MARK: Accepting

    private func admit(_ channel: SocketChannel, at now: BootInstant) {
        let credentials: PeerCredentials
        do throws(SystemError) {
            credentials = try PeerCredentials(of: channel.fd)
        } catch {
            return
        }
        if let reason = objection(to: credentials.uid) {
            return channel.refuse(reason)
        }
        let peer = Peer(credentials, of: channel.fd, adminGroup: service.configuration.authorization.adminGroup)
        let manager = service.openManager(peer: peer, channel: channel)
        let connection = enter(channel, manager, at: now)
        watch(connection, at: now)
    }

    /// Counts a connection among the others.
    func enter(_ channel: SocketChannel, _ manager: ClientManager, at now: BootInstant) -> Connection {
        let uid = manager.peer.uid
        let number = freeNumbers.popLast() ?? connections.count
        let connection = Connection(number: number, channel: channel, uid: uid, manager: manager, at: now)
        if number == connections.count { connections.append(connection) } else { connections[number] = connection }
        byManager[manager.id.rawValue] = connection
        perUser[uid, default: 0] += 1
        count += 1
        return connection
    }

    /// Serves a connection from now on.
    func watch(_ connection: Connection, at now: BootInstant) {
        let added = clinux_epoll_add(poll, connection.channel.fd, connection.interest, UInt64(connection.number))
        if added != 0 { drop(connection, "cannot watch its socket", at: now) }
    }

    /// Closes a connection when the turn is over: writing happens while the service handles other things, and a manager must not
    /// vanish in the middle of that.
    private func end(_ connection: Connection, _ reason: String? = nil) {
        guard !connection.ending.isDue else { return }
        connection.ending = (true, reason)
        ended.append(connection)
        laterSource?.enableOnce()
    }

    private func dropEnded(at now: BootInstant) {
        while let connection = ended.popLast() {
            // Who cannot be written to may have said something before it went.
            if connection.ending.reason == nil { hangUp(connection, at: now) }
            drop(connection, connection.ending.reason, at: now)
        }
    }

    /// Closes a connection; what it leaves is the service's business.
    private func drop(_ connection: Connection, _ reason: String? = nil, at now: BootInstant) {
        guard connections[connection.number] === connection else { return }
        if let reason {
            let peer = connection.manager.peer
            service.journal.warning(
                "closed the connection of pid \(peer.pid): \(reason)",
                .clientClosed(pid: peer.pid, uid: peer.uid, reason: reason))
        }
        clinux_epoll_remove(poll, connection.channel.fd)
        connections[connection.number] = nil
        freeNumbers.append(connection.number)
        blocked.remove(connection.number)
        changes.leave(connection.number)
        byManager[connection.manager.id.rawValue] = nil
        waiting.removeAll { $0 === connection }
        count -= 1
        perUser[connection.uid, default: 1] -= 1
        if perUser[connection.uid] == 0 { perUser[connection.uid] = nil }
        service.disconnect(connection.manager, at: now)
    }

    // MARK: Serving

    private func serveReady() {
        let now = bootClock()
        let count = clinux_epoll_wait(poll, &ready, 64, 0)
        for index in 0..<max(Int(count), 0) {
            let number = Int(ready[index].key)
            guard number < connections.count, let connection = connections[number] else { continue }
            serve(connection, events: ready[index].events, at: now)
        }
        service.flush()
    }

    private func serve(_ connection: Connection, events: UInt32, at now: BootInstant) {
        if events & UInt32(clinux_writable) != 0 { service.channelHasRoom(connection.manager) }
        // Who has sent more than a turn's worth is not read meanwhile: what waits here is bounded by one buffer and one line.
        if events & Connection.readInterest != 0, !connection.hasWaitingLines {
            if case .broken = connection.read(into: buffer) { return hangUp(connection, at: now) }
            carryOutRequests(of: connection, at: now)
        }
        if events & UInt32(clinux_hung_up) != 0 { hangUp(connection, at: now) }
    }

    // The peer is gone: what it sent whole still counts, changes beyond its allowance too; the answers reach nobody.
    private func hangUp(_ connection: Connection, at now: BootInstant) {
        guard connections[connection.number] === connection else { return }
        connection.isLeaving = true
        changes.leave(connection.number)
        for _ in 0..<Server.lastReads {
            guard case .bytes = connection.read(into: buffer), !connection.isInputEnded else { break }
        }
        while connections[connection.number] === connection, hasRoom(connection), carryOutNext(connection, at: now) {}
        service.flush()
        drop(connection, at: now)
    }

    /// Carries out at most a turn's worth of requests; the rest waits until others had their turn.
    func carryOutRequests(of connection: Connection, at now: BootInstant) {
        for _ in 0..<service.configuration.limits.requestsPerTurn {
            if !mayRead(connection) {
                // What it waits for may be no more than to be written.
                service.write(connection.manager)
                guard connections[connection.number] === connection else { return }
                guard mayRead(connection) else { return settle(connection, at: now) }
            }
            guard carryOutNext(connection, at: now) else { return settle(connection, at: now) }
            guard connections[connection.number] === connection else { return }
        }
        continueLater(connection)
    }

    /// Lets a connection have another turn when everybody else had theirs.
    private func continueLater(_ connection: Connection) {
        guard !connection.hasWaitingLines else { return }
        connection.hasWaitingLines = true
        waiting.append(connection)
        laterSource?.enableOnce()
    }

    /// False: no complete request is there, or none will be taken.
    private func carryOutNext(_ connection: Connection, at now: BootInstant) -> Bool {
        if let postponed = connection.postponed {
            guard isAllowed(postponed.request, connection, at: now) else { return false }
            connection.postponed = nil
            carryOut(postponed.request, connection, at: now)
            return true
        }
        switch connection.nextLine() {
        case .needsMore: return false
        case .overlong:
            connection.manager.outbox.reply(
                ReplyWriter.refusal(RequestDecoder.overlongLine(limit: connection.lineLimit)))
            service.markDirty(connection.manager)
            connection.refuseInput()
            return false
        case .line(let line):
            let decoded = decoder.decode(line)
            guard isAllowed(decoded, connection, at: now) else {
                connection.postponed = (decoded, Array(line))
                return false
            }
            carryOut(decoded, connection, at: now)
            return true
        }
    }

    private func carryOut(_ decoded: Result<RequestEnvelope, Refusal>, _ connection: Connection, at now: BootInstant) {
        let manager = service.receive(decoded, from: connection.manager, at: now)
        guard manager !== connection.manager else { return }
        byManager[connection.manager.id.rawValue] = nil
        connection.manager = manager
        byManager[manager.id.rawValue] = connection
    }

    // MARK: Durable changes

    /// Whether a request may be carried out now; a change beyond its user's allowance waits.
    private func isAllowed(
        _ decoded: Result<RequestEnvelope, Refusal>, _ connection: Connection, at now: BootInstant
    ) -> Bool {
        guard case .success(let envelope) = decoded, envelope.call.isDurableChange else { return true }
        let limits = service.configuration.limits
        let rate = ChangeRate(perSecond: limits.changesPerSecond, burst: limits.changeBurst)
        if connection.isLeaving { return changes.owe(connection.uid, rate: rate, at: now) }
        guard !changes.enter(connection.number, connection.uid, rate: rate, at: now) else { return true }
        armChangeTimer()
        return false
    }

    private func armChangeTimer() {
        changeTimer?.set(changes.firstDue.map { WakeWindow(earliest: $0, latest: $0 + .milliseconds(10)) })
    }

    private func allowChanges() {
        changeTimer?.fired()
        let now = bootClock()
        for number in changes.takeDue(at: now) {
            guard let connection = connections[number] else { continue }
            carryOutRequests(of: connection, at: now)
        }
        armChangeTimer()
        service.flush()
    }

    private func serveWaiting() {
        let now = bootClock()
        dropEnded(at: now)
        let turn = waiting
        waiting.removeAll(keepingCapacity: true)
        for connection in turn where connections[connection.number] === connection {
            connection.hasWaitingLines = false
            carryOutRequests(of: connection, at: now)
        }
        service.flush()
    }

    /// While too much of its output is unwritten, no further request of a connection is carried out.
    private func mayRead(_ connection: Connection) -> Bool {
        !connection.ending.isDue && !changes.isWaiting(connection.number) && hasRoom(connection)
    }

    private func hasRoom(_ connection: Connection) -> Bool {
        let outbox = connection.manager.outbox
        if outbox.isEmpty { return true }
        guard outbox.waitingBytes <= service.configuration.limits.outputHighWater else { return false }
        return connection.manager.app == nil
            || service.engine.unconfirmedFinishes(of: connection.manager.id) < LocationService.unconfirmedFinishes
    }

    /// Asks the poll for what the connection needs now, and closes it when nothing can come of it any more.
    private func settle(_ connection: Connection, at now: BootInstant) {
        guard connections[connection.number] === connection else { return }
        // Written at once, so that the decision whether to go on is made on what is left.
        if connection.manager.isDirty, !connection.isBlocked { service.write(connection.manager) }
        guard connections[connection.number] === connection else { return }
        let outbox = connection.manager.outbox
        if connection.isInputEnded, outbox.isEmpty, !connection.hasWaitingLines, connection.postponed == nil,
            connection.isRefused || service.isIdle(connection.manager)
        {
            return drop(connection, at: now)
        }
        connection.manager.awaitsEnd = connection.isInputEnded
        var interest: UInt32 = 0
        if !connection.isInputEnded, mayRead(connection) { interest |= Connection.readInterest }
        if connection.isBlocked { interest |= Connection.writeInterest }
        ask(connection, for: interest)
    }

    // MARK: Writing

    private func channelChanged(_ manager: ClientManager, _ flushed: Outbox.Flushed) {
        // The usual case, and the one that must cost nothing: everything was written, and nobody waits for that.
        if flushed == .done, !manager.awaitsRoom, !manager.awaitsEnd { return }
        guard let connection = byManager[manager.id.rawValue], connection.manager === manager else { return }
        if isStopping { return flushed == .full ? () : forget(connection) }
        let now = bootClock()
        switch flushed {
        case .broken: return end(connection)
        case .full:
            guard manager.outbox.undroppableBytes <= service.configuration.limits.outputLimit else {
                return end(connection, "it does not read, and more waits for it than may")
            }
            manager.awaitsRoom = true
            blocked.insert(connection.number, lines: manager.outbox.linesWritten, at: now)
            armStallTimer()
        case .done:
            manager.awaitsRoom = false
            blocked.remove(connection.number)
        }
        afterWriting(connection, at: now)
    }

    private func afterWriting(_ connection: Connection, at now: BootInstant) {
        var interest = connection.interest
        if connection.isBlocked { interest |= Connection.writeInterest } else { interest &= ~Connection.writeInterest }
        if !connection.isInputEnded, mayRead(connection) { interest |= Connection.readInterest }
        ask(connection, for: interest)
        // Requests that waited for room can go on, and an ended input can be the end.
        if !connection.isBlocked { continueLater(connection) }
    }

    private func armStallTimer() {
        let limit = service.configuration.limits.stalledClient
        stallTimer?.set(blocked.oldestMark.map { WakeWindow(earliest: $0 + limit, latest: $0 + limit + .seconds(5)) })
    }

    private func closeStalled() {
        let now = bootClock()
        stallTimer?.fired()
        let limit = service.configuration.limits.stalledClient
        let stalled = blocked.stalled(for: limit, at: now) { connections[$0]?.manager.outbox.linesWritten ?? 0 }
        for connection in stalled.compactMap({ connections[$0] }) {
            drop(connection, "it took no complete line for \(Int(limit.seconds)) s", at: now)
        }
        armStallTimer()
    }

    // MARK: Stopping

    /// Writes what can be written within `patience`, then lets go of everything without ending a deferral. Returns how often it waited.
    @discardableResult
    func stop(patience: TimeSpan) -> Int {
        listener?.stop()
        isStopping = true
        service.flush()
        // Anything else that is ready would stay so, and end each wait at once.
        for case let connection? in connections {
            if connection.isBlocked { ask(connection, for: Connection.writeInterest) } else { forget(connection) }
        }
        let end = bootClock() + patience
        var waits = 0
        while !blocked.isEmpty, bootClock() < end {
            let milliseconds = max((end - bootClock()).nanoseconds / 1_000_000, 0)
            waits += 1
            let count = clinux_epoll_wait(poll, &ready, 64, Int32(milliseconds))
            guard count > 0 else { break }
            for index in 0..<Int(count) {
                guard let connection = connections[Int(ready[index].key)] else { continue }
                service.channelHasRoom(connection.manager)
                service.flush()
                if ready[index].events & UInt32(clinux_hung_up) != 0 { forget(connection) }
            }
        }
        return waits
    }

    /// Waits for nothing of a connection any more.
    private func forget(_ connection: Connection) {
        clinux_epoll_remove(poll, connection.channel.fd)
        blocked.remove(connection.number)
    }

    private func ask(_ connection: Connection, for interest: UInt32) {
        guard interest != connection.interest else { return }
        connection.interest = interest
        clinux_epoll_modify(poll, connection.channel.fd, interest, UInt64(connection.number))
    }
}
