// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("A place that is known only roughly")
struct CoarseLocationTests {
    @Test(arguments: [(25_000.0, 0), (30.0, 1)])
    func `neither enters nor leaves a region, and one that is known well does`(accuracy: Double, events: Int) {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .startMonitoring(.circle("home")))
        bench.travel(60, metres: 0)
        _ = bench.lines(client)
        bench.stand(at: 500_000, accuracy: accuracy, for: 120)
        #expect(bench.lines(client).filter { $0.hasPrefix("exit") }.count == events)
        #expect(bench.violations == [])
    }

    @Test(arguments: [(25_000.0, 0), (30.0, 1)])
    func `begins no visit, and one that is known well does`(accuracy: Double, events: Int) {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .startMonitoringVisits)
        _ = bench.lines(client)
        bench.stand(at: 0, accuracy: accuracy, for: 900)
        #expect(bench.lines(client).filter { $0.contains("visit") || $0.contains("arriv") }.count == events)
        #expect(bench.violations == [])
    }

    @Test(arguments: [(25_000.0, 0), (30.0, 1)])
    func `is no significant change, and one that is known well is`(accuracy: Double, events: Int) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .startSignificant)
        _ = bench.lines(client)
        bench.stand(at: 0, accuracy: accuracy, for: 60)
        #expect(bench.lines(client).filter { $0.hasPrefix("significantChange") }.count == events)
        #expect(bench.violations == [])
    }

    @Test func `adds nothing to the way`() {
        var bench = EngineBench()
        bench.ask(bench.open(), .start)
        bench.travel(2, metres: 0)
        bench.stand(at: 900_000, accuracy: 25_000, for: 60)
        #expect(bench.buffer.accepted?.odometer == 0)
    }

    @Test func `is told, gives way to a fix at once, and is told again when its source says so`() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        _ = bench.lines(client)
        bench.stand(at: 0, accuracy: 25_000, for: 1)
        bench.advance(by: 1)
        bench.fix(at: 0, accuracy: 80)
        bench.stand(at: 0, accuracy: 20, for: 1)
        #expect(bench.lines(client) == ["standard 1", "standard 2", "standard 3"])
        #expect(bench.violations == [])
    }

    @Test func `is no loss for as long as it counts, and one when it ends`() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        _ = bench.lines(client)
        bench.stand(at: 0, accuracy: 30, for: 1, validity: 600)
        _ = bench.lines(client)
        bench.advance(by: 300)
        #expect(bench.lines(client) == [])
        bench.handle(.locationEnded)
        bench.advance(by: 1)
        #expect(bench.lines(client) == ["fail 0 standard"])
        #expect(bench.violations == [])
    }
}

extension EngineBench {
    /// Somebody says once a second, by the networks around, that the device is `metres` east of the origin.
    fileprivate mutating func stand(at metres: Double, accuracy: Double, for seconds: Int, validity: Double = 0) {
        for _ in 0..<seconds {
            advance(by: 1)
            let location = Location(
                coordinate: .origin.moved(by: metres, course: 90), horizontalAccuracy: accuracy, timestamp: wallTime,
                kind: .wifi)
            fix(
                Fix(
                    receiver: ReceiverID(rawValue: 1), location: location, hasReceiverTime: false,
                    validity: .seconds(validity)))
        }
    }
}
