// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("An app that went without stopping its significant changes")
struct AbsentAppTests {
    /// A bench whose client said `hello`, started the service, saw the current location, and has been gone for 31 s.
    private static func bench(keepsEvents: Bool = true, status: AuthorizationStatus = .authorizedAlways) -> EngineBench
    {
        var bench = EngineBench()
        bench.authorize(Authorization(status: status))
        let client = bench.open()
        bench.handle(.greeted(client, keepsEvents: keepsEvents))
        bench.ask(client, .startSignificant)
        bench.travel(2, metres: 0)
        bench.detach(client)
        bench.advance(by: 32)
        return bench
    }

    private static func events(_ bench: inout EngineBench, _ manager: ManagerID) -> [String] {
        bench.lines(manager).filter { $0.hasPrefix("significantChange") }
    }

    @Test("is told the newest change that it missed, once, at the next start, and then the current location (G5)")
    func missed() {
        var bench = Self.bench()
        bench.travel(700, metres: 2)
        let missed = bench.engine.newestSequence
        let back = bench.greet()
        #expect(Self.events(&bench, back) == [])
        bench.ask(back, .startSignificant)
        let told = Self.events(&bench, back)
        #expect(told.count == 1 && !told[0].contains("cached"))
        bench.travel(1, from: 1400, metres: 0)
        #expect(Self.events(&bench, back) == ["significantChange \(missed + 1)"])
        bench.ask(back, .stopSignificant)
        bench.ask(back, .startSignificant)
        #expect(Self.events(&bench, back).allSatisfy { $0.contains("cached") })
        #expect(bench.violations == [])
    }

    @Test("is told nothing from before if it missed nothing")
    func nothingMissed() {
        var bench = Self.bench()
        bench.travel(60, metres: 1)
        let back = bench.open()
        bench.ask(back, .startSignificant)
        #expect(Self.events(&bench, back).allSatisfy { $0.contains("cached") })
        #expect(bench.violations == [])
    }

    @Test("costs a sleeping receiver and no more, and nothing once it has stopped")
    func power() {
        var bench = Self.bench()
        #expect(bench.engine.powerReport(at: bench.now).policy == .dutyCycled)
        let back = bench.open()
        bench.ask(back, .stopSignificant)
        #expect(bench.engine.powerReport(at: bench.now).policy == .off)
        #expect(bench.engine.nextWake == nil)
    }

    @Test(
        "is forgotten if it did not say that it wants events, or may know only while in use",
        arguments: [(false, AuthorizationStatus.authorizedAlways), (true, .authorizedWhenInUse)])
    func forgotten(keepsEvents: Bool, status: AuthorizationStatus) {
        var bench = Self.bench(keepsEvents: keepsEvents, status: status)
        #expect(bench.engine.powerReport(at: bench.now).policy == .off)
        #expect(bench.engine.nextWake == nil)
        bench.travel(700, metres: 2)
        let back = bench.open()
        bench.ask(back, .startSignificant)
        #expect(Self.events(&bench, back).allSatisfy { $0.contains("cached") })
    }

    @Test("is told nothing of the time before its consent was withdrawn")
    func withdrawn() {
        var bench = Self.bench()
        bench.travel(700, metres: 2)
        bench.authorize(.denied)
        #expect(bench.engine.powerReport(at: bench.now).policy == .off)
        bench.authorize(.always)
        let back = bench.open()
        bench.ask(back, .startSignificant)
        #expect(Self.events(&bench, back).allSatisfy { $0.contains("cached") })
    }
}
