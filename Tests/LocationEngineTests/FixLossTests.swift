// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Loss of the fix")
struct FixLossTests {
    @Test(
        "no fix for 10 s is told once for each service, and the next fix comes by itself (S11)",
        arguments: EngineBench.WakeMoment.allCases)
    func oncePerService(wake: EngineBench.WakeMoment) throws {
        var bench = EngineBench()
        bench.wakeMoment = wake
        let client = bench.open()
        bench.ask(client, .start)
        bench.ask(client, .startSignificant)
        bench.travel(2)
        let lastFix = bench.now
        _ = bench.lines(client)
        bench.advance(by: 60)
        #expect(bench.lines(client) == ["fail 0 standard", "fail 0 significantChange"])
        let moment = try #require(bench.moment(of: "fail 0 standard", to: client, after: lastFix))
        #expect(moment >= 10)
        #expect(moment <= 11)
        bench.fix(at: 0)
        #expect(bench.lines(client) == ["standard 3"])
        bench.advance(by: 60)
        #expect(bench.lines(client) == ["fail 0 standard", "fail 0 significantChange"])
        #expect(bench.violations == [])
    }

    @Test("a service that never had a fix is told after its own 10 s")
    func neverAFix() {
        var bench = EngineBench()
        let first = bench.open()
        let second = bench.open()
        bench.ask(first, .start)
        bench.advance(by: 5)
        bench.ask(second, .start)
        bench.advance(by: 6.5)
        #expect(bench.lines(first).last == "fail 0 standard")
        #expect(bench.lines(second).last != "fail 0 standard")
        bench.advance(by: 5)
        #expect(bench.lines(second).last == "fail 0 standard")
        #expect(bench.lines(first) == [])
        #expect(bench.violations == [])
    }

    @Test("fixes 9 s apart are no loss")
    func slowReceiver() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        _ = bench.lines(client)
        for _ in 0..<5 {
            bench.advance(by: 9)
            bench.fix(at: 0)
        }
        #expect(bench.lines(client) == ["standard 1", "standard 2", "standard 3", "standard 4", "standard 5"])
    }

    @Test("a receiver that sleeps by policy is no loss")
    func sleeping() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(accuracy: .threeKilometers, pauses: false))
        bench.ask(client, .start)
        _ = bench.lines(client)
        bench.receive(for: 1200) { _ in 0 }
        #expect(bench.lines(client).allSatisfy { $0.hasPrefix("standard") })
        #expect(bench.sequences(client).count > 10)
        #expect(bench.powerSwitches.count > 10)
        #expect(bench.violations == [])
    }

    @Test("a client that comes back during a loss is told")
    func backDuringLoss() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(1)
        bench.detach(client)
        bench.advance(by: 20)
        _ = bench.lines(client)
        bench.attach(client)
        bench.advance(by: 11)
        #expect(
            bench.lines(client) == ["authorization authorizedAlways full initial", "fail 0 standard"])
        #expect(bench.violations == [])
    }
}
