// SPDX-License-Identifier: Apache-2.0
import LocationProtocol

/// Lines of `locctl status` about connections that are held back, do not read, or have asked for nothing of their own yet.
enum ConnectionText {
    /// The most connections that are named one by one.
    private static let most = 4

    static func notes(_ connections: ConnectionsStatus) -> [String] {
        let users = (connections.users ?? []).filter { $0.waitingForTurn > 0 || $0.notReading > 0 }.map(note)
        let clients = connections.clients ?? []
        return users + list(clients.filter { $0.waitingForTurn != nil }, waiting)
            + list(clients.filter { $0.notReading != nil }, notReading)
            + list(clients.filter { $0.identity == nil && $0.waitingForTurn == nil }, unknown)
    }

    private static func note(_ user: ConnectionsStatus.User) -> String {
        var parts = ["user \(user.uid): \(Quantities.counted(user.connections, "connection"))"]
        if user.waitingForTurn > 0 {
            parts.append("requests of \(user.waitingForTurn) wait until others had their turn")
        }
        if user.notReading > 0 { parts.append("output of \(user.notReading) is not read") }
        return parts.joined(separator: ", ")
    }

    private static func list(
        _ clients: [ConnectionsStatus.Client], _ text: (ConnectionsStatus.Client) -> String
    ) -> [String] {
        let named = clients.prefix(most).map { client in
            let process = client.pid.map { "process \($0) of " } ?? ""
            return "#\(client.connection): \(process)user \(client.uid) \(text(client))"
        }
        return named + (clients.count > most ? ["and \(clients.count - most) more like it"] : [])
    }

    private static func waiting(_ client: ConnectionsStatus.Client) -> String {
        "asks for more than its share, for \(Quantities.time(client.waitingForTurn ?? 0))"
    }

    private static func notReading(_ client: ConnectionsStatus.Client) -> String {
        "has not read for \(Quantities.time(client.notReading ?? 0))"
    }

    private static func unknown(_ client: ConnectionsStatus.Client) -> String {
        "has asked for nothing that depends on who it is, for \(Quantities.time(client.age))"
    }
}
