// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
import LocationModel
import LocationProtocol

/// The managers of clients that are there, and of those that may come back to what they left.
package struct ManagerTable {
    /// By slot number of `ManagerID`.
    private var slots: [ClientManager?] = []
    private var freeSlots: [Int32] = []
    /// The number of the next connection.
    package var nextConnection: UInt64 = 1
    /// By user, those without a connection, longest ago first.
    private var away: [UInt32: [ClientManager]] = [:]
    /// Locations delivered to those that are gone, and lost by them.
    private var departed: (delivered: UInt64, dropped: UInt64) = (0, 0)

    /// The manager of a number; nil: there is none.
    package subscript(id: ManagerID) -> ClientManager? {
        let index = Int(id.rawValue)
        return index < slots.count ? slots[index] : nil
    }

    /// The manager of a number, not retained: to count a reference writes to it.
    func unretained(_ id: ManagerID) -> Unmanaged<ClientManager>? {
        let index = Int(id.rawValue)
        return index < slots.count ? slots[index].map(Unmanaged.passUnretained) : nil
    }

    /// All of them, by number.
    package var all: [ClientManager] { slots.compactMap { $0 } }
    /// Locations delivered to all that are there or were.
    var deliveredCount: UInt64 { all.reduce(departed.delivered) { $0 + $1.outbox.deliveredCount } }
    /// Locations that they lost because they were slow.
    var droppedCount: UInt64 { all.reduce(departed.dropped) { $0 + $1.outbox.droppedCount } }
    /// No client is there, and none can come back for what it left.
    package var isEmpty: Bool { slots.allSatisfy { $0 == nil } }

    /// The manager behind a token, if it is known.
    func manager(with token: ManagerToken) -> ClientManager? { first { $0.token == token } }

    /// A process of an identity that is there.
    func process(of identity: PeerIdentity) -> ClientManager? {
        first { $0.who.identity == identity && $0.channel != nil }
    }

    /// The first manager, by number, that `isMeant`; there may be thousands.
    package func first(where isMeant: (ClientManager) -> Bool) -> ClientManager? {
        for case let manager? in slots where isMeant(manager) { return manager }
        return nil
    }

    /// A manager for a client that connected, or that may come back.
    mutating func open(peer: Peer, channel: (any Channel)?) -> ClientManager {
        let number: Int32
        if let free = freeSlots.popLast() {
            number = free
        } else {
            number = Int32(slots.count)
            slots.append(nil)
        }
        let manager = ClientManager(
            id: ManagerID(rawValue: number), peer: peer, connection: nextConnection, channel: channel)
        nextConnection += 1
        slots[Int(number)] = manager
        return manager
    }

    /// A manager waits for its client from now on. Returns the one of its user that waits longest, if there are more than `limit`.
    mutating func noteAway(_ manager: ClientManager, limit: Int) -> ClientManager? {
        away[manager.peer.account, default: []].append(manager)
        guard let waiting = away[manager.peer.account], waiting.count > limit else { return nil }
        return waiting.first
    }

    /// Its client is back, or it is gone.
    mutating func forgetAway(_ manager: ClientManager) {
        let uid = manager.peer.account
        away[uid]?.removeAll { $0 === manager }
        if away[uid]?.isEmpty == true { away[uid] = nil }
    }

    /// Its number is free. False: it was already.
    mutating func remove(_ manager: ClientManager) -> Bool {
        guard self[manager.id] === manager else { return false }
        departed.delivered += manager.outbox.deliveredCount
        departed.dropped += manager.outbox.droppedCount
        forgetAway(manager)
        slots[Int(manager.id.rawValue)] = nil
        freeSlots.append(manager.id.rawValue)
        return true
    }
}
