// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationEngine

@Suite("Visits")
struct VisitDetectorTests {
    @Test(
        "an arrival is told after five minutes with the date of the first fix there, a departure with that of the last (V2)"
    )
    func arrivalAndDeparture() {
        var bench = StayBench()
        bench.drive(1000)
        bench.stand(1200)
        bench.drive(1000)
        #expect(bench.lines == ["380 arrived 80 at 1000", "1360 stayed 80 to 1290 at 1000"])
    }

    @Test(
        "the arrival is within one fix of the real one where the receiver tells the speed, and told five minutes later (V2)",
        arguments: [1, 2, 5, 10, 20, 30], [1.25, 12.5])
    func backDate(interval: Double, pace: Double) throws {
        var bench = StayBench()
        bench.interval = interval
        bench.tellsSpeed = true
        bench.travel(metres: 1500, seconds: 1500 / pace)
        let real = bench.time
        bench.stand(300)
        bench.travel(metres: 1500, seconds: 1500 / pace)
        let first = try #require(bench.visits.first)
        let arrival = try #require(first.visit.arrival.map(StayBench.seconds))
        #expect(abs(arrival - real) <= interval)
        #expect(first.told - arrival >= 300)
        #expect(bench.visits.count == 2)
    }

    @Test("without a speed it is within a fix and a dozen seconds", arguments: [1, 2, 5, 10, 20, 30], [1.25, 12.5])
    func backDateWithoutSpeed(interval: Double, pace: Double) throws {
        var bench = StayBench()
        bench.interval = interval
        bench.travel(metres: 1500, seconds: 1500 / pace)
        let real = bench.time
        bench.stand(420)
        bench.travel(metres: 1500, seconds: 1500 / pace)
        let arrival = try #require(bench.visits.first?.visit.arrival.map(StayBench.seconds))
        #expect(abs(arrival - real) <= interval + 12)
    }

    @Test("a halt of two minutes is no visit, on foot or by car (V4)", arguments: [1, 10, 30, 60], [1.25, 12.5])
    func halt(interval: Double, pace: Double) {
        var bench = StayBench()
        bench.interval = interval
        for _ in 0..<5 {
            bench.travel(metres: 1500, seconds: 1500 / pace)
            bench.stand(120)
        }
        #expect(bench.lines == [])
    }

    @Test("a light of four minutes is no visit", arguments: [1, 5, 10, 30])
    func longLight(interval: Double) {
        var bench = StayBench()
        bench.interval = interval
        bench.drive(2000)
        bench.stand(240)
        bench.drive(2000)
        #expect(bench.lines == [])
    }

    @Test("a jam of an hour is no visit: 20 or 30 m, then a minute's halt", arguments: [1, 5, 10, 30, 60], [20, 30])
    func jam(interval: Double, step: Double) {
        var bench = StayBench()
        bench.interval = interval
        bench.drive(2000)
        for _ in 0..<50 {
            bench.travel(metres: step, seconds: 12)
            bench.stand(60)
        }
        bench.drive(2000)
        #expect(bench.lines == [])
    }

    @Test("two stays with a short walk between them are two visits", arguments: [200, 250, 300], [1, 10, 30])
    func neighbours(metres: Double, interval: Double) {
        var bench = StayBench()
        bench.interval = interval
        bench.drive(2000)
        bench.stand(900)
        bench.walk(metres)
        bench.stand(900)
        bench.drive(2000)
        #expect(bench.visits.map { $0.visit.departure != nil } == [false, true, false, true])
        let middles = bench.visits.map { bench.origin.distance(to: $0.visit.coordinate) }
        #expect(abs(middles[1] - 2000) < 20)
        #expect(abs(middles[3] - 2000 - metres) < 20)
    }

    @Test("who is there when the first fix comes has an unknown arrival")
    func fromTheStart() {
        var bench = StayBench()
        bench.fix()
        bench.stand(1000)
        bench.drive(2000)
        #expect(bench.lines == ["300 arrived ? at 0", "1080 stayed ? to 1010 at 0"])
    }

    @Test("while a device stays nothing is told twice, and outliers of 20 s do not end the stay")
    func outliers() {
        var bench = StayBench()
        bench.interval = 1
        bench.drive(1000)
        for _ in 0..<96 {
            bench.stand(280)
            for _ in 0..<20 {
                bench.pass(1)
                bench.fix(offset: 200, course: 30)
            }
        }
        #expect(bench.lines.count == 1)
    }

    @Test("drift indoors for a day is one visit", .tellsSeed, arguments: [1, 15, 60])
    func drift(interval: Double) {
        var random = SplitMix64()
        var bench = StayBench()
        bench.drive(1000)
        var (east, north) = (0.0, 0.0)
        let memory = max(0, 1 - interval / 120)
        for _ in 0..<Int(86_400 / interval) {
            bench.pass(interval)
            let fresh = (1 - memory * memory).squareRoot() * 30
            east = memory * east + fresh * random.gaussian()
            north = memory * north + fresh * random.gaussian()
            let far = (east * east + north * north).squareRoot()
            bench.fix(offset: far, course: north >= 0 ? 45 : 225, accuracy: 45)
        }
        #expect(bench.lines.count == 1)
    }

    @Test("a receiver that is on every fifteen minutes tells the same visits")
    func dutyCycle() {
        var bench = StayBench()
        bench.drive(3000)
        bench.stand(600)
        bench.interval = 900
        bench.stand(4 * 3600)
        bench.interval = 10
        bench.drive(3000)
        #expect(bench.lines == ["540 arrived 240 at 3000", "15320 stayed 240 to 15250 at 3000"])
    }

    @Test("fixes too coarse for a place make no visit, and end one only from far away")
    func coarse() {
        var bench = StayBench()
        bench.accuracy = 300
        bench.drive(1000)
        bench.stand(3600)
        #expect(bench.lines == [])
        bench.accuracy = 10
        bench.stand(600)
        bench.accuracy = 300
        bench.travel(metres: 400, seconds: 600)
        #expect(bench.lines.count == 1)
        bench.travel(metres: 10_000, seconds: 600)
        #expect(bench.lines.count == 2)
    }

    @Test(
        "every place on Earth is as good as another",
        arguments: [(0, 0), (0, 180), (0, -180), (60, 179.999), (-45, -179.995), (78, 15), (-54, 0)])
    func places(latitude: Double, longitude: Double) {
        var bench = StayBench()
        bench.origin = Coordinate(latitude: latitude, longitude: longitude)
        bench.drive(1000)
        bench.stand(1200)
        bench.drive(1000)
        #expect(bench.lines == ["380 arrived 80 at 1000", "1360 stayed 80 to 1290 at 1000"])
    }

    @Test("all four thresholds can be set")
    func thresholds() {
        var bench = StayBench()
        bench.settings.stayRadius = 20
        bench.settings.stayTime = .seconds(60)
        bench.settings.departureRadius = 40
        bench.settings.departureTime = .seconds(30)
        bench.interval = 5
        bench.walk(300)
        bench.stand(90)
        bench.walk(300)
        #expect(bench.lines == ["300 arrived 240 at 300", "395 stayed 240 to 360 at 300"])
    }

    @Test("the receiver sleeps five minutes in a stay, half a minute in doubt, and less on the way")
    func sleep() {
        var bench = StayBench()
        #expect(bench.detector.longestSleep(bench.settings) == .zero)
        bench.drive(3000)
        #expect(bench.detector.longestSleep(bench.settings) == .seconds(20))
        bench.stand(120)
        #expect(bench.detector.longestSleep(bench.settings) == .seconds(50))
        bench.stand(600)
        #expect(bench.detector.longestSleep(bench.settings) == .seconds(300))
        bench.drive(250)
        #expect(bench.detector.longestSleep(bench.settings) == .seconds(30))
        bench.drive(3000)
        #expect(bench.detector.longestSleep(bench.settings) == .seconds(20))
    }
}
