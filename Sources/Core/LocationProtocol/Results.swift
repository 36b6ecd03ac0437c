// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// The result of `start…`, `request…` and `allowDeferredLocationUpdates`.
public struct StateResult: Sendable, Hashable, Codable {
    /// What became of it.
    public var state: ServiceState
    /// Why, where that is not plain.
    public var reason: String?
    /// While it waits for authorization: whether somebody is there who is asked now; nil: nobody is.
    public var asked: Bool?
    /// The number of a one-shot request.
    public var request: UInt64?
    /// The number of a deferral.
    public var deferral: UInt64?
    /// The number of a stream of live updates.
    public var updates: UInt64?
    /// The number of a session.
    public var session: UInt64?

    /// The result `state`.
    public init(
        _ state: ServiceState, reason: String? = nil, asked: Bool? = nil, request: UInt64? = nil,
        deferral: UInt64? = nil,
        updates: UInt64? = nil, session: UInt64? = nil
    ) {
        self.state = state
        self.reason = reason
        self.asked = asked
        self.request = request
        self.deferral = deferral
        self.updates = updates
        self.session = session
    }
}

/// The result of `hello`.
public struct HelloResult: Sendable, Hashable {
    /// The version of the protocol that is spoken.
    public var protocolVersion: Int
    /// The daemon's version.
    public var version: String
    /// The app, as claimed or as a manifest has it.
    public var app: String?
    /// Who the daemon found this process to be.
    public var identity: String
    /// With it the manager can be taken back after a reconnect.
    public var manager: ManagerToken
    /// Whether an earlier manager was taken back.
    public var rejoined: Bool
    /// What the app may do.
    public var authorizationStatus: AuthorizationStatus
    /// How precisely it may know; nil: not determined.
    public var accuracyAuthorization: AccuracyAuthorization?
    /// What can be asked for here.
    public var capabilities: Capabilities
    /// How many stored events of the app were given up.
    public var eventsDropped: UInt64

    /// The answer to a hello.
    public init(
        protocolVersion: Int = locationProtocolVersion, version: String, app: String?, identity: String,
        manager: ManagerToken, rejoined: Bool, authorizationStatus: AuthorizationStatus,
        accuracyAuthorization: AccuracyAuthorization?, capabilities: Capabilities = Capabilities(),
        eventsDropped: UInt64 = 0
    ) {
        self.protocolVersion = protocolVersion
        self.version = version
        self.app = app
        self.identity = identity
        self.manager = manager
        self.rejoined = rejoined
        self.authorizationStatus = authorizationStatus
        self.accuracyAuthorization = accuracyAuthorization
        self.capabilities = capabilities
        self.eventsDropped = eventsDropped
    }
}

extension HelloResult: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case protocolVersion = "protocol"
        case version, app, identity, manager, rejoined, authorizationStatus, accuracyAuthorization, capabilities
        case eventsDropped
    }

    /// Reads the members; an `eventsDropped` that is absent is 0.
    ///
    /// Of another version of the protocol only `protocol` and `version` are read, whose meaning never changes: the others may have
    /// words that nobody here knows, and are those of a program that may do nothing.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decode(Int.self, forKey: .protocolVersion)
        guard version == locationProtocolVersion else {
            self.init(
                protocolVersion: version,
                version: try container.decodeIfPresent(String.self, forKey: .version) ?? "unknown", app: nil,
                identity: "", manager: ManagerToken(high: 0, low: 0), rejoined: false,
                authorizationStatus: .notDetermined, accuracyAuthorization: nil)
            return
        }
        self.init(
            protocolVersion: version,
            version: try container.decode(String.self, forKey: .version),
            app: try container.decodeIfPresent(String.self, forKey: .app),
            identity: try container.decode(String.self, forKey: .identity),
            manager: try container.decode(ManagerToken.self, forKey: .manager),
            rejoined: try container.decode(Bool.self, forKey: .rejoined),
            authorizationStatus: try container.decode(AuthorizationStatus.self, forKey: .authorizationStatus),
            accuracyAuthorization: try container.decodeIfPresent(
                AccuracyAuthorization.self, forKey: .accuracyAuthorization),
            capabilities: try container.decode(Capabilities.self, forKey: .capabilities),
            eventsDropped: try container.decodeIfPresent(UInt64.self, forKey: .eventsDropped) ?? 0)
    }

    /// Writes all members; `app` and `accuracyAuthorization` are null when there is none.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(protocolVersion, forKey: .protocolVersion)
        try container.encode(version, forKey: .version)
        try container.encode(app, forKey: .app)
        try container.encode(identity, forKey: .identity)
        try container.encode(manager, forKey: .manager)
        try container.encode(rejoined, forKey: .rejoined)
        try container.encode(authorizationStatus, forKey: .authorizationStatus)
        try container.encode(accuracyAuthorization, forKey: .accuracyAuthorization)
        try container.encode(capabilities, forKey: .capabilities)
        try container.encode(eventsDropped, forKey: .eventsDropped)
    }
}

/// The result of `location`: the last known one, null for none.
public struct LocationResult: Sendable, Hashable, Codable {
    /// The location.
    public var location: Location?

    /// The result `location`.
    public init(_ location: Location?) { self.location = location }

    /// Reads a `location` object or null.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        location = container.decodeNil() ? nil : try container.decode(WireLocation.self).location
    }

    /// Writes a `location` object or null.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        if let location { try container.encode(WireLocation(location)) } else { try container.encodeNil() }
    }
}
