// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Live updates")
struct LiveUpdateTests {
    private static func bench(_ authorization: Authorization = .always) -> (EngineBench, ManagerID) {
        var bench = EngineBench(authorization: authorization)
        let client = bench.greet()
        _ = bench.lines(client)
        bench.ask(client, .startLiveUpdates(.default))
        return (bench, client)
    }

    @Test("every fix is an element, for each stream its own; a stopped stream is silent and not found again (L2)")
    func streams() {
        var (bench, client) = Self.bench()
        bench.ask(client, .startLiveUpdates(.fitness))
        bench.travel(1)
        bench.ask(client, .stopLiveUpdates(updates: 1))
        bench.travel(1)
        #expect(
            bench.lines(client) == [
                "reply running", "reply running", "update 1 at 1", "update 2 at 1", "reply", "update 2 at 2",
            ])
        bench.ask(client, .stopLiveUpdates(updates: 1))
        guard case .reply(let reply)? = bench.connections[client]?.lines.last?.line else { return #expect(Bool(false)) }
        #expect(reply.refusal == .notFound)
        bench.ask(client, .stopLiveUpdates(updates: 2))
        #expect(bench.engine.nextWake == nil)
        #expect(bench.engine.powerReport(at: bench.now).policy == .off)
        #expect(bench.violations == [])
    }

    @Test("rest is one element, then silence; movement is the next one (L1)")
    func rest() {
        var (bench, client) = Self.bench()
        bench.travel(720, metres: 0)
        let lines = bench.lines(client)
        #expect(lines.count { $0.contains("stationary") } == 1)
        #expect(lines.last?.hasSuffix("stationary") == true)
        bench.travel(100, metres: 0)
        #expect(bench.lines(client) == [])
        bench.travel(60, metres: 20)
        let moved = bench.lines(client)
        #expect(moved.last == "update 1 at 880" && !moved.contains { $0.contains("stationary") })
        bench.travel(720, from: 1180, metres: 0)
        #expect(bench.lines(client).count { $0.contains("stationary") } == 1)
        #expect(bench.violations == [])
    }

    @Test("in the air nothing rests")
    func airborne() {
        var (bench, client) = Self.bench()
        bench.ask(client, .stopLiveUpdates(updates: 1))
        bench.ask(client, .startLiveUpdates(.airborne))
        _ = bench.lines(client)
        bench.travel(1500, metres: 0)
        let lines = bench.lines(client)
        #expect(lines.count == 1500 && !lines.contains { $0.contains("stationary") })
        #expect(bench.violations == [])
    }

    @Test("what changed about rest while the client was away is told when it is back")
    func away() {
        var bench = EngineBench(.with(\.rejoinTime, .seconds(7200)))
        let client = bench.greet()
        bench.ask(client, .startLiveUpdates(.default))
        bench.travel(10, metres: 100)
        bench.detach(client)
        bench.travel(720, from: 1000, metres: 0)
        _ = bench.lines(client)
        bench.attach(client)
        bench.travel(30, from: 1000, metres: 0)
        let rested = bench.lines(client).filter { $0.hasPrefix("update") }
        #expect(rested.last?.hasSuffix("stationary") == true)
        #expect(rested.count <= 3)
        bench.detach(client)
        bench.travel(720, from: 5000, metres: 0)
        bench.attach(client)
        bench.travel(30, from: 5000, metres: 0)
        let moved = bench.lines(client).filter { $0.hasPrefix("update") }
        #expect(moved.first?.contains("stationary") == false)
        #expect(moved.last?.hasSuffix("stationary") == true)
        #expect(bench.violations == [])
    }

    @Test("without a fix there is one element that says so, for each loss (L3)")
    func loss() {
        var (bench, client) = Self.bench()
        bench.travel(1)
        _ = bench.lines(client)
        for sequence in [2, 3] {
            bench.advance(by: 60)
            bench.fix(at: 0)
            #expect(bench.lines(client) == ["update 1 locationUnavailable", "update 1 at \(sequence)"])
        }
        #expect(bench.violations == [])
    }

    @Test("a refusal is one element with its flags (L4)")
    func denied() {
        var (bench, client) = Self.bench(.denied)
        #expect(bench.lines(client) == ["reply denied", "update 1 authorizationDenied"])
        bench.switchServices(false)
        #expect(bench.lines(client) == ["update 1 authorizationDenied authorizationDeniedGlobally"])
        bench.travel(3)
        bench.advance(by: 60)
        #expect(bench.lines(client) == [])
        #expect(bench.violations == [])
    }

    @Test("a stream asks by itself, says so once, and begins with consent")
    func undetermined() {
        var (bench, client) = Self.bench(.undetermined)
        #expect(
            bench.lines(client) == ["reply waitingForAuthorization", "update 1 authorizationRequestInProgress"])
        bench.travel(2)
        bench.answer(.whileUsing)
        bench.travel(1)
        #expect(bench.lines(client) == ["authorization authorizedWhenInUse full", "update 1 at 3"])
        bench.authorize(.denied)
        bench.travel(1)
        #expect(bench.lines(client) == ["authorization denied full", "update 1 authorizationDenied"])
        #expect(bench.violations == [])
    }

    @Test("under reduced accuracy the elements are the coarse view, and say that they are limited")
    func reduced() {
        var (bench, client) = Self.bench(.reduced)
        bench.travel(10)
        #expect(bench.lines(client) == ["reply running", "update 1 at 1 accuracyLimited"])
        #expect(bench.violations == [])
    }

    @Test("who wants no more than the coarse view has that in the elements, and is not told of rest")
    func reducedByWish() {
        var bench = EngineBench(authorization: .always)
        let client = bench.greet()
        _ = bench.lines(client)
        bench.ask(client, .properties(accuracy: .reduced))
        bench.ask(client, .startLiveUpdates(.default))
        bench.travel(1200, metres: 0)
        let updates = bench.lines(client).filter { $0.hasPrefix("update") }
        #expect(updates.first == "update 1 at 1 accuracyLimited")
        #expect(updates.allSatisfy { $0.contains("accuracyLimited") && !$0.contains("stationary") }, "\(updates)")
        #expect(bench.violations == [])
    }

    @Test("who may know roughly where the device is is not told when it rests")
    func reducedRest() {
        var (bench, client) = Self.bench(.reduced)
        bench.travel(1200, metres: 0)
        #expect(bench.lines(client).allSatisfy { !$0.contains("stationary") })
        bench.authorize(.always)
        bench.travel(720, metres: 0)
        #expect(bench.lines(client).count { $0.contains("stationary") } == 1)
        #expect(bench.violations == [])
    }

    @Test("streams and their numbers outlive a reconnection and a kill")
    func kept() {
        var (bench, client) = Self.bench()
        bench.travel(2)
        bench.kill()
        bench.attach(client)
        _ = bench.lines(client)
        bench.travel(1)
        #expect(bench.lines(client) == ["update 1 at 3"])
        bench.ask(client, .startLiveUpdates(.default))
        bench.travel(1)
        #expect(bench.lines(client) == ["reply running", "update 1 at 4", "update 2 at 4"])
        #expect(bench.violations == [])
    }

    @Test("32 streams, and no more")
    func limit() {
        var (bench, client) = Self.bench()
        for _ in 0..<32 { bench.ask(client, .startLiveUpdates(.default)) }
        guard case .reply(let reply)? = bench.connections[client]?.lines.last?.line else { return #expect(Bool(false)) }
        #expect(reply.refusal == .limitExceeded)
        #expect(bench.violations == [])
    }

    @Test("who is allowed while the device rests is told that it does (L1)")
    func allowedAtRest() {
        var bench = EngineBench(authorization: .undetermined)
        bench.authorize(.always, app: 1)
        let (client, other) = (bench.greet(), bench.greet(app: 1))
        bench.ask(other, .properties(pauses: false))
        bench.ask(other, .start)
        bench.ask(client, .startLiveUpdates(.default))
        bench.travel(1500, metres: 0)
        _ = bench.lines(client)
        bench.answer(.whileUsing)
        bench.travel(60, metres: 0)
        let lines = bench.lines(client)
        #expect(lines.last?.hasSuffix("stationary") == true, "\(lines)")
        #expect(bench.violations == [])
    }
}
