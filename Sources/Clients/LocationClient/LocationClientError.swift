// SPDX-License-Identifier: Apache-2.0
public import LocationProtocol

/// Why a client did not get what it asked the daemon for.
public enum LocationClientError: Error, Sendable, Hashable {
    /// Nobody answers at the socket; the reason is the system's, with what it means here.
    case cannotConnect(DaemonAddress, reason: String)
    /// A daemon is there and answers nobody, since something hinders it; the reason is its own.
    case doesNotServe(DaemonAddress, reason: String)
    /// The daemon ended the connection, or the connection broke.
    case disconnected(DaemonAddress, reason: String)
    /// No reply came within the time that a reply may take, seconds.
    case noReply(DaemonAddress, method: String, seconds: Double)
    /// The daemon wrote something that is not this protocol; the reason begins with "cannot".
    case unreadable(reason: String)
    /// The daemon answered, and the answer is no.
    case refused(RPCError)

    /// Whether there is no daemon to talk to, or none any more: to connect again may help.
    public var isAboutTheConnection: Bool {
        switch self {
        case .cannotConnect, .doesNotServe, .disconnected, .noReply: true
        case .unreadable, .refused: false
        }
    }
}

extension LocationClientError: CustomStringConvertible {
    /// For a person; begins with "cannot".
    public var description: String {
        switch self {
        case .cannotConnect(let address, let reason): "cannot connect to \(address): \(reason)"
        case .doesNotServe(let address, let reason):
            "cannot use locationd at \(address), which does not serve: \(reason)"
        case .disconnected(let address, let reason): "cannot go on talking to locationd at \(address): \(reason)"
        case .noReply(let address, let method, let seconds):
            "cannot wait longer for locationd at \(address): no reply to \(method) within \(Int(seconds.rounded())) s"
        case .unreadable(let reason): reason
        case .refused(let error): error.description
        }
    }
}
