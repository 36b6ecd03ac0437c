// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationServices

/// The connections that there are, by place, by number and by manager.
struct ConnectionTable {
    private var places: [Connection?] = []
    private var freePlaces: [Int] = []
    private var byManager: [ManagerID: Connection] = [:]
    private var byNumber: [UInt64: Connection] = [:]
    /// How many there are, and may be.
    private(set) var quota = ConnectionQuota()

    /// The connection at a place; nil: there is none.
    subscript(place: Int) -> Connection? { place < places.count ? places[place] : nil }

    /// All of them, by place.
    var all: [Connection] { places.compactMap { $0 } }

    func connection(numbered number: UInt64) -> Connection? { byNumber[number] }

    func connection(of manager: ClientManager) -> Connection? {
        byManager[manager.id].flatMap { $0.manager === manager ? $0 : nil }
    }

    mutating func noteRefusal() { quota.noteRefusal() }

    /// Counts a connection among the others.
    mutating func enter(_ channel: SocketChannel, _ manager: ClientManager, at now: BootInstant) -> Connection {
        let place = freePlaces.popLast() ?? places.count
        let connection = Connection(place: place, channel: channel, manager: manager, at: now)
        if place == places.count { places.append(connection) } else { places[place] = connection }
        byManager[manager.id] = connection
        byNumber[connection.number] = connection
        quota.enter(manager.peer.client)
        return connection
    }

    /// A connection has another manager.
    mutating func set(_ manager: ClientManager, of connection: Connection) {
        byManager[connection.manager.id] = nil
        connection.manager = manager
        byManager[manager.id] = connection
    }

    /// Its place is free.
    mutating func remove(_ connection: Connection) {
        places[connection.place] = nil
        freePlaces.append(connection.place)
        byManager[connection.manager.id] = nil
        byNumber[connection.number] = nil
        quota.leave(connection.client)
    }
}
