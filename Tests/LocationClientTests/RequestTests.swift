// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

/// A daemon that has written its replies before it is asked: the ids of requests count from 1.
private struct PreparedDaemon {
    let connection: LocationConnection
    private let directory: TemporaryDirectory
    private let socket: Int32

    init(_ replies: (RequestID) -> [UInt8]...) throws {
        directory = try TemporaryDirectory()
        let path = directory.file("s")
        let listener = clinux_listen_unix(path, 0o600, 1)
        guard listener >= 0 else { throw TestFailure("cannot listen at \(path)") }
        defer { close(listener) }
        connection = try LocationConnection(to: DaemonAddress(path: path))
        // The listener does not block, but the connection is there already.
        socket = accept(listener, nil, nil)
        guard socket >= 0 else { throw TestFailure("cannot accept the client") }
        for (index, reply) in replies.enumerated() {
            let line = reply(.integer(Int64(index + 1)))
            guard send(socket, line, line.count, 0) == line.count else { throw TestFailure("cannot reply") }
        }
    }

    /// What the client has asked, in order; ends the connection.
    func calls() throws -> [Call] {
        var framer = LineFramer()
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = recv(socket, &bytes, bytes.count, Int32(MSG_DONTWAIT))
        close(socket)
        framer.append(Array(bytes[..<max(count, 0)]))
        var calls: [Call] = []
        while case .line(let line) = framer.next() { calls.append(try RequestDecoder().decode(line).get().call) }
        return calls
    }
}

private func nothing(_ id: RequestID) -> [UInt8] { ReplyWriter.empty(id) }

private func result(_ result: some Encodable & Sendable) -> (RequestID) -> [UInt8] {
    { ReplyWriter.result($0, result) }
}

private let home = Region(
    identifier: "home", shape: .circle(center: Coordinate(latitude: 1, longitude: 2), radius: 100))
private let date = WallTime(milliseconds: 0)

@Suite("The client's requests")
struct RequestTests {
    @Test("hello says all that it is given")
    func hello() throws {
        let greeting = HelloResult(
            version: "1", app: "a", identity: "uid:1", manager: ManagerToken(high: 1, low: 2), rejoined: false,
            authorizationStatus: .denied, accuracyAuthorization: nil, eventsDropped: 3)
        let daemon = try PreparedDaemon(result(greeting))
        let read = try daemon.connection.hello(
            app: "a", whenInUse: "w", always: "x", temporaryFullAccuracy: ["k": "t"], presence: .foreground,
            manager: greeting.manager, events: true)
        #expect(read == greeting)
        let texts = UsageDescriptions(whenInUse: "w", always: "x", temporaryFullAccuracy: ["k": "t"])
        let expected = HelloParameters(
            app: "a", usageDescriptions: texts, presence: .foreground, manager: greeting.manager, events: true)
        #expect(try daemon.calls() == [.hello(expected)])
    }

    @Test("requests for consent are asked and answered with their state")
    func consent() throws {
        let prompted = StateResult(.prompted)
        let daemon = try PreparedDaemon(result(prompted), result(StateResult(.alreadyDetermined)), result(prompted))
        #expect(try daemon.connection.requestWhenInUseAuthorization() == prompted)
        #expect(try daemon.connection.requestAlwaysAuthorization().state == .alreadyDetermined)
        #expect(try daemon.connection.requestTemporaryFullAccuracyAuthorization(purposeKey: "k") == prompted)
        let expected: [Call] = [
            .asked(.requestWhenInUseAuthorization), .asked(.requestAlwaysAuthorization),
            .asked(.requestTemporaryFullAccuracyAuthorization(purposeKey: "k")),
        ]
        #expect(try daemon.calls() == expected)
    }

    @Test("regions, visits and headings are started, told and stopped")
    func regions() throws {
        let running = StateResult(.running)
        let daemon = try PreparedDaemon(
            result(running), result(running), { ReplyWriter.result($0, MonitoredRegions([home])) }, nothing,
            result(running), nothing, result(StateResult(.unavailable, reason: "no compass")), nothing)
        #expect(try daemon.connection.startMonitoring(home) == running)
        #expect(try daemon.connection.requestState("home") == running)
        #expect(try daemon.connection.monitoredRegions() == [home])
        try daemon.connection.stopMonitoring("home")
        #expect(try daemon.connection.startMonitoringVisits() == running)
        try daemon.connection.stopMonitoringVisits()
        #expect(try daemon.connection.startUpdatingHeading().state == .unavailable)
        try daemon.connection.stopUpdatingHeading()
        let expected: [Call] = [
            .asked(.startMonitoring(home)), .asked(.requestState(identifier: "home")), .monitoredRegions,
            .asked(.stopMonitoring(identifier: "home")), .asked(.startMonitoringVisits), .asked(.stopMonitoringVisits),
            .asked(.startUpdatingHeading),
            .asked(.stopUpdatingHeading),
        ]
        #expect(try daemon.calls() == expected)
    }

    @Test("streams and sessions have numbers")
    func sessions() throws {
        let daemon = try PreparedDaemon(
            result(StateResult(.running, updates: 1)), nothing, result(SessionResult(session: 2)), nothing,
            result(SessionResult(session: 3)), nothing, nothing)
        #expect(try daemon.connection.startLiveUpdates(.fitness).updates == 1)
        try daemon.connection.stopLiveUpdates(1)
        #expect(try daemon.connection.startBackgroundActivitySession().session == 2)
        try daemon.connection.invalidateBackgroundActivitySession(2)
        #expect(try daemon.connection.startServiceSession(.always, fullAccuracyPurposeKey: "k").session == 3)
        try daemon.connection.invalidateServiceSession(3)
        try daemon.connection.acknowledge(9)
        let expected: [Call] = [
            .asked(.startLiveUpdates(.fitness)), .asked(.stopLiveUpdates(updates: 1)),
            .asked(.startBackgroundActivitySession),
            .asked(.invalidateBackgroundActivitySession(session: 2)),
            .asked(.startServiceSession(ServiceSessionParameters(requirement: .always, fullAccuracyPurposeKey: "k"))),
            .asked(.invalidateServiceSession(session: 3)), .asked(.acknowledge(event: 9)),
        ]
        #expect(try daemon.calls() == expected)
    }

    @Test("a monitor is opened, filled, read and closed")
    func monitors() throws {
        let record = MonitorRecord(
            condition: home.shape, lastEvent: ConditionEvent(state: .satisfied, date: date))
        let daemon = try PreparedDaemon(
            result(MonitorResult(monitor: 1, identifiers: ["home"])), nothing,
            { ReplyWriter.result($0, MonitorRecordResult(record)) },
            { ReplyWriter.result($0, MonitorRecordResult(nil)) },
            nothing, nothing)
        #expect(try daemon.connection.openMonitor("m") == MonitorResult(monitor: 1, identifiers: ["home"]))
        try daemon.connection.addCondition(home.shape, identifier: "home", to: 1, assuming: .satisfied)
        #expect(try daemon.connection.monitorRecord("home", of: 1) == record)
        #expect(try daemon.connection.monitorRecord("work", of: 1) == nil)
        try daemon.connection.removeCondition("home", from: 1)
        try daemon.connection.closeMonitor(1)
        let expected: [Call] = [
            .asked(.openMonitor(name: "m")),
            .asked(
                .addCondition(
                    ConditionParameters(monitor: 1, identifier: "home", condition: home.shape, assuming: .satisfied))),
            .monitorRecord(ConditionName(monitor: 1, identifier: "home")),
            .monitorRecord(ConditionName(monitor: 1, identifier: "work")),
            .asked(.removeCondition(ConditionName(monitor: 1, identifier: "home"))), .asked(.closeMonitor(monitor: 1)),
        ]
        #expect(try daemon.calls() == expected)
    }

    @Test("agents and admins ask and decide")
    func administration() throws {
        let request = AuthorizationRequest(
            request: 4, identity: "i", uid: 1, level: .always, usageDescription: "u", since: date)
        let app = AppStatus(app: "a", identity: "i", uid: 1, authorizationStatus: .denied)
        let visit = Visit(
            coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 3, arrival: date, departure: nil)
        let event = AppEvent(number: 5, date: date, content: .visit(visit))
        let forgotten = ForgetResult(app: "a", hadDecision: true)
        let daemon = try PreparedDaemon(
            nothing, nothing, result([request]), result([app]), nothing,
            result(DecisionResult(problem: "the disk is full")), result(forgotten), nothing,
            { ReplyWriter.result($0, StoredEvents([(event, "l")])) }, nothing, nothing, nothing, nothing)
        try daemon.connection.registerAgent()
        try daemon.connection.answerRequest(4, .once)
        #expect(try daemon.connection.pendingRequests() == [request])
        #expect(try daemon.connection.apps() == [app])
        let stored = try daemon.connection.authorize("a", .authorizedWhenInUse, accuracy: .reduced, once: true)
        #expect(stored == DecisionResult())
        #expect(try daemon.connection.resetAuthorization("a") == DecisionResult(problem: "the disk is full"))
        #expect(try daemon.connection.forgetApp("a") == forgotten)
        try daemon.connection.setLocationServicesEnabled(true)
        let waiting = StoredEvent(event: 5, date: date, label: "l", notification: .didVisit(visit, event: 5))
        #expect(try daemon.connection.events(of: "a") == [waiting])
        try daemon.connection.closeConnection(12)
        try daemon.connection.reload()
        let name = NoticeName(identity: "uid:1000", label: nil, event: 5)
        try daemon.connection.takeNotices()
        try daemon.connection.acknowledgeNotice(name)
        let expected: [Call] = [
            .registerAgent, .answerRequest(request: 4, .once), .pendingRequests, .apps,
            .authorize(
                AuthorizeParameters(
                    app: "a", authorizationStatus: .authorizedWhenInUse, accuracyAuthorization: .reduced, once: true)),
            .resetAuthorization(app: "a"), .forgetApp(app: "a"), .setLocationServicesEnabled(true), .events(app: "a"),
            .closeConnection(12), .reload, .takeNotices, .asked(.acknowledgeNotice(name)),
        ]
        #expect(try daemon.calls() == expected)
    }

    @Test("a refusal is thrown with the daemon's reason")
    func refusal() throws {
        let error = RPCError(.missingUsageDescription, "cannot ask: there is no usage description")
        let daemon = try PreparedDaemon({ ReplyWriter.refusal($0, error) })
        let thrown = #expect(throws: LocationClientError.self) { try daemon.connection.requestAlwaysAuthorization() }
        guard case .refused(error) = thrown else {
            Issue.record("\(String(describing: thrown))")
            return
        }
    }
}
