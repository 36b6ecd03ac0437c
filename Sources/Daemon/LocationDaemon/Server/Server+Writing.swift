// SPDX-License-Identifier: Apache-2.0
import CLinux
import LocationEngine
import LocationModel
import LocationServices
import SystemSupport
import SystemdSupport

// How the server writes: what the service queues goes out as far as sockets take it, and a full one is waited for.
extension Server {
    func channelChanged(_ manager: ClientManager, _ flushed: Outbox.Flushed) {
        guard let connection = connections.connection(of: manager) else { return }
        if isStopping { return flushed == .full ? () : forget(connection) }
        let now = bootClock()
        switch flushed {
        case .broken: return end(connection)
        case .full:
            guard manager.outbox.undroppableBytes <= service.settings.limits.outputLimit else {
                return end(connection, "it does not read, and more waits for it than may")
            }
            manager.awaitsRoom = true
            blocked.insert(connection.place, lines: manager.outbox.linesWritten, at: now)
            armStallTimer()
        case .done:
            manager.awaitsRoom = false
            blocked.remove(connection.place)
        }
        afterWriting(connection, at: now)
    }

    private func afterWriting(_ connection: Connection, at now: BootInstant) {
        var interest = connection.interest
        if connection.isBlocked { interest |= Connection.writeInterest } else { interest &= ~Connection.writeInterest }
        if !connection.isInputEnded, mayRead(connection) { interest |= Connection.readInterest }
        ask(connection, for: interest)
        // Requests that waited for room can go on, and an ended input can be the end.
        if !connection.isBlocked { wait(connection) }
    }

    private func armStallTimer() {
        let limit = service.settings.limits.stalledClient
        stallTimer?.set(blocked.oldestMark.map { WakeWindow(earliest: $0 + limit, latest: $0 + limit + .seconds(5)) })
    }

    func closeStalled() {
        let now = bootClock()
        let limit = service.settings.limits.stalledClient
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
        let end = bootClock() + patience
        // Requests that a peer sent before it went still count, and no other process can carry them out.
        for connection in connections.all where connection.isLeaving {
            while connections[connection.place] === connection, bootClock() < end { carryOutLast(of: connection) }
        }
        service.flush()
        // Anything else that is ready would stay so, and end each wait at once.
        for connection in connections.all {
            if connection.isBlocked { ask(connection, for: Connection.writeInterest) } else { forget(connection) }
        }
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
        blocked.remove(connection.place)
    }

    func ask(_ connection: Connection, for interest: UInt32) {
        guard interest != connection.interest else { return }
        connection.interest = interest
        clinux_epoll_modify(poll, connection.channel.fd, interest, UInt64(connection.place))
    }
}
