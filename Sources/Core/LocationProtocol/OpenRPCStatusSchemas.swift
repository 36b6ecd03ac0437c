// SPDX-License-Identifier: Apache-2.0

import LocationModel

private typealias Member = JSONSchema.Member

extension OpenRPC {
    static let status = JSONSchema.object([
        Member("daemon", daemon, required: true, "the daemon itself"),
        Member("locationServicesEnabled", .boolean, required: true, "whether location services are on at all"),
        Member("gpsd", gpsd, required: true, "the connection to gpsd"),
        Member("receivers", .array(of: receiver), "the receivers that gpsd knows"),
        Member("power", power, "whether receivers have to be on, and for whom"),
        Member("fixes", fixes, "what became of the fixes"),
        Member("connections", connections, required: true, "how many there are"),
        Member("managers", .array(of: .named("manager")), "the managers of this scope"),
        Member("device", device, "whether the device moves or rests"),
        Member("apps", .array(of: .named("app")), "the apps of this scope"),
    ])

    private static let connections = JSONSchema.object([
        Member("total", .count, required: true, "open now"),
        Member("limit", .count, "the most that may be"),
        Member("refused", .count, "how many were refused since the start"),
        Member(
            "users",
            .array(
                of: .object([
                    Member("uid", .count, required: true, "which user"),
                    Member("connections", .count, required: true, "how many it has"),
                    Member(
                        "waitingForTurn", .count, required: true,
                        "of those, with requests that wait until others had their turn"),
                    Member("notReading", .count, required: true, "of those, with output that is not read"),
                ])), "whose they are; subordinate users count as the user that they belong to"),
        Member(
            "clients",
            .array(
                of: .object([
                    Member("connection", .ordinal, required: true, "its number, which no other connection ever has"),
                    Member("pid", .count, "the client's process"),
                    Member("uid", .count, required: true, "the client's user"),
                    Member("identity", .string(), "who the daemon found it to be; absent: that did not matter yet"),
                    Member("age", .amount, required: true, "seconds since it came"),
                    Member("waitingForTurn", .amount, "seconds that requests have waited for their turn"),
                    Member("notReading", .amount, "seconds that what waits for it was not read"),
                ])), "each of them"),
    ])

    private static let device = JSONSchema.object([
        Member("stationary", .boolean, required: true, "whether it rests"),
        Member("since", .time, "since when"),
        Member("lastCheckAge", .amount, "seconds since a fix last confirmed it"),
    ])

    static let manager = JSONSchema.object([
        Member("connection", .count, required: true, "its number"),
        Member("pid", .count, "the client's process"),
        Member("uid", .count, required: true, "the client's user"),
        Member("user", .string(), "the user's name; absent: the system knows none"),
        Member("identity", .string(), required: true, "who the daemon found it to be"),
        Member("app", .string(), "what it calls itself"),
        Member("presence", .words(Presence.words), required: true, "whether a person has it before them"),
        Member("properties", .named("properties"), required: true, "its properties"),
        Member("authorizationStatus", .words(AuthorizationStatus.words), required: true, "what its app may do"),
        Member("accuracyAuthorization", .words(AccuracyAuthorization.words), "absent: not determined"),
        Member("services", .array(of: service), required: true, "its services that were started"),
        Member(
            "deferral",
            .object([
                Member("number", .count, required: true, "its number"),
                Member("held", .count, required: true, "locations that it holds"),
                Member("distanceLeft", .number(), "metres to go; absent: unlimited"),
                Member("timeLeft", .number(), "seconds to go; absent: unlimited"),
            ]), "its deferral"),
        Member(
            "request",
            .object([
                Member("number", .count, required: true, "its number"),
                Member("timeLeft", .number(), required: true, "seconds until it ends"),
            ]), "its one-shot request"),
        Member("delivered", .count, "locations delivered"),
        Member("filtered", .map(of: .count), "locations not delivered, by reason"),
        Member("dropped", .count, "locations lost because it was slow"),
        Member(
            "lag",
            .object([
                Member("locations", .count, required: true, "locations behind the newest"),
                Member("bytes", .count, required: true, "bytes that wait for the socket"),
            ]), "what it has not taken yet"),
        Member("waitingToRejoin", .boolean, required: true, "its connection is gone and it may come back"),
        Member("paused", .boolean, "whether its standard updates pause while the device rests"),
        Member(
            "sessions",
            .array(
                of: .object([
                    Member(
                        "kind", .words(ManagerStatus.Session.Kind.allCases.map(\.rawValue)), required: true,
                        "which kind"),
                    Member("number", .count, required: true, "its number"),
                    Member("requirement", .words(ServiceSessionRequirement.words), "what a service session asks for"),
                    Member("fullAccuracyPurposeKey", .string(), "what it wants full accuracy for"),
                ])), "the sessions that it holds"),
        Member(
            "liveUpdates",
            .array(
                of: .object([
                    Member("updates", .count, required: true, "its number"),
                    Member("configuration", .words(LiveConfiguration.words), required: true, "what it is used for"),
                    Member("stationary", .boolean, required: true, "silent because the device rests"),
                ])), "its streams of live updates"),
    ])

    private static let service = JSONSchema.object([
        Member("service", .words(ServiceName.allCases.map(\.rawValue)), required: true, "which"),
        Member("state", .words(ServiceState.allCases.map(\.rawValue)), required: true, "how it stands"),
        Member("reason", .string(), "why, where that is not plain"),
    ])

    private static let daemon = JSONSchema.object([
        Member("version", .string(), required: true, "the daemon's version"),
        Member("uptime", .amount, required: true, "seconds since it started"),
        Member("pid", .count, required: true, "its process"),
        Member(
            "memory",
            .object([
                Member("resident", .count, required: true, "bytes in memory"),
                Member("anonymous", .count, required: true, "of that, what is not a file's"),
            ]), "what it takes"),
        Member(
            "stateProblems", .array(of: .string()),
            "what is wrong with its directories, and for administrators with manifests and names in the configuration"),
        Member("stateRepairs", .array(of: .string()), "what of its state was damaged and what was saved"),
    ])

    private static let gpsd = JSONSchema.object([
        Member("connected", .boolean, required: true, "whether it answers"),
        Member("address", .string(), "where"),
        Member("state", .string(), "what the connection is doing"),
        Member("since", .amount, "seconds that it has been so"),
        Member("lastError", .string(), "why the last connection ended"),
        Member(
            "openToAll", .boolean,
            "whether every program here can have the location from gpsd itself, unless a firewall prevents it"),
    ])

    private static let receiver = JSONSchema.object([
        Member("path", .string(), required: true, "gpsd's name of the device"),
        Member("driver", .string(), "gpsd's driver"),
        Member("mode", .count, required: true, "0 unknown, 1 no fix, 2 without and 3 with altitude"),
        Member("satellitesUsed", .count, "satellites in the solution"),
        Member("satellitesSeen", .count, "satellites heard"),
        Member("fixAge", .amount, "seconds since its last fix"),
        Member("rate", .amount, "fixes per second"),
        Member("preferred", .boolean, required: true, "whether its fixes are the ones taken"),
        Member("lost", .boolean, required: true, "whether gpsd has lost it"),
    ])

    private static let power = JSONSchema.object([
        Member("policy", .words(PowerStatus.Policy.allCases.map(\.rawValue)), required: true, "in force now"),
        Member("reason", .string(), required: true, "why, for a person"),
        Member("on", .boolean, required: true, "whether receivers are on now"),
        Member("nextOn", .amount, "seconds until they go on next"),
        Member(
            "for",
            .array(
                of: .object([
                    Member("connection", .count, "its number; absent: an app that nobody is connected for"),
                    Member("app", .string(), "the app, where it is not a connection that needs them"),
                    Member(
                        "service", .words(ServiceName.allCases.map(\.rawValue)), required: true, "its service"),
                    Member(
                        "desiredAccuracy",
                        .anyOf([.words(DesiredAccuracy.named.compactMap(\.word)), .number(exclusiveMinimum: 0)]),
                        "a word or metres; absent: the service is asked for without one"),
                ])), "who needs them"),
    ])

    private static let fixes = JSONSchema.object([
        Member("accepted", .count, required: true, "fixes accepted since the start"),
        Member("rejected", .map(of: .count), required: true, "fixes not accepted, by reason"),
        Member("newestSequence", .count, "the newest sequence number"),
        Member("lastFixAge", .amount, "seconds since the newest was accepted"),
    ])
}
