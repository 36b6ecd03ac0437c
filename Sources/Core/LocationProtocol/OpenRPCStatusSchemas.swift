// SPDX-License-Identifier: Apache-2.0

import LocationModel

extension OpenRPC {
    static let status = JSONSchema.object([
        Described("daemon", daemon, required: true, "the daemon itself"),
        Described("locationServicesEnabled", .boolean, required: true, "whether location services are on at all"),
        Described("gpsd", gpsd, required: true, "the connection to gpsd"),
        Described("receivers", .array(of: receiver), "the receivers that gpsd knows"),
        Described("power", power, "whether receivers have to be on, and for whom"),
        Described("fixes", fixes, "what became of the fixes"),
        Described("connections", connections, required: true, "how many there are"),
        Described("managers", .array(of: .named("manager")), "the managers of this scope"),
        Described("device", device, "whether the device moves or rests"),
        Described("apps", .array(of: .named("app")), "the apps of this scope"),
    ])

    private static let connections = JSONSchema.object([
        Described("total", .count, required: true, "open now"),
        Described("limit", .count, "the most that may be"),
        Described("refused", .count, "how many were refused since the start"),
        Described(
            "users",
            .array(
                of: .object([
                    Described("uid", .count, required: true, "which user"),
                    Described("connections", .count, required: true, "how many it has"),
                    Described(
                        "waitingForTurn", .count, required: true,
                        "of those, with requests that wait until others had their turn"),
                    Described("notReading", .count, required: true, "of those, with output that is not read"),
                ])), "whose they are; subordinate users count as the user that they belong to"),
        Described(
            "clients",
            .array(
                of: .object([
                    Described("connection", .ordinal, required: true, "its number, which no other connection ever has"),
                    Described("pid", .count, "the client's process"),
                    Described("uid", .count, required: true, "the client's user"),
                    Described("identity", .string(), "who the daemon found it to be; absent: that did not matter yet"),
                    Described("age", .amount, required: true, "seconds since it came"),
                    Described("waitingForTurn", .amount, "seconds that requests have waited for their turn"),
                    Described("notReading", .amount, "seconds that what waits for it was not read"),
                ])), "each of them"),
    ])

    private static let device = JSONSchema.object([
        Described("stationary", .boolean, required: true, "whether it rests"),
        Described("since", .time, "since when"),
        Described("lastCheckAge", .amount, "seconds since a fix last confirmed it"),
    ])

    static let manager = JSONSchema.object([
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
    ])

    private static let daemon = JSONSchema.object([
        Described("version", .string(), required: true, "the daemon's version"),
        Described("uptime", .amount, required: true, "seconds since it started"),
        Described("pid", .count, required: true, "its process"),
        Described(
            "memory",
            .object([
                Described("resident", .count, required: true, "bytes in memory"),
                Described("anonymous", .count, required: true, "of that, what is not a file's"),
            ]), "what it takes"),
        Described("stateProblems", .array(of: .string()), "what is wrong with its directories"),
        Described("stateRepairs", .array(of: .string()), "what of its state was damaged and what was saved"),
    ])

    private static let gpsd = JSONSchema.object([
        Described("connected", .boolean, required: true, "whether it answers"),
        Described("address", .string(), "where"),
        Described("state", .string(), "what the connection is doing"),
        Described("since", .amount, "seconds that it has been so"),
        Described("lastError", .string(), "why the last connection ended"),
        Described(
            "openToAll", .boolean,
            "whether every program here can have the location from gpsd itself, unless a firewall prevents it"),
    ])

    private static let receiver = JSONSchema.object([
        Described("path", .string(), required: true, "gpsd's name of the device"),
        Described("driver", .string(), "gpsd's driver"),
        Described("mode", .count, required: true, "0 unknown, 1 no fix, 2 without and 3 with altitude"),
        Described("satellitesUsed", .count, "satellites in the solution"),
        Described("satellitesSeen", .count, "satellites heard"),
        Described("fixAge", .amount, "seconds since its last fix"),
        Described("rate", .amount, "fixes per second"),
        Described("preferred", .boolean, required: true, "whether its fixes are the ones taken"),
        Described("lost", .boolean, required: true, "whether gpsd has lost it"),
    ])

    private static let power = JSONSchema.object([
        Described("policy", .words(PowerStatus.Policy.allCases.map(\.rawValue)), required: true, "in force now"),
        Described("reason", .string(), required: true, "why, for a person"),
        Described("on", .boolean, required: true, "whether receivers are on now"),
        Described("nextOn", .amount, "seconds until they go on next"),
        Described(
            "for",
            .array(
                of: .object([
                    Described("connection", .count, "its number; absent: an app that nobody is connected for"),
                    Described("app", .string(), "the app, where it is not a connection that needs them"),
                    Described(
                        "service", .words(ServiceName.allCases.map(\.rawValue)), required: true, "its service"),
                    Described(
                        "desiredAccuracy",
                        .anyOf([.words(DesiredAccuracy.named.compactMap(\.word)), .number(exclusiveMinimum: 0)]),
                        "a word or metres; absent: the service is asked for without one"),
                ])), "who needs them"),
    ])

    private static let fixes = JSONSchema.object([
        Described("accepted", .count, required: true, "fixes accepted since the start"),
        Described("rejected", .map(of: .count), required: true, "fixes not accepted, by reason"),
        Described("newestSequence", .count, "the newest sequence number"),
        Described("lastFixAge", .amount, "seconds since the newest was accepted"),
    ])
}
