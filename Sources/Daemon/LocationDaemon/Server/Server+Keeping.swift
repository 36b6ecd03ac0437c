// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationServices
import SystemSupport

// Connections that outlive the process: left to the next one at an orderly stop, and taken up from the one before.
extension Server {
    /// Returns each connection with its record for the next process, and the state that they share; the sockets stay this process's as long
    /// as it runs. Nothing may be written or carried out after.
    func kept(by keeper: StateKeeper) -> (
        connections: [(socket: Int32, left: KeptConnection)], surroundings: KeptSurroundings
    ) {
        let staying = connections.all.filter { !$0.ending.isDue && !$0.isLeaving }
        let handover = ManagerHandover(service, keeper, at: bootClock())
        let left = staying.map { connection in
            var left = handover.kept(connection.manager)
            left.input = connection.keptInput
            return (connection.channel.fd, left)
        }
        return (left, handover.keptSurroundings(of: staying.map(\.manager)))
    }

    /// Goes on with what a former process left, by the place among the kept ones; nil: that socket, or what was left of it, is not there.
    /// Managers of clients that have to come back are opened in the same turn: each app has all of its managers before anything is told or
    /// carried out.
    func takeUp(
        _ handed: [(channel: SocketChannel, left: KeptConnection)?], _ surroundings: KeptSurroundings,
        from keeper: StateKeeper, at now: BootInstant
    ) {
        // First, so that no connection that is new here gets the number of one that was kept.
        service.managers.nextConnection = max(service.managers.nextConnection, surroundings.nextConnection ?? 1)
        var handover = ManagerHandover(service, keeper, at: now)
        var taken: [Connection?] = []
        for connection in handed { taken.append(connection.flatMap { takeUp($0.channel, $0.left, &handover) }) }
        handover.restoreManagers()
        handover.goOn(surroundings, managers: taken.map { $0?.manager })
        for case let connection? in taken {
            watch(connection, at: now)
            // Requests that came whole before the stop come before those that wait in the socket.
            wait(connection)
        }
        serveWaiting()
    }

    private func takeUp(
        _ channel: SocketChannel, _ left: KeptConnection, _ handover: inout ManagerHandover
    ) -> Connection? {
        // The server asks the kernel again who is there: the record could name anybody.
        guard let peer = try? peer(of: channel) else { return nil }
        if let reason = objection(to: peer) {
            service.journal.warning("cannot go on with a connection: \(reason)")
            return nil
        }
        guard let manager = handover.takeUp(left, peer: peer, channel: channel) else { return nil }
        let connection = connections.enter(channel, manager, at: handover.now)
        connection.restore(left.input)
        return connection
    }
}
