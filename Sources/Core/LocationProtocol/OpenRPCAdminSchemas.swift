// SPDX-License-Identifier: Apache-2.0

import LocationModel

extension OpenRPC {
    static let app = JSONSchema.object([
        Described(
            "app", .string(), required: true, "the name that authorize, resetAuthorization, forgetApp and events take"),
        Described("identity", .string(), required: true, "who the daemon found it to be"),
        Described("uid", .count, required: true, "its user"),
        Described("user", .string(), "the user's name; absent: the system knows none"),
        Described("labels", .array(of: .string()), required: true, "what its processes have called themselves"),
        Described("authorizationStatus", .words(AuthorizationStatus.words), required: true, "what it may do"),
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

    static let decision = JSONSchema.object([
        Described(
            "stored", .boolean, required: true,
            "whether it is on the disk; what is not is in force all the same, and written as soon as that is possible"),
        Described("problem", .string(), "why it is not stored; absent: it is"),
    ])

    static let forgotten = JSONSchema.object([
        Described("app", .string(), required: true, "the app, as apps named it"),
        Described("decision", .boolean, required: true, "whether somebody had decided about it"),
        Described("labels", .array(of: .string()), required: true, "what its processes had called themselves"),
        Described("regions", .count, required: true, "how many it had"),
        Described("conditions", .count, required: true, "how many its monitors had"),
        Described("monitors", .count, required: true, "how many it had"),
        Described("events", .count, required: true, "stored events that waited for it"),
        Described("visits", .boolean, required: true, "whether it had asked for them"),
    ])

    static let storedEvent = JSONSchema.object([
        Described("event", .ordinal, required: true, "its number"),
        Described("date", .time, required: true, "when it was decided"),
        Described("label", .string(), "what the app's process called itself"),
        Described(
            "method",
            .words(["didEnterRegion", "didExitRegion", "didVisit", "monitorEvent", "didUpdateLocations"]),
            required: true, "the notification that the app will get"),
        Described(
            "params", .map(of: .named("any")), required: true,
            "its params without seq; a monitor's event has the monitor's name in place of its number"),
    ])
}
