// SPDX-License-Identifier: Apache-2.0

import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

private let ranged = [
    RangedBeacon(Beacon(uuid: beacons, major: 1, minor: 2), accuracy: 1.25, rssi: -61, timestamp: date),
    RangedBeacon(Beacon(uuid: beacons, major: 1, minor: 3), timestamp: date),
]

private let date = WallTime(milliseconds: 1_700_000_000_123)
private let dateJSON = "2023-11-14T22:13:20.123Z"
private let visit = Visit(
    coordinate: Coordinate(latitude: 48.25, longitude: 11.5), horizontalAccuracy: 30, arrival: date, departure: nil)
private let request = AuthorizationRequest(
    request: 7, identity: "maps.service", label: "maps", uid: 1000, user: "ada", level: .temporaryFullAccuracy,
    purposeKey: "turn", usageDescription: "to guide you", since: date)
private let heading = Heading(magneticHeading: 1.5, trueHeading: 359.25, headingAccuracy: 4, timestamp: date)
private let allFlags = DiagnosticFlags(rawValue: (1 << 13) - 1)
private let allFlagsJSON = DiagnosticFlags.names.map { ",\"\($0)\":true" }.joined()
private let entered = ConditionEvent(
    state: .satisfied, date: date, refinement: circle.shape, flags: [.accuracyLimited, .persistenceUnavailable])
private let enteredJSON =
    #""state":"satisfied","date":"\#(dateJSON)","refinement":\#(circleShapeJSON),"accuracyLimited":true,"#
    + #""persistenceUnavailable":true"#
private let location = LocationCodingTests.fullJSON

private func error(_ code: LocationErrorCode, isTransient: Bool = false) -> String {
    #"{"domain":"kCLErrorDomain","code":\#(code.rawValue),"name":"\#(code.name)","message":"\#(LocationError(code).message)","#
        + #""transient":\#(isTransient)}"#
}

/// A notification, its method, the members of its `params` but `seq`, and what a client reads.
private let examples: [(prefix: [UInt8], method: String, params: String, read: Notification)] =
    managerExamples + eventExamples + agentExamples

private let managerExamples: [(prefix: [UInt8], method: String, params: String, read: Notification)] = [
    (
        NotificationWriter.didPauseLocationUpdates(reason: "the device rests"), "didPauseLocationUpdates",
        #""reason":"the device rests""#, .didPauseLocationUpdates(reason: "the device rests")
    ),
    (
        NotificationWriter.didResumeLocationUpdates(reason: "it moves"), "didResumeLocationUpdates",
        #""reason":"it moves""#, .didResumeLocationUpdates(reason: "it moves")
    ),
    (
        NotificationWriter.didUpdateHeading(heading), "didUpdateHeading",
        #""heading":{"magneticHeading":1.5,"trueHeading":359.25,"headingAccuracy":4,"timestamp":"\#(dateJSON)"}"#,
        .didUpdateHeading(heading)
    ),
    (
        NotificationWriter.didUpdateHeading(Heading(timestamp: date)), "didUpdateHeading",
        #""heading":{"timestamp":"\#(dateJSON)"}"#, .didUpdateHeading(Heading(timestamp: date))
    ),
    (
        NotificationWriter.rangingDidFail(
            BeaconIdentity(uuid: beacons, major: 7), LocationError(.rangingUnavailable)),
        "rangingDidFail",
        #""constraint":{"uuid":"\#(beacons)","major":7},"error":\#(error(.rangingUnavailable, isTransient: true))"#,
        .rangingDidFail(BeaconIdentity(uuid: beacons, major: 7), LocationError(.rangingUnavailable))
    ),
    (
        NotificationWriter.didRangeBeacons([], BeaconIdentity(uuid: beacons)), "didRangeBeacons",
        #""beacons":[],"constraint":{"uuid":"\#(beacons)"}"#, .didRangeBeacons([], BeaconIdentity(uuid: beacons))
    ),
    (
        NotificationWriter.didRangeBeacons(ranged, BeaconIdentity(uuid: beacons, major: 1)), "didRangeBeacons",
        #""beacons":[{"uuid":"\#(beacons)","major":1,"minor":2,"proximity":"near","accuracy":1.25,"rssi":-61,"#
            + #""timestamp":"\#(dateJSON)"},{"uuid":"\#(beacons)","major":1,"minor":3,"proximity":"unknown","#
            + #""accuracy":-1,"rssi":0,"timestamp":"\#(dateJSON)"}],"constraint":{"uuid":"\#(beacons)","major":1}"#,
        .didRangeBeacons(ranged, BeaconIdentity(uuid: beacons, major: 1))
    ),
    (
        NotificationWriter.beaconsWanted(WantedBeacons(uuids: [beacons])), "beaconsWanted",
        #""uuids":["\#(beacons)"]"#, .beaconsWanted(WantedBeacons(uuids: [beacons]))
    ),
    (
        NotificationWriter.beaconsWanted(WantedBeacons(any: true)), "beaconsWanted", #""uuids":[],"any":true"#,
        .beaconsWanted(WantedBeacons(any: true))
    ),
    (
        NotificationWriter.beaconsWanted(WantedBeacons(uuids: [beacons], onlyMonitored: true)), "beaconsWanted",
        #""uuids":["\#(beacons)"],"onlyMonitored":true"#,
        .beaconsWanted(WantedBeacons(uuids: [beacons], onlyMonitored: true))
    ),
    (
        NotificationWriter.didUpdate(3, fullLocation, stationary: true, flags: []), "didUpdate",
        #""location":\#(location),"stationary":true,"updates":3"#,
        .didUpdate(LiveUpdate(updates: 3, location: fullLocation, isStationary: true))
    ),
    (
        NotificationWriter.didUpdate(4, nil, stationary: false, flags: allFlags), "didUpdate",
        #""location":null,"stationary":false\#(allFlagsJSON),"updates":4"#,
        .didUpdate(LiveUpdate(updates: 4, location: nil, flags: allFlags))
    ),
    (
        NotificationWriter.serviceSessionDiagnostic(5, []), "serviceSessionDiagnostic", #""session":5"#,
        .serviceSessionDiagnostic(session: 5, [])
    ),
    (
        NotificationWriter.serviceSessionDiagnostic(5, [.fullAccuracyDenied, .insufficientlyInUse]),
        "serviceSessionDiagnostic", #""session":5,"insufficientlyInUse":true,"fullAccuracyDenied":true"#,
        .serviceSessionDiagnostic(session: 5, [.insufficientlyInUse, .fullAccuracyDenied])
    ),
    (
        NotificationWriter.didRequestTemporaryFullAccuracy("turn", error: nil), "didRequestTemporaryFullAccuracy",
        #""purposeKey":"turn","error":null"#, .didRequestTemporaryFullAccuracy(purposeKey: "turn", error: nil)
    ),
    (
        NotificationWriter.didRequestTemporaryFullAccuracy("turn", error: LocationError(.promptDeclined)),
        "didRequestTemporaryFullAccuracy", #""purposeKey":"turn","error":\#(error(.promptDeclined))"#,
        .didRequestTemporaryFullAccuracy(purposeKey: "turn", error: LocationError(.promptDeclined))
    ),
]

private let eventExamples: [(prefix: [UInt8], method: String, params: String, read: Notification)] = [
    (
        NotificationWriter.crossing(circle, .inside, fullLocation, event: 9), "didEnterRegion",
        #""region":\#(circleJSON),"location":\#(location),"event":9"#,
        .didEnterRegion(RegionCrossing(region: circle, location: fullLocation, event: 9))
    ),
    (
        NotificationWriter.crossing(triangle, .outside, fullLocation, event: nil), "didExitRegion",
        #""region":\#(triangleJSON),"location":\#(location)"#,
        .didExitRegion(RegionCrossing(region: triangle, location: fullLocation))
    ),
    (
        NotificationWriter.crossing(hall, .inside, nil, on: WallTime(milliseconds: 0), event: 3), "didEnterRegion",
        #""region":\#(hallJSON),"date":"1970-01-01T00:00:00.000Z","event":3"#,
        .didEnterRegion(RegionCrossing(region: hall, location: nil, date: WallTime(milliseconds: 0), event: 3))
    ),
    (
        NotificationWriter.didDetermineState(triangle, .unknown), "didDetermineState",
        #""region":\#(triangleJSON),"state":"unknown""#, .didDetermineState(triangle, .unknown)
    ),
    (
        NotificationWriter.didStartMonitoring(circle), "didStartMonitoring", #""region":\#(circleJSON)"#,
        .didStartMonitoring(circle)
    ),
    (
        NotificationWriter.monitoringDidFail(circle, LocationError(.regionMonitoringFailure)), "monitoringDidFail",
        #""region":\#(circleJSON),"error":\#(error(.regionMonitoringFailure))"#,
        .monitoringDidFail(circle, LocationError(.regionMonitoringFailure))
    ),
    (
        NotificationWriter.didVisit(visit, event: 10), "didVisit",
        #""visit":{"latitude":48.25,"longitude":11.5,"horizontalAccuracy":30,"arrivalDate":"\#(dateJSON)","#
            + #""departureDate":null},"event":10"#,
        .didVisit(visit, event: 10)
    ),
    (
        NotificationWriter.monitorEvent(2, "home", entered, event: 11), "monitorEvent",
        #""monitor":2,"identifier":"home",\#(enteredJSON),"event":11"#,
        .monitorEvent(MonitorEvent(monitor: 2, identifier: "home", content: entered, event: 11))
    ),
    (
        NotificationWriter.monitorEvent(2, "a", ConditionEvent(state: .unmonitored, date: date), event: nil),
        "monitorEvent", #""monitor":2,"identifier":"a","state":"unmonitored","date":"\#(dateJSON)""#,
        .monitorEvent(
            MonitorEvent(monitor: 2, identifier: "a", content: ConditionEvent(state: .unmonitored, date: date)))
    ),
]

private let agentExamples: [(prefix: [UInt8], method: String, params: String, read: Notification)] = [
    (
        NotificationWriter.authorizationRequested(request), "authorizationRequested",
        #""request":7,"identity":"maps.service","label":"maps","uid":1000,"user":"ada","level":"temporaryFullAccuracy","#
            + #""purposeKey":"turn","usageDescription":"to guide you","since":"\#(dateJSON)""#,
        .authorizationRequested(request)
    ),
    (
        NotificationWriter.authorizationRequestClosed(7, .withdrawn), "authorizationRequestClosed",
        #""request":7,"outcome":"withdrawn""#, .authorizationRequestClosed(request: 7, .withdrawn)
    ),
    (
        NotificationWriter.noticeRaised(raised), "noticeRaised",
        #""identity":"uid:1000","label":"house","date":"\#(dateJSON)","region":"home","state":"outside","title":"Bye","#
            + #""text":"Keys?","missed":true,"event":9"#, .noticeRaised(raised)
    ),
]

private let raised = RaisedNotice(
    RegionNotice(title: "Bye", text: "Keys?"), region: "home", .outside, event: 9, identity: "uid:1000",
    label: "house", date: date, isMissed: true)

/// Prefixes with every member that each of these notifications can have, for their descriptions.
let serviceNotificationSamples =
    (examples.map(\.prefix) + [
        NotificationWriter.didUpdate(1, nil, stationary: false, flags: flags(without: [8, 9, 10, 11, 12])),
        NotificationWriter.serviceSessionDiagnostic(1, flags(without: [6, 7, 10, 11, 12])),
        NotificationWriter.monitorEvent(
            1, "a",
            ConditionEvent(
                state: .satisfied, date: date, refinement: triangle.shape, flags: flags(without: [7, 8, 9])),
            event: 1),
        NotificationWriter.crossing(triangle, .outside, fullLocation, event: 1),
        NotificationWriter.crossing(hall, .outside, nil, on: date, event: 1),
    ]).filter { !text($0).contains(#""location":null,"stationary":false\#(allFlagsJSON)"#) }

private func flags(without bits: [Int]) -> DiagnosticFlags {
    allFlags.subtracting(bits.reduce(into: DiagnosticFlags()) { $0.insert(DiagnosticFlags(rawValue: 1 << UInt16($1))) })
}

private func read(_ line: [UInt8]) throws -> (Notification, UInt64) {
    guard case .notification(let notification, let sequence) = try ServerMessage.decode(line) else {
        throw RPCError(.parseError, "not a notification: \(text(line))")
    }
    return (notification, sequence)
}

@Suite("Notifications of the services")
struct ServiceNotificationTests {
    @Test("each is written as its line and read back from it", arguments: examples)
    func bothWays(_ example: (prefix: [UInt8], method: String, params: String, read: Notification)) throws {
        let line = withTail(example.prefix, 12)
        let expected = #"{"jsonrpc":"2.0","method":"\#(example.method)","params":{\#(example.params),"seq":12}}"#
        #expect(text(line) == expected + "\n")
        let (notification, sequence) = try read(line)
        #expect(notification == example.read && sequence == 12)
    }

    @Test("streams share a live update up to their own number, and the line is the same as one written whole")
    func sharedLiveUpdate() throws {
        let shared = NotificationWriter.didUpdate(fullLocation, stationary: false, flags: [.accuracyLimited])
        for (updates, sequence) in [(1, 1), (32, 9_007_199_254_740_991)] as [(UInt64, UInt64)] {
            var line = shared
            NotificationWriter.appendTail(updates: updates, sequence, to: &line)
            let whole = NotificationWriter.didUpdate(
                updates, fullLocation, stationary: false, flags: [.accuracyLimited])
            #expect(line == withTail(whole, sequence))
            var buffer = line
            NotificationWriter.appendDidUpdate(
                fullLocation, stationary: false, flags: [.accuracyLimited], to: &buffer)
            NotificationWriter.appendTail(updates: updates, sequence, to: &buffer)
            #expect(buffer == line + line)
            let expected = LiveUpdate(updates: updates, location: fullLocation, flags: [.accuracyLimited])
            #expect(try read(line).0 == .didUpdate(expected))
        }
    }

    @Test("a stored event is its notification with its number", arguments: [RegionState.inside, .outside])
    func storedEvents(_ state: RegionState) throws {
        let crossing = AppEvent(number: 3, date: date, content: .region(circle, state, fullLocation))
        #expect(
            NotificationWriter.line(of: crossing)
                == NotificationWriter.crossing(circle, state, fullLocation, event: 3))
        let arrival = AppEvent(number: 4, date: date, content: .visit(visit))
        #expect(NotificationWriter.line(of: arrival) == NotificationWriter.didVisit(visit, event: 4))
        let change = AppEvent(number: 5, date: date, content: .significantChange(fullLocation, isReduced: false))
        let line = try #require(NotificationWriter.line(of: change))
        #expect(
            text(line)
                == #"{"jsonrpc":"2.0","method":"didUpdateLocations","params":{"source":"significantChange","#
                + #""locations":[\#(location)],"event":5,"seq":"#)
        let expected = LocationUpdate(locations: [fullLocation], source: .significantChange, event: 5)
        #expect(try read(withTail(line, 1)).0 == .didUpdateLocations(expected))
    }

    @Test("a monitor's stored event needs the number of the monitor on the connection")
    func storedMonitorEvent() {
        let event = AppEvent(number: 6, date: date, content: .monitor(name: "places", identifier: "home", entered))
        #expect(NotificationWriter.line(of: event) == nil)
        #expect(
            NotificationWriter.line(of: event, monitor: 2)
                == NotificationWriter.monitorEvent(2, "home", entered, event: 6))
    }

    @Test("the longest polygon fits into a notification with its location and number")
    func longestLine() throws {
        var random = SplitMix64(seed: testSeed)
        let vertices = (0..<1000).map { _ in
            Coordinate(
                latitude: -Double.random(in: 80...90, using: &random),
                longitude: -Double.random(in: 100...180, using: &random))
        }
        let identifier = String(repeating: "\u{1F4CD}", count: 32)
        let region = Region(identifier: identifier, shape: .polygon(Polygon(unchecked: vertices)))
        let line = withTail(
            NotificationWriter.crossing(region, .outside, fullLocation, event: 1 << 53 - 1), 1 << 53 - 1)
        #expect(line.count <= NotificationWriter.maximumLineLength)
        let crossing = RegionCrossing(region: region, location: fullLocation, event: 1 << 53 - 1)
        #expect(try read(line).0 == .didExitRegion(crossing))
    }

    @Test("a client reads every flag by its name, and passes over one that is false")
    func flagNames() throws {
        for name in DiagnosticFlags.names {
            let line =
                #"{"jsonrpc":"2.0","method":"serviceSessionDiagnostic","params":{"session":1,"\#(name)":true,"seq":1}}"#
            let flag = try #require(DiagnosticFlags(name: name))
            #expect(try read(Array(line.utf8)).0 == .serviceSessionDiagnostic(session: 1, flag))
            let unset = line.replacing(":true", with: ":false")
            #expect(try read(Array(unset.utf8)).0 == .serviceSessionDiagnostic(session: 1, []))
        }
    }

    @Test("an outcome of a newer daemon is an outcome still")
    func newerOutcome() throws {
        let line = #"{"method":"authorizationRequestClosed","params":{"request":1,"outcome":"postponed","seq":1}}"#
        #expect(try read(Array(line.utf8)).0 == .authorizationRequestClosed(request: 1, nil))
    }

    @Test("the codes of errors have Core Location's numbers and names, and say what cannot be done")
    func codes() {
        let codes: [(LocationErrorCode, Int, String)] = [
            (.headingFailure, 3, "headingFailure"), (.regionMonitoringDenied, 4, "regionMonitoringDenied"),
            (.regionMonitoringFailure, 5, "regionMonitoringFailure"),
            (.regionMonitoringSetupDelayed, 6, "regionMonitoringSetupDelayed"),
            (.rangingUnavailable, 16, "rangingUnavailable"), (.rangingFailure, 17, "rangingFailure"),
            (.promptDeclined, 18, "promptDeclined"),
        ]
        for (code, number, name) in codes {
            #expect(code.rawValue == number && code.name == name)
            #expect(LocationError(code).message.hasPrefix("cannot "))
            #expect(!LocationError(code).message.contains("Core Location's error"))
        }
    }
}
