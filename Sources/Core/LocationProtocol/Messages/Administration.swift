// SPDX-License-Identifier: Apache-2.0

public import LocationModel

// Requests of agents, of administrators, and of those who look.
extension Method {
    static let operation = [status, satellites, discover]
    static let agents = [registerAgent, answerRequest]
    static let administration = [
        apps, authorize, resetAuthorization, forgetApp, setLocationServicesEnabled, pendingRequests, events,
        closeConnection, reload,
    ]

    package static let status = Method(
        "status", "Tells how the daemon, the receivers and the managers stand.",
        optional("scope", .word, else: .connection, "self (unless said) or all"), result: .named("status"),
        sender: .anyone, call: Call.status, values: { if case .status(let scope) = $0 { scope } else { nil } })

    package static let discover = Method(
        "rpc.discover", "Tells this document.", .discover, result: .map(of: .named("any")), sender: .anyone)

    package static let registerAgent = Method(
        "registerAgent", "Makes this connection one that asks people: authorizationRequested, pending ones too.",
        .registerAgent, errors: [.notPermitted], sender: .agent)

    package static let answerRequest = Method(
        "answerRequest", "Says what a person decided; the first answer counts. Agents and admins.",
        required("request", .ordinal, "its number"), required("answer", .word, "the decision"),
        result: .named("decision"), errors: [.notPermitted, .notFound], sender: .agent, effect: .decision,
        call: Call.answerRequest,
        values: { if case .answerRequest(let request, let answer) = $0 { (request, answer) } else { nil } })

    package static let apps = Method(
        "apps", "Tells all apps and what they may do; admins only, as all that follow.", .apps,
        result: .array(of: .named("app")), errors: [.notPermitted], sender: .administrator)

    package static let authorize = Method(
        "authorize", "Decides about an app: status, accuracy or both.",
        appMember, optional("authorizationStatus", .word, "what it may do"),
        optional("accuracyAuthorization", .word, "how precisely it may know"),
        optional("once", .flag, else: false, "until it is no longer in use; only with authorizedWhenInUse"),
        result: .named("decision"), errors: [.notPermitted, .notFound], sender: .administrator, effect: .decision,
        check: { given, _, status, accuracy, isOnce throws(RPCError) in
            if status == nil, accuracy == nil {
                throw given.refusal(
                    "authorizationStatus", allowed: "authorizationStatus, accuracyAuthorization or both",
                    given: "neither")
            }
            if isOnce, status != .authorizedWhenInUse {
                throw given.refusal("once", allowed: "true only with the authorizationStatus authorizedWhenInUse")
            }
        },
        call: {
            .authorize(AuthorizeParameters(app: $0, authorizationStatus: $1, accuracyAuthorization: $2, once: $3))
        },
        values: { call in
            guard case .authorize(let decision) = call else { return nil }
            return (decision.app, decision.authorizationStatus, decision.accuracyAuthorization, decision.once)
        })

    package static let resetAuthorization = Method(
        "resetAuthorization", "Forgets what was decided about an app.", appMember, result: .named("decision"),
        errors: [.notPermitted, .notFound], sender: .administrator, effect: .decision, call: Call.resetAuthorization,
        values: { if case .resetAuthorization(let app) = $0 { app } else { nil } })

    package static let forgetApp = Method(
        "forgetApp", "Removes everything of an app: what was decided, regions, monitors, events, labels.",
        appMember, result: .named("forgotten"), errors: [.notPermitted, .notFound], sender: .administrator,
        effect: .decision, call: Call.forgetApp, values: { if case .forgetApp(let app) = $0 { app } else { nil } })

    package static let setLocationServicesEnabled = Method(
        "setLocationServicesEnabled", "Switches location services on or off for everyone.",
        required("enabled", .flag, "on or off"), result: .named("decision"), errors: [.notPermitted],
        coreLocation: "CLLocationManager.locationServicesEnabled()", sender: .administrator, effect: .decision,
        call: Call.setLocationServicesEnabled,
        values: { if case .setLocationServicesEnabled(let isEnabled) = $0 { isEnabled } else { nil } })

    package static let pendingRequests = Method(
        "pendingRequests", "Tells what people have to decide, oldest first.", .pendingRequests,
        result: .array(of: .named("authorizationRequest")), errors: [.notPermitted], sender: .administrator)

    package static let events = Method(
        "events", "Tells an app's stored events, oldest first; they stay stored.", appMember,
        result: .array(of: .named("storedEvent")), errors: [.notPermitted, .notFound], sender: .administrator,
        call: Call.events, values: { if case .events(let app) = $0 { app } else { nil } })

    package static let closeConnection = Method(
        "closeConnection", "Closes a connection. Its client may connect again, and take its manager back.",
        required("connection", .ordinal, "its number, as status of scope all tells it"),
        errors: [.notPermitted, .notFound], sender: .administrator, call: Call.closeConnection,
        values: { if case .closeConnection(let number) = $0 { number } else { nil } })

    package static let reload = Method(
        "reload", "Makes the daemon read its configuration again.", .reload, errors: [.notPermitted],
        sender: .administrator)
}

private let appMember = required("app", .appName, "as apps names it")

/// How much `status` tells.
public enum StatusScope: String, Sendable, Hashable, CaseIterable, Codable {
    /// This connection and its app.
    case connection = "self"
    /// Everything; to those who are not admins only what concerns the whole device.
    case all
}

extension StatusScope: WireWord {}

/// An admin's decision about an app: its status, its accuracy, or both.
package struct AuthorizeParameters: Sendable, Hashable {
    /// As `apps` names it, 1 to 256 bytes.
    package var app: String
    /// The app's authorization from now on; nil: as before.
    package var authorizationStatus: AuthorizationStatus?
    /// How precisely it may know from now on; nil: as before.
    package var accuracyAuthorization: AccuracyAuthorization?
    /// Only until the app is no longer in use; only with `authorizedWhenInUse`.
    package var once: Bool

    /// This decision about `app`.
    package init(
        app: String, authorizationStatus: AuthorizationStatus? = nil,
        accuracyAuthorization: AccuracyAuthorization? = nil, once: Bool = false
    ) {
        self.app = app
        self.authorizationStatus = authorizationStatus
        self.accuracyAuthorization = accuracyAuthorization
        self.once = once
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

extension DecisionResult {
    static let schema = JSONSchema.object([
        Described(
            "stored", .boolean, required: true,
            "whether it is on the disk; what is not is in force all the same, and written as soon as that is possible"),
        Described("problem", .string(), "why it is not stored; absent: it is"),
        Described("app", .string(), "whom it is about, as apps names it; absent: location services"),
    ])
}

/// The result of `forgetApp`: what was removed.
public struct ForgetResult: Sendable, Hashable, Codable {
    /// The app, as `apps` named it.
    public var app: String
    /// Whether somebody had decided about it.
    public var hadDecision: Bool
    /// Names that its processes had given themselves.
    public var labels: [String] = []
    /// How many regions it had.
    public var regions: UInt64 = 0
    /// How many conditions its monitors had.
    public var conditions: UInt64 = 0
    /// How many monitors it had.
    public var monitors: UInt64 = 0
    /// How many stored events waited for it.
    public var events: UInt64 = 0
    /// Whether it had asked for visits.
    public var wantedVisits = false

    private enum CodingKeys: String, CodingKey {
        case app
        case hadDecision = "decision"
        case labels, regions, conditions, monitors, events
        case wantedVisits = "visits"
    }

    /// Nothing of `app` but perhaps a decision.
    public init(app: String, hadDecision: Bool) {
        self.app = app
        self.hadDecision = hadDecision
    }
}

extension ForgetResult {
    static let schema = JSONSchema.object([
        Described("app", .string(), required: true, "the app, as apps named it"),
        Described("decision", .boolean, required: true, "whether somebody had decided about it"),
        Described("labels", .array(of: .string()), required: true, "what its processes had called themselves"),
        Described("regions", .count, required: true, "how many it had"),
        Described("conditions", .count, required: true, "how many its monitors had"),
        Described("monitors", .count, required: true, "how many it had"),
        Described("events", .count, required: true, "stored events that waited for it"),
        Described("visits", .boolean, required: true, "whether it had asked for them"),
    ])
}

/// A stored event that waits for its app's acknowledgement: an element of the result of `events`.
public struct StoredEvent: Sendable, Hashable {
    /// Its number, one per app and never used again.
    public var event: UInt64
    /// When it was decided.
    public var date: WallTime
    /// The name that the app's process gave itself; nil: none.
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
        let params = try container.nestedContainer(keyedBy: MemberKey.self, forKey: .params)
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
        for (event, label) in events { StoredEvents.append(event, label, to: &writer) }
        writer.endArray()
    }

    /// Appends an event; `record`: its number in the history, nil: it waits for its app.
    static func append(_ event: AppEvent, _ label: String?, record: UInt64? = nil, to writer: inout JSONWriter) {
        writer.beginObject()
        if let record { writer.member("record", record) }
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
        event.content.appendParams(on: event.date, event: event.number, monitor: nil, to: &writer)
        writer.endObject()
        writer.endObject()
    }
}

extension StoredEvent {
    static let schema = JSONSchema.object(members)
    static let members = [
        Described("event", .ordinal, required: true, "its number"),
        Described("date", .time, required: true, "when it was decided"),
        Described("label", .string(), "what the app's process called itself"),
        Described(
            "method",
            .words([
                "didEnterRegion", "didExitRegion", "didVisit", "monitorEvent", "didUpdateLocations", "noticeRaised",
            ]),
            required: true, "the notification that the app will get; noticeRaised its user's agent"),
        Described(
            "params", .map(of: .named("any")), required: true,
            "its params without seq; a monitor's event has the monitor's name in place of its number"),
    ]
}
