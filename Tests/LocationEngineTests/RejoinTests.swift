// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Clients that come back")
struct RejoinTests {
    private static let greeting = "authorization authorizedAlways full initial"

    @Test("delivery goes on behind the last location that was wholly written", arguments: [0, 1, 2])
    func redelivers(unwritten: Int) {
        var (bench, client) = EngineBench.running()
        bench.detach(client, unwritten: unwritten)
        bench.travel(2, from: 30)
        bench.attach(client)
        bench.travel(1, from: 50)
        #expect(
            bench.lines(client) == [Self.greeting] + ((4 - unwritten)...6).map { "standard \($0)" })
        #expect(bench.violations == [])
    }

    @Test("properties, presence, requests and numbers are taken back")
    func takesBack() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(filter: 30))
        bench.ask(client, .requestLocation(timeout: 20))
        _ = bench.lines(client)
        bench.detach(client)
        bench.travel(2)
        bench.attach(client, presence: .foreground)
        let report = bench.engine.report(of: client, at: bench.now)
        #expect(report.properties.distanceFilter == 30)
        #expect(report.presence == .foreground)
        #expect(report.request == nil)
        #expect(report.waitsToRejoin == nil)
        #expect(bench.lines(client) == [Self.greeting, "request 2 request 1"])
        bench.advance(by: 10)
        bench.ask(client, .requestLocation)
        #expect(bench.lines(client) == ["reply running request 2"])
        #expect(bench.violations == [])
    }

    @Test("the filter goes on from the last location that the client has")
    func filterGoesOn() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(filter: 25))
        bench.ask(client, .start)
        bench.travel(5)
        bench.detach(client)
        bench.travel(5, from: 50)
        bench.attach(client)
        #expect(bench.sequences(client) == [1, 4, 7, 10])
        #expect(bench.violations == [])
    }

    @Test("a deferral goes on, and time spent away counts")
    func deferralGoesOn() {
        var (bench, client) = EngineBench.running()
        bench.ask(client, .allow(metres: 100))
        bench.travel(3, from: 30)
        _ = bench.lines(client)
        bench.detach(client)
        bench.travel(3, from: 60)
        bench.attach(client)
        #expect(bench.lines(client) == [Self.greeting])
        #expect(bench.engine.report(of: client, at: bench.now).deferral?.held == 6)
        bench.travel(4, from: 90)
        #expect(bench.lines(client) == ["finish 1", "standard 4-13 deferral 1"])
        #expect(bench.violations == [])
    }

    @Test("a deferral that ended while the client was away finishes first, then live fixes go on")
    func endedAway() {
        var (bench, client) = EngineBench.running()
        bench.ask(client, .allow(metres: 40))
        _ = bench.lines(client)
        bench.detach(client)
        bench.travel(6, from: 30)
        bench.attach(client)
        #expect(
            bench.lines(client) == [
                Self.greeting, "finish 1", "standard 4-7 deferral 1", "standard 8", "standard 9",
            ])
        #expect(bench.violations == [])
    }

    @Test("a finish that no request followed is sent again with what is left of its batch")
    func resentFinish() {
        var (bench, client) = EngineBench.running()
        bench.ask(client, .allow(metres: 40))
        bench.travel(5, from: 30)
        #expect(
            bench.lines(client) == [
                "reply running deferral 1", "finish 1", "standard 4-7 deferral 1", "standard 8",
            ])
        bench.detach(client, unwritten: 2)
        bench.attach(client)
        #expect(bench.lines(client) == [Self.greeting, "finish 1", "standard 4-7 deferral 1", "standard 8"])
        bench.ask(client, .background)
        bench.detach(client)
        bench.attach(client)
        #expect(bench.lines(client) == ["reply", Self.greeting])
        #expect(bench.violations == [])
    }

    @Test("a finish by stop is sent again with its batch, though nothing runs any more", arguments: [false, true])
    func resentFinishOfStop(isKilled: Bool) {
        var (bench, client) = EngineBench.running()
        bench.ask(client, .allow())
        bench.travel(3, from: 30)
        bench.ask(client, .stop)
        if isKilled { bench.kill(unwritten: [client: 3]) } else { bench.detach(client, unwritten: 3) }
        _ = bench.lines(client)
        bench.travel(3, from: 60)
        bench.attach(client)
        #expect(bench.lines(client) == [Self.greeting, "finish 1 error 15", "standard 4-6 deferral 1"])
        bench.travel(3, from: 60)
        #expect(bench.lines(client) == [])
        #expect(bench.violations == [])
    }

    @Test("the finish of a deferral that never ran has no batch, now or later")
    func failedAllow() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(filter: 25))
        bench.ask(client, .start)
        bench.travel(3)
        bench.ask(client, .allow(metres: 100))
        bench.detach(client)
        _ = bench.lines(client)
        bench.attach(client)
        #expect(bench.lines(client) == [Self.greeting, "finish 1 error 14"])
        #expect(bench.violations == [])
    }

    @Test("the finish of a deferral that never ran gives no precise location to a reduced app")
    func failedAllowReduced() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(3)
        bench.ask(client, .allow(metres: 100))
        bench.detach(client)
        _ = bench.lines(client)
        bench.attach(client)
        #expect(bench.lines(client) == ["authorization authorizedAlways reduced initial", "finish 1 error 13"])
        #expect(bench.violations == [])
    }

    @Test("a filter set by the request that ended a deferral counts from the end of its batch")
    func filterAfterResentBatch() {
        var (bench, client) = EngineBench.running()
        bench.ask(client, .allow())
        bench.travel(3, from: 30)
        bench.ask(client, .properties(filter: 25))
        bench.detach(client, unwritten: 3)
        _ = bench.lines(client)
        bench.travel(6, from: 60)
        bench.attach(client)
        #expect(
            bench.lines(client) == [
                Self.greeting, "finish 1 error 14", "standard 4-6 deferral 1", "standard 9", "standard 12",
            ])
        #expect(bench.violations == [])
    }

    @Test("what the log no longer holds is said", arguments: [true, false])
    func lostWhileAway(isDeferring: Bool) {
        var (bench, client) = EngineBench.running(configuration: .with(\.logCapacity, 10))
        if isDeferring { bench.ask(client, .allow()) }
        bench.detach(client)
        bench.travel(20)
        _ = bench.lines(client)
        bench.attach(client)
        let first = isDeferring ? "standard 14-23 deferral 1 early gap" : "standard 14 gap"
        #expect(bench.lines(client).dropFirst().first == first)
        #expect(bench.violations == [])
    }

    @Test(
        "after the rejoin time the manager ends without a finish and asks for nothing",
        arguments: EngineBench.WakeMoment.allCases)
    func tooLate(wake: EngineBench.WakeMoment) {
        var (bench, client) = EngineBench.running()
        bench.wakeMoment = wake
        bench.ask(client, .allow())
        _ = bench.lines(client)
        bench.detach(client)
        bench.advance(by: 29)
        #expect(bench.closed == [])
        #expect(bench.isReceiverOn)
        bench.advance(by: 4)
        #expect(bench.closed == [client])
        #expect(bench.lines(client) == [])
        #expect(!bench.isReceiverOn)
        #expect(bench.engine.nextWake == nil)
        #expect(bench.violations == [])
    }

    @Test("a client that comes back in the moment in which its time is up finds nothing")
    func justTooLate() {
        var (bench, client) = EngineBench.running()
        bench.detach(client)
        bench.oversleep(30)
        bench.attach(client)
        bench.travel(3)
        #expect(bench.closed == [client])
        #expect(bench.lines(client) == [])
        #expect(bench.engine.nextWake == nil)
    }

    @Test("a gap that the client was not told of is told again", arguments: [false, true])
    func gapToldAgain(isKilled: Bool) {
        var (bench, client) = EngineBench.running(configuration: .with(\.logCapacity, 3))
        bench.travel(7, from: 30)
        bench.resume(client, after: 2)
        #expect(bench.lines(client).suffix(3) == ["standard 8 gap", "standard 9", "standard 10"])
        if isKilled { bench.kill(unwritten: [client: 3]) } else { bench.detach(client, unwritten: 3) }
        bench.attach(client)
        #expect(bench.lines(client).suffix(3) == ["standard 8 gap", "standard 9", "standard 10"])
        #expect(bench.violations == [])
    }

    @Test("kill -9: services, deferral and numbers go on; the finish is not lost", arguments: [0, 7])
    func killed(skipped: UInt64) {
        var (bench, client) = EngineBench.running()
        bench.ask(client, .allow(metres: 100))
        bench.travel(3, from: 30)
        _ = bench.lines(client)
        bench.kill(skipping: skipped)
        bench.advance(by: 2)
        bench.attach(client)
        #expect(bench.lines(client) == [Self.greeting])
        bench.travel(8, from: 60)
        #expect(bench.lines(client).first == "finish 1")
        #expect(bench.sequences(client).count == 14)
        #expect(bench.violations == [])
    }

    @Test("numbers skipped by an unclean stop are nothing held", arguments: [Request.disallow, .stop, .allow()])
    func skippedNumbers(request: Request) {
        var (bench, client) = EngineBench.running()
        bench.ask(client, .allow())
        bench.kill(skipping: 1000)
        bench.attach(client)
        _ = bench.lines(client)
        bench.ask(client, request)
        #expect(bench.lines(client).filter { $0.hasPrefix("standard") } == [])
        #expect(bench.violations == [])
    }

    @Test("skipped numbers make neither an early batch nor a gap")
    func skippedNumbersAreNoLoss() {
        var (bench, client) = EngineBench.running(configuration: .with(\.logCapacity, 100))
        bench.ask(client, .allow())
        bench.travel(2, from: 30)
        _ = bench.lines(client)
        bench.kill(skipping: 1000)
        bench.attach(client)
        #expect(bench.lines(client) == [Self.greeting])
        bench.travel(1, from: 50)
        bench.ask(client, .disallow)
        #expect(bench.lines(client) == ["finish 1 error 15", "standard 4,5,1006 deferral 1", "reply"])
        #expect(bench.violations == [])
    }

    @Test("a deferral that timed out after a kill finishes without an empty batch")
    func timedOutAfterKill() {
        var (bench, client) = EngineBench.running()
        bench.ask(client, .allow(seconds: 5))
        _ = bench.lines(client)
        bench.kill(skipping: 1000)
        bench.advance(by: 10)
        bench.attach(client)
        #expect(bench.lines(client) == [Self.greeting, "finish 1"])
        #expect(bench.violations == [])
    }

    @Test(
        "consent that went away while the daemon was down ends the deferral",
        arguments: [
            (Authorization.denied, "finish 1 error 11"), (.reduced, "finish 1 error 13"),
        ])
    func consentLostWhileDown(authorization: Authorization, finish: String) {
        var (bench, client) = EngineBench.running()
        bench.ask(client, .allow())
        bench.travel(3, from: 30)
        _ = bench.lines(client)
        bench.kill(authorizing: authorization)
        bench.attach(client)
        let lines = bench.lines(client)
        #expect(lines.contains(finish))
        #expect(lines.filter { $0.hasPrefix("standard") } == [])
        #expect(bench.violations == [])
    }

    @Test(
        "consent that went away while the daemon was down also withholds a batch that is to be sent again",
        arguments: [
            Authorization.denied, .reduced, .undetermined,
        ], [Request.stop, .disallow])
    func batchAfterConsentLostWhileDown(authorization: Authorization, end: Request) {
        var (bench, client) = EngineBench.running()
        bench.ask(client, .allow())
        bench.travel(3, from: 30)
        bench.ask(client, end)
        bench.kill(unwritten: [client: 3], authorizing: authorization)
        _ = bench.lines(client)
        bench.attach(client)
        let lines = bench.lines(client)
        #expect(lines.contains("finish 1 error 15"))
        #expect(lines.filter { $0.hasPrefix("standard") } == [])
        #expect(bench.violations == [])
    }
}
