// SPDX-License-Identifier: Apache-2.0

import LocationModel

private typealias Member = JSONSchema.Member

extension OpenRPC {
    static let app = JSONSchema.object([
        Member(
            "app", .string(), required: true, "the name that authorize, resetAuthorization, forgetApp and events take"),
        Member("identity", .string(), required: true, "who the daemon found it to be"),
        Member("uid", .count, required: true, "its user"),
        Member("user", .string(), "the user's name; absent: the system knows none"),
        Member("labels", .array(of: .string()), required: true, "what its processes have called themselves"),
        Member("authorizationStatus", .words(AuthorizationStatus.words), required: true, "what it may do"),
        Member(
            "decision", .words(AuthorizationStatus.words),
            "what was decided about it or a rule says, also while location services are off"),
        Member(
            "accuracyAuthorization", .nullable(.words(AccuracyAuthorization.words)), required: true,
            "how precisely it may know; null: not determined"),
        Member("provisional", .boolean, required: true, "allowed until somebody decides"),
        Member("decidedBy", .string(), "who decided; absent: nobody"),
        Member("decidedAt", .time, "when; absent: never"),
        Member("formerUser", .string(), "whose number it was when it was decided about; that decision no longer holds"),
        Member("rule", .string(), "what says what it may do while nobody has decided about it, for a person"),
        Member("once", .boolean, "whether it is allowed only as long as it is in use now; absent: no"),
        Member("lastUse", .time, "when it was last given a location; absent: not noted"),
        Member("inUse", .boolean, required: true, "connected, or in a background activity session"),
        Member("usingLocation", .boolean, required: true, "a service of its runs right now"),
        Member("connections", .count, required: true, "how many it has"),
        Member("regions", .count, required: true, "how many it has"),
        Member("conditions", .count, required: true, "how many its monitors have"),
        Member("visits", .boolean, required: true, "whether it wants them"),
        Member("pendingEvents", .count, required: true, "stored events that it has not acknowledged"),
        Member("eventsDropped", .count, required: true, "stored events that were given up"),
    ])

    static let decision = JSONSchema.object([
        Member(
            "stored", .boolean, required: true,
            "whether it is on the disk; what is not is in force all the same, and written as soon as that is possible"),
        Member("problem", .string(), "why it is not stored; absent: it is"),
        Member("app", .string(), "whom it is about, as apps names it; absent: location services"),
    ])

    static let forgotten = JSONSchema.object([
        Member("app", .string(), required: true, "the app, as apps named it"),
        Member("decision", .boolean, required: true, "whether somebody had decided about it"),
        Member("labels", .array(of: .string()), required: true, "what its processes had called themselves"),
        Member("regions", .count, required: true, "how many it had"),
        Member("conditions", .count, required: true, "how many its monitors had"),
        Member("monitors", .count, required: true, "how many it had"),
        Member("events", .count, required: true, "stored events that waited for it"),
        Member("visits", .boolean, required: true, "whether it had asked for them"),
    ])

    /// The members of a request for a decision.
    static let authorizationRequest = [
        Member("request", .ordinal, required: true, "its number"),
        Member("identity", .string(), required: true, "who the daemon found the app to be"),
        Member("label", .string(), "what the app calls itself; only its word"),
        Member("uid", .count, required: true, "the app's user"),
        Member("user", .string(), "the user's name; absent: the system knows none"),
        Member("level", .words(AuthorizationLevel.words), required: true, "what it asks for"),
        Member("purposeKey", .string(), "the app's key of the purpose; only for temporary full accuracy"),
        Member("usageDescription", .string(), required: true, "what for, in the app's words"),
        Member("since", .time, required: true, "since when it waits"),
    ]

    static let storedEvent = JSONSchema.object([
        Member("event", .ordinal, required: true, "its number"),
        Member("date", .time, required: true, "when it was decided"),
        Member("label", .string(), "what the app's process called itself"),
        Member(
            "method",
            .words(["didEnterRegion", "didExitRegion", "didVisit", "monitorEvent", "didUpdateLocations"]),
            required: true, "the notification that the app will get"),
        Member(
            "params", .map(of: .named("any")), required: true,
            "its params without seq; a monitor's event has the monitor's name in place of its number"),
    ])
}
