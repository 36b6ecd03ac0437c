// SPDX-License-Identifier: Apache-2.0

import LocationModel

extension Call {
    /// Reads the parameters of `method`. Throws -32602 for the first that is not allowed.
    init(_ method: Method, _ params: KeyedDecodingContainer<AnyMember>?) throws(RPCError) {
        switch method {
        case .hello: self = .hello(try HelloParameters(try ParameterReader(params)))
        case .setPresence: self = .setPresence(try Call.presence(try ParameterReader(params)))
        case .setProperties: self = .setProperties(try PropertiesPatch(try ParameterReader(params)))
        case .startUpdatingLocation:
            self = .startUpdatingLocation(resumeAfter: try Call.resumeAfter(try ParameterReader(params)))
        case .requestLocation: self = .requestLocation(timeout: try Call.requestTimeout(try ParameterReader(params)))
        case .allowDeferredLocationUpdates:
            self = .allowDeferredLocationUpdates(try DeferralParameters(try ParameterReader(params)))
        case .status: self = .status(try Call.scope(try ParameterReader(params)))
        default:
            if let call = try Call.service(method, params) {
                self = call
            } else if let call = try Call.administration(method, params) {
                self = call
            } else {
                self = try Call.withoutParameters(method, params)
            }
        }
    }

    /// The longest `requestLocation`, seconds.
    package static let maximumRequestTimeout = 600.0

    private static func presence(_ reader: ParameterReader<PresenceMember>) throws(RPCError) -> Presence {
        guard let presence = try reader.word(.presence, Presence.self) else {
            throw reader.refusal(
                .presence, allowed: "one of " + Presence.words.joined(separator: ", "), given: "nothing")
        }
        return presence
    }

    private static func resumeAfter(_ reader: ParameterReader<StartUpdatingMember>) throws(RPCError) -> UInt64? {
        let allowed = "a sequence number, 0 to 9007199254740991"
        guard let number = try reader.value(.resumeAfter, UInt64.self, allowed: allowed) else { return nil }
        guard number < 1 << 53 else { throw reader.refusal(.resumeAfter, allowed: allowed) }
        return number
    }

    private static func requestTimeout(_ reader: ParameterReader<RequestLocationMember>) throws(RPCError) -> Double? {
        let allowed = "a number of seconds, more than 0 and at most 600"
        guard let seconds = try reader.number(.timeout, allowed: allowed) else { return nil }
        guard seconds > 0, seconds <= maximumRequestTimeout else { throw reader.refusal(.timeout, allowed: allowed) }
        return seconds
    }

    private static func scope(_ reader: ParameterReader<StatusMember>) throws(RPCError) -> StatusScope {
        try reader.word(.scope, StatusScope.self) ?? .connection
    }
}

extension HelloParameters {
    init(_ reader: ParameterReader<Member>) throws(RPCError) {
        let spoken = "\(locationProtocolVersion), the version that is spoken here"
        guard let version = try reader.value(.protocolVersion, Int.self, allowed: spoken) else {
            throw reader.refusal(.protocolVersion, allowed: spoken, given: "nothing")
        }
        guard version == locationProtocolVersion else { throw reader.refusal(.protocolVersion, allowed: spoken) }
        var usageDescriptions = UsageDescriptions()
        if let object = try reader.object(.usageDescriptions) {
            usageDescriptions = try UsageDescriptions(try ParameterReader(object, path: "usageDescriptions."))
        }
        self.init(
            app: try reader.label(.app), usageDescriptions: usageDescriptions,
            presence: try reader.word(.presence, Presence.self), manager: try HelloParameters.token(reader),
            events: try reader.flag(.events) ?? false)
    }

    private static func token(_ reader: ParameterReader<Member>) throws(RPCError) -> ManagerToken? {
        let allowed = "the token of an earlier hello, 32 lowercase hexadecimal digits"
        guard let text = try reader.string(.manager, allowed: allowed) else { return nil }
        guard let token = ManagerToken(text: text) else { throw reader.refusal(.manager, allowed: allowed) }
        return token
    }
}

extension UsageDescriptions {
    init(_ reader: ParameterReader<Member>) throws(RPCError) {
        self.init(whenInUse: try reader.usageText(.whenInUse), always: try reader.usageText(.always))
        guard let texts = try reader.object(.temporaryFullAccuracy) else { return }
        for key in texts.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) {
            let member = "usageDescriptions.temporaryFullAccuracy"
            guard isName(key.stringValue) else {
                throw RPCError(
                    .invalidParams,
                    "cannot take \(member): given the key \(quoted(key.stringValue)), "
                        + "allowed are keys of 1 to 128 bytes without control characters")
            }
            guard let text = try? texts.decode(String.self, forKey: key), isUsageText(text) else {
                let given = (try? texts.decode(GivenValue.self, forKey: key))?.text ?? "something unreadable"
                throw RPCError(
                    .invalidParams,
                    "cannot take \(member).\(key.stringValue): given \(given), allowed is \(usageTextRule)")
            }
            temporaryFullAccuracy[key.stringValue] = text
        }
    }
}

extension DeferralParameters {
    init(_ reader: ParameterReader<Member>) throws(RPCError) {
        self.init(
            untilTraveled: try reader.limit(.untilTraveled, unit: "metres"),
            timeout: try reader.limit(.timeout, unit: "seconds"))
    }
}

extension PropertiesPatch {
    init(_ reader: ParameterReader<PropertiesMember>) throws(RPCError) {
        self.init(
            distanceFilter: try PropertiesPatch.filter(reader, .distanceFilter, unit: "metres"),
            desiredAccuracy: try PropertiesPatch.accuracy(reader),
            activityType: try PropertiesPatch.activity(reader),
            pausesLocationUpdatesAutomatically: try reader.flag(.pausesLocationUpdatesAutomatically),
            allowsBackgroundLocationUpdates: try reader.flag(.allowsBackgroundLocationUpdates),
            headingFilter: try PropertiesPatch.filter(reader, .headingFilter, unit: "degrees"))
    }

    private static func filter(
        _ reader: ParameterReader<PropertiesMember>, _ member: PropertiesMember, unit: String
    ) throws(RPCError) -> Double? {
        let allowed = "\"none\" or a number of \(unit) (negative: none)"
        switch try reader.wordOrNumber(member, allowed: allowed) {
        case nil: return nil
        case .number(let number) where number.isFinite: return number < 0 ? -1 : number
        case .word("none"): return -1
        default: throw reader.refusal(member, allowed: allowed)
        }
    }

    private static func accuracy(_ reader: ParameterReader<PropertiesMember>) throws(RPCError) -> DesiredAccuracy? {
        let words = DesiredAccuracy.named.compactMap(\.word).joined(separator: ", ")
        let allowed = "one of \(words), or a number of metres over 0 (-1: best, -2: bestForNavigation)"
        let value: DesiredAccuracy?
        switch try reader.wordOrNumber(.desiredAccuracy, allowed: allowed) {
        case nil: return nil
        case .number(let number): value = DesiredAccuracy(number: number)
        case .word(let word): value = DesiredAccuracy(word: word)
        }
        guard let value else { throw reader.refusal(.desiredAccuracy, allowed: allowed) }
        return value
    }

    private static func activity(_ reader: ParameterReader<PropertiesMember>) throws(RPCError) -> ActivityType? {
        let allowed = "one of \(ActivityType.words.joined(separator: ", ")), or their numbers 1 to 5"
        let value: ActivityType?
        switch try reader.wordOrNumber(.activityType, allowed: allowed) {
        case nil: return nil
        case .number(let number): value = Int(exactly: number).flatMap(ActivityType.init(rawValue:))
        case .word(let word): value = ActivityType(word: word)
        }
        guard let value else { throw reader.refusal(.activityType, allowed: allowed) }
        return value
    }
}
