// SPDX-License-Identifier: Apache-2.0

import LocationModel

private typealias Member = JSONSchema.Member

extension OpenRPC {
    static let agents = [
        MethodRow(
            method: .registerAgent,
            summary: "Makes this connection one that asks people: authorizationRequested, pending ones too.",
            result: .nothing, errors: [.notPermitted]),
        MethodRow(
            method: .answerRequest, summary: "Says what a person decided; the first answer counts. Agents and admins.",
            params: [
                Member("request", .ordinal, required: true, "its number"),
                Member("answer", .words(AuthorizationAnswer.words), required: true, "the decision"),
            ],
            result: .named("decision"), errors: [.notPermitted, .notFound]),
    ]

    static let administration = [
        MethodRow(
            method: .apps, summary: "Tells all apps and what they may do; admins only, as all that follow.",
            result: .array(of: .named("app")), errors: [.notPermitted]),
        MethodRow(
            method: .authorize, summary: "Decides about an app: status, accuracy or both.",
            params: [
                Member("app", .appName, required: true, "as apps names it"),
                Member("authorizationStatus", .words(AuthorizationStatus.words), "what it may do"),
                Member("accuracyAuthorization", .words(AccuracyAuthorization.words), "how precisely it may know"),
                Member("once", .boolean, "until it is no longer in use; only with authorizedWhenInUse"),
            ],
            result: .named("decision"), errors: [.notPermitted, .notFound]),
        MethodRow(
            method: .resetAuthorization, summary: "Forgets what was decided about an app.",
            params: [Member("app", .appName, required: true, "as apps names it")], result: .named("decision"),
            errors: [.notPermitted, .notFound]),
        MethodRow(
            method: .forgetApp,
            summary: "Removes everything of an app: what was decided, regions, monitors, events, labels.",
            params: [Member("app", .appName, required: true, "as apps names it")], result: .named("forgotten"),
            errors: [.notPermitted, .notFound]),
        MethodRow(
            method: .setLocationServicesEnabled, summary: "Switches location services on or off for everyone.",
            params: [Member("enabled", .boolean, required: true, "on or off")], result: .named("decision"),
            errors: [.notPermitted], coreLocation: "CLLocationManager.locationServicesEnabled()"),
        MethodRow(
            method: .pendingRequests, summary: "Tells what people have to decide, oldest first.",
            result: .array(of: .named("authorizationRequest")), errors: [.notPermitted]),
        MethodRow(
            method: .events, summary: "Tells an app's stored events, oldest first; they stay stored.",
            params: [Member("app", .appName, required: true, "as apps names it")],
            result: .array(of: .named("storedEvent")), errors: [.notPermitted, .notFound]),
        MethodRow(
            method: .closeConnection,
            summary: "Closes a connection. Its client may connect again, and take its manager back.",
            params: [Member("connection", .ordinal, required: true, "its number, as status of scope all tells it")],
            result: .nothing, errors: [.notPermitted, .notFound]),
        MethodRow(
            method: .reload, summary: "Makes the daemon read its configuration again.", result: .nothing,
            errors: [.notPermitted]),
    ]
}
