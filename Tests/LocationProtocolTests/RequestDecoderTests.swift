// SPDX-License-Identifier: Apache-2.0

import Glibc
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

private let helloLine = """
    {"jsonrpc":"2.0","id":"h","method":"hello","params":{"protocol":1,"app":"maps","usageDescriptions":{"whenInUse":\
    "to show you","always":"to wake you","temporaryFullAccuracy":{"turn":"to guide you"}},"presence":"foreground",\
    "manager":"0123456789abcdef00000000000000ff","events":true}}
    """

private let hello = HelloParameters(
    app: "maps",
    usageDescriptions: UsageDescriptions(
        whenInUse: "to show you", always: "to wake you", temporaryFullAccuracy: ["turn": "to guide you"]),
    presence: .foreground, manager: ManagerToken(high: 0x0123_4567_89AB_CDEF, low: 0xFF), events: true)

private func request(_ method: String, _ params: String? = nil) -> String {
    let tail = params.map { ",\"params\":" + $0 } ?? ""
    return "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\(method)\"\(tail)}"
}

/// A call, and the line that `RequestWriter` makes of it and `RequestDecoder` reads back.
let calls: [(call: Call, line: String)] = [
    (.asked(.setPresence(.background)), request("setPresence", #"{"presence":"background"}"#)),
    (.asked(.setProperties(PropertiesPatch())), request("setProperties")),
    (
        .asked(
            .setProperties(
                PropertiesPatch(
                    distanceFilter: -1, desiredAccuracy: .meters(42.5), activityType: .fitness,
                    pausesLocationUpdatesAutomatically: false, allowsBackgroundLocationUpdates: true, headingFilter: 5))
        ),
        request(
            "setProperties",
            #"{"distanceFilter":"none","desiredAccuracy":42.5,"activityType":"fitness","#
                + #""pausesLocationUpdatesAutomatically":false,"allowsBackgroundLocationUpdates":true,"headingFilter":5}"#
        )
    ),
    (
        .asked(.setProperties(PropertiesPatch(distanceFilter: 10, desiredAccuracy: .bestForNavigation))),
        request("setProperties", #"{"distanceFilter":10,"desiredAccuracy":"bestForNavigation"}"#)
    ),
    (.getProperties, request("getProperties")),
    (.asked(.startUpdatingLocation(resumeAfter: nil)), request("startUpdatingLocation")),
    (.asked(.startUpdatingLocation(resumeAfter: 1041)), request("startUpdatingLocation", #"{"resumeAfter":1041}"#)),
    (.asked(.stopUpdatingLocation), request("stopUpdatingLocation")),
    (.asked(.requestLocation(timeout: nil)), request("requestLocation")),
    (.asked(.requestLocation(timeout: 0.5)), request("requestLocation", #"{"timeout":0.5}"#)),
    (.location, request("location")),
    (.asked(.allowDeferredLocationUpdates(DeferralParameters())), request("allowDeferredLocationUpdates")),
    (
        .asked(.allowDeferredLocationUpdates(DeferralParameters(untilTraveled: 500, timeout: -1))),
        request("allowDeferredLocationUpdates", #"{"untilTraveled":500,"timeout":-1}"#)
    ),
    (.asked(.disallowDeferredLocationUpdates), request("disallowDeferredLocationUpdates")),
    (.asked(.startMonitoringSignificantLocationChanges), request("startMonitoringSignificantLocationChanges")),
    (.asked(.stopMonitoringSignificantLocationChanges), request("stopMonitoringSignificantLocationChanges")),
    (.status(.connection), request("status")),
    (.status(.all), request("status", #"{"scope":"all"}"#)),
    (.asked(.requestWhenInUseAuthorization), request("requestWhenInUseAuthorization")),
    (.asked(.requestAlwaysAuthorization), request("requestAlwaysAuthorization")),
    (
        .asked(.requestTemporaryFullAccuracyAuthorization(purposeKey: "turn")),
        request("requestTemporaryFullAccuracyAuthorization", #"{"purposeKey":"turn"}"#)
    ),
    (.asked(.startMonitoring(circle)), request("startMonitoring", #"{"region":"# + circleJSON + "}")),
    (.asked(.startMonitoring(triangle)), request("startMonitoring", #"{"region":"# + triangleJSON + "}")),
    (.asked(.startMonitoring(hall)), request("startMonitoring", #"{"region":"# + hallJSON + "}")),
    (
        .asked(.startMonitoring(noticed(RegionNotice(title: "Hi")))),
        request("startMonitoring", #"{"region":"# + triangleJSON.dropLast() + #","notice":{"title":"Hi"}}}"#)
    ),
    (
        .asked(.startMonitoring(noticed(RegionNotice(title: "Hi", text: "Keys?", on: .both, repeats: false)))),
        request(
            "startMonitoring",
            #"{"region":"# + triangleJSON.dropLast()
                + #","notice":{"title":"Hi","text":"Keys?","on":"both","repeats":false}}}"#)
    ),
    (.asked(.stopMonitoring(identifier: "home")), request("stopMonitoring", #"{"identifier":"home"}"#)),
    (.asked(.requestState(identifier: "home")), request("requestState", #"{"identifier":"home"}"#)),
    (.monitoredRegions, request("monitoredRegions")),
    (.asked(.startMonitoringVisits), request("startMonitoringVisits")),
    (.asked(.stopMonitoringVisits), request("stopMonitoringVisits")),
    (.asked(.startUpdatingHeading), request("startUpdatingHeading")),
    (.asked(.stopUpdatingHeading), request("stopUpdatingHeading")),
    (
        .asked(.startRangingBeacons(BeaconIdentity(uuid: beacons))),
        request("startRangingBeacons", #"{"uuid":"\#(beacons)"}"#)
    ),
    (
        .asked(.stopRangingBeacons(BeaconIdentity(uuid: beacons, major: 0, minor: 65_535))),
        request("stopRangingBeacons", #"{"uuid":"\#(beacons)","major":0,"minor":65535}"#)
    ),
    (.asked(.offerBeacons), request("offerBeacons")),
    (.asked(.withdrawBeacons(reason: nil)), request("withdrawBeacons")),
    (
        .asked(.withdrawBeacons(reason: "Bluetooth is off")),
        request("withdrawBeacons", #"{"reason":"Bluetooth is off"}"#)
    ),
    (.asked(.reportBeacons([])), request("reportBeacons", #"{"sightings":[]}"#)),
    (
        .asked(
            .reportBeacons([
                BeaconSighting(
                    Beacon(uuid: beacons, major: 1, minor: 65_535), rssi: -70, measuredPower: -59, age: 0.25),
                BeaconSighting(Beacon(uuid: beacons, major: 0, minor: 0), rssi: nil, measuredPower: 127),
            ])),
        request(
            "reportBeacons",
            #"{"sightings":[{"uuid":"\#(beacons)","major":1,"minor":65535,"rssi":-70,"measuredPower":-59,"age":0.25},"#
                + #"{"uuid":"\#(beacons)","major":0,"minor":0,"measuredPower":127}]}"#)
    ),
    (.asked(.startLiveUpdates(.default)), request("startLiveUpdates")),
    (.asked(.startLiveUpdates(.otherNavigation)), request("startLiveUpdates", #"{"configuration":"otherNavigation"}"#)),
    (.asked(.stopLiveUpdates(updates: 3)), request("stopLiveUpdates", #"{"updates":3}"#)),
    (.asked(.openMonitor(name: "places")), request("openMonitor", #"{"name":"places"}"#)),
    (.asked(.closeMonitor(monitor: 2)), request("closeMonitor", #"{"monitor":2}"#)),
    (
        .asked(.addCondition(ConditionParameters(monitor: 1, identifier: "home", condition: circle.shape))),
        request("addCondition", #"{"monitor":1,"identifier":"home","condition":"# + circleShapeJSON + "}")
    ),
    (
        .asked(
            .addCondition(
                ConditionParameters(monitor: 1, identifier: "park", condition: triangle.shape, assuming: .unsatisfied))),
        request(
            "addCondition",
            #"{"monitor":1,"identifier":"park","condition":"# + triangleShapeJSON + #","assuming":"unsatisfied"}"#)
    ),
    (
        .asked(.removeCondition(ConditionName(monitor: 1, identifier: "home"))),
        request("removeCondition", #"{"monitor":1,"identifier":"home"}"#)
    ),
    (
        .monitorRecord(ConditionName(monitor: 1, identifier: "home")),
        request("monitorRecord", #"{"monitor":1,"identifier":"home"}"#)
    ),
    (.asked(.startBackgroundActivitySession), request("startBackgroundActivitySession")),
    (
        .asked(.invalidateBackgroundActivitySession(session: 4)),
        request("invalidateBackgroundActivitySession", #"{"session":4}"#)
    ),
    (
        .asked(.startServiceSession(ServiceSessionParameters(requirement: .none))),
        request("startServiceSession", #"{"requirement":"none"}"#)
    ),
    (
        .asked(.startServiceSession(ServiceSessionParameters(requirement: .always, fullAccuracyPurposeKey: "turn"))),
        request("startServiceSession", #"{"requirement":"always","fullAccuracyPurposeKey":"turn"}"#)
    ),
    (.asked(.invalidateServiceSession(session: 5)), request("invalidateServiceSession", #"{"session":5}"#)),
    (.asked(.acknowledge(event: 9_007_199_254_740_991)), request("acknowledge", #"{"event":9007199254740991}"#)),
    (.registerAgent, request("registerAgent")),
    (.answerRequest(request: 6, .whileUsing), request("answerRequest", #"{"request":6,"answer":"whileUsing"}"#)),
    (.takeNotices, request("takeNotices")),
    (
        .asked(.acknowledgeNotice(NoticeName(identity: "maps uid:1000", label: "trips", event: 9))),
        request("acknowledgeNotice", #"{"identity":"maps uid:1000","label":"trips","event":9}"#)
    ),
    (
        .asked(.acknowledgeNotice(NoticeName(identity: "uid:1000", label: nil, event: 1))),
        request("acknowledgeNotice", #"{"identity":"uid:1000","event":1}"#)
    ),
    (.apps, request("apps")),
    (
        .authorize(AuthorizeParameters(app: "uid:1000", authorizationStatus: .authorizedWhenInUse, once: true)),
        request("authorize", #"{"app":"uid:1000","authorizationStatus":"authorizedWhenInUse","once":true}"#)
    ),
    (
        .authorize(
            AuthorizeParameters(
                app: "maps", authorizationStatus: .authorizedAlways, accuracyAuthorization: .reduced)),
        request(
            "authorize",
            #"{"app":"maps","authorizationStatus":"authorizedAlways","accuracyAuthorization":"reduced"}"#)
    ),
    (
        .authorize(AuthorizeParameters(app: "maps", accuracyAuthorization: .full)),
        request("authorize", #"{"app":"maps","accuracyAuthorization":"full"}"#)
    ),
    (.resetAuthorization(app: "maps"), request("resetAuthorization", #"{"app":"maps"}"#)),
    (.forgetApp(app: "maps"), request("forgetApp", #"{"app":"maps"}"#)),
    (.setLocationServicesEnabled(false), request("setLocationServicesEnabled", #"{"enabled":false}"#)),
    (.pendingRequests, request("pendingRequests")),
    (.events(app: "maps"), request("events", #"{"app":"maps"}"#)),
    (.history(HistoryQuery()), request("history")),
    (
        .history(
            HistoryQuery(
                after: 7, from: WallTime(milliseconds: 0), to: WallTime(milliseconds: 1_500), limit: 1000)),
        request(
            "history",
            #"{"after":7,"from":"1970-01-01T00:00:00.000Z","to":"1970-01-01T00:00:01.500Z","limit":1000}"#)
    ),
    (
        .historyEvents(HistoryQuery(after: 7, limit: 1), app: "maps"),
        request("historyEvents", #"{"after":7,"limit":1,"app":"maps"}"#)
    ),
    (.history(HistoryQuery(log: true)), request("history", #"{"log":true}"#)),
    (.ledger(from: nil, to: nil), request("ledger")),
    (
        .ledger(from: WallTime(milliseconds: 0), to: WallTime(milliseconds: 1)),
        request("ledger", #"{"from":"1970-01-01T00:00:00.000Z","to":"1970-01-01T00:00:00.001Z"}"#)
    ),
    (.forgetHistory(from: nil, to: nil), request("forgetHistory")),
    (
        .forgetHistory(from: nil, to: WallTime(milliseconds: 0)),
        request("forgetHistory", #"{"to":"1970-01-01T00:00:00.000Z"}"#)
    ),
    (
        .offerLocation(
            OfferedLocation(
                coordinate: Coordinate(latitude: 1.5, longitude: -2), horizontalAccuracy: 30, altitude: 5,
                verticalAccuracy: 8, kind: .cell),
            lifetime: 600),
        request(
            "offerLocation",
            #"{"latitude":1.5,"longitude":-2,"horizontalAccuracy":30,"altitude":5,"verticalAccuracy":8,"kind":"cell","lifetime":600}"#
        )
    ),
    (.withdrawLocation, request("withdrawLocation")),
    (
        .setPlace(
            OfferedLocation(
                coordinate: Coordinate(latitude: 1.5, longitude: -2), horizontalAccuracy: 40, altitude: 5,
                verticalAccuracy: 40, kind: .manual)),
        request("setPlace", #"{"latitude":1.5,"longitude":-2,"horizontalAccuracy":40,"altitude":5}"#)
    ),
    (.clearPlace, request("clearPlace")),
    (.closeConnection(7), request("closeConnection", #"{"connection":7}"#)),
    (.reload, request("reload")),
    (.satellites, request("satellites")),
    (.discover, request("rpc.discover")),
]

/// Lines of requests, for mutation.
let requestExamples = calls.map(\.line) + [helloLine]

private func decoded(_ json: String) -> Result<RequestEnvelope, Refusal> { RequestDecoder().decode(line(json)) }

private func refusal(_ json: String) -> Refusal? {
    guard case .failure(let refusal) = decoded(json) else { return nil }
    return refusal
}

@Suite("Requests")
struct RequestDecoderTests {
    @Test("each call is written as its line and read back from it", arguments: calls)
    func bothWays(_ example: (call: Call, line: String)) throws {
        #expect(text(RequestWriter.line(.integer(7), example.call)) == example.line + "\n")
        #expect(try decoded(example.line).get() == RequestEnvelope(id: .integer(7), call: example.call))
    }

    @Test("hello is written with all its members and read back")
    func helloBothWays() throws {
        #expect(text(RequestWriter.line(.string("h"), .hello(hello))) == helloLine + "\n")
        #expect(try decoded(helloLine).get() == RequestEnvelope(id: .string("h"), call: .hello(hello)))
        let least = try decoded(request("hello", #"{"protocol":1}"#)).get()
        #expect(least.call == .hello(HelloParameters()))
    }

    @Test("every method has an example here")
    func allMethods() {
        #expect(Set(calls.map(\.call.method)).union([.hello]) == Set(Method.allCases))
    }

    @Test(
        "ids are echoed as given",
        arguments: [
            ("0", RequestID.integer(0)), ("-5", .integer(-5)), ("9007199254740993", .integer(9_007_199_254_740_993)),
            ("9223372036854775807", .integer(.max)), ("\"\"", .string("")), (#""a\u0022b""#, .string("a\"b")),
            ("\"" + String(repeating: "x", count: 128) + "\"", .string(String(repeating: "x", count: 128))),
        ])
    func ids(_ json: String, id: RequestID) throws {
        let decoded = try decoded("{\"id\":\(json),\"jsonrpc\":\"2.0\",\"method\":\"location\"}").get()
        #expect(decoded.id == id)
    }

    @Test(
        "without a usable id the refusal has none and is -32600",
        arguments: [
            #"{"jsonrpc":"2.0","method":"location"}"#, #"{"jsonrpc":"2.0","id":null,"method":"location"}"#,
            #"{"jsonrpc":"2.0","id":1.5,"method":"location"}"#, #"{"jsonrpc":"2.0","id":1e30,"method":"location"}"#,
            #"{"jsonrpc":"2.0","id":1e999,"method":"location"}"#, #"{"jsonrpc":"2.0","id":true,"method":"location"}"#,
            #"{"jsonrpc":"2.0","id":1e3,"method":"location"}"#, #"{"jsonrpc":"2.0","id":1.0,"method":"location"}"#,
            #"{"jsonrpc":"2.0","id":1E0,"method":"location"}"#, #"{"jsonrpc":"2.0","id":-0,"method":"location"}"#,
            #"{"jsonrpc":"2.0","\u0069d":1.0,"method":"location"}"#,
            #"{"jsonrpc":"2.0","id":[1],"method":"location"}"#, #"{"jsonrpc":"2.0","id":{},"method":"location"}"#,
            "{\"jsonrpc\":\"2.0\",\"id\":\"" + String(repeating: "x", count: 129) + "\",\"method\":\"location\"}",
            "[]", #"[{"jsonrpc":"2.0","id":1,"method":"location"}]"#, " \"location\"", "17", "null",
        ])
    func badID(_ json: String) {
        let refusal = refusal(json)
        #expect(refusal != nil)
        #expect(refusal?.id == nil)
        #expect(refusal?.error.code == .invalidRequest)
    }

    @Test("an id that could not be echoed as given is refused, saying so; the same spelling elsewhere is no matter")
    func spelledID() throws {
        let message = refusal(#"{"jsonrpc":"2.0","id":1.0,"method":"location"}"#)?.error.message
        #expect(message?.contains("an integer or a string of at most 128 bytes, given a number with a point") == true)
        #expect(
            try decoded(#"{"jsonrpc":"2.0","id":"1.0e3","method":"acknowledge","params":{"event":1.0}}"#).get()
                == RequestEnvelope(id: .string("1.0e3"), call: .asked(.acknowledge(event: 1))))
        let nested = refusal(request("location", #"{"id":1e3}"#))
        #expect(nested?.id == .integer(7) && nested?.error.code == .invalidParams)
    }

    @Test("a line at the limit holds a region of 1,000 vertices, whatever their digits, and is read back the same")
    func largestRegion() throws {
        var random = SplitMix64(seed: testSeed)
        let vertices = (0..<1000).map { index in
            let angle = Double(index) / 1000 * 2 * .pi
            let noise = Double.random(in: -1e-9...1e-9, using: &random)
            return Coordinate(latitude: -75 + 5 * sin(angle) + noise, longitude: -160 + 5 * cos(angle) + noise)
        }
        let region = Region(identifier: "big", shape: .polygon(try Polygon(vertices: vertices)))
        let line = RequestWriter.line(.string(String(repeating: "x", count: 128)), .asked(.startMonitoring(region)))
        #expect(line.count <= 65_536 && line.count > 30_000)
        #expect(try RequestDecoder().decode(line[...]).get().call == .asked(.startMonitoring(region)))
    }

    @Test("a batch is refused by name")
    func batch() { #expect(refusal(" [1]")?.error.message.contains("batches are not taken") == true) }

    @Test("an overlong line is refused with its limit")
    func overlong() {
        let refusal = RequestDecoder.overlongLine(limit: 65_536)
        #expect(refusal.id == nil && refusal.error.code == .invalidRequest)
        #expect(refusal.error.message.contains("65536 bytes"))
    }

    @Test("what is not JSON is -32700 without id, with the byte")
    func parseErrors() {
        let refusal = refusal(#"{"jsonrpc":"2.0","id":1,"id":2,"method":"location"}"#)
        #expect(refusal?.error.code == .parseError && refusal?.id == nil)
        #expect(refusal?.error.message == #"cannot read the line as JSON: the member "id" is repeated (byte 24)"#)
    }

    static let envelopes: [(json: String, code: RPCErrorCode, says: String)] = [
        (#"{"id":7,"method":"location"}"#, .invalidRequest, "jsonrpc must be \"2.0\""),
        (#"{"id":7,"jsonrpc":"1.0","method":"location"}"#, .invalidRequest, "jsonrpc must be \"2.0\""),
        (#"{"id":7,"jsonrpc":2.0,"method":"location"}"#, .invalidRequest, "jsonrpc must be \"2.0\""),
        (#"{"id":7,"jsonrpc":"2.0"}"#, .invalidRequest, "method must be a string"),
        (#"{"id":7,"jsonrpc":"2.0","method":1}"#, .invalidRequest, "method must be a string"),
        (#"{"id":7,"jsonrpc":"2.0","method":"fly"}"#, .methodNotFound, "the method \"fly\""),
        (#"{"id":7,"jsonrpc":"2.0","method":"startRangingSatellites"}"#, .methodNotFound, "\"startRangingSatellites\""),
        (#"{"id":7,"jsonrpc":"2.0","method":"a\u001b[31m"}"#, .methodNotFound, "\"a\u{FFFD}[31m\""),
        (#"{"id":7,"jsonrpc":"2.0","method":"location","parms":{}}"#, .invalidParams, "unknown member \"parms\""),
        (#"{"id":7,"jsonrpc":"2.0","method":"location","at":1}"#, .invalidParams, "unknown member \"at\""),
        (request("location", "null"), .invalidParams, "params: given null, allowed is an object or nothing"),
        (request("location", "3"), .invalidParams, "params: given 3, allowed is an object or nothing"),
        (request("location", "[]"), .invalidParams, "params: given an array, allowed is an object or nothing"),
        (
            request("requestLocation", #"{"timeout":1e999}"#), .invalidParams,
            "cannot take \"timeout\": the number at byte"
        ),
    ]

    @Test("an envelope that is wrong is refused under its id, saying what is wrong", arguments: envelopes)
    func envelopeRules(_ example: (json: String, code: RPCErrorCode, says: String)) {
        let refusal = refusal(example.json)
        #expect(refusal?.id == .integer(7))
        #expect(refusal?.error.code == example.code)
        #expect(refusal?.error.message.contains(example.says) == true, "\(refusal?.error.message ?? "taken")")
        #expect(refusal?.error.message.hasPrefix("cannot ") == true)
    }

    @Test("only a replay's requests have a time")
    func time() throws {
        let decoder = RequestDecoder(acceptsTime: true)
        let json = #"{"at":12.5,"id":7,"jsonrpc":"2.0","method":"location"}"#
        #expect(try decoder.decode(line(json)).get() == RequestEnvelope(id: .integer(7), call: .location, at: 12.5))
        #expect(try decoder.decode(line(request("location"))).get().at == nil)
        guard
            case .failure(let refusal) = decoder.decode(line(#"{"at":-1,"id":7,"jsonrpc":"2.0","method":"location"}"#))
        else {
            Issue.record("a negative time was taken")
            return
        }
        #expect(refusal.error.message.contains("cannot take at: given -1, allowed is"))
    }
}

/// The triangle with a notice.
private func noticed(_ notice: RegionNotice) -> Region {
    var region = triangle
    region.notice = notice
    return region
}
