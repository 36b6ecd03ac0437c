// SPDX-License-Identifier: Apache-2.0
import LocationServices

/// How many connections there are, and whether there may be another one: of all, of a user, of a process.
struct ConnectionQuota {
    /// The process that has connections or asks for one.
    struct Client: Hashable {
        /// The user that it is charged to.
        var account: UInt32
        var pid: Int32
    }

    /// Of a user's connections, one in so many is kept for processes that have few: another program of the user always gets in.
    static let partForOthers = 8
    /// A process that has so many has no part in those any more.
    static let few = 4

    private(set) var total = 0
    /// Connections that were refused since the start.
    private(set) var refused: UInt64 = 0
    private(set) var perUser: [UInt32: Int] = [:]
    private var perProcess: [Client: Int] = [:]

    mutating func enter(_ client: Client) {
        total += 1
        perUser[client.account, default: 0] += 1
        perProcess[client, default: 0] += 1
    }

    mutating func leave(_ client: Client) {
        total -= 1
        ConnectionQuota.decrease(&perUser, client.account)
        ConnectionQuota.decrease(&perProcess, client)
    }

    private static func decrease<Key>(_ counts: inout [Key: Int], _ key: Key) {
        let left = (counts[key] ?? 1) - 1
        counts[key] = left > 0 ? left : nil
    }

    mutating func noteRefusal() { refused += 1 }

    /// Why a client may have no other connection; nil: it may. `isAdmin` is asked only if that matters.
    func objection(to client: Client, _ limits: ServiceLimits, isAdmin: () -> Bool) -> String? {
        guard total < limits.connections else { return "all \(limits.connections) are taken" }
        let forUsers = limits.connections - limits.reservedConnections
        guard total < forUsers || isAdmin() else {
            return "the \(forUsers) that are not kept for administrators are taken"
        }
        guard client.account != 0 else { return nil }
        let limit = limits.connectionsPerUser
        let own = perUser[client.account] ?? 0
        guard own < limit else { return "user \(client.account) has its \(limit) already" }
        let ofProcess = perProcess[client] ?? 0
        let kept = limit / ConnectionQuota.partForOthers
        guard own < limit - kept || ofProcess < ConnectionQuota.few else {
            return "process \(client.pid) has \(ofProcess) already, and the last \(kept) of the \(limit) of user "
                + "\(client.account) are kept for its other programs"
        }
        return nil
    }
}
