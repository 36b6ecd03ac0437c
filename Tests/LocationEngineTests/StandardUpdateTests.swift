// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Standard updates")
struct StandardUpdateTests {
    @Test("a fresh manager has Core Location's defaults (P1)")
    func defaults() {
        var bench = EngineBench()
        let client = bench.open()
        let properties = bench.engine.report(of: client, at: bench.now).properties
        #expect(properties.distanceFilter == -1)
        #expect(properties.desiredAccuracy.number == -1)
        #expect(properties.activityType.rawValue == 1)
        #expect(properties.pausesLocationUpdatesAutomatically)
        #expect(!properties.allowsBackgroundLocationUpdates)
        #expect(properties.headingFilter == 1)
        #expect(bench.engine.lastLocation == nil)
    }

    @Test("a second start gives no new initial event (S1)")
    func startTwice() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(2)
        #expect(
            bench.lines(client) == [
                "reply running", "authorization authorizedAlways full initial", "standard 1", "standard 2",
            ])
        bench.ask(client, .start)
        #expect(bench.lines(client) == ["reply running"])
        bench.travel(1)
        #expect(bench.lines(client) == ["standard 3"])
        #expect(bench.violations == [])
    }

    @Test("stop and start give a new initial event: the cached location and the next live fix (S2)")
    func restart() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(filter: 100))
        bench.ask(client, .start)
        bench.travel(5, metres: 0)
        _ = bench.lines(client)
        bench.ask(client, .stop)
        bench.ask(client, .start)
        bench.travel(5, metres: 0)
        #expect(bench.lines(client) == ["reply", "reply running", "standard 5 cached", "standard 6"])
        #expect(bench.violations == [])
    }

    @Test("after the reply to stop nothing of the service follows (S3)")
    func stopIsFinal() {
        var (bench, client) = EngineBench.running()
        bench.ask(client, .stop)
        bench.travel(100)
        #expect(bench.lines(client) == ["reply"])
        #expect(bench.violations == [])
    }

    @Test("the filter counts from the last delivered fix, not from the last computed one (S4)")
    func filterReference() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(filter: 10))
        bench.ask(client, .start)
        bench.travel(10, metres: 4)
        #expect(bench.sequences(client) == [1, 4, 7, 10])
        #expect(bench.engine.report(of: client, at: bench.now).filteredByDistance == 6)
        #expect(bench.violations == [])
    }

    @Test("each manager has its own filter (S5)")
    func filterPerManager() {
        var bench = EngineBench()
        let (near, far, all) = (bench.open(), bench.open(), bench.open(app: 0))
        bench.ask(near, .properties(filter: 11.9))
        bench.ask(far, .properties(filter: 99.9))
        for client in [near, far, all] { bench.ask(client, .start) }
        bench.travel(101, metres: 4)
        #expect(bench.sequences(near) == stride(from: 1, through: 101, by: 3).map { UInt64($0) })
        #expect(bench.sequences(far) == [1, 26, 51, 76, 101])
        #expect(bench.sequences(all) == Array(1...101))
        #expect(bench.violations == [])
    }

    @Test(
        "a clearly better fix passes the filter, ordinary noise does not (S6)",
        arguments: [
            (100.0, true), (250, true), (251, false), (499, false),
        ])
    func betterAccuracy(accuracy: Double, isDelivered: Bool) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(filter: 500))
        bench.ask(client, .start)
        bench.fix(at: 0, accuracy: 500)
        bench.advance(by: 1)
        bench.fix(at: 0, accuracy: accuracy)
        #expect(bench.sequences(client) == (isDelivered ? [1, 2] : [1]))
    }

    @Test("a few metres are no clearly better accuracy (S6)")
    func smallGain() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(filter: 500))
        bench.ask(client, .start)
        for accuracy in [23.0, 5, 12, 4] {
            bench.advance(by: 1)
            bench.fix(at: 0, accuracy: accuracy)
        }
        #expect(bench.sequences(client) == [1])
    }

    @Test("exactly the filter's distance is delivered (S7)", arguments: [1, 10, 99.5, 1000, 4999, 5001, 20_000])
    func equality(metres: Double) {
        let distance = Coordinate.origin.distance(to: Coordinate.origin.moved(by: metres, course: 90))
        for (filter, expected) in [(distance, [1, 2] as [UInt64]), (distance.nextUp, [1])] {
            var bench = EngineBench()
            let client = bench.open()
            bench.ask(client, .properties(filter: filter))
            bench.ask(client, .start)
            bench.fix(at: 0)
            bench.advance(by: 1)
            bench.fix(at: metres)
            #expect(bench.sequences(client) == expected, "filter \(filter)")
        }
    }

    @Test("a negative filter and none are the same, and 0 delivers everything (S8)", arguments: [-5.0, -1, 0])
    func negativeFilter(filter: Double) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(filter: filter))
        bench.ask(client, .start)
        bench.travel(5, metres: 0)
        #expect(bench.sequences(client) == [1, 2, 3, 4, 5])
    }

    @Test("desired accuracy filters nothing (S9)")
    func accuracyIsNoFilter() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(accuracy: .nearestTenMeters))
        bench.ask(client, .start)
        for _ in 0..<3 {
            bench.advance(by: 1)
            bench.fix(at: 0, accuracy: 80)
        }
        #expect(bench.sequences(client) == [1, 2, 3])
    }

    @Test(
        "a young location is delivered at start as cached, an old one is not (S10)",
        arguments: [
            (5.0, true), (299, true), (300, false), (400, false),
        ])
    func cachedFirst(age: Double, isDelivered: Bool) {
        var bench = EngineBench()
        let client = bench.open()
        bench.fix(at: 0)
        bench.advance(by: age)
        bench.ask(client, .start)
        let cached = isDelivered ? ["standard 1 cached"] : []
        #expect(bench.lines(client) == ["reply running", "authorization authorizedAlways full initial"] + cached)
        bench.fix(at: 0)
        #expect(bench.lines(client) == ["standard 2"])
        #expect(bench.violations == [])
    }

    @Test("the live fix after a cached location passes any filter, and the filter counts from it")
    func liveAfterCached() {
        var bench = EngineBench()
        let client = bench.open()
        bench.fix(at: 0)
        bench.ask(client, .properties(filter: 100))
        bench.ask(client, .start)
        for metres in [60.0, 110, 159, 161] {
            bench.advance(by: 1)
            bench.fix(at: metres)
        }
        #expect(bench.sequences(client) == [2, 5])
    }

    @Test("properties are in force for the fixes after their reply")
    func propertiesInForce() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(3)
        bench.ask(client, .properties(filter: 25))
        bench.travel(5, from: 30)
        #expect(bench.sequences(client) == [1, 2, 3, 6])
        bench.ask(client, .properties())
        bench.travel(2, from: 80)
        #expect(bench.sequences(client) == [1, 2, 3, 6, 9, 10])
        #expect(bench.violations == [])
    }

    @Test("a new client learns its authorization once, after the reply and before any location (D4)")
    func initialAuthorization() {
        var bench = EngineBench()
        let client = bench.open()
        bench.fix(at: 0)
        bench.ask(client, .properties())
        bench.ask(client, .allow(metres: 5))
        bench.ask(client, .disallow)
        bench.ask(client, .foreground)
        #expect(bench.lines(client).allSatisfy { !$0.hasPrefix("authorization") })
        bench.ask(client, .startSignificant)
        bench.ask(client, .start)
        bench.handle(.greeted(client, keepsEvents: false))
        #expect(
            bench.lines(client) == [
                "reply running", "authorization authorizedAlways full initial", "significantChange 1 cached",
                "reply running", "standard 1 cached",
            ])
        #expect(bench.violations == [])
    }

    @Test("the same authorization again says nothing (D5)")
    func sameAuthorization() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        _ = bench.lines(client)
        bench.authorize(.always)
        #expect(bench.lines(client) == [])
    }
}
