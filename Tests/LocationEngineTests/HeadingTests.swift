// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Headings")
struct HeadingTests {
    private static func hear(_ bench: inout EngineBench, _ degrees: Double) {
        bench.handle(.headingReceived(Heading(trueHeading: degrees, timestamp: bench.wallTime)))
    }

    @Test("are unavailable until a device has told one (H1)")
    func unavailable() {
        var bench = EngineBench()
        let client = bench.greet()
        _ = bench.lines(client)
        bench.ask(client, .startUpdatingHeading)
        Self.hear(&bench, 10)
        #expect(bench.lines(client) == ["reply unavailable"])
        #expect(bench.engine.nextWake == nil)
        bench.ask(client, .startUpdatingHeading)
        Self.hear(&bench, 20)
        #expect(bench.lines(client) == ["reply running", "heading 20.0"])
        bench.ask(client, .stopUpdatingHeading)
        Self.hear(&bench, 90)
        #expect(bench.lines(client) == ["reply"])
        #expect(bench.engine.powerReport(at: bench.now).policy == .off)
        #expect(bench.violations == [])
    }

    @Test("pass the filter by the shorter way round, counted from the last that was told")
    func filter() {
        var bench = EngineBench()
        let client = bench.greet()
        Self.hear(&bench, 0)
        bench.ask(client, .properties(headingFilter: 10))
        bench.ask(client, .startUpdatingHeading)
        _ = bench.lines(client)
        for degrees in [355.0, 350, 359, 4, 5, 14, 15] { Self.hear(&bench, degrees) }
        #expect(bench.lines(client) == ["heading 355.0", "heading 5.0", "heading 15.0"])
        bench.ask(client, .properties(headingFilter: -1))
        Self.hear(&bench, 15)
        #expect(bench.lines(client) == ["reply", "heading 15.0"])
        #expect(bench.violations == [])
    }

    @Test("need consent, and come back with it")
    func consent() {
        var bench = EngineBench()
        let client = bench.greet()
        Self.hear(&bench, 0)
        bench.ask(client, .startUpdatingHeading)
        _ = bench.lines(client)
        bench.authorize(.denied)
        Self.hear(&bench, 50)
        #expect(bench.lines(client) == ["authorization denied full", "fail 1"])
        bench.authorize(.always)
        Self.hear(&bench, 90)
        #expect(bench.lines(client) == ["authorization authorizedAlways full", "heading 90.0"])
        #expect(bench.violations == [])
    }
}
