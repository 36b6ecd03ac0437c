// SPDX-License-Identifier: Apache-2.0

package import LocationModel

// Requests about the client itself and its manager's properties.
extension Method {
    static let session = [hello, setPresence, setProperties, getProperties]

    package static let hello = Method(
        "hello", "Says who the client is; the first request or none.",
        required("protocol", .version, "the version of the protocol: 1"),
        optional("app", .label, "the app's name; without a manifest it is only a label"),
        optional(
            "usageDescriptions", .usageDescriptions, else: UsageDescriptions(), "what the app wants locations for"),
        optional("presence", .word, "whether a person has the app before them"),
        optional("manager", .token, "the token of an earlier hello, to take that manager back"),
        optional("events", .flag, else: false, "whether stored events may come on this connection"),
        result: .named("hello"), errors: [.notPermitted, .identityMismatch, .limitExceeded],
        coreLocation: "CLLocationManager.init()",
        call: { _, app, usage, presence, manager, events in
            .hello(
                HelloParameters(
                    app: app, usageDescriptions: usage, presence: presence, manager: manager, events: events))
        },
        values: { call in
            guard case .hello(let hello) = call else { return nil }
            return (
                locationProtocolVersion, hello.app, hello.usageDescriptions, hello.presence, hello.manager,
                hello.events
            )
        })

    package static let setPresence = Method(
        "setPresence", "Says whether a person has the app before them; affects deferral only.",
        required("presence", .word, "background or foreground"), request: Request.setPresence,
        values: { if case .setPresence(let presence) = $0 { presence } else { nil } })

    package static let setProperties = Method(
        "setProperties", "Changes properties, all or nothing; in force for fixes after the reply.",
        optional("distanceFilter", .filter(unit: "metres"), "metres from the last delivered location"),
        optional("desiredAccuracy", .accuracy, "a word or metres"),
        optional("activityType", .activity, "what the device is used for"),
        optional("pausesLocationUpdatesAutomatically", .flag, "whether updates may pause at rest"),
        optional("allowsBackgroundLocationUpdates", .flag, "whether updates go on out of use"),
        optional("headingFilter", .filter(unit: "degrees"), "degrees of turn between headings"),
        result: .named("properties"), coreLocation: "CLLocationManager's properties",
        request: { distanceFilter, accuracy, activity, pauses, isBackground, headingFilter in
            .setProperties(
                PropertiesPatch(
                    distanceFilter: distanceFilter, desiredAccuracy: accuracy, activityType: activity,
                    pausesLocationUpdatesAutomatically: pauses, allowsBackgroundLocationUpdates: isBackground,
                    headingFilter: headingFilter))
        },
        values: { request in
            guard case .setProperties(let patch) = request else { return nil }
            return (
                patch.distanceFilter, patch.desiredAccuracy, patch.activityType,
                patch.pausesLocationUpdatesAutomatically, patch.allowsBackgroundLocationUpdates, patch.headingFilter
            )
        })

    package static let getProperties = Method(
        "getProperties", "Tells all properties.", .getProperties, result: .named("properties"),
        coreLocation: "CLLocationManager's properties")
}

/// The client's declaration of itself: the members of `hello`.
package struct HelloParameters: Sendable, Hashable {
    /// The claimed name, 1 to 128 bytes; nil: none claimed.
    package var app: String?
    /// The app's words for why it wants locations, where no manifest has them.
    package var usageDescriptions: UsageDescriptions
    /// nil: not said; a new manager is then in the background, a rejoined one as it was.
    package var presence: Presence?
    /// The manager to take back.
    package var manager: ManagerToken?
    /// Whether stored events may come on this connection.
    package var events: Bool

    /// A hello in version 1.
    package init(
        app: String? = nil, usageDescriptions: UsageDescriptions = UsageDescriptions(), presence: Presence? = nil,
        manager: ManagerToken? = nil, events: Bool = false
    ) {
        self.app = app
        self.usageDescriptions = usageDescriptions
        self.presence = presence
        self.manager = manager
        self.events = events
    }
}

/// The texts that a person reads before deciding about an app; at most 256 bytes each, no control or bidirectional characters.
package struct UsageDescriptions: Sendable, Hashable {
    /// For use while the app is in use.
    package var whenInUse: String?
    /// For use at any time.
    package var always: String?
    /// For full accuracy for a while, by purpose key.
    package var temporaryFullAccuracy: [String: String]

    /// The given texts.
    package init(whenInUse: String? = nil, always: String? = nil, temporaryFullAccuracy: [String: String] = [:]) {
        self.whenInUse = whenInUse
        self.always = always
        self.temporaryFullAccuracy = temporaryFullAccuracy
    }
}

extension Rule<Int> {
    fileprivate static let version = Rule(
        .number(minimum: Double(locationProtocolVersion), maximum: Double(locationProtocolVersion)),
        allowed: "\(locationProtocolVersion), the version that is spoken here",
        value: { given in given.integer(Int.self).flatMap { $0 == locationProtocolVersion ? $0 : nil } },
        write: { $1.integer($0) })
}

extension Rule<ManagerToken> {
    fileprivate static let token: Rule = {
        let allowed = "the token of an earlier hello, 32 lowercase hexadecimal digits"
        return Rule(
            .string(pattern: "^[0-9a-f]{32}$"), allowed: allowed,
            read: { given throws(RPCError) in
                guard let text = try given.string(allowed: allowed), let token = ManagerToken(text: text) else {
                    throw given.refusal(allowed: allowed)
                }
                return token
            }, write: { $1.string($0.text) })
    }()
}

extension Rule<UsageDescriptions> {
    fileprivate static let usageDescriptions = Rule.object(
        optional("whenInUse", .usageText, "for use while the app is in use"),
        optional("always", .usageText, "for use at any time"),
        optional("temporaryFullAccuracy", .purposes, else: [:], "for full accuracy for a while, by purpose key"),
        make: { UsageDescriptions(whenInUse: $0, always: $1, temporaryFullAccuracy: $2) },
        values: { ($0.whenInUse, $0.always, $0.temporaryFullAccuracy) })
}

extension Rule<[String: String]> {
    // By purpose key.
    fileprivate static let purposes = Rule(
        .map(of: .usageText), allowed: "an object",
        read: { given throws(RPCError) in
            var texts: [String: String] = [:]
            for (key, value) in try given.object().members() {
                guard isName(key) else {
                    throw RPCError(
                        .invalidParams,
                        "cannot take usageDescriptions.temporaryFullAccuracy: given the key \(quoted(key)), "
                            + "allowed are keys of 1 to 128 bytes without control characters")
                }
                guard let text = value.anyString, isUsageText(text) else {
                    throw value.refusal(allowed: Rule<String>.usageText.allowed)
                }
                texts[key] = text
            }
            return texts
        },
        write: { texts, writer in
            writer.beginObject()
            for (key, text) in texts.sorted(by: { $0.key < $1.key }) {
                writer.name(key)
                writer.string(text)
            }
            writer.endObject()
        })
}

extension Rule<Double> {
    /// Core Location's filters: a number of `unit`, or any negative number for none.
    fileprivate static func filter(unit: String) -> Rule {
        Rule(
            .anyOf([.words(["none"]), .number()]), allowed: "\"none\" or a number of \(unit) (negative: none)",
            value: { given in given.anyString == "none" ? -1 : given.number.map { $0 < 0 ? -1 : $0 } },
            write: { value, writer in if value < 0 { writer.string("none") } else { writer.number(value) } })
    }
}

extension Rule<DesiredAccuracy> {
    fileprivate static let accuracy: Rule = {
        let words = DesiredAccuracy.named.compactMap(\.word)
        return Rule(
            .anyOf([.words(words), .number(exclusiveMinimum: 0), .numbers([-2, -1])]),
            allowed: "one of \(words.joined(separator: ", ")), or a number of metres over 0 "
                + "(-1: best, -2: bestForNavigation)",
            value: { given in
                given.anyString.flatMap { DesiredAccuracy(word: $0) }
                    ?? given.number.flatMap { DesiredAccuracy(number: $0) }
            },
            write: { value, writer in
                if let word = value.word { writer.string(word) } else { writer.number(value.number) }
            })
    }()
}

extension Rule<ActivityType> {
    fileprivate static let activity = Rule(
        .anyOf([.words(ActivityType.words), .numbers([1, 2, 3, 4, 5])]),
        allowed: "one of \(ActivityType.words.joined(separator: ", ")), or their numbers 1 to 5",
        value: { given in
            given.anyString.flatMap { ActivityType(word: $0) }
                ?? given.number.flatMap { Int(exactly: $0) }.flatMap { ActivityType(rawValue: $0) }
        }, write: { $1.string($0.word) })
}

/// The version of the daemon and of its tools, which are built together.
public let locationdVersion = "0.1.0"

/// The version of the protocol that this code speaks.
public let locationProtocolVersion = 1
