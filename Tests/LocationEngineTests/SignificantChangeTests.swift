// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Significant change")
struct SignificantChangeTests {
    @Test("filter and accuracy make no difference (G1)")
    func ignoresProperties() {
        var bench = EngineBench()
        let (plain, picky) = (bench.open(), bench.open())
        bench.ask(picky, .properties(filter: 10_000, accuracy: .nearestTenMeters))
        bench.ask(plain, .startSignificant)
        bench.ask(picky, .startSignificant)
        bench.travel(1200, metres: 20)
        let events = bench.lines(plain).filter { $0.hasPrefix("significantChange") }
        #expect(events.count == 4)
        #expect(bench.lines(picky).filter { $0.hasPrefix("significantChange") } == events)
        #expect(bench.violations == [])
    }

    @Test(
        "after the first, an event needs 500 m and 300 s (G2)",
        arguments: [
            (20.0, ["1", "301", "601", "901"]), (0.99, ["1", "507", "1013"]), (0.3, ["1"]),
            (400, ["1", "301", "601", "901"]),
        ] as [(Double, [String])])
    func threshold(speed: Double, events: [String]) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .startSignificant)
        _ = bench.lines(client)
        bench.travel(1100, metres: speed)
        #expect(bench.lines(client) == events.map { "significantChange \($0)" })
        #expect(bench.violations == [])
    }

    @Test("there and back within 300 s is no change")
    func thereAndBack() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .startSignificant)
        bench.travel(100, metres: 10)
        bench.travel(100, from: 1000, metres: -10)
        bench.travel(200, metres: 0)
        #expect(bench.lines(client).filter { $0.hasPrefix("significantChange") } == ["significantChange 1"])
    }

    @Test("a fix too poor to tell makes no change")
    func poorFix() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .startSignificant)
        bench.fix(at: 0)
        bench.advance(by: 400)
        _ = bench.lines(client)
        bench.fix(at: 5000, accuracy: 501)
        #expect(bench.lines(client) == [])
        bench.advance(by: 1)
        bench.fix(at: 5000, accuracy: 500)
        #expect(bench.lines(client) == ["significantChange 3"])
    }

    @Test("first the cached location, then the current one (G3)")
    func initial() {
        var bench = EngineBench()
        let client = bench.open()
        bench.fix(at: 0)
        bench.advance(by: 20)
        bench.ask(client, .startSignificant)
        bench.travel(302, metres: 20)
        #expect(
            bench.lines(client) == [
                "reply running", "authorization authorizedAlways full initial", "significantChange 1 cached",
                "significantChange 2", "significantChange 302",
            ])
        #expect(bench.violations == [])
    }

    @Test("a second start is silent, stop and start begin anew (G4)")
    func restart() {
        var (bench, client) = EngineBench.running(.startSignificant, fixes: 2)
        bench.ask(client, .startSignificant)
        bench.travel(2)
        #expect(bench.lines(client) == ["reply running"])
        bench.ask(client, .stopSignificant)
        bench.travel(2)
        #expect(bench.lines(client) == ["reply"])
        bench.ask(client, .startSignificant)
        bench.travel(2)
        #expect(bench.lines(client) == ["reply running", "significantChange 6 cached", "significantChange 7"])
        #expect(bench.violations == [])
    }

    @Test("of what happened while the client was away it gets the newest, once (G5)")
    func away() {
        var (bench, client) = EngineBench.running(
            .startSignificant, fixes: 1, configuration: .with(\.rejoinTime, .seconds(3600)))
        bench.detach(client)
        bench.travel(700, metres: 20)
        bench.attach(client)
        #expect(bench.lines(client) == ["authorization authorizedAlways full initial", "significantChange 601"])
        bench.detach(client)
        bench.attach(client)
        #expect(bench.lines(client) == ["authorization authorizedAlways full initial"])
        #expect(bench.violations == [])
    }

    @Test("standard updates and significant change on one manager keep their names (G6)")
    func tags() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.ask(client, .startSignificant)
        _ = bench.lines(client)
        bench.travel(2)
        #expect(bench.lines(client) == ["standard 1", "significantChange 1", "standard 2"])
        bench.ask(client, .stop)
        bench.travel(400, metres: 20)
        #expect(bench.lines(client) == ["reply", "significantChange 301"])
        #expect(bench.violations == [])
    }

    @Test("under reduced accuracy there are at most four events an hour, each at another place (G7)")
    func reduced() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.open()
        bench.ask(client, .startSignificant)
        for step in 0..<720 {
            bench.fix(at: Double(step) * 100)
            bench.advance(by: 5)
        }
        let events = bench.significantPlaces(client)
        #expect(events.count == 4)
        #expect(Set(events).count == events.count)
        #expect(bench.violations == [])
    }

    @Test("under reduced accuracy the same cell is said once, the cached one included (G7)")
    func reducedAtRest() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.open()
        bench.fix(at: 0)
        bench.ask(client, .startSignificant)
        for _ in 0..<720 {
            bench.advance(by: 5)
            bench.fix(at: 0)
        }
        #expect(bench.significantPlaces(client).count == 1)
        #expect(bench.violations == [])
    }

    @Test("denied it fails with 1, and consent starts it")
    func denied() {
        var bench = EngineBench(authorization: .denied)
        let client = bench.open()
        bench.ask(client, .startSignificant)
        #expect(
            bench.lines(client) == ["reply denied", "authorization denied full initial", "fail 1 significantChange"])
        bench.travel(1)
        bench.authorize(.always)
        bench.travel(1)
        #expect(
            bench.lines(client) == [
                "authorization authorizedAlways full", "significantChange 1 cached", "significantChange 2",
            ])
        #expect(bench.violations == [])
    }
}

extension EngineBench {
    /// Where the client was told that it is, in the coarse view.
    fileprivate func significantPlaces(_ manager: ManagerID) -> [Coordinate] {
        (connections[manager]?.lines ?? []).compactMap { entry in
            guard case .locations(let sequences, let delivery) = entry.line, delivery.source == .significantChange
            else { return nil }
            return sequences.first.flatMap { log[$0]?.location.reducedView.coordinate }
        }
    }
}
