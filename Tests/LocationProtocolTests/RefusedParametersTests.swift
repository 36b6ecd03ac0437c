// SPDX-License-Identifier: Apache-2.0

import LocationModel
import LocationProtocol
import Testing

private func decoded(_ method: String, _ params: String) -> Result<RequestEnvelope, Refusal> {
    RequestDecoder().decode(line("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\(method)\",\"params\":\(params)}"))
}

@Suite("Parameters")
struct RefusedParametersTests {
    @Test(
        "a refused parameter is named, with what was given and what is allowed",
        arguments: refusedParameters + refusedServiceParameters)
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
        for row in Method.allCases {
            let named = Set(
                (refusedParameters + refusedServiceParameters).filter { $0.method == row.name }.map(\.member)
            )
            for member in row.params { #expect(named.contains(member.name), "\(row.name).\(member.name)") }
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
        let expected = Call.asked(.allowDeferredLocationUpdates(DeferralParameters(timeout: limit)))
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
        #expect(try decoded("setProperties", params).get().call == .asked(.setProperties(patch)))
    }

    @Test("what names, regions and decisions may be is taken, up to the limits")
    func taken() throws {
        let circle = #"{"identifier":"a","center":{"latitude":-90,"longitude":180},"radius":1e300}"#
        #expect(
            try decoded("startMonitoring", #"{"region":\#(circle)}"#).get().call
                == .asked(
                    .startMonitoring(
                        Region(
                            identifier: "a",
                            shape: .circle(center: Coordinate(latitude: -90, longitude: 180), radius: 1e300)))))
        let widest = #"{"identifier":"a","center":{"latitude":0,"longitude":0},"radius":1,"cushion":100000,"dwell":0}"#
        guard
            case .asked(.startMonitoring(let region)) = try decoded("startMonitoring", #"{"region":\#(widest)}"#).get()
                .call
        else { return }
        #expect(region.hysteresis == RegionHysteresis(cushion: 100_000, dwell: .zero))
        let longest = String(repeating: "a", count: 256)
        #expect(
            try decoded("events", #"{"app":"\#(longest)"}"#).get().call == .events(app: longest))
        #expect(
            try decoded("hello", #"{"protocol":1,"app":"Karten für 2 ✓"}"#).get().call
                == .hello(HelloParameters(app: "Karten für 2 ✓")))
        #expect(
            try decoded("authorize", #"{"app":"a","authorizationStatus":"denied","once":false}"#).get().call
                == .authorize(AuthorizeParameters(app: "a", authorizationStatus: .denied)))
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
