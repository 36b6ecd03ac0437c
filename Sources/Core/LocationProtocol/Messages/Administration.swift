// SPDX-License-Identifier: Apache-2.0

package import LocationModel

// What agents answer and administrators decide, and what people who look ask for.
extension Method {
    static let operation = [status, discover]
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
        result: .named("decision"), errors: [.notPermitted, .notFound], sender: .agent, call: Call.answerRequest,
        values: { if case .answerRequest(let request, let answer) = $0 { (request, answer) } else { nil } })

    package static let apps = Method(
        "apps", "Tells all apps and what they may do; admins only, as all that follow.", .apps,
        result: .array(of: .named("app")), errors: [.notPermitted], sender: .administrator)

    package static let authorize = Method(
        "authorize", "Decides about an app: status, accuracy or both.",
        appMember, optional("authorizationStatus", .word, "what it may do"),
        optional("accuracyAuthorization", .word, "how precisely it may know"),
        optional("once", .flag, else: false, "until it is no longer in use; only with authorizedWhenInUse"),
        result: .named("decision"), errors: [.notPermitted, .notFound], sender: .administrator,
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
        errors: [.notPermitted, .notFound], sender: .administrator, call: Call.resetAuthorization,
        values: { if case .resetAuthorization(let app) = $0 { app } else { nil } })

    package static let forgetApp = Method(
        "forgetApp", "Removes everything of an app: what was decided, regions, monitors, events, labels.",
        appMember, result: .named("forgotten"), errors: [.notPermitted, .notFound], sender: .administrator,
        call: Call.forgetApp, values: { if case .forgetApp(let app) = $0 { app } else { nil } })

    package static let setLocationServicesEnabled = Method(
        "setLocationServicesEnabled", "Switches location services on or off for everyone.",
        required("enabled", .flag, "on or off"), result: .named("decision"), errors: [.notPermitted],
        coreLocation: "CLLocationManager.locationServicesEnabled()", sender: .administrator,
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

extension StatusScope: WireWord {
    package var word: String { rawValue }
}

/// What an admin decides about an app; at least one of the two is given.
package struct AuthorizeParameters: Sendable, Hashable {
    /// As `apps` names it, 1 to 256 bytes.
    package var app: String
    /// What it may do from now on; nil: as before.
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
