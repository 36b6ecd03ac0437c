// SPDX-License-Identifier: Apache-2.0

/// The paths of GeoClue's objects on the bus.
package enum ObjectPath: Sendable, Hashable {
    /// The one that clients are asked of.
    case manager
    /// A client's.
    case client(UInt64)
    /// One of the locations that a client was told of, numbered from 1.
    case location(client: UInt64, UInt64)

    /// Where the manager is.
    package static let managerPath = "/org/freedesktop/GeoClue2/Manager"
    /// Where all clients and their locations are.
    package static let clientsPath = "/org/freedesktop/GeoClue2/Client"
    /// Where an agent has its object, on its own connection.
    package static let agentPath = "/org/freedesktop/GeoClue2/Agent"
    /// "No object".
    package static let nothing = "/"

    /// The object at `path`; nil: there can be none.
    package init?(_ path: String) {
        if path == ObjectPath.managerPath {
            self = .manager
            return
        }
        guard path.hasPrefix(ObjectPath.clientsPath + "/") else { return nil }
        let parts = path.dropFirst(ObjectPath.clientsPath.count + 1)
            .split(separator: "/", omittingEmptySubsequences: false)
        let numbers = parts.enumerated().compactMap { index, part in index == 1 ? nil : UInt64(part) }
        switch parts.count {
        case 1 where numbers.count == 1: self = .client(numbers[0])
        case 3 where numbers.count == 2 && parts[1] == "Location": self = .location(client: numbers[0], numbers[1])
        default: return nil
        }
        // One object has one path.
        guard text == path else { return nil }
    }

    /// The path.
    package var text: String {
        switch self {
        case .manager: ObjectPath.managerPath
        case .client(let number): "\(ObjectPath.clientsPath)/\(number)"
        case .location(let client, let number): "\(ObjectPath.clientsPath)/\(client)/Location/\(number)"
        }
    }
}
