// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// A service in `status`: those that locations come from, and all others.
public enum ServiceName: String, Sendable, Hashable, CaseIterable, Codable {
    case standard
    case significantChange
    case request
    case heading
    case ranging
    case visits
    case regions
    case monitors
    case liveUpdates

    /// The service that locations of `source` come from.
    public init(_ source: LocationSource) {
        switch source {
        case .standard: self = .standard
        case .significantChange: self = .significantChange
        case .request: self = .request
        }
    }
}

/// One connection's location manager in `status`.
public struct ManagerStatus: Sendable, Hashable, Codable {
    /// One of its services.
    public struct Service: Sendable, Hashable, Codable {
        /// Which.
        public var service: ServiceName
        /// How it stands.
        public var state: ServiceState
        /// Why, where that is not plain.
        public var reason: String?
        /// Whether all that it is about is beacons, for which no receiver is needed; nil: no.
        public var onlyBeacons: Bool?

        /// The service in this state.
        public init(service: ServiceName, state: ServiceState, reason: String? = nil, onlyBeacons: Bool = false) {
            self.service = service
            self.state = state
            self.reason = reason
            self.onlyBeacons = onlyBeacons ? true : nil
        }
    }

    /// A deferral that runs.
    public struct Deferral: Sendable, Hashable, Codable {
        /// Its number.
        public var number: UInt64
        /// How many locations it holds.
        public var held: UInt64
        /// Metres to go; absent: unlimited.
        public var distanceLeft: Double?
        /// Seconds to go; absent: unlimited.
        public var timeLeft: Double?

        /// The deferral `number`.
        public init(number: UInt64, held: UInt64, distanceLeft: Double? = nil, timeLeft: Double? = nil) {
            self.number = number
            self.held = held
            self.distanceLeft = distanceLeft
            self.timeLeft = timeLeft
        }
    }

    /// A one-shot request that runs.
    public struct Request: Sendable, Hashable, Codable {
        /// Its number.
        public var number: UInt64
        /// Seconds until it ends.
        public var timeLeft: Double

        /// The request `number`.
        public init(number: UInt64, timeLeft: Double) {
            self.number = number
            self.timeLeft = timeLeft
        }
    }

    /// A session that is held.
    public struct Session: Sendable, Hashable, Codable {
        /// The purpose of a session.
        public enum Kind: String, Sendable, Hashable, CaseIterable, Codable {
            /// The app counts as in use (CLBackgroundActivitySession).
            case backgroundActivity
            /// The app wants an authorization (CLServiceSession).
            case service
        }

        /// Which kind.
        public var kind: Kind
        /// Its number.
        public var number: UInt64
        /// The authorization that a service session asks for; nil: the session is for background activity.
        public var requirement: ServiceSessionRequirement?
        /// The key of the purpose for which a service session asks for full accuracy; nil: it asks for none.
        public var fullAccuracyPurposeKey: String?

        /// The session `number`.
        public init(
            kind: Kind, number: UInt64, requirement: ServiceSessionRequirement? = nil,
            fullAccuracyPurposeKey: String? = nil
        ) {
            self.kind = kind
            self.number = number
            self.requirement = requirement
            self.fullAccuracyPurposeKey = fullAccuracyPurposeKey
        }
    }

    /// A stream of live updates.
    public struct LiveUpdates: Sendable, Hashable, Codable {
        /// Its number.
        public var updates: UInt64
        /// The activity that the stream is used for.
        public var configuration: LiveConfiguration
        /// Whether it is silent because the device rests.
        public var stationary: Bool

        /// The stream `updates`.
        public init(updates: UInt64, configuration: LiveConfiguration, stationary: Bool = false) {
            self.updates = updates
            self.configuration = configuration
            self.stationary = stationary
        }
    }

    /// Locations that were accepted and are not yet written to the client.
    public struct Lag: Sendable, Hashable, Codable {
        /// Locations behind the newest.
        public var locations: UInt64
        /// Bytes that wait for the socket.
        public var bytes: UInt64

        /// This much.
        public init(locations: UInt64, bytes: UInt64) {
            self.locations = locations
            self.bytes = bytes
        }
    }

    /// The connection's number; of one that waits to rejoin, the number that it had.
    public var connection: UInt64
    /// The client's process, if it is known.
    public var pid: Int?
    /// The client's user.
    public var uid: UInt32
    /// The user's name; nil: the system knows none.
    public var user: String?
    /// The identity that the daemon derived.
    public var identity: String
    /// The name that the client gives itself; nil: none.
    public var app: String?
    /// Whether a person has it before them.
    public var presence: Presence
    /// Its properties.
    public var properties: ManagerProperties
    /// The authorization of its app.
    public var authorizationStatus: AuthorizationStatus
    /// How precisely its app may know; absent: not determined.
    public var accuracyAuthorization: AccuracyAuthorization?
    /// Its services that were started.
    public var services: [Service]
    /// Its deferral.
    public var deferral: Deferral?
    /// Its one-shot request.
    public var request: Request?
    /// Locations delivered; absent without authorization, like the next two.
    public var delivered: UInt64?
    /// Locations not delivered, by reason.
    public var filtered: [String: UInt64]?
    /// Locations lost because it was slow.
    public var dropped: UInt64?
    /// Locations that its client has not taken yet.
    public var lag: Lag?
    /// Whether its connection is gone and it may still come back.
    public var waitingToRejoin: Bool
    /// Whether its standard updates pause while the device rests; absent without them.
    public var paused: Bool?
    /// The sessions that it holds.
    public var sessions: [Session]?
    /// Its streams of live updates.
    public var liveUpdates: [LiveUpdates]?
    /// The beacons that it is asked for; absent: it hears none.
    public var beaconsWanted: WantedBeacons?

    /// The manager of `connection`.
    public init(
        connection: UInt64, pid: Int? = nil, uid: UInt32, identity: String, app: String? = nil, presence: Presence,
        properties: ManagerProperties, authorizationStatus: AuthorizationStatus,
        accuracyAuthorization: AccuracyAuthorization? = nil, services: [Service] = [], deferral: Deferral? = nil,
        request: Request? = nil, delivered: UInt64? = nil, filtered: [String: UInt64]? = nil, dropped: UInt64? = nil,
        lag: Lag? = nil, waitingToRejoin: Bool = false, paused: Bool? = nil, sessions: [Session]? = nil,
        liveUpdates: [LiveUpdates]? = nil
    ) {
        self.connection = connection
        self.pid = pid
        self.uid = uid
        self.identity = identity
        self.app = app
        self.presence = presence
        self.properties = properties
        self.authorizationStatus = authorizationStatus
        self.accuracyAuthorization = accuracyAuthorization
        self.services = services
        self.deferral = deferral
        self.request = request
        self.delivered = delivered
        self.filtered = filtered
        self.dropped = dropped
        self.lag = lag
        self.waitingToRejoin = waitingToRejoin
        self.paused = paused
        self.sessions = sessions
        self.liveUpdates = liveUpdates
    }
}

extension ManagerStatus {
    static let schema = JSONSchema.object([
        Described("connection", .count, required: true, "its number"),
        Described("pid", .count, "the client's process"),
        Described("uid", .count, required: true, "the client's user"),
        Described("user", .string(), "the user's name; absent: the system knows none"),
        Described("identity", .string(), required: true, "who the daemon found it to be"),
        Described("app", .string(), "what it calls itself"),
        Described("presence", .words(Presence.words), required: true, "whether a person has it before them"),
        Described("properties", .named("properties"), required: true, "its properties"),
        Described("authorizationStatus", .words(AuthorizationStatus.words), required: true, "what its app may do"),
        Described("accuracyAuthorization", .words(AccuracyAuthorization.words), "absent: not determined"),
        Described("services", .array(of: service), required: true, "its services that were started"),
        Described(
            "deferral",
            .object([
                Described("number", .count, required: true, "its number"),
                Described("held", .count, required: true, "locations that it holds"),
                Described("distanceLeft", .number(), "metres to go; absent: unlimited"),
                Described("timeLeft", .number(), "seconds to go; absent: unlimited"),
            ]), "its deferral"),
        Described(
            "request",
            .object([
                Described("number", .count, required: true, "its number"),
                Described("timeLeft", .number(), required: true, "seconds until it ends"),
            ]), "its one-shot request"),
        Described("delivered", .count, "locations delivered"),
        Described("filtered", .map(of: .count), "locations not delivered, by reason"),
        Described("dropped", .count, "locations lost because it was slow"),
        Described(
            "lag",
            .object([
                Described("locations", .count, required: true, "locations behind the newest"),
                Described("bytes", .count, required: true, "bytes that wait for the socket"),
            ]), "what it has not taken yet"),
        Described("waitingToRejoin", .boolean, required: true, "its connection is gone and it may come back"),
        Described("paused", .boolean, "whether its standard updates pause while the device rests"),
        Described(
            "beaconsWanted",
            .object([
                Described("uuids", .array(of: .string()), required: true, "whose beacons"),
                Described("any", .boolean, required: true, "so many are wanted that none is listed"),
                Described("onlyMonitored", .boolean, required: true, "nobody ranges them"),
            ]), "the beacons that it is asked for; absent: it hears none"),
        Described(
            "sessions",
            .array(
                of: .object([
                    Described(
                        "kind", .words(ManagerStatus.Session.Kind.allCases.map(\.rawValue)), required: true,
                        "which kind"),
                    Described("number", .count, required: true, "its number"),
                    Described(
                        "requirement", .words(ServiceSessionRequirement.words), "what a service session asks for"),
                    Described("fullAccuracyPurposeKey", .string(), "what it wants full accuracy for"),
                ])), "the sessions that it holds"),
        Described(
            "liveUpdates",
            .array(
                of: .object([
                    Described("updates", .count, required: true, "its number"),
                    Described("configuration", .words(LiveConfiguration.words), required: true, "what it is used for"),
                    Described("stationary", .boolean, required: true, "silent because the device rests"),
                ])), "its streams of live updates"),
    ])

    private static let service = JSONSchema.object([
        Described("service", .words(ServiceName.allCases.map(\.rawValue)), required: true, "which"),
        Described("state", .words(ServiceState.allCases.map(\.rawValue)), required: true, "how it stands"),
        Described("reason", .string(), "why, where that is not plain"),
        Described("onlyBeacons", .boolean, "only when true: it is about beacons alone, and needs no receiver"),
    ])
}
