// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

/// What was begun ends as promised, and nothing is told twice, whatever becomes of the daemon.
@Suite("What a session has promised")
struct SessionPromiseTests {
    @Test("a request is answered by the session when no daemon comes in time, and asked of nobody later")
    func requestWithoutDaemon() throws {
        var run = MachineRun()
        run.perform(.requestLocation(timeout: 4))
        run.lose()
        run.wait(3.9)
        #expect(run.words == ["disconnected"])
        run.wait(0.2)
        #expect(run.words == ["disconnected", "fail1:0"])
        try run.connect()
        #expect(run.calls.isEmpty)
    }

    @Test("a request that waits for authorization has all the time that takes")
    func requestWaits() throws {
        var run = try MachineRun.connected()
        run.perform(.requestLocation(timeout: nil))
        try run.answer(StateResult(.waitingForAuthorization, request: 1))
        run.lose()
        run.wait(60)
        #expect(!run.words.contains("fail1:0"))
        try run.connect(2)
        #expect(run.requests == [.requestLocation(timeout: 10)])
    }

    @Test("a request that a new daemon does not know gets the time that is left")
    func requestRestored() throws {
        var run = try MachineRun.connected()
        run.perform(.requestLocation(timeout: 20))
        try run.answer(StateResult(.running, request: 1))
        run.wait(5)
        run.lose()
        run.wait(0.5)
        try run.connect(2)
        #expect(run.requests == [.requestLocation(timeout: 14.5)])
        try run.answer(StateResult(.running, request: 1))
        run.tell(.didFailWithError(LocationError(.locationUnknown), source: .request, request: 1))
        run.tell(.didFailWithError(LocationError(.locationUnknown), source: .request, request: 1))
        #expect(run.words == ["running", "disconnected", "connected", "fail1:0"])
    }

    @Test(
        "a request that is cancelled while there is no daemon ends in silence, and is asked of nobody later",
        arguments: [
            Request.startUpdatingLocation(resumeAfter: nil), .stopUpdatingLocation,
            .allowDeferredLocationUpdates(DeferralParameters(untilTraveled: nil, timeout: nil)),
        ])
    func requestCancelledWithoutDaemon(by command: Request) throws {
        var run = MachineRun()
        run.lose()
        run.perform(.requestLocation(timeout: 4), command)
        run.wait(6)
        #expect(run.words == ["disconnected"])
        try run.connect()
        #expect(!run.calls.contains(.asked(.requestLocation(timeout: 4))) && run.calls.count == 1)
    }

    @Test("a request that the daemon had and the program cancels in an outage is not answered, nor asked again")
    func requestCancelledInOutage() throws {
        for rejoined in [true, false] {
            var run = try MachineRun.connected()
            run.perform(.requestLocation(timeout: 4))
            try run.answer(StateResult(.running, request: 1))
            run.lose()
            run.perform(.stopUpdatingLocation)
            run.wait(6)
            try run.connect(rejoined ? 1 : 2, rejoined: rejoined)
            #expect(run.requests == [.stopUpdatingLocation])
            run.tell(.didFailWithError(LocationError(.locationUnknown), source: .request, request: 1))
            #expect(run.words == ["running", "disconnected", rejoined ? "rejoined" : "connected"])
            run.perform(.requestLocation(timeout: 9))
            #expect(run.calls.last == .asked(.requestLocation(timeout: 9)))
        }
    }

    @Test("a deferral that a new daemon does not know goes on with the next fix for what is left of it")
    func deferralRestored() throws {
        var run = try MachineRun.connected()
        run.perform(
            .startUpdatingLocation(resumeAfter: nil),
            .allowDeferredLocationUpdates(DeferralParameters(untilTraveled: 500, timeout: 100)))
        try run.answer(StateResult(.running))
        try run.answer(StateResult(.running, deferral: 1))
        run.wait(5)
        run.lose()
        run.wait(5)
        try run.connect(2)
        try run.answer(StateResult(.running))
        #expect(run.calls.isEmpty)
        // 10 m each.
        run.update(1, 2, 3)
        guard case .asked(.allowDeferredLocationUpdates(let limits))? = run.calls.first else {
            throw TestFailure("cannot see the deferral in \(run.calls)")
        }
        #expect(abs((limits.untilTraveled ?? 0) - 480) < 0.1)
        #expect(abs((limits.timeout ?? 0) - 90) < 0.001)
        try run.answer(StateResult(.running, deferral: 1))
        run.tell(.didFinishDeferredUpdates(deferral: 1, error: nil))
        run.tell(.didFinishDeferredUpdates(deferral: 1, error: nil))
        #expect(run.words.suffix(4) == ["1", "2", "3", "finish1:met"])
    }

    @Test("a deferral that was refused finishes with error 11, after those before it")
    func deferralRefused() throws {
        var run = try MachineRun.connected()
        run.perform(.allowDeferredLocationUpdates(DeferralParameters(untilTraveled: nil, timeout: nil)))
        run.perform(.allowDeferredLocationUpdates(DeferralParameters(untilTraveled: nil, timeout: nil)))
        try run.answer(StateResult(.running, deferral: 1))
        try run.refuse(.limitExceeded)
        #expect(run.words == ["running", "refused:limitExceeded"])
        run.tell(.didFinishDeferredUpdates(deferral: 1, error: nil))
        #expect(run.words.suffix(2) == ["finish1:met", "finish2:11"])
    }

    @Test("an authorization is told when it is not the one told last")
    func authorization() throws {
        var run = try MachineRun.connected()
        func change(_ status: AuthorizationStatus, initial: Bool) -> Notification {
            .didChangeAuthorization(
                AuthorizationChange(authorizationStatus: status, accuracyAuthorization: .full, isInitial: initial))
        }
        run.tell(change(.authorizedAlways, initial: true))
        run.tell(change(.authorizedAlways, initial: true))
        run.tell(change(.denied, initial: false))
        #expect(run.words == ["authorizedAlways", "denied"])
    }

    @Test("a stored event is told once, and acknowledged again where the daemon missed that")
    func storedEvents() throws {
        var run = try MachineRun.connected()
        let visit = Visit(
            coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 9, arrival: nil, departure: nil)
        run.tell(.didVisit(visit, event: 7))
        run.tell(.didVisit(visit, event: 7))
        #expect(run.words == ["visit7"])
        run.perform(.acknowledge(event: 7))
        try run.answer()
        run.tell(.didVisit(visit, event: 7))
        #expect(run.words == ["visit7"])
        #expect(run.requests == [.acknowledge(event: 7)])
    }

    @Test("each start is answered with the stored location, also with one that the program had before")
    func storedAgain() throws {
        var run = try MachineRun.connected()
        run.perform(.startUpdatingLocation(resumeAfter: nil))
        try run.answer(StateResult(.running))
        run.update(5, cached: true)
        run.update(6)
        for stored in [6, 6, 7] as [UInt64] {
            run.perform(.stopUpdatingLocation)
            try run.answer()
            run.wait(1)
            run.perform(.startUpdatingLocation(resumeAfter: nil))
            try run.answer(StateResult(.running))
            run.update(stored, cached: true)
        }
        run.update(8)
        let starts = ["running", "6", "running", "6", "running", "7"]
        #expect(run.words == ["running", "5", "6"] + starts + ["8"])
    }

    private func authorization(_ accuracy: AccuracyAuthorization) -> AuthorizationChange {
        AuthorizationChange(
            authorizationStatus: .authorizedAlways, accuracyAuthorization: accuracy, isProvisional: false,
            isInitial: false)
    }

    @Test("what came in one view is no point to go on from in the other")
    func otherView() throws {
        var run = try MachineRun.connected()
        run.tell(.didChangeAuthorization(authorization(.reduced)))
        run.perform(.startUpdatingLocation(resumeAfter: nil))
        try run.answer(StateResult(.running))
        run.update(5, cached: true)
        run.tell(.didChangeAuthorization(authorization(.full)))
        run.lose()
        try run.reconnect(2)
        #expect(run.requests == [.startUpdatingLocation(resumeAfter: nil)])
        // The same number in another view is another location.
        try run.answer(StateResult(.running))
        run.update(5, cached: true)
        #expect(run.words.suffix(1) == ["5"] && run.words.count { $0 == "5" } == 2)
    }

    @Test("a stored location that came a moment ago does not come again, however often the service is started anew")
    func cached() throws {
        var run = try MachineRun.connected()
        run.perform(.startUpdatingLocation(resumeAfter: nil))
        try run.answer(StateResult(.running))
        run.update(5, cached: true)
        run.update(5)
        for _ in 1...2 {
            run.perform(.stopUpdatingLocation, .startUpdatingLocation(resumeAfter: nil))
            try run.answer()
            try run.answer(StateResult(.running))
            run.update(5, cached: true)
        }
        run.perform(.stopUpdatingLocation, .startUpdatingLocation(resumeAfter: nil))
        try run.answer()
        try run.answer(StateResult(.running))
        run.update(6, cached: true)
        run.update(7)
        #expect(run.words == ["running", "5", "running", "running", "running", "6", "7"])
    }

    @Test(
        "a daemon whose numbers began anew is heard by a program that starts the service anew",
        arguments: [true, false])
    func smallerNumbers(isLostBeforeStop: Bool) throws {
        var run = try MachineRun.connected()
        run.perform(.startUpdatingLocation(resumeAfter: nil))
        try run.answer(StateResult(.running))
        run.update(1000)
        if isLostBeforeStop { run.lose() }
        run.perform(.stopUpdatingLocation, .startUpdatingLocation(resumeAfter: nil))
        if !isLostBeforeStop {
            try run.answer()
            try run.answer(StateResult(.running))
            run.lose()
        }
        try run.reconnect(2)
        while !run.calls.isEmpty { try run.answer(StateResult(.running)) }
        run.update(3, cached: true)
        run.update(4)
        #expect(run.words.last == "4")
    }

    @Test(
        "a state that was asked for and not told is asked for again by the next connection", arguments: [true, false])
    func determinedStates(rejoined: Bool) throws {
        var run = try MachineRun.connected()
        func region(_ identifier: String) -> Region {
            Region(
                identifier: identifier,
                shape: .circle(center: Coordinate(latitude: 1, longitude: 2), radius: 100))
        }
        for identifier in ["told", "stopped", "owed"] { run.perform(.requestState(identifier: identifier)) }
        run.perform(.stopMonitoring(identifier: "stopped"))
        for _ in 1...3 { try run.answer(StateResult(.running)) }
        try run.answer()
        run.tell(.didDetermineState(region("told"), .inside))
        run.told = []
        for _ in 1...2 {
            // What nobody knows yet is still owed, and said once.
            run.tell(.didDetermineState(region("owed"), .unknown))
            #expect(run.told.count { if case .told(.didDetermineState) = $0 { true } else { false } } == 1)
            run.lose()
            run.wait(1)
            try run.connect(rejoined ? 1 : 2, rejoined: rejoined)
            #expect(run.requests == [.requestState(identifier: "owed")])
        }
        try run.answer(StateResult(.running))
        run.tell(.didDetermineState(region("owed"), .outside))
        run.perform(.requestState(identifier: "owed"))
        try run.answer(StateResult(.running))
        run.perform(.stopMonitoring(identifier: "owed"))
        run.lose()
        run.wait(1)
        try run.connect(rejoined ? 1 : 4, rejoined: rejoined)
        #expect(run.requests == [.requestState(identifier: "owed"), .stopMonitoring(identifier: "owed")])
        try run.answer(StateResult(.running))
        try run.answer()
        run.lose()
        run.wait(1)
        try run.connect(rejoined ? 1 : 3, rejoined: rejoined)
        #expect(run.requests == [])
    }
}
