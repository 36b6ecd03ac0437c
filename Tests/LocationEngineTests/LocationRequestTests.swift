// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

@Suite("requestLocation")
struct LocationRequestTests {
    private static let greeting = "authorization authorizedAlways full initial"

    @Test("a fix that is good enough answers, with one location (R1)")
    func answered() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(accuracy: .nearestTenMeters))
        bench.ask(client, .requestLocation)
        bench.fix(at: 0, accuracy: 30)
        bench.fix(at: 0, accuracy: 10)
        bench.travel(5)
        #expect(bench.lines(client) == ["reply", "reply running request 1", Self.greeting, "request 2 request 1"])
        #expect(bench.violations == [])
    }

    @Test("any random input gives exactly one answer to each request (R1)", .tellsSeed)
    func singleAnswer() {
        var random = SplitMix64()
        for _ in 0..<300 {
            var bench = EngineBench()
            let client = bench.open()
            bench.wakeMoment = random.chance(0.5) ? .earliest : .latest
            bench.ask(client, .properties(accuracy: DesiredAccuracy.named.randomElement(using: &random) ?? .best))
            for _ in 0..<30 {
                bench.advance(by: random.uniform(0...4))
                switch Int.random(in: 0..<8, using: &random) {
                case 0: bench.ask(client, .requestLocation(timeout: random.uniform(0.1...12)))
                case 1: bench.ask(client, random.chance(0.5) ? .start : .stop)
                case 2: bench.ask(client, .allow(metres: random.uniform(0...50)))
                default: bench.fix(at: random.uniform(0...100), accuracy: random.uniform(2...200))
                }
            }
            bench.advance(by: 13)
            #expect(bench.connections[client]?.openRequests == [])
            #expect(bench.violations == [])
        }
    }

    @Test("at the timeout the best fix so far is delivered (R2)", arguments: EngineBench.WakeMoment.allCases)
    func bestSoFar(wake: EngineBench.WakeMoment) throws {
        var bench = EngineBench()
        bench.wakeMoment = wake
        let client = bench.open()
        bench.ask(client, .properties(accuracy: .nearestTenMeters))
        let call = bench.now
        bench.ask(client, .requestLocation)
        for accuracy in [60.0, 50, 55, 70] {
            bench.advance(by: 1)
            bench.fix(at: 0, accuracy: accuracy)
        }
        _ = bench.lines(client)
        bench.advance(by: 8)
        #expect(bench.lines(client) == ["request 2 request 1"])
        let moment = try #require(bench.moment(of: "request 2 request 1", to: client, after: call))
        #expect(moment >= 10)
        #expect(moment <= 11)
        #expect(bench.violations == [])
    }

    @Test("for best accuracy, three fixes without gain are enough")
    func gainEnds() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .requestLocation)
        _ = bench.lines(client)
        for accuracy in [40.0, 20, 19, 19.5] {
            bench.advance(by: 1)
            bench.fix(at: 0, accuracy: accuracy)
        }
        #expect(bench.lines(client) == [])
        bench.fix(at: 0, accuracy: 22)
        bench.advance(by: 1)
        bench.fix(at: 0, accuracy: 22)
        #expect(bench.lines(client) == ["request 3 request 1"])
    }

    @Test("without any fix it fails with 0 (R3)")
    func noFix() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .requestLocation(timeout: 3))
        bench.advance(by: 4)
        bench.travel(3)
        #expect(bench.lines(client) == ["reply running request 1", Self.greeting, "fail 0 request request 1"])
        #expect(bench.violations == [])
    }

    @Test("while standard updates run it is ignored (R4)")
    func whileUpdating() {
        var (bench, client) = EngineBench.running(fixes: 1)
        bench.ask(client, .requestLocation)
        bench.travel(1)
        bench.advance(by: 9)
        #expect(bench.lines(client) == ["reply ignored", "standard 2"])
        #expect(bench.violations == [])
    }

    @Test(
        "start, stop and allow cancel it, and say so (R5, R6)",
        arguments: [
            (Request.start, ["reply running", "cancel 1 by startUpdatingLocation"]),
            (.stop, ["cancel 1 by stopUpdatingLocation", "reply"]),
            (
                .allow(metres: 5),
                ["reply ignored deferral 1", "cancel 1 by allowDeferredLocationUpdates", "finish 1 error 12"]
            ),
        ])
    func cancelled(request: Request, said: [String]) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .requestLocation)
        _ = bench.lines(client)
        bench.ask(client, request)
        #expect(bench.lines(client) == said)
        bench.advance(by: 9.5)
        #expect(bench.lines(client).allSatisfy { !$0.contains("request") })
        #expect(bench.violations == [])
    }

    @Test("the distance filter does not touch it (R7)")
    func filterFree() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(filter: 1e6))
        bench.fix(at: 0, accuracy: 50)
        bench.ask(client, .requestLocation)
        bench.advance(by: 1)
        bench.fix(at: 0, accuracy: 4)
        #expect(bench.lines(client).last == "request 2 request 1")
    }

    @Test("two calls in a row are one request, and later ones have new numbers")
    func outstanding() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .requestLocation)
        bench.ask(client, .requestLocation)
        bench.fix(at: 0, accuracy: 3)
        bench.advance(by: 6)
        bench.ask(client, .requestLocation)
        #expect(
            bench.lines(client) == [
                "reply running request 1", Self.greeting, "reply running request 1", "request 1 request 1",
                "reply running request 2",
            ])
    }

    @Test(
        "a fix of the last 5 s may answer if it is good enough",
        arguments: [
            (4.0, 5.0, true), (5, 5, true), (5.5, 5, false), (1, 6, false),
        ])
    func cached(age: Double, accuracy: Double, answers: Bool) {
        var bench = EngineBench()
        let client = bench.open()
        bench.fix(at: 0, accuracy: accuracy)
        bench.advance(by: age)
        bench.ask(client, .requestLocation)
        #expect((bench.lines(client).last == "request 1 request 1") == answers)
        #expect(bench.violations == [])
    }

    @Test("denied it fails with 1")
    func denied() {
        var bench = EngineBench(authorization: .denied)
        let client = bench.open()
        bench.ask(client, .requestLocation)
        bench.travel(2)
        #expect(
            bench.lines(client) == [
                "reply denied request 1", "authorization denied full initial", "fail 1 request request 1",
            ])
        #expect(bench.violations == [])
    }

    @Test("while nobody has decided it stays silent until its timeout")
    func undetermined() {
        var bench = EngineBench(authorization: .undetermined)
        let client = bench.open()
        bench.ask(client, .requestLocation(timeout: 3))
        _ = bench.lines(client)
        bench.travel(2)
        #expect(bench.lines(client) == [])
        bench.advance(by: 2)
        #expect(bench.lines(client) == ["fail 0 request request 1"])
        #expect(bench.violations == [])
    }

    @Test("a request under reduced accuracy is answered by the daemon's view, whatever accuracy is desired")
    func reduced() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.open()
        bench.ask(client, .requestLocation)
        _ = bench.lines(client)
        bench.fix(at: 0, accuracy: 30)
        #expect(bench.lines(client) == ["request 1 request 1 reduced"])
        bench.advance(by: 600)
        bench.fix(at: 0)
        bench.ask(client, .requestLocation)
        #expect(bench.lines(client) == ["reply running request 2", "request 1 request 2 reduced"])
        #expect(bench.violations == [])
    }

    @Test("a view whose time is over answers nothing: the next fix does")
    func staleView() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.open()
        bench.fix(at: 0)
        bench.advance(by: 7200)
        bench.ask(client, .requestLocation)
        _ = bench.lines(client)
        bench.advance(by: 2)
        bench.fix(at: 50_000)
        #expect(bench.lines(client) == ["request 2 request 1 reduced"])
        #expect(bench.violations == [])
    }

    @Test("a request that saw precise fixes is answered by the view once accuracy is reduced")
    func reducedMeanwhile() {
        var bench = EngineBench()
        let client = bench.open()
        bench.fix(at: 0)
        bench.advance(by: 6)
        bench.ask(client, .requestLocation)
        bench.fix(at: 0, accuracy: 20)
        bench.authorize(.reduced)
        _ = bench.lines(client)
        bench.advance(by: 11)
        #expect(bench.lines(client) == ["request 1 request 1 reduced"])
        #expect(bench.violations == [])
    }

    @Test("a request that waits for consent which comes while its client is away is answered when that is back")
    func allowedWhileAway() {
        var bench = EngineBench(authorization: .undetermined)
        bench.authorize(.always, app: 1)
        let witness = bench.open(app: 1)
        bench.ask(witness, .start)
        let client = bench.open()
        let another = bench.open()
        bench.ask(client, .requestLocation)
        _ = bench.lines(client)
        bench.detach(client)
        bench.fix(at: 0)
        bench.authorize(.always)
        #expect(bench.lines(client) == [])
        bench.attach(client)
        #expect(bench.lines(client).last == "request 1 request 1")
        #expect(bench.engine.isOpen(another) && bench.violations == [])
    }
}
