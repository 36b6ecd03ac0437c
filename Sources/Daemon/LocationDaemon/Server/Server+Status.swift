// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationServices

// The part of `status` about connections, and the end of one at an administrator's wish.
extension Server {
    /// How many connections there are; `all`: and whose, and who is held back.
    func connectionsStatus(all: Bool, at now: BootInstant) -> ConnectionsStatus {
        var status = ConnectionsStatus(total: count)
        guard all else { return status }
        status.limit = service.settings.limits.connections
        status.refused = connections.quota.refused
        var users: [UInt32: ConnectionsStatus.User] = [:]
        status.clients = connections.all.sorted { $0.number < $1.number }.map { connection in
            let client = client(connection, at: now)
            var user = users[connection.client.account] ?? ConnectionsStatus.User(uid: connection.client.account)
            user.connections += 1
            if client.waitingForTurn != nil { user.waitingForTurn += 1 }
            if client.notReading != nil { user.notReading += 1 }
            users[connection.client.account] = user
            return client
        }
        status.users = users.values.sorted { $0.uid < $1.uid }
        return status
    }

    private func client(_ connection: Connection, at now: BootInstant) -> ConnectionsStatus.Client {
        let peer = connection.manager.peer
        let isWaiting = turns.isWaiting(connection.number)
        return ConnectionsStatus.Client(
            connection: connection.number, pid: peer.pid > 0 ? Int(peer.pid) : nil, uid: peer.uid,
            identity: connection.manager.who.identity?.description, age: (now - connection.acceptedAt).seconds,
            waitingForTurn: isWaiting ? turns.isHeldBack(connection.client.account).map { (now - $0).seconds } : nil,
            notReading: blocked.mark(of: connection.place).map { (now - $0).seconds })
    }

    /// Closes a connection when the turn is over. False: there is none of the number.
    func close(_ number: UInt64, _ reason: String) -> Bool {
        guard let connection = connections.connection(numbered: number) else { return false }
        end(connection, reason)
        return true
    }
}
