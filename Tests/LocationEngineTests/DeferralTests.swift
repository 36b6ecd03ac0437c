// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Deferral: what it needs and what ends it")
struct DeferralTests {
    /// A client in the background with standard updates and one delivered fix at 0.
    private static func deferring(_ request: Request? = nil) -> (EngineBench, ManagerID) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(1)
        if let request { bench.ask(client, request) }
        _ = bench.lines(client)
        return (bench, client)
    }

    @Test("without standard updates allow finishes with 12 (F1)")
    func notStarted() {
        var bench = EngineBench()
        let client = bench.open()
        bench.fix(at: 0)
        bench.ask(client, .allow(metres: 100))
        #expect(bench.lines(client) == ["reply ignored deferral 1", "finish 1 error 12"])
        #expect(bench.violations == [])
    }

    @Test("any accuracy but the best two finishes with 13 (F2)", arguments: DesiredAccuracy.named + [.meters(1)])
    func lowAccuracy(accuracy: DesiredAccuracy) {
        var (bench, client) = Self.deferring(.properties(accuracy: accuracy))
        bench.ask(client, .allow(metres: 100))
        let isFit = accuracy == .best || accuracy == .bestForNavigation
        #expect(
            bench.lines(client)
                == (isFit ? ["reply running deferral 1"] : ["reply ignored deferral 1", "finish 1 error 13"]))
        #expect(bench.violations == [])
    }

    @Test("any filter but none finishes with 14 (F3)", arguments: [0.0, 5, 1e9, -1, -7])
    func filterSet(filter: Double) {
        var (bench, client) = Self.deferring(.properties(filter: filter))
        bench.ask(client, .allow(metres: 100))
        #expect(
            bench.lines(client)
                == (filter < 0 ? ["reply running deferral 1"] : ["reply ignored deferral 1", "finish 1 error 14"]))
    }

    @Test("12 comes before 13 before 14 before 11 (F4)")
    func severalUnmet() {
        var bench = EngineBench()
        let client = bench.open()
        func answer() -> [String] {
            bench.ask(client, .allow(metres: 100))
            return bench.lines(client).filter { $0.hasPrefix("finish") }
        }
        bench.ask(client, .properties(filter: 5, accuracy: .kilometer))
        #expect(answer() == ["finish 1 error 12"])
        bench.ask(client, .start)
        #expect(answer() == ["finish 2 error 13"])
        bench.ask(client, .properties(filter: 5))
        #expect(answer() == ["finish 3 error 14"])
        bench.ask(client, .properties())
        #expect(answer() == ["finish 4 error 11"])
        bench.fix(at: 0)
        #expect(answer() == [])
        #expect(bench.violations == [])
    }

    @Test("an unmet precondition comes before a criterion of 0")
    func unmetBeforeMet() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .allow(metres: 0))
        #expect(bench.lines(client).last == "finish 1 error 12")
    }

    @Test("reduced accuracy finishes with 13")
    func reduced() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.open()
        bench.ask(client, .start)
        bench.fix(at: 0)
        bench.ask(client, .allow(metres: 100))
        #expect(bench.lines(client).last == "finish 1 error 13")
    }

    @Test("before the first fix allow finishes with 11, and after it deferral starts (F5)")
    func noFix() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.ask(client, .allow(metres: 100))
        #expect(bench.lines(client).suffix(2) == ["reply ignored deferral 1", "finish 1 error 11"])
        bench.fix(at: 0)
        bench.ask(client, .allow(metres: 100))
        bench.travel(2)
        #expect(bench.lines(client) == ["standard 1", "reply running deferral 2"])
    }

    @Test("a fix may be 10 s old and no older", arguments: [(10.0, true), (10.001, false)])
    func freshFix(age: Double, isFresh: Bool) {
        var (bench, client) = Self.deferring()
        bench.oversleep(age)
        bench.ask(client, .allow(metres: 100))
        #expect(bench.finishes(client).first?.error == (isFresh ? nil : .deferredFailed))
        #expect(bench.finishes(client).count == (isFresh ? 0 : 1))
    }

    @Test(
        "a criterion of 0 or less, or of a part of a millimetre, is met at once",
        arguments: [
            Request.allow(metres: 0), .allow(metres: -1), .allow(metres: 0.0005), .allow(seconds: 0),
            .allow(metres: 100, seconds: -5),
            .allow(metres: -.infinity),
        ])
    func metAtOnce(request: Request) {
        var (bench, client) = Self.deferring(request)
        bench.travel(1)
        #expect(bench.lines(client) == ["standard 2"])
        #expect(bench.finishes(client) == [FinishedDeferral(number: 1, error: nil, through: 0)])
        #expect(bench.violations == [])
    }

    @Test("a met distance finishes without an error (F9)")
    func distance() {
        var (bench, client) = Self.deferring(.allow(metres: 1000))
        bench.travel(12, from: 100, metres: 100)
        #expect(bench.lines(client) == ["finish 1", "standard 2-11 deferral 1", "standard 12", "standard 13"])
        #expect(bench.violations == [])
    }

    @Test("distance counts from the call, not from the start of updates")
    func distanceFromCall() {
        var (bench, client) = Self.deferring()
        bench.travel(10, from: 10, metres: 100)
        bench.ask(client, .allow(metres: 300))
        _ = bench.lines(client)
        bench.travel(4, from: 1010, metres: 100)
        #expect(bench.lines(client) == ["finish 1", "standard 12-14 deferral 1", "standard 15"])
    }

    @Test("a met timeout finishes no earlier and at most 1 s later (F10)", arguments: EngineBench.WakeMoment.allCases)
    func timeout(wake: EngineBench.WakeMoment) throws {
        var (bench, client) = Self.deferring(.allow(seconds: 60))
        bench.wakeMoment = wake
        let call = bench.now
        for _ in 0..<7 {
            bench.advance(by: 9)
            bench.fix(at: 0)
        }
        #expect(bench.lines(client) == ["finish 1", "standard 2-7 deferral 1", "standard 8"])
        let moment = try #require(bench.moment(of: "finish 1", to: client, after: call))
        #expect(moment >= 60)
        #expect(moment <= 61)
        #expect(bench.violations == [])
    }

    @Test("a timeout needs no new fix (F10)", arguments: EngineBench.WakeMoment.allCases)
    func timeoutWithoutFix(wake: EngineBench.WakeMoment) throws {
        var (bench, client) = Self.deferring(.allow(seconds: 7.5))
        bench.wakeMoment = wake
        let call = bench.now
        bench.advance(by: 9)
        #expect(bench.lines(client) == ["finish 1"])
        let moment = try #require(bench.moment(of: "finish 1", to: client, after: call))
        #expect(moment >= 7.5)
        #expect(moment <= 8.5)
    }

    @Test(
        "the first criterion that is met ends a deferral (F11)",
        arguments: [
            (Request.allow(metres: 45, seconds: 100), "standard 2-6 deferral 1"),
            (.allow(metres: 1000, seconds: 3.3), "standard 2-4 deferral 1"),
            (.allow(metres: 45), "standard 2-6 deferral 1"), (.allow(seconds: 3.3), "standard 2-4 deferral 1"),
        ])
    func either(request: Request, batch: String) {
        var (bench, client) = Self.deferring(request)
        bench.travel(3, from: 10)
        bench.advance(by: 0.6)
        bench.travel(4, from: 40)
        #expect(bench.lines(client).prefix(2) == ["finish 1", batch])
        #expect(bench.violations == [])
    }

    @Test("a finish without anything held has no batch")
    func nothingHeld() {
        var (bench, client) = Self.deferring(.allow(seconds: 2))
        bench.advance(by: 3)
        #expect(bench.lines(client) == ["finish 1"])
        bench.ask(client, .allow())
        bench.ask(client, .disallow)
        #expect(bench.lines(client) == ["reply running deferral 2", "finish 2 error 15", "reply"])
        #expect(bench.violations == [])
    }

    @Test("both unlimited runs until the log is full, delivers and goes on (F12, F13)")
    func fullLog() throws {
        var bench = EngineBench(.with(\.logCapacity, 100))
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(1)
        bench.ask(client, .allow())
        _ = bench.lines(client)
        bench.travel(350, from: 10)
        #expect(
            bench.lines(client) == [
                "standard 2-101 deferral 1 early", "standard 102-201 deferral 1 early",
                "standard 202-301 deferral 1 early",
            ])
        let deferral = try #require(bench.engine.report(of: client, at: bench.now).deferral)
        #expect(deferral.held == 50)
        #expect(deferral.distanceLeft == nil)
        #expect(deferral.timeLeft == nil)
        #expect(bench.finishes(client).isEmpty)
        bench.ask(client, .disallow)
        #expect(bench.lines(client) == ["finish 1 error 15", "standard 302-351 deferral 1", "reply"])
        #expect(bench.violations == [])
    }

    @Test("a second allow ends the first with 15 before its own reply, and counts from itself (F14)")
    func secondAllow() {
        var (bench, client) = Self.deferring(.allow(metres: 100))
        bench.travel(5, from: 10)
        bench.ask(client, .allow(metres: 100))
        #expect(
            bench.lines(client) == ["finish 1 error 15", "standard 2-6 deferral 1", "reply running deferral 2"])
        bench.travel(11, from: 60)
        #expect(bench.lines(client) == ["finish 2", "standard 7-16 deferral 2", "standard 17"])
        #expect(bench.violations == [])
    }

    @Test("disallow finishes with 15, delivers what was held, and fixes come singly again (F15, F19)")
    func disallow() {
        var (bench, client) = Self.deferring(.allow(metres: 1000))
        bench.travel(3, from: 10)
        bench.ask(client, .disallow)
        bench.travel(2, from: 40)
        #expect(
            bench.lines(client) == [
                "finish 1 error 15", "standard 2-4 deferral 1", "reply", "standard 5", "standard 6",
            ])
        #expect(bench.violations == [])
    }

    @Test(
        "a criterion met in the same turn as a cancelling request wins (F16)",
        arguments: [
            Request.disallow, .stop, .allow(metres: 5), .properties(filter: 5),
        ])
    func inFlight(cancel: Request) {
        var (bench, client) = Self.deferring(.allow(seconds: 10))
        bench.travel(2, from: 10)
        bench.oversleep(8)
        bench.handle(.asked(client, cancel))
        #expect(bench.lines(client).prefix(2) == ["finish 1", "standard 2-3 deferral 1"])
        #expect(bench.finishes(client).filter { $0.number == 1 }.count == 1)
    }

    @Test("disallow with nothing outstanding is answered and does nothing (F17)")
    func disallowIdle() {
        var (bench, client) = Self.deferring()
        bench.ask(client, .disallow)
        #expect(bench.lines(client) == ["reply"])
        #expect(bench.violations == [])
    }

    @Test("stop finishes with 15 and delivers what was held before its reply (F18)")
    func stop() {
        var (bench, client) = Self.deferring(.allow(metres: 1000))
        bench.travel(3, from: 10)
        bench.ask(client, .stop)
        bench.travel(3, from: 40)
        #expect(bench.lines(client) == ["finish 1 error 15", "standard 2-4 deferral 1", "reply"])
        #expect(bench.violations == [])
    }

    @Test("in the foreground fixes come live while the criteria are watched (F22)")
    func foreground() {
        var (bench, client) = Self.deferring(.foreground)
        bench.ask(client, .allow(metres: 30))
        bench.travel(4, from: 10)
        #expect(
            bench.lines(client) == [
                "reply running deferral 1", "standard 2", "standard 3", "finish 1", "standard 4", "standard 5",
            ])
        #expect(bench.violations == [])
    }

    @Test("back in the background deferral goes on for the rest (F23)")
    func backToBackground() {
        var (bench, client) = Self.deferring(.allow(metres: 100))
        bench.travel(3, from: 10)
        bench.ask(client, .foreground)
        bench.travel(2, from: 40)
        bench.ask(client, .background)
        bench.travel(6, from: 60)
        #expect(
            bench.lines(client) == [
                "reply", "standard 2-4 deferral 1 early", "standard 5", "standard 6", "reply", "finish 1",
                "standard 7-11 deferral 1", "standard 12",
            ])
        #expect(bench.violations == [])
    }

    @Test(
        "no fix for 30 s finishes with 11 and delivers what was held (F24)", arguments: EngineBench.WakeMoment.allCases)
    func outage(wake: EngineBench.WakeMoment) throws {
        var (bench, client) = Self.deferring(.allow(metres: 1000))
        bench.wakeMoment = wake
        bench.travel(3, from: 10)
        let lastFix = bench.now
        bench.advance(by: 60)
        #expect(bench.lines(client) == ["fail 0 standard", "finish 1 error 11", "standard 2-4 deferral 1"])
        let moment = try #require(bench.moment(of: "finish 1 error 11", to: client, after: lastFix))
        #expect(moment >= 30)
        #expect(moment <= 31)
        bench.travel(1)
        #expect(bench.lines(client) == ["standard 5"])
        #expect(bench.violations == [])
    }

    @Test(
        "a property made unfit finishes with 13 or 14 before the reply (F25)",
        arguments: [
            (Request.properties(accuracy: .hundredMeters), 13), (.properties(filter: 5), 14),
            (.properties(filter: 5, accuracy: .kilometer), 13), (.properties(accuracy: .reduced), 13),
        ])
    func unfitProperty(request: Request, code: Int) {
        var (bench, client) = Self.deferring(.allow(metres: 1000))
        bench.travel(3, from: 10)
        bench.ask(client, request)
        // What only the new property causes comes behind the reply.
        #expect(bench.lines(client).prefix(3) == ["finish 1 error \(code)", "standard 2-4 deferral 1", "reply"])
        #expect(bench.violations == [])
    }

    @Test("a fit property leaves a deferral alone")
    func fitProperty() {
        var (bench, client) = Self.deferring(.allow(metres: 1000))
        bench.ask(client, .properties(filter: -3, accuracy: .bestForNavigation))
        #expect(bench.lines(client) == ["reply"])
        #expect(bench.engine.report(of: client, at: bench.now).deferral?.number == 1)
    }

    @Test("jitter at rest travels nowhere, a slow walk does")
    func jitter() {
        var (bench, client) = Self.deferring(.allow(metres: 20))
        for step in 0..<200 {
            bench.advance(by: 1)
            bench.fix(at: step.isMultiple(of: 2) ? 4.9 : -4.9, accuracy: 5)
        }
        #expect(bench.lines(client) == [])
        bench.travel(30, metres: 1)
        #expect(bench.lines(client).first == "finish 1")
    }

    @Test("of many deferrals each ends at its own criterion")
    func many() {
        var bench = EngineBench()
        let clients = (0..<6).map { _ in bench.open() }
        for client in clients { bench.ask(client, .start) }
        bench.travel(1)
        for (index, client) in clients.enumerated() {
            let share = [3, 1, 2][index % 3]
            bench.ask(client, index < 3 ? .allow(metres: Double(share) * 30) : .allow(seconds: Double(share) * 3 + 0.1))
            _ = bench.lines(client)
        }
        bench.travel(10, from: 10)
        let batches = clients.map { bench.lines($0).prefix(2).joined(separator: ", ") }
        #expect(
            batches == ["2-10", "2-4", "2-7", "2-10", "2-4", "2-7"].map { "finish 1, standard \($0) deferral 1" })
        #expect(bench.violations == [])
    }

    @Test("a removed deferral leaves no wake-up behind")
    func noVainWakeUp() {
        var (bench, client) = Self.deferring(.allow(seconds: 3))
        bench.ask(client, .disallow)
        bench.travel(5)
        bench.ask(client, .allow(seconds: 20))
        let before = bench.wakeUps
        bench.travel(15)
        #expect(bench.wakeUps == before)
        #expect(bench.violations == [])
    }
}
