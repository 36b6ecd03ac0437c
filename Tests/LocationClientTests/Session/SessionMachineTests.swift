// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("What a session decides")
struct SessionMachineTests {
    // MARK: Outages

    @Test("an outage is told at once, and after 10 s that nobody is there, each once")
    func tellsOutage() {
        var run = MachineRun()
        run.lose()
        #expect(run.words == ["disconnected"])
        for _ in 0..<100 {
            run.wait(0.5)
            if run.now < BootInstant(nanoseconds: 10_900_000_000) { #expect(run.words == ["disconnected"]) }
            run.lose()
        }
        #expect(run.words == ["disconnected", "unreachable"])
    }

    @Test("attempts are quick for 30 s, then one a minute, and at once when something changes at the address")
    func attempts() {
        var run = MachineRun()
        func attempts(_ run: inout MachineRun, _ seconds: Double) -> Int {
            let before = run.opens
            let end = run.now + .seconds(seconds)
            while let wake = run.machine.nextWake, wake <= end {
                run.wait((wake - run.now).seconds)
                run.lose()
            }
            run.wait((end - run.now).seconds)
            return run.opens - before
        }
        run.lose()
        #expect((10...20).contains(attempts(&run, 30)))
        #expect(attempts(&run, 600) == 10)
        let before = run.opens
        run.input(.daemonMayBeBack)
        #expect(run.opens == before + 1)
    }

    @Test("a daemon of another protocol is told with both versions, and left alone until its address changes")
    func incompatible() throws {
        var run = MachineRun()
        try run.connect(protocolVersion: 2)
        #expect(run.words == ["unreachable"])
        guard case .unreachable(let error)? = run.told.first else { throw TestFailure("cannot see the error") }
        #expect(error.description.contains("version 1") && error.description.contains("version 2"))
        #expect(error.description.contains("update"))
        #expect(run.closes == 1)
        #expect(run.machine.nextWake == nil)
        run.input(.daemonMayBeBack)
        run.wait(1)
        #expect(run.opens == 2)
    }

    @Test(
        "a daemon that refuses the program or its hello is not asked in a loop",
        arguments: [RPCErrorCode.invalidParams, .notPermitted, .identityMismatch])
    func refusedHello(code: RPCErrorCode) throws {
        var run = MachineRun()
        run.input(.opened)
        try run.refuse(code)
        run.wait(3600)
        #expect(run.words == ["unreachable"])
        #expect(run.opens == 1)
    }

    @Test(
        "a name that nobody gave the program is given up where the daemon refuses it, and told",
        arguments: [RPCErrorCode.identityMismatch, .limitExceeded])
    func assumedName(code: RPCErrorCode) throws {
        var run = MachineRun(isNameAssumed: true)
        run.input(.opened)
        try run.refuse(code)
        #expect(run.closes == 1 && run.opens == 2)
        run.input(.opened)
        guard case .hello(let hello)? = run.calls.last else { throw TestFailure("cannot see hello: \(run.calls)") }
        #expect(hello.app == nil)
        try run.answer(HelloResult.greeting())
        #expect(run.words == ["nameRefused:\(code.name)", "connected"])
    }

    @Test("a refusal is looked at again once a minute where nothing tells of changes at the address")
    func refusedHelloUnwatched() throws {
        var run = MachineRun(isWatched: false)
        run.input(.opened)
        try run.refuse(.notPermitted)
        run.wait(59)
        #expect(run.opens == 1)
        run.wait(2)
        #expect(run.opens == 2)
    }

    @Test("too many connections are a loss, and tried again later")
    func tooManyConnections() throws {
        var run = MachineRun()
        run.input(.opened)
        try run.refuseConnection(.tooManyConnections)
        #expect(run.words == ["disconnected"])
        #expect(run.closes == 1)
        run.wait(1)
        #expect(run.opens == 2)
    }

    @Test("commands made before the daemon is there go out in their order after hello, at most 16 at once")
    func order() throws {
        var run = MachineRun()
        for number in 1...40 { run.perform(.requestState(identifier: "\(number)")) }
        run.input(.opened)
        #expect(run.calls.count == 1)
        try run.answer(HelloResult.greeting())
        #expect(run.calls == (1...16).map { .requestState(identifier: "\($0)") })
        try run.answer(StateResult(.running))
        #expect(run.calls.last == .requestState(identifier: "17"))
    }

    @Test("beyond some thousands of commands that wait, a command is refused, and a deferral still finishes")
    func bound() {
        var run = MachineRun()
        for _ in 0..<SessionMachine.maximumWaiting { run.perform(.startUpdatingLocation) }
        #expect(run.words == [])
        run.perform(.allowDeferredLocationUpdates(untilTraveled: nil, timeout: nil))
        #expect(run.words == ["refused:limitExceeded", "finish1:11"])
    }

    // MARK: One-shot requests

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
        #expect(run.calls == [.requestLocation(timeout: 10)])
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
        #expect(run.calls == [.requestLocation(timeout: 14.5)])
        try run.answer(StateResult(.running, request: 1))
        run.tell(.didFailWithError(LocationError(.locationUnknown), source: .request, request: 1))
        run.tell(.didFailWithError(LocationError(.locationUnknown), source: .request, request: 1))
        #expect(run.words == ["running", "disconnected", "connected", "fail1:0"])
    }

    @Test(
        "a request that is cancelled while there is no daemon ends in silence, and is asked of nobody later",
        arguments: [
            SessionCommand.startUpdatingLocation, .stopUpdatingLocation,
            .allowDeferredLocationUpdates(untilTraveled: nil, timeout: nil),
        ])
    func requestCancelledWithoutDaemon(by command: SessionCommand) throws {
        var run = MachineRun()
        run.lose()
        run.perform(.requestLocation(timeout: 4), command)
        run.wait(6)
        #expect(run.words == ["disconnected"])
        try run.connect()
        #expect(!run.calls.contains(.requestLocation(timeout: 4)) && run.calls.count == 1)
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
            #expect(run.calls == [.stopUpdatingLocation])
            run.tell(.didFailWithError(LocationError(.locationUnknown), source: .request, request: 1))
            #expect(run.words == ["running", "disconnected", rejoined ? "rejoined" : "connected"])
            run.perform(.requestLocation(timeout: 9))
            #expect(run.calls.last == .requestLocation(timeout: 9))
        }
    }

    // MARK: Deferrals

    @Test("a deferral that a new daemon does not know goes on with the next fix for what is left of it")
    func deferralRestored() throws {
        var run = try MachineRun.connected()
        run.perform(.startUpdatingLocation, .allowDeferredLocationUpdates(untilTraveled: 500, timeout: 100))
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
        guard case .allowDeferredLocationUpdates(let limits)? = run.calls.first else {
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
        run.perform(.allowDeferredLocationUpdates(untilTraveled: nil, timeout: nil))
        run.perform(.allowDeferredLocationUpdates(untilTraveled: nil, timeout: nil))
        try run.answer(StateResult(.running, deferral: 1))
        try run.refuse(.limitExceeded)
        #expect(run.words == ["running", "refused:limitExceeded"])
        run.tell(.didFinishDeferredUpdates(deferral: 1, error: nil))
        #expect(run.words.suffix(2) == ["finish1:met", "finish2:11"])
    }

    // MARK: Doubles

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
        #expect(run.calls == [.acknowledge(event: 7)])
    }

    @Test("a stored location that the program had does not come again, however often it starts the service anew")
    func cached() throws {
        var run = try MachineRun.connected()
        run.perform(.startUpdatingLocation)
        try run.answer(StateResult(.running))
        run.update(5, cached: true)
        run.update(5)
        for _ in 1...2 {
            run.perform(.stopUpdatingLocation, .startUpdatingLocation)
            try run.answer()
            try run.answer(StateResult(.running))
            run.update(5, cached: true)
        }
        run.perform(.stopUpdatingLocation, .startUpdatingLocation)
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
        run.perform(.startUpdatingLocation)
        try run.answer(StateResult(.running))
        run.update(1000)
        if isLostBeforeStop { run.lose() }
        run.perform(.stopUpdatingLocation, .startUpdatingLocation)
        if !isLostBeforeStop {
            try run.answer()
            try run.answer(StateResult(.running))
            run.lose()
        }
        try reconnect(&run, 2)
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
        for _ in 1...2 {
            run.lose()
            run.wait(1)
            try run.connect(rejoined ? 1 : 2, rejoined: rejoined)
            #expect(run.calls == [.requestState(identifier: "owed")])
        }
        try run.answer(StateResult(.running))
        run.tell(.didDetermineState(region("owed"), .outside))
        run.lose()
        run.wait(1)
        try run.connect(rejoined ? 1 : 3, rejoined: rejoined)
        #expect(run.calls == [])
    }

    // MARK: Numbers

    @Test("a stream whose start had no reply is ended before it is begun again, and what it says is nobody's")
    func orphans() throws {
        var run = try MachineRun.connected()
        run.perform(.startLiveUpdates(SessionHandle(9), .fitness))
        run.lose()
        run.wait(0.2)
        try run.connect(rejoined: true)
        #expect(run.calls == [.stopLiveUpdates(updates: 1), .startLiveUpdates(.fitness)])
        run.tell(.didUpdate(LiveUpdate(updates: 1, location: nil)))
        try run.refuse(.notFound)
        try run.answer(StateResult(.running, updates: 2))
        run.tell(.didUpdate(LiveUpdate(updates: 2, location: nil)))
        #expect(run.words == ["disconnected", "rejoined", "running", "update9"])
    }

    @Test("a command about a monitor waits for the monitor's number")
    func waitsForNumber() throws {
        var run = try MachineRun.connected()
        let monitor = SessionHandle(3)
        run.perform(.openMonitor(monitor, name: "m"), .removeCondition(monitor, identifier: "c"))
        #expect(run.calls == [.openMonitor(name: "m")])
        try run.answer(MonitorResult(monitor: 8, identifiers: []))
        #expect(run.calls == [.removeCondition(ConditionName(monitor: 8, identifier: "c"))])
    }

    @Test("what the daemon refuses to a new manager is wanted no more, whether or not the program lets it go")
    func refusedRestoration() throws {
        for isLetGo in [true, false] {
            var run = try MachineRun.connected()
            run.perform(.openMonitor(SessionHandle(1), name: "m"))
            try run.answer(MonitorResult(monitor: 1, identifiers: []))
            run.lose()
            try reconnect(&run, 2)
            #expect(run.calls == [.openMonitor(name: "m")])
            try run.refuse(.unavailable)
            if isLetGo { run.perform(.closeMonitor(SessionHandle(1))) }
            run.lose()
            try reconnect(&run, 3)
            #expect(run.calls.isEmpty)
        }
    }

    @Test("what is let go of before a new manager has begun it is not begun by the one after")
    func letGoWhileRestoring() throws {
        var run = try MachineRun.connected()
        run.perform(.startLiveUpdates(SessionHandle(1), .default))
        try run.answer(StateResult(.running, updates: 1))
        run.lose()
        try reconnect(&run, 2)
        try run.answer(StateResult(.denied))
        run.perform(.stopLiveUpdates(SessionHandle(1)))
        run.lose()
        try reconnect(&run, 3)
        #expect(run.calls.isEmpty)
    }

    private func reconnect(_ run: inout MachineRun, _ token: UInt64) throws {
        run.wait(1)
        try run.connect(token)
    }

    // MARK: Queries and the end

    @Test("a question is answered with why it cannot be when nobody was ever there")
    func queries() {
        var run = MachineRun()
        run.input(.query(1, .location))
        #expect(run.answers.isEmpty)
        run.lose()
        run.input(.query(2, .monitoredRegions))
        #expect(run.answers == [1: false, 2: false])
    }

    @Test("the end of a session ends all that only it wants, and tells nothing more")
    func end() throws {
        var run = try MachineRun.connected()
        run.perform(.startUpdatingLocation, .startLiveUpdates(SessionHandle(1), .default))
        try run.answer(StateResult(.running))
        run.end()
        #expect(
            run.calls == [
                .startLiveUpdates(.default), .stopUpdatingLocation, .stopUpdatingHeading, .stopLiveUpdates(updates: 1),
            ])
        #expect(run.closes == 1)
        run.update(1)
        #expect(run.words == ["running"])
        #expect(run.machine.nextWake == nil)
    }

    @Test("a program that ends before the daemon has answered hello has still said what it wanted to last")
    func endWhileGreeting() {
        var run = MachineRun()
        run.perform(.acknowledge(event: 4))
        run.input(.opened)
        run.end()
        #expect(run.calls.dropFirst().first == .acknowledge(event: 4))
    }
}
