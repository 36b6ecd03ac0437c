// SPDX-License-Identifier: Apache-2.0

import LocationModel
import LocationProtocol
import Testing

private func decoded(_ method: String, _ params: String) -> Result<RequestEnvelope, Refusal> {
    RequestDecoder().decode(line("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\(method)\",\"params\":\(params)}"))
}

/// Parameters that are refused: method, params, the member that is named, what else is said.
private let refused: [(method: String, params: String, member: String, says: String)] = [
    ("hello", "{}", "protocol", "given nothing, allowed is 1"),
    ("hello", #"{"protocol":2}"#, "protocol", "given 2, allowed is 1"),
    ("hello", #"{"protocol":"1"}"#, "protocol", "given \"1\""),
    ("hello", #"{"protocol":1,"app":""}"#, "app", "1 to 128 bytes"),
    ("hello", #"{"protocol":1,"app":"a\nb"}"#, "app", "without control characters"),
    ("hello", #"{"protocol":1,"app":7}"#, "app", "given 7"),
    ("hello", #"{"protocol":1,"app":null}"#, "app", "given null"),
    ("hello", #"{"protocol":1,"app":"\#(String(repeating: "a", count: 129))"}"#, "app", "1 to 128 bytes"),
    (
        "hello", #"{"protocol":1,"presence":"asleep"}"#, "presence",
        "given \"asleep\", allowed is one of background, foreground"
    ),
    ("hello", #"{"protocol":1,"events":1}"#, "events", "given 1, allowed is true or false"),
    ("hello", #"{"protocol":1,"manager":"0123"}"#, "manager", "32 lowercase hexadecimal digits"),
    ("hello", #"{"protocol":1,"manager":"0123456789ABCDEF0123456789ABCDEF"}"#, "manager", "32 lowercase"),
    ("hello", #"{"protocol":1,"usageDescriptions":[]}"#, "usageDescriptions", "given an array, allowed is an object"),
    ("hello", #"{"protocol":1,"usageDescriptions":null}"#, "usageDescriptions", "given null"),
    (
        "hello", #"{"protocol":1,"usageDescriptions":{"never":"x"}}"#, "\"usageDescriptions.never\"",
        "only whenInUse, always"
    ),
    (
        "hello", #"{"protocol":1,"usageDescriptions":{"always":"a\u202Eb"}}"#, "usageDescriptions.always",
        "bidirectional"
    ),
    ("hello", #"{"protocol":1,"usageDescriptions":{"whenInUse":"\u0007"}}"#, "usageDescriptions.whenInUse", "control"),
    (
        "hello", #"{"protocol":1,"usageDescriptions":{"always":"\#(String(repeating: "a", count: 257))"}}"#,
        "usageDescriptions.always", "given a string of 257 bytes, allowed is a string of at most 256"
    ),
    (
        "hello", #"{"protocol":1,"usageDescriptions":{"temporaryFullAccuracy":{"k":1}}}"#,
        "usageDescriptions.temporaryFullAccuracy.k", "given 1"
    ),
    (
        "hello", #"{"protocol":1,"usageDescriptions":{"temporaryFullAccuracy":{"":"x"}}}"#,
        "usageDescriptions.temporaryFullAccuracy", "keys of 1 to 128 bytes"
    ),
    ("hello", #"{"protocol":1,"zeta":1,"alpha":1}"#, "\"alpha\"", "only protocol, app"),
    ("setPresence", "{}", "presence", "given nothing"),
    ("setPresence", #"{"presence":true}"#, "presence", "given true"),
    (
        "setProperties", #"{"distanceFilter":"some"}"#, "distanceFilter",
        "given \"some\", allowed is \"none\" or a number of metres"
    ),
    ("setProperties", #"{"distanceFilter":null}"#, "distanceFilter", "given null"),
    ("setProperties", #"{"distanceFilter":[5]}"#, "distanceFilter", "given an array"),
    ("setProperties", #"{"headingFilter":{}}"#, "headingFilter", "given an object"),
    ("setProperties", #"{"desiredAccuracy":0}"#, "desiredAccuracy", "given 0"),
    ("setProperties", #"{"desiredAccuracy":-3}"#, "desiredAccuracy", "given -3"),
    ("setProperties", #"{"desiredAccuracy":"fine"}"#, "desiredAccuracy", "bestForNavigation, best, nearestTenMeters"),
    ("setProperties", #"{"activityType":0}"#, "activityType", "given 0"),
    ("setProperties", #"{"activityType":6}"#, "activityType", "given 6"),
    ("setProperties", #"{"activityType":1.5}"#, "activityType", "given 1.5"),
    ("setProperties", #"{"activityType":"Fitness"}"#, "activityType", "given \"Fitness\""),
    (
        "setProperties", #"{"pausesLocationUpdatesAutomatically":"yes"}"#, "pausesLocationUpdatesAutomatically",
        "\"yes\""
    ),
    ("setProperties", #"{"allowsBackgroundLocationUpdates":0}"#, "allowsBackgroundLocationUpdates", "given 0"),
    ("setProperties", #"{"desiredAcuracy":"best"}"#, "\"desiredAcuracy\"", "desiredAccuracy"),
    ("startUpdatingLocation", #"{"resumeAfter":-1}"#, "resumeAfter", "given -1, allowed is a sequence number"),
    ("startUpdatingLocation", #"{"resumeAfter":1.5}"#, "resumeAfter", "given 1.5"),
    ("startUpdatingLocation", #"{"resumeAfter":9007199254740992}"#, "resumeAfter", "given 9007199254740992"),
    ("startUpdatingLocation", #"{"resumeAfter":null}"#, "resumeAfter", "given null"),
    (
        "requestLocation", #"{"timeout":0}"#, "timeout",
        "given 0, allowed is a number of seconds, more than 0 and at most 600"
    ),
    ("requestLocation", #"{"timeout":600.5}"#, "timeout", "given 600.5"),
    ("requestLocation", #"{"timeout":-1}"#, "timeout", "given -1"),
    ("requestLocation", #"{"timeout":null}"#, "timeout", "given null"),
    ("requestLocation", #"{"timeout":"10"}"#, "timeout", "given \"10\""),
    (
        "allowDeferredLocationUpdates", #"{"timeout":"long"}"#, "timeout",
        "given \"long\", allowed is a number of seconds"
    ),
    ("allowDeferredLocationUpdates", #"{"untilTraveled":true}"#, "untilTraveled", "given true"),
    ("allowDeferredLocationUpdates", #"{"distance":1}"#, "\"distance\"", "only untilTraveled, timeout"),
    ("status", #"{"scope":"everything"}"#, "scope", "one of self, all"),
    ("status", #"{"scope":null}"#, "scope", "given null"),
    ("location", #"{"cached":true}"#, "\"cached\"", "no members"),
    ("reload", #"{"now":true}"#, "\"now\"", "no members"),
]

@Suite("Parameters")
struct RefusedParametersTests {
    @Test("a refused parameter is named, with what was given and what is allowed", arguments: refused)
    func named(_ example: (method: String, params: String, member: String, says: String)) {
        guard case .failure(let refusal) = decoded(example.method, example.params) else {
            Issue.record("\(example.method) took \(example.params)")
            return
        }
        let message = refusal.error.message
        #expect(refusal.id == .integer(7))
        #expect(refusal.error.code == .invalidParams)
        let names =
            message.hasPrefix("cannot take \(example.member):")
            || message.hasPrefix("cannot take the unknown member \(example.member):")
        #expect(names, "\(message)")
        #expect(message.contains(example.says), "\(message)")
    }

    @Test("every member of every method has a refusal in that table")
    func complete() {
        for row in OpenRPC.methods {
            let named = Set(refused.filter { $0.method == row.method.rawValue }.map(\.member))
            for member in row.params { #expect(named.contains(member.name), "\(row.method).\(member.name)") }
        }
    }

    @Test(
        "a limit that is absent, null or at least 1e300 is unlimited, any other number is a limit",
        arguments: [
            ("{}", nil), (#"{"timeout":null}"#, nil), (#"{"timeout":1e300}"#, nil),
            (#"{"timeout":1.7976931348623157e308}"#, nil), (#"{"timeout":9.9e299}"#, 9.9e299), (#"{"timeout":0}"#, 0),
            (#"{"timeout":-1e308}"#, -1e308), (#"{"timeout":60}"#, 60),
        ] as [(String, Double?)])
    func limits(_ params: String, limit: Double?) throws {
        let expected = Call.allowDeferredLocationUpdates(DeferralParameters(timeout: limit))
        #expect(try decoded("allowDeferredLocationUpdates", params).get().call == expected)
    }

    @Test(
        "words and Core Location's numbers mean the same",
        arguments: [
            (#"{"desiredAccuracy":-2}"#, PropertiesPatch(desiredAccuracy: .bestForNavigation)),
            (#"{"desiredAccuracy":-1}"#, PropertiesPatch(desiredAccuracy: .best)),
            (#"{"desiredAccuracy":"best"}"#, PropertiesPatch(desiredAccuracy: .best)),
            (#"{"desiredAccuracy":10}"#, PropertiesPatch(desiredAccuracy: .nearestTenMeters)),
            (#"{"desiredAccuracy":6380000}"#, PropertiesPatch(desiredAccuracy: .reduced)),
            (#"{"desiredAccuracy":"reduced"}"#, PropertiesPatch(desiredAccuracy: .reduced)),
            (#"{"desiredAccuracy":25}"#, PropertiesPatch(desiredAccuracy: .meters(25))),
            (#"{"activityType":3}"#, PropertiesPatch(activityType: .fitness)),
            (#"{"activityType":"otherNavigation"}"#, PropertiesPatch(activityType: .otherNavigation)),
            (#"{"distanceFilter":-1}"#, PropertiesPatch(distanceFilter: -1)),
            (#"{"distanceFilter":-77}"#, PropertiesPatch(distanceFilter: -1)),
            (#"{"distanceFilter":"none"}"#, PropertiesPatch(distanceFilter: -1)),
            (#"{"distanceFilter":0}"#, PropertiesPatch(distanceFilter: 0)),
            (#"{"headingFilter":"none"}"#, PropertiesPatch(headingFilter: -1)),
        ])
    func wordsAndNumbers(_ params: String, patch: PropertiesPatch) throws {
        #expect(try decoded("setProperties", params).get().call == .setProperties(patch))
    }

    @Test("a patch changes what it names and nothing else")
    func patch() {
        let before = ManagerProperties()
        #expect(PropertiesPatch().apply(to: before) == before)
        var expected = before
        expected.headingFilter = -1
        expected.activityType = .airborne
        #expect(PropertiesPatch(activityType: .airborne, headingFilter: -1).apply(to: before) == expected)
    }

    @Test("properties are written as words and read back")
    func properties() throws {
        var properties = ManagerProperties()
        #expect(
            try encoded(properties)
                == #"{"activityType":"other","allowsBackgroundLocationUpdates":false,"desiredAccuracy":"best","#
                + #""distanceFilter":"none","headingFilter":1,"pausesLocationUpdatesAutomatically":true}"#)
        properties.desiredAccuracy = .meters(7.5)
        properties.distanceFilter = 0
        properties.headingFilter = -1
        let json = try encoded(properties)
        #expect(json.contains(#""desiredAccuracy":7.5,"distanceFilter":0,"headingFilter":"none""#))
        #expect(try decode(ManagerProperties.self, json) == properties)
    }

    @Test("a manager token is 32 lowercase hexadecimal digits, both ways")
    func token() {
        let token = ManagerToken(high: 1, low: 0xABCD_EF01_2345_6789)
        #expect(token.text == "0000000000000001abcdef0123456789")
        #expect(ManagerToken(text: token.text) == token)
        for bad in [
            "", "0", String(repeating: "g", count: 32), String(repeating: "0", count: 33), token.text.uppercased(),
        ] {
            #expect(ManagerToken(text: bad) == nil, "\(bad)")
        }
    }
}
