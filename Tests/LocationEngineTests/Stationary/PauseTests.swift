// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Pausing")
struct PauseTests {
    /// A client whose standard updates run.
    private static func bench(_ properties: Request = .properties()) -> (EngineBench, ManagerID) {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, properties)
        bench.ask(client, .start)
        _ = bench.lines(client)
        return (bench, client)
    }

    /// Twelve minutes at rest: updates pause.
    private static func rest(_ bench: inout EngineBench) { bench.travel(720, metres: 0) }

    private static func words(_ bench: inout EngineBench, _ client: ManagerID) -> [String] {
        bench.lines(client).filter { !$0.hasPrefix("standard") }
    }

    @Test("rest pauses after the fix is delivered, movement resumes before (S14)")
    func pauses() {
        var (bench, client) = Self.bench()
        Self.rest(&bench)
        let paused = bench.lines(client)
        #expect(paused.last == "pause stationary")
        #expect(paused.count { !$0.hasPrefix("standard") } == 1)
        #expect(bench.engine.report(of: client, at: bench.now).isPaused)
        bench.travel(60, metres: 20)
        let resumed = bench.lines(client)
        #expect(resumed.first == "resume moved" && resumed.last == "standard 780")
        #expect(resumed.dropFirst().allSatisfy { $0.hasPrefix("standard") })
        #expect(bench.violations == [])
    }

    @Test(
        "nothing pauses who does not want it, and nobody in the air (S15)",
        arguments: [Request.properties(pauses: false), .properties(activity: .airborne)])
    func never(properties: Request) {
        var (bench, client) = Self.bench(properties)
        bench.travel(1500, metres: 0)
        #expect(Self.words(&bench, client) == [])
        #expect(bench.sequences(client).count == 1500)
        #expect(bench.violations == [])
    }

    @Test("a deferral ends with 12: finish, batch, pause, before and behind what else the fix brings (F6)")
    func deferral() {
        var (bench, client) = Self.bench()
        bench.ask(client, .startLiveUpdates(.default))
        bench.travel(5, metres: 0)
        bench.ask(client, .allow())
        Self.rest(&bench)
        let lines = bench.lines(client)
        let finish = lines.firstIndex(of: "finish 1 error 12") ?? 0
        #expect(lines[finish + 1].hasSuffix("deferral 1"))
        let pause = lines.firstIndex(of: "pause stationary") ?? 0
        #expect(finish + 1 < pause && lines[(finish + 2)..<pause].allSatisfy { $0.hasPrefix("update") })
        bench.ask(client, .allow())
        #expect(bench.lines(client) == ["reply ignored deferral 2", "finish 2 error 12"])
        #expect(bench.violations == [])
    }

    @Test(
        "starting again, or properties that do not pause, end the pause after their reply",
        arguments: [
            Request.start, .properties(pauses: false), .properties(activity: .airborne),
        ])
    func restarted(request: Request) {
        var (bench, client) = Self.bench()
        Self.rest(&bench)
        _ = bench.lines(client)
        bench.ask(client, request)
        bench.travel(1, metres: 0)
        let lines = bench.lines(client)
        #expect(lines.first?.hasPrefix("reply") == true)
        #expect(Array(lines.dropFirst()) == ["resume restarted", "standard 721"])
        #expect(bench.violations == [])
    }

    @Test("a client that started again at rest is paused again after as long")
    func pausedAgain() {
        var (bench, client) = Self.bench()
        Self.rest(&bench)
        bench.ask(client, .start)
        _ = bench.lines(client)
        bench.travel(120, metres: 0)
        #expect(Self.words(&bench, client) == [])
        Self.rest(&bench)
        #expect(Self.words(&bench, client) == ["pause stationary"])
        #expect(bench.violations == [])
    }

    @Test("who may know roughly where the device is is not told when it rests, and no longer when that is taken back")
    func reduced() {
        var (bench, client) = Self.bench()
        Self.rest(&bench)
        _ = bench.lines(client)
        bench.authorize(.reduced)
        #expect(Self.words(&bench, client) == ["authorization authorizedAlways reduced", "resume restarted"])
        Self.rest(&bench)
        #expect(Self.words(&bench, client) == [])
        #expect(!bench.engine.report(of: client, at: bench.now).isPaused)
        #expect(bench.violations == [])
    }

    @Test("properties that change nothing about pausing leave the pause alone")
    func properties() {
        var (bench, client) = Self.bench()
        Self.rest(&bench)
        _ = bench.lines(client)
        bench.ask(client, .properties(filter: 100))
        bench.travel(60, metres: 0)
        #expect(bench.lines(client) == ["reply"])
        bench.travel(60, metres: 20)
        let resumed = bench.lines(client)
        #expect(resumed.first == "resume moved" && resumed.count > 5)
        #expect(bench.violations == [])
    }

    @Test("stop while paused is silent after its reply, and a new start begins live")
    func stopped() {
        var (bench, client) = Self.bench()
        Self.rest(&bench)
        _ = bench.lines(client)
        bench.ask(client, .stop)
        bench.travel(5, from: 1000)
        bench.ask(client, .start)
        bench.travel(1, from: 1000)
        #expect(bench.lines(client) == ["reply", "reply running", "standard 725 cached", "standard 726"])
        #expect(bench.violations == [])
    }

    @Test("a client that comes back finds its updates going on", arguments: [true, false])
    func away(isKilled: Bool) {
        var (bench, client) = Self.bench()
        Self.rest(&bench)
        _ = bench.lines(client)
        if isKilled { bench.kill() } else { bench.detach(client) }
        bench.attach(client)
        #expect(Self.words(&bench, client) == ["authorization authorizedAlways full initial", "resume restarted"])
        bench.travel(1, metres: 0)
        #expect(bench.lines(client) == ["standard 721"])
        #expect(bench.violations == [])
    }

    @Test("rest while the client is away is told neither then nor at once when it is back")
    func restsWhileAway() {
        var bench = EngineBench(.with(\.rejoinTime, .seconds(7200)))
        let client = bench.greet()
        bench.ask(client, .start)
        bench.travel(1, metres: 0)
        _ = bench.lines(client)
        bench.detach(client)
        Self.rest(&bench)
        bench.attach(client)
        bench.travel(60, metres: 0)
        #expect(Self.words(&bench, client) == ["authorization authorizedAlways full initial"])
        #expect(bench.sequences(client).count == 781)
        Self.rest(&bench)
        #expect(Self.words(&bench, client) == ["pause stationary"])
        #expect(bench.violations == [])
    }

    @Test("who ends its pause and gets no fix is told of the loss")
    func lossAfterRestart() {
        var (bench, client) = Self.bench()
        Self.rest(&bench)
        bench.advance(by: 300)
        _ = bench.lines(client)
        bench.ask(client, .start)
        bench.advance(by: 60)
        #expect(bench.lines(client) == ["reply running", "resume restarted", "fail 0 standard"])
        #expect(bench.violations == [])
    }

    @Test("without fixes a paused service tells of no loss, and the receiver only looks now and then")
    func power() {
        var (bench, client) = Self.bench()
        bench.receive(for: 700) { _ in 0 }
        _ = bench.lines(client)
        let before = bench.onSeconds
        bench.receive(for: 3600) { _ in 0 }
        #expect(bench.onSeconds - before < 400)
        bench.advance(by: 1200)
        #expect(bench.lines(client) == [])
        bench.ask(client, .stop)
        #expect(bench.engine.nextWake == nil)
        #expect(bench.violations == [])
    }

    @Test("two clients with an own rest each pause on their own time")
    func each() {
        var (bench, client) = Self.bench()
        bench.travel(200, metres: 0)
        let late = bench.greet()
        bench.ask(late, .start)
        bench.travel(140, metres: 0)
        #expect(bench.engine.report(of: client, at: bench.now).isPaused)
        #expect(!bench.engine.report(of: late, at: bench.now).isPaused)
        bench.travel(300, metres: 0)
        #expect(bench.engine.report(of: late, at: bench.now).isPaused)
        #expect(bench.violations == [])
    }
}
