// SPDX-License-Identifier: Apache-2.0
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("What a session decides")
struct SessionMachineTests {
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

    @Test("nobody there for 2 s is something to say, once per outage; a short restart is not")
    func tellsWaiting() throws {
        func reasons(_ run: MachineRun) -> [String] {
            run.told.compactMap { if case .waiting(let error) = $0 { "\(error)" } else { nil } }
        }
        var run = MachineRun()
        run.lose()
        run.wait(1.9)
        #expect(reasons(run).isEmpty)
        run.wait(60)
        #expect(reasons(run) == ["lost"])
        try run.connect()
        run.lose()
        run.wait(1.9)
        try run.connect()
        run.wait(60)
        #expect(reasons(run) == ["lost"])
        run.lose()
        run.wait(60)
        #expect(reasons(run) == ["lost", "lost"])
        var silent = MachineRun()
        silent.input(.opened)
        silent.wait(2)
        #expect(reasons(silent).first?.contains("does not answer hello") == true)
        #expect(silent.words.isEmpty)
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

    @Test("a name under which the program was known is not given up because there are too many now")
    func assumedNameInUse() throws {
        var run = MachineRun(isNameAssumed: true)
        try run.connect()
        run.lose()
        run.wait(1)
        run.input(.opened)
        try run.refuse(.limitExceeded)
        run.wait(60)
        run.input(.opened)
        guard case .hello(let hello)? = run.calls.last else { throw TestFailure("cannot see hello: \(run.calls)") }
        #expect(hello.app == "tests")
        #expect(!run.words.contains { $0.hasPrefix("nameRefused") })
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

    @Test("an answer that cannot be read is told in one sentence, which repeats nothing that was asked")
    func unreadableAnswers() throws {
        var run = MachineRun()
        run.input(.opened)
        try run.answer(["protocol": "none"])
        guard case .disconnected(let error)? = run.told.last else { throw TestFailure("cannot see the loss") }
        #expect("\(error)" == "cannot read locationd's answer to hello: result.protocol is of another type")
        run = try MachineRun.connected()
        let place = RegionShape.circle(center: Coordinate(latitude: 12.345678, longitude: 8), radius: 100)
        run.perform(.startMonitoring(Region(identifier: "home", shape: place)))
        try run.answer(["state": 5])
        guard case .refused(_, let refusal)? = run.told.last else { throw TestFailure("cannot see the refusal") }
        #expect(
            refusal.message == "cannot read locationd's answer to startMonitoring: result.state is of another type")
    }

    @Test("commands made before the daemon is there go out in their order after hello, at most 16 at once")
    func order() throws {
        var run = MachineRun()
        for number in 1...40 { run.perform(.requestState(identifier: "\(number)")) }
        run.input(.opened)
        #expect(run.calls.count == 1)
        try run.answer(HelloResult.greeting())
        #expect(run.requests == (1...16).map { .requestState(identifier: "\($0)") })
        try run.answer(StateResult(.running))
        #expect(run.calls.last == .asked(.requestState(identifier: "17")))
    }

    @Test("services that are switched on and off for long while nobody is there end as they were left")
    func switching() throws {
        var run = MachineRun()
        for _ in 0..<2 * SessionMachine.maximumWaiting {
            run.perform(.startUpdatingLocation(resumeAfter: nil), .stopUpdatingLocation)
        }
        run.perform(.startUpdatingLocation(resumeAfter: nil))
        #expect(run.told.isEmpty)
        try run.connect()
        #expect(run.requests == [.startUpdatingLocation(resumeAfter: nil)])
    }

    @Test("beyond some thousands of commands that wait, a command is refused, and a deferral still finishes")
    func bound() {
        var run = MachineRun()
        for _ in 0..<SessionMachine.maximumWaiting { run.perform(.startUpdatingLocation(resumeAfter: nil)) }
        #expect(run.words == [])
        run.perform(.allowDeferredLocationUpdates(DeferralParameters(untilTraveled: nil, timeout: nil)))
        #expect(run.words == ["refused:limitExceeded", "finish1:11"])
    }

    @Test("a stream whose start had no reply is ended before it is begun again, and what it says is nobody's")
    func orphans() throws {
        var run = try MachineRun.connected()
        run.perform(SessionCommand(.startLiveUpdates(.fitness), opening: SessionHandle(9)))
        run.lose()
        run.wait(0.2)
        try run.connect(rejoined: true)
        #expect(run.requests == [.stopLiveUpdates(updates: 1), .startLiveUpdates(.fitness)])
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
        run.perform(SessionCommand(.openMonitor(name: "m"), opening: monitor))
        run.perform(.removeCondition(ConditionName(monitor: monitor.number, identifier: "c")))
        #expect(run.requests == [.openMonitor(name: "m")])
        try run.answer(MonitorResult(monitor: 8, identifiers: []))
        #expect(run.requests == [.removeCondition(ConditionName(monitor: 8, identifier: "c"))])
    }

    @Test("what the daemon refuses to a new manager is wanted no more, whether or not the program lets it go")
    func refusedRestoration() throws {
        for isLetGo in [true, false] {
            var run = try MachineRun.connected()
            run.perform(SessionCommand(.openMonitor(name: "m"), opening: SessionHandle(1)))
            try run.answer(MonitorResult(monitor: 1, identifiers: []))
            run.lose()
            try run.reconnect(2)
            #expect(run.requests == [.openMonitor(name: "m")])
            try run.refuse(.unavailable)
            if isLetGo { run.perform(SessionCommand(.closeMonitor(monitor: SessionHandle(1).number))) }
            run.lose()
            try run.reconnect(3)
            #expect(run.calls.isEmpty)
        }
    }

    @Test("what is let go of before a new manager has begun it is not begun by the one after")
    func letGoWhileRestoring() throws {
        var run = try MachineRun.connected()
        run.perform(SessionCommand(.startLiveUpdates(.default), opening: SessionHandle(1)))
        try run.answer(StateResult(.running, updates: 1))
        run.lose()
        try run.reconnect(2)
        try run.answer(StateResult(.denied))
        run.perform(SessionCommand(.stopLiveUpdates(updates: SessionHandle(1).number)))
        run.lose()
        try run.reconnect(3)
        #expect(run.calls.isEmpty)
    }

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
        run.perform(.startUpdatingLocation(resumeAfter: nil))
        run.perform(SessionCommand(.startLiveUpdates(.default), opening: SessionHandle(1)))
        try run.answer(StateResult(.running))
        run.end()
        #expect(
            run.requests == [
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
        #expect(run.calls.dropFirst().first == .asked(.acknowledge(event: 4)))
    }
}
