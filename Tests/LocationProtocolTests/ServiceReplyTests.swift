// SPDX-License-Identifier: Apache-2.0

import LocationModel
import LocationProtocol
import Testing

private let date = WallTime(milliseconds: 1_700_000_000_123)
private let dateJSON = "2023-11-14T22:13:20.123Z"

/// An app with everything that there is to tell.
let fullApp: AppStatus = {
    var app = AppStatus(
        app: "maps", identity: "maps.service", uid: 1000, authorizationStatus: .authorizedAlways)
    app.user = "ada"
    app.labels = ["maps", "tracks"]
    app.decision = .authorizedAlways
    app.accuracyAuthorization = .reduced
    app.isProvisional = true
    app.decidedBy = "uid:0"
    app.decidedAt = date
    app.rule = "the user's decision"
    app.formerUser = "grace"
    app.isOnce = true
    app.lastUse = date
    app.isInUse = true
    app.isUsingLocation = true
    app.connections = 2
    app.regions = 3
    app.conditions = 4
    app.wantsVisits = true
    app.pendingEvents = 5
    app.eventsDropped = 6
    return app
}()

/// A request with everything that there is to tell.
let fullRequest = AuthorizationRequest(
    request: 7, identity: "maps.service", label: "maps", uid: 1000, user: "ada", level: .temporaryFullAccuracy,
    purposeKey: "turn", usageDescription: "to guide you", since: date)

/// A record whose event has every member.
let fullRecord = MonitorRecordResult(
    MonitorRecord(
        condition: circle.shape,
        lastEvent: ConditionEvent(
            state: .satisfied, date: date, refinement: triangle.shape, flags: [.accuracyLimited])))

private let visit = Visit(
    coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 3, arrival: nil, departure: date)

/// Every kind of stored event.
let storedEvents: [(event: AppEvent, label: String?)] = [
    (AppEvent(number: 1, date: date, content: .region(circle, .inside, fullLocation)), "maps"),
    (AppEvent(number: 2, date: date, content: .region(triangle, .outside, fullLocation)), nil),
    (AppEvent(number: 3, date: date, content: .visit(visit)), nil),
    (
        AppEvent(
            number: 4, date: date,
            content: .monitor(name: "places", identifier: "home", ConditionEvent(state: .unsatisfied, date: date))), nil
    ),
    (AppEvent(number: 5, date: date, content: .significantChange(fullLocation, isReduced: false)), nil),
]

private func reply(_ line: [UInt8]) throws -> Reply {
    guard case .reply(let reply) = try ServerMessage.decode(line) else {
        throw RPCError(.parseError, "not a reply: \(text(line))")
    }
    return reply
}

private func result(_ line: [UInt8]) -> String {
    String(text(line).dropFirst(#"{"jsonrpc":"2.0","id":1,"result":"#.count).dropLast(2))
}

@Suite("Replies of the services")
struct ServiceReplyTests {
    @Test("a state has the number of a stream, and a session is its number, both ways")
    func state() throws {
        let updates = StateResult(.running, updates: 3)
        #expect(try encoded(updates) == #"{"state":"running","updates":3}"#)
        #expect(try decode(StateResult.self, try encoded(updates)) == updates)
        let session = SessionResult(session: 4)
        #expect(try encoded(session) == #"{"session":4}"#)
        #expect(try decode(SessionResult.self, try encoded(session)) == session)
        #expect(try encoded(StateResult(.prompted)) == #"{"state":"prompted"}"#)
        #expect(try encoded(StateResult(.alreadyDetermined)) == #"{"state":"alreadyDetermined"}"#)
    }

    @Test("regions are a bare array, both ways")
    func regions() throws {
        let line = ReplyWriter.result(.integer(1), MonitoredRegions([circle, triangle]))
        #expect(result(line) == "[\(circleJSON),\(triangleJSON)]")
        #expect(try reply(line).result(MonitoredRegions.self).regions == [circle, triangle])
        let none = ReplyWriter.result(.integer(1), MonitoredRegions([]))
        #expect(result(none) == "[]")
        #expect(try reply(none).result(MonitoredRegions.self).regions == [])
    }

    @Test("a monitor is its number and its conditions, both ways")
    func monitor() throws {
        let monitor = MonitorResult(monitor: 2, identifiers: ["home", "work"])
        let line = ReplyWriter.result(.integer(1), monitor)
        #expect(result(line) == #"{"identifiers":["home","work"],"monitor":2}"#)
        #expect(try reply(line).result(MonitorResult.self) == monitor)
    }

    @Test("a record has its last event, and is null itself without its condition, both ways")
    func record() throws {
        let line = ReplyWriter.result(.integer(1), fullRecord)
        #expect(
            result(line)
                == #"{"condition":\#(circleShapeJSON),"lastEvent":{"state":"satisfied","date":"\#(dateJSON)","#
                + #""refinement":\#(triangleShapeJSON),"accuracyLimited":true}}"#)
        #expect(try reply(line).result(MonitorRecordResult.self) == fullRecord)
        let fresh = #"{"jsonrpc":"2.0","id":1,"result":{"condition":\#(triangleShapeJSON),"lastEvent":null}}"#
        #expect(throws: (any Error).self) { try reply(Array(fresh.utf8)).result(MonitorRecordResult.self) }
        let none = ReplyWriter.result(.integer(1), MonitorRecordResult(nil))
        #expect(result(none) == "null")
        #expect(try reply(none).result(MonitorRecordResult.self).record == nil)
    }

    @Test("an app has every member that is known, both ways")
    func apps() throws {
        let line = ReplyWriter.result(.integer(1), [fullApp])
        #expect(
            result(line)
                == #"[{"accuracyAuthorization":"reduced","app":"maps","authorizationStatus":"authorizedAlways","#
                + #""conditions":4,"connections":2,"decidedAt":"\#(dateJSON)","decidedBy":"uid:0","#
                + #""decision":"authorizedAlways","eventsDropped":6,"#
                + #""formerUser":"grace","identity":"maps.service","inUse":true,"labels":["maps","tracks"],"#
                + #""lastUse":"\#(dateJSON)","once":true,"pendingEvents":5,"provisional":true,"regions":3,"#
                + #""rule":"the user's decision","uid":1000,"user":"ada","usingLocation":true,"visits":true}]"#)
        #expect(try reply(line).result([AppStatus].self) == [fullApp])
        let least = AppStatus(app: "uid:1", identity: "uid:1", uid: 1, authorizationStatus: .notDetermined)
        #expect(
            try encoded(least)
                == #"{"accuracyAuthorization":null,"app":"uid:1","authorizationStatus":"notDetermined","conditions":0,"connections":0,"#
                + #""eventsDropped":0,"identity":"uid:1","inUse":false,"labels":[],"pendingEvents":0,"#
                + #""provisional":false,"regions":0,"uid":1,"usingLocation":false,"visits":false}"#)
        #expect(try decode(AppStatus.self, try encoded(least)) == least)
    }

    @Test("a pending request is what an agent is told, both ways")
    func pendingRequests() throws {
        let line = ReplyWriter.result(.integer(1), [fullRequest])
        #expect(
            result(line)
                == #"[{"identity":"maps.service","label":"maps","level":"temporaryFullAccuracy","purposeKey":"turn","#
                + #""request":7,"since":"\#(dateJSON)","uid":1000,"usageDescription":"to guide you","user":"ada"}]"#)
        #expect(try reply(line).result([AuthorizationRequest].self) == [fullRequest])
        let least = AuthorizationRequest(
            request: 1, identity: "uid:1", uid: 1, level: .whenInUse, usageDescription: "no reason given", since: date)
        #expect(!(try encoded(least)).contains("label"))
        #expect(try decode(AuthorizationRequest.self, try encoded(least)) == least)
    }

    @Test("stored events are their notifications; a monitor's has the name in place of the number, both ways")
    func events() throws {
        let line = ReplyWriter.result(.integer(1), StoredEvents(storedEvents))
        #expect(
            result(line).hasPrefix(
                #"[{"event":1,"date":"\#(dateJSON)","label":"maps","method":"didEnterRegion","params":{"region":"#
                    + circleJSON))
        #expect(
            result(line).contains(
                #"{"event":4,"date":"\#(dateJSON)","method":"monitorEvent","params":{"name":"places","identifier":"home","#
                    + #""state":"unsatisfied","date":"\#(dateJSON)","event":4}}"#))
        let read = try reply(line).result([StoredEvent].self)
        #expect(read.map(\.event) == [1, 2, 3, 4, 5])
        #expect(read.map(\.label) == ["maps", nil, nil, nil, nil])
        #expect(read.allSatisfy { $0.date == date })
        #expect(
            read.map(\.notification) == [
                .didEnterRegion(RegionCrossing(region: circle, location: fullLocation, event: 1)),
                .didExitRegion(RegionCrossing(region: triangle, location: fullLocation, event: 2)),
                .didVisit(visit, event: 3),
                .monitorEvent(
                    MonitorEvent(
                        monitor: nil, name: "places", identifier: "home",
                        content: ConditionEvent(state: .unsatisfied, date: date), event: 4)),
                .didUpdateLocations(
                    LocationUpdate(locations: [fullLocation], source: .significantChange, event: 5)),
            ])
        #expect(result(ReplyWriter.result(.integer(1), StoredEvents([]))) == "[]")
    }
}
