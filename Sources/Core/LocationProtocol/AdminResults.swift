// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// An app as `apps` and `status` tell of it.
public struct AppStatus: Sendable, Hashable {
    /// The name that `authorize`, `resetAuthorization`, `forgetApp` and `events` take.
    public var app: String
    /// Who the daemon found it to be.
    public var identity: String
    /// Its user.
    public var uid: UInt32
    /// The user's name; nil: the system knows none.
    public var user: String?
    /// What its processes have called themselves.
    public var labels: [String] = []
    /// What it may do.
    public var authorizationStatus: AuthorizationStatus
    /// What was decided about it or holds for it by a rule, also while location services are off; nil: the daemon does not say.
    public var decision: AuthorizationStatus?
    /// How precisely it may know; nil: not determined.
    public var accuracyAuthorization: AccuracyAuthorization?
    /// Allowed until somebody decides.
    public var isProvisional = false
    /// Who decided: a person, a rule of the configuration; nil: nobody has.
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

/// The result of a decision: of `authorize`, `resetAuthorization`, `setLocationServicesEnabled` and `answerRequest`.
public struct DecisionResult: Sendable, Hashable {
    /// Whether it is on the disk. What is not is in force all the same, and written as soon as that is possible.
    public var isStored: Bool
    /// Why it is not; nil: it is.
    public var problem: String?
    /// The app that it is about, as `apps` names it; nil: it is about the device, or the daemon does not say.
    public var app: String?

    /// A decision that is on the disk, or is not because of `problem`.
    public init(problem: String? = nil) {
        isStored = problem == nil
        self.problem = problem
    }
}

extension DecisionResult: Codable {
    private enum CodingKeys: String, CodingKey {
        case isStored = "stored"
        case problem, app
    }

    /// Reads the result; a daemon that does not say more has stored it.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        isStored = try container.decodeIfPresent(Bool.self, forKey: .isStored) ?? true
        problem = try container.decodeIfPresent(String.self, forKey: .problem)
        app = try container.decodeIfPresent(String.self, forKey: .app)
    }
}

/// A stored event that waits for its app's acknowledgement: an element of the result of `events`.
public struct StoredEvent: Sendable, Hashable {
    /// Its number, one per app and never used again.
    public var event: UInt64
    /// When it was decided.
    public var date: WallTime
    /// What the app's process called itself; nil: nothing.
    public var label: String?
    /// The notification that the app will get; a monitor's event has the monitor's name and no number.
    public var notification: Notification

    /// The event number `event`.
    public init(event: UInt64, date: WallTime, label: String? = nil, notification: Notification) {
        self.event = event
        self.date = date
        self.label = label
        self.notification = notification
    }
}

extension StoredEvent: Decodable {
    private enum Member: String, CodingKey { case event, date, label, method, params }

    /// Reads an element of the result of `events`.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Member.self)
        let params = try container.nestedContainer(keyedBy: NotificationMember.self, forKey: .params)
        self.init(
            event: try container.decode(UInt64.self, forKey: .event),
            date: try container.decode(WallTime.self, forKey: .date),
            label: try container.decodeIfPresent(String.self, forKey: .label),
            notification: try Notification(try container.decode(String.self, forKey: .method), params))
    }
}

/// The result of `events` as the daemon writes it: an app's stored events, oldest first.
package struct StoredEvents: Sendable, WrittenResult {
    private let events: [(event: AppEvent, label: String?)]

    /// The result `events`, each with what the app's process called itself.
    package init(_ events: [(event: AppEvent, label: String?)]) { self.events = events }

    package func append(to writer: inout JSONWriter) {
        writer.beginArray()
        for (event, label) in events {
            writer.beginObject()
            writer.member("event", event.number)
            writer.name("date")
            writer.time(event.date)
            if let label { writer.member("label", label) }
            writer.name("method")
            writer.raw("\"")
            event.content.method.withUTF8Buffer { writer.bytes.append(contentsOf: $0) }
            writer.fragment("\"")
            writer.name("params")
            writer.beginObject()
            event.content.appendParams(event: event.number, monitor: nil, to: &writer)
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
    }
}
