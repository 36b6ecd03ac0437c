// SPDX-License-Identifier: Apache-2.0
import LivedDays
import LocationEngine
import LocationModel
import LocationTestSupport
import Testing

/// A made-up working day with a receiver that hears only while it is on, and has its first fix 3 to 8 s later.
private struct PowerDay {
    var bench = EngineBench()
    let client: ManagerID
    private let points: [DayPoint]
    private var start = BootInstant(nanoseconds: 0)

    init(seed: UInt64, _ requests: (HumanDay) -> [Request]) {
        bench.wakeMoment = .latest
        client = bench.greet()
        let day = HumanDay(seed: seed)
        points = Array(day)
        for request in requests(day) { bench.ask(client, request) }
        start = bench.now
        run(SplitMix64(seed: seed))
    }

    private mutating func run(_ random: SplitMix64) {
        var random = random
        var (switches, firstFix) = (0, start)
        for point in points {
            bench.advance(by: 1)
            if bench.isReceiverOn, bench.powerSwitches.count != switches {
                switches = bench.powerSwitches.count
                firstFix = (bench.powerSwitches.last?.at ?? start) + .seconds(Double.random(in: 3...8, using: &random))
            }
            guard bench.isReceiverOn else { continue }
            guard bench.now >= firstFix, let place = point.measured else {
                let hearsThem = point.hasSignals && bench.now >= firstFix - .seconds(2)
                bench.handle(.noFixReported(satellites: hearsThem ? 5 : 0))
                continue
            }
            bench.fix(
                Fix(
                    receiver: ReceiverID(rawValue: 0),
                    location: Location(
                        coordinate: place, horizontalAccuracy: point.accuracy, timestamp: bench.wallTime,
                        speed: point.trueSpeed)))
        }
    }

    var share: Double { bench.onSeconds / Double(points.count) }

    /// Metres that the device had travelled when a significant change was told since it was due: 500 m and 300 s after the one before.
    var lateness: [Double] {
        let told = (bench.connections[client]?.lines ?? []).compactMap { entry -> (second: Int, place: Coordinate)? in
            guard case .locations(_, let delivery) = entry.line, delivery.source == .significantChange,
                let location = bench.log[delivery.first]?.location
            else { return nil }
            return (Int((entry.at - start).seconds), location.coordinate)
        }
        return zip(told, told.dropFirst().map(\.second) + [points.count]).map { change, next in
            let end = min(next, points.count)
            let due = (change.second + 300..<max(end, change.second + 300)).first {
                points[$0].truth.distance(to: change.place) >= 500
            }
            guard let due else { return 0 }
            return (due..<end - 1).reduce(0) { $0 + points[$1].truth.distance(to: points[$1 + 1].truth) }
        }
    }
}

@Suite("Power over made-up working days")
struct PowerDayTests {
    @Test(
        "significant changes are told within 500 m though the receiver is on for a fifteenth of the day"
    )
    func significantChange() {
        for seed: UInt64 in [1, 2] {
            let day = PowerDay(seed: seed) { _ in [.startSignificant] }
            #expect(day.share < 0.067, "\(day.share)")
            #expect(day.lateness.count > 8)
            #expect(day.lateness.allSatisfy { $0 <= 500 }, "\(day.lateness)")
            #expect(day.bench.violations == [])
        }
    }

    @Test("a region round the home is left and entered again, and does not keep the receiver on")
    func regions() {
        let day = PowerDay(seed: 1) { day in
            [.startMonitoring(Region(identifier: "home", shape: .circle(center: day.home, radius: 150)))]
        }
        let lines = (day.bench.connections[day.client]?.lines ?? []).map { "\($0.line)" }
        #expect(lines.filter { $0.contains("event") } == ["exit home event 1", "enter home event 2"])
        #expect(day.share < 0.06, "\(day.share)")
        #expect(day.bench.violations == [])
    }
}
