// SPDX-License-Identifier: Apache-2.0

/// The codes of refused requests: JSON-RPC's own, and this protocol's from -32001 down.
public struct RPCErrorCode: RawRepresentable, Sendable, Hashable {
    /// The number on the wire.
    public var rawValue: Int
    /// The code `rawValue`; unknown numbers are kept, a newer daemon may send them.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The line is not the JSON that this protocol speaks.
    public static let parseError = RPCErrorCode(rawValue: -32700)
    /// JSON, but not a request; or one that may not come now.
    public static let invalidRequest = RPCErrorCode(rawValue: -32600)
    /// No such method.
    public static let methodNotFound = RPCErrorCode(rawValue: -32601)
    /// A member is unknown, of the wrong type or out of range.
    public static let invalidParams = RPCErrorCode(rawValue: -32602)
    /// This client may not do that.
    public static let notPermitted = RPCErrorCode(rawValue: -32001)
    /// The app says nowhere what it wants locations for.
    public static let missingUsageDescription = RPCErrorCode(rawValue: -32002)
    /// The claimed app has a manifest that this process does not match.
    public static let identityMismatch = RPCErrorCode(rawValue: -32003)
    /// One of the daemon's own limits is reached.
    public static let limitExceeded = RPCErrorCode(rawValue: -32004)
    /// The number or name does not exist, or is another manager's.
    public static let notFound = RPCErrorCode(rawValue: -32005)
    /// This user, or everyone together, has too many connections.
    public static let tooManyConnections = RPCErrorCode(rawValue: -32006)
    /// Not possible now: the daemon stops, or somebody else holds the thing.
    public static let unavailable = RPCErrorCode(rawValue: -32007)

    /// Every code of the protocol with its name, `error.data.name`.
    public static let names: [(code: RPCErrorCode, name: String)] = [
        (.parseError, "parseError"), (.invalidRequest, "invalidRequest"), (.methodNotFound, "methodNotFound"),
        (.invalidParams, "invalidParams"), (.notPermitted, "notPermitted"),
        (.missingUsageDescription, "missingUsageDescription"), (.identityMismatch, "identityMismatch"),
        (.limitExceeded, "limitExceeded"), (.notFound, "notFound"), (.tooManyConnections, "tooManyConnections"),
        (.unavailable, "unavailable"),
    ]

    /// The name in `error.data.name`; `unknown` for a code of a newer daemon.
    public var name: String { RPCErrorCode.names.first { $0.code == self }?.name ?? "unknown" }
}

/// Why a request was refused. A refused request has changed nothing.
public struct RPCError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of refusal.
    public var code: RPCErrorCode
    /// For a person: "cannot …", naming what was wrong and what is allowed.
    public var message: String

    /// A refusal of the kind `code`.
    public init(_ code: RPCErrorCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The name in `error.data.name`.
    public var name: String { code.name }
    /// The message with the code's number and name.
    public var description: String { "\(message) (\(code.rawValue) \(name))" }
}

extension RPCError: Codable {
    private enum CodingKeys: String, CodingKey { case code, message, data }
    private enum DataKeys: String, CodingKey { case name }

    /// Reads the `error` member of a reply.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        code = RPCErrorCode(rawValue: try container.decode(Int.self, forKey: .code))
        message = try container.decode(String.self, forKey: .message)
    }

    /// Writes the `error` member of a reply.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(code.rawValue, forKey: .code)
        try container.encode(message, forKey: .message)
        var data = container.nestedContainer(keyedBy: DataKeys.self, forKey: .data)
        try data.encode(name, forKey: .name)
    }
}
