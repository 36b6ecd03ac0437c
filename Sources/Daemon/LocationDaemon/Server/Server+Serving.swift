// SPDX-License-Identifier: Apache-2.0
import CLinux
import LocationEngine
import LocationModel
import LocationProtocol
import LocationServices
import SystemSupport
import SystemdSupport

// How the server carries out requests: whoever has some waits for its turn, and a round of turns is short, so that new connections,
// receivers and signals are heard in between.
extension Server {
    /// How long a turn may go on to the next request.
    private static let turn = TimeSpan.milliseconds(1)
    /// How long a round may go on to the next turn.
    private static let round = TimeSpan.milliseconds(4)
    /// Requests that wait for so long without a break are worth a line in the journal.
    private static let notableDelay = TimeSpan.seconds(1)
    /// The most that one turn is charged: the clock goes on while the system sleeps.
    private static let longestCharge = TimeSpan.seconds(1)
    /// Buffers that are read of a peer that is gone: all that its socket holds. One that only reads no more could write for ever.
    private static let lastReads = 8

    func serveReady() {
        let count = clinux_epoll_wait(poll, &ready, 64, 0)
        for index in 0..<max(Int(count), 0) {
            let number = Int(ready[index].key)
            guard let connection = connections[number] else { continue }
            note(ready[index].events, of: connection)
        }
        serveWaiting()
    }

    private func note(_ events: UInt32, of connection: Connection) {
        if events & UInt32(clinux_writable) != 0 { service.channelHasRoom(connection.manager) }
        if events & UInt32(clinux_hung_up) != 0 { return hangUp(connection) }
        guard events & Connection.readInterest != 0 else { return }
        connection.isReadable = true
        // The server does not read a connection that waits for its turn: input that it holds here is bounded by one buffer and one line.
        if turns.isWaiting(connection.number) {
            ask(connection, for: connection.interest & ~Connection.readInterest)
        } else {
            wait(connection)
        }
    }

    /// Gives turns until nobody waits or the round has taken long enough.
    func serveWaiting() {
        isServing = true
        let start = bootClock()
        dropEnded(at: start)
        var now = start
        while let (number, uid) = turns.next() {
            if let connection = connections.connection(numbered: number) {
                if connection.isLeaving { carryOutLast(of: connection) } else { carryOutRequests(of: connection) }
            }
            let end = bootClock()
            turns.charge(uid, min(max(end - now, TimeSpan(nanoseconds: 1000)), Server.longestCharge))
            now = end
            guard now - start < Server.round else { break }
        }
        service.flush()
        turns.endRound(at: now)
        isServing = false
        guard hasWaiting else { return }
        serveLater()
        tellDelays(at: now)
    }

    /// Says, once a minute for each user, whose requests have waited for so long that people might ask why.
    private func tellDelays(at now: BootInstant) {
        for uid in notices.takeDelays(turns.heldBack(for: Server.notableDelay, at: now), at: now) {
            let count = connections.all.count { $0.client.account == uid && turns.isWaiting($0.number) }
            service.journal.warning(
                "user \(uid) asks for more than its share: requests of \(count) of its connections wait, and others go "
                    + "first ('locctl status' shows which they are, 'locctl close' closes one)",
                .userHeldBack(uid: uid, connections: count))
        }
    }

    /// Lets a connection wait for its turn.
    func wait(_ connection: Connection) {
        turns.enter(connection.number, of: connection.client.account, isLeaving: connection.isLeaving)
        serveLater()
    }

    /// The peer is gone: what it sent whole still counts, changes beyond its allowance too; the answers reach nobody.
    func hangUp(_ connection: Connection) {
        guard connections[connection.place] === connection, !connection.isLeaving else { return }
        connection.isLeaving = true
        connection.readsLeft = Server.lastReads
        changes.leave(connection.place)
        // It would be ready for ever.
        clinux_epoll_remove(poll, connection.channel.fd)
        turns.leave(connection.number)
        wait(connection)
    }

    /// Carries out at most a turn's worth of what a peer sent that is gone; when all of it is done, the connection is closed.
    func carryOutLast(of connection: Connection) {
        let start = bootClock()
        var now = start
        var requests = 0
        while requests < service.settings.limits.requestsPerTurn, now - start < Server.turn {
            requests += 1
            guard hasRoom(connection) else { return drop(connection, at: now) }
            if !carryOutNext(connection, at: now) {
                guard connection.readsLeft > 0, !connection.isInputEnded,
                    case .bytes = connection.read(into: buffer)
                else { return drop(connection, at: now) }
                connection.readsLeft -= 1
            }
            guard connections[connection.place] === connection else { return }
            now = bootClock()
        }
        wait(connection)
    }

    /// Carries out at most a turn's worth of requests; the rest waits until others had their turn.
    func carryOutRequests(of connection: Connection) {
        let start = bootClock()
        var now = start
        var requests = 0
        while requests < service.settings.limits.requestsPerTurn, now - start < Server.turn {
            requests += 1
            if !mayRead(connection) {
                // The connection may wait for nothing more than that its output is written.
                service.write(connection.manager)
                guard connections[connection.place] === connection else { return }
                guard mayRead(connection) else { return settle(connection, at: now) }
            }
            if !carryOutNext(connection, at: now) {
                guard connection.isReadable, mayRead(connection) else { return settle(connection, at: now) }
                connection.isReadable = false
                if case .broken = connection.read(into: buffer) { return hangUp(connection) }
            }
            guard connections[connection.place] === connection else { return }
            now = bootClock()
        }
        if connection.manager.isDirty { service.write(connection.manager) }
        wait(connection)
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
        if manager !== connection.manager { connections.set(manager, of: connection) }
    }

    // MARK: Durable changes

    /// Whether a request may be carried out now; a change beyond its user's allowance waits.
    private func isAllowed(
        _ decoded: Result<RequestEnvelope, Refusal>, _ connection: Connection, at now: BootInstant
    ) -> Bool {
        guard case .success(let envelope) = decoded, envelope.method.isCharged else { return true }
        let limits = service.settings.limits
        let rate = ChangeRate(perSecond: limits.changesPerSecond, burst: limits.changeBurst)
        if connection.isLeaving { return changes.owe(connection.client.account, rate: rate, at: now) }
        guard !changes.enter(connection.place, connection.client.account, rate: rate, at: now) else { return true }
        armChangeTimer()
        return false
    }

    private func armChangeTimer() {
        changeTimer?.set(changes.firstDue.map { WakeWindow(earliest: $0, latest: $0 + .milliseconds(10)) })
    }

    func allowChanges() {
        for number in changes.takeDue(at: bootClock()) {
            if let connection = connections[number] { wait(connection) }
        }
        serveWaiting()
        armChangeTimer()
    }

    /// While too much of its output is unwritten, no further request of a connection is carried out.
    func mayRead(_ connection: Connection) -> Bool {
        !connection.ending.isDue && !changes.isWaiting(connection.place) && hasRoom(connection)
    }

    private func hasRoom(_ connection: Connection) -> Bool {
        let outbox = connection.manager.outbox
        if outbox.isEmpty { return true }
        guard outbox.waitingBytes <= service.settings.limits.outputHighWater else { return false }
        return connection.manager.app == nil
            || service.engine.unconfirmedFinishes(of: connection.manager.id) < LocationService.unconfirmedFinishes
    }

    /// Asks the poll for what the connection needs now, and closes it when nothing can come of it any more.
    private func settle(_ connection: Connection, at now: BootInstant) {
        guard connections[connection.place] === connection else { return }
        // Written at once, so that the decision whether to go on is made on what is left.
        if connection.manager.isDirty, !connection.isBlocked { service.write(connection.manager) }
        guard connections[connection.place] === connection else { return }
        let outbox = connection.manager.outbox
        if connection.isInputEnded, outbox.isEmpty, !turns.isWaiting(connection.number), connection.postponed == nil,
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
}
