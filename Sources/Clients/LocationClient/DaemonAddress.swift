// SPDX-License-Identifier: Apache-2.0
import Glibc

/// Where the daemon listens: the path of its Unix socket.
public struct DaemonAddress: Sendable, Hashable, CustomStringConvertible {
    /// The environment variable that names another socket.
    public static let environmentVariable = "LOCATIOND_SOCKET"
    /// Where the daemon listens unless it is told otherwise.
    public static let defaultPath = "/run/locationd/locationd.sock"

    /// The path of the socket.
    public var path: String

    /// The socket at `path`; nothing is checked before somebody connects.
    public init(path: String) { self.path = path }

    /// `LOCATIOND_SOCKET` of the environment, where it is set and not empty, else the default path.
    public static var standard: DaemonAddress {
        guard let value = getenv(environmentVariable), value.pointee != 0 else {
            return DaemonAddress(path: defaultPath)
        }
        return DaemonAddress(path: String(cString: value))
    }

    /// The path.
    public var description: String { path }
}
