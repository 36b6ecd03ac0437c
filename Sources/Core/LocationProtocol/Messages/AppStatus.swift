// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// An app as `apps` and `status` tell of it.
public struct AppStatus: Sendable, Hashable {
    /// The name that `authorize`, `resetAuthorization`, `forgetApp` and `events` take.
    public var app: String
    /// The identity that the daemon derived.
    public var identity: String
    /// Its user.
    public var uid: UInt32
    /// The user's name; nil: the system knows none.
    public var user: String?
    /// Names that its processes have given themselves.
    public var labels: [String] = []
    /// Its authorization.
    public var authorizationStatus: AuthorizationStatus
    /// The status by a decision or a rule, also while location services are off; nil: the daemon does not tell.
    public var decision: AuthorizationStatus?
    /// How precisely it may know; nil: not determined.
    public var accuracyAuthorization: AccuracyAuthorization?
    /// Allowed until somebody decides.
    public var isProvisional = false
    /// The decider: a client's identity, or `locationd` where no person decided; nil: nobody has decided.
    public var decidedBy: String?
    /// When; nil: nobody has decided.
    public var decidedAt: WallTime?
    /// Where nobody has decided about it: what says what it may do, for a person: a rule of the configuration, the decision about its user.
    public var rule: String?
    /// The name that the user's number had when somebody decided about it, where it is another's now: that decision no longer holds.
    public var formerUser: String?
    /// Whether it may only as long as it is in use now; nil: that is not so.
    public var isOnce: Bool?
    /// When it was last given a location; nil: that is not noted.
    public var lastUse: WallTime?
    /// Whether it is in use: connected, or by a background activity session.
    public var isInUse = false
    /// Whether a service of its runs right now.
    public var isUsingLocation = false
    /// How many connections it has.
    public var connections: UInt64 = 0
    /// How many regions it has.
    public var regions: UInt64 = 0
    /// How many conditions its monitors have.
    public var conditions: UInt64 = 0
    /// Whether it wants visits.
    public var wantsVisits = false
    /// How many stored events wait for its acknowledgement.
    public var pendingEvents: UInt64 = 0
    /// How many stored events of it were given up.
    public var eventsDropped: UInt64 = 0

    /// An app of which nothing else is known.
    public init(app: String, identity: String, uid: UInt32, authorizationStatus: AuthorizationStatus) {
        self.app = app
        self.identity = identity
        self.uid = uid
        self.authorizationStatus = authorizationStatus
    }
}

extension AppStatus: Codable {
    enum CodingKeys: String, CodingKey, CaseIterable {
        case app, identity, uid, user, labels, authorizationStatus, decision, accuracyAuthorization
        case isProvisional = "provisional"
        case decidedBy, decidedAt, rule, formerUser
        case isOnce = "once"
        case lastUse
        case isInUse = "inUse"
        case isUsingLocation = "usingLocation"
        case connections, regions, conditions
        case wantsVisits = "visits"
        case pendingEvents, eventsDropped
    }

    /// Writes all members that are known; `accuracyAuthorization` is null while nothing is determined.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(app, forKey: .app)
        try container.encode(identity, forKey: .identity)
        try container.encode(uid, forKey: .uid)
        try container.encodeIfPresent(user, forKey: .user)
        try container.encode(labels, forKey: .labels)
        try container.encode(authorizationStatus, forKey: .authorizationStatus)
        try container.encodeIfPresent(decision, forKey: .decision)
        try container.encode(accuracyAuthorization, forKey: .accuracyAuthorization)
        try container.encode(isProvisional, forKey: .isProvisional)
        try container.encodeIfPresent(decidedBy, forKey: .decidedBy)
        try container.encodeIfPresent(decidedAt, forKey: .decidedAt)
        try container.encodeIfPresent(rule, forKey: .rule)
        try container.encodeIfPresent(formerUser, forKey: .formerUser)
        try container.encodeIfPresent(isOnce, forKey: .isOnce)
        try container.encodeIfPresent(lastUse, forKey: .lastUse)
        try container.encode(isInUse, forKey: .isInUse)
        try container.encode(isUsingLocation, forKey: .isUsingLocation)
        try container.encode(connections, forKey: .connections)
        try container.encode(regions, forKey: .regions)
        try container.encode(conditions, forKey: .conditions)
        try container.encode(wantsVisits, forKey: .wantsVisits)
        try container.encode(pendingEvents, forKey: .pendingEvents)
        try container.encode(eventsDropped, forKey: .eventsDropped)
    }
}

extension AppStatus {
    static let schema = JSONSchema.object([
        Described(
            "app", .string(), required: true, "the name that authorize, resetAuthorization, forgetApp and events take"),
        Described("identity", .string(), required: true, "who the daemon found it to be"),
        Described("uid", .count, required: true, "its user"),
        Described("user", .string(), "the user's name; absent: the system knows none"),
        Described("labels", .array(of: .string()), required: true, "what its processes have called themselves"),
        Described("authorizationStatus", .words(AuthorizationStatus.words), required: true, "what it may do"),
        Described(
            "decision", .words(AuthorizationStatus.words),
            "what was decided about it or a rule says, also while location services are off"),
        Described(
            "accuracyAuthorization", .nullable(.words(AccuracyAuthorization.words)), required: true,
            "how precisely it may know; null: not determined"),
        Described("provisional", .boolean, required: true, "allowed until somebody decides"),
        Described("decidedBy", .string(), "who decided; absent: nobody"),
        Described("decidedAt", .time, "when; absent: never"),
        Described(
            "formerUser", .string(), "whose number it was when it was decided about; that decision no longer holds"),
        Described("rule", .string(), "what says what it may do while nobody has decided about it, for a person"),
        Described("once", .boolean, "whether it is allowed only as long as it is in use now; absent: no"),
        Described("lastUse", .time, "when it was last given a location; absent: not noted"),
        Described("inUse", .boolean, required: true, "connected, or in a background activity session"),
        Described("usingLocation", .boolean, required: true, "a service of its runs right now"),
        Described("connections", .count, required: true, "how many it has"),
        Described("regions", .count, required: true, "how many it has"),
        Described("conditions", .count, required: true, "how many its monitors have"),
        Described("visits", .boolean, required: true, "whether it wants them"),
        Described("pendingEvents", .count, required: true, "stored events that it has not acknowledged"),
        Described("eventsDropped", .count, required: true, "stored events that were given up"),
    ])
}
