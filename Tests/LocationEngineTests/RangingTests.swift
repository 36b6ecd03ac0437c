// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import Testing

@Suite("Ranging of beacons")
struct RangingTests {
    @Test("is unavailable, whatever the authorization, and fails once for each request (H2)", arguments: [true, false])
    func unavailable(isAuthorized: Bool) {
        var bench = EngineBench()
        let client = bench.greet()
        if !isAuthorized { bench.authorize(.denied) }
        _ = bench.lines(client)
        bench.ask(client, .startRangingBeacons)
        bench.ask(client, .startRangingBeacons)
        bench.fix(at: 0)
        #expect(
            bench.lines(client) == ["reply unavailable", "ranging failed", "reply unavailable", "ranging failed"])
        #expect(bench.engine.powerReport(at: bench.now).policy == .off)
        #expect(bench.violations == [])
    }
}
