// SPDX-License-Identifier: Apache-2.0
import LivedDays
import LocationModel
import LocationTestSupport
import LocationTracks
import Testing

@testable import LocationEngine

extension BootInstant {
    fileprivate static func second(_ seconds: Double) -> BootInstant {
        BootInstant(nanoseconds: TimeSpan.seconds(seconds).nanoseconds)
    }
}

/// Feeds a rest detector with places on a line.
private struct RestBench {
    var settings = StationaryByActivity().other
    var detector = StationaryDetector()
    var changes: [String] = []

    init(_ settings: StationarySettings = StationaryByActivity().other) { self.settings = settings }

    @discardableResult
    mutating func fix(at seconds: Double, metres: Double, accuracy: Double = 5, speed: Double? = nil)
        -> StationaryChange?
    {
        fix(at: seconds, Coordinate.origin.moved(by: metres, course: 90), accuracy: accuracy, speed: speed)
    }

    @discardableResult
    mutating func fix(at seconds: Double, _ place: Coordinate, accuracy: Double, speed: Double? = nil)
        -> StationaryChange?
    {
        let location = Location(
            coordinate: place, horizontalAccuracy: accuracy,
            timestamp: WallTime(milliseconds: Int64(seconds * 1000)), speed: speed)
        let change = detector.process(location, at: .second(seconds), settings)
        switch change {
        case .becameStationary(let since):
            changes.append("\(Int(seconds)) rest since \(Int(since.nanoseconds / 1_000_000_000))")
        case .moved: changes.append("\(Int(seconds)) moved")
        case nil: break
        }
        return change
    }

    /// One fix a second from `range` at the same place.
    mutating func stand(_ range: ClosedRange<Int>, metres: Double = 0, accuracy: Double = 5) {
        for second in range { fix(at: Double(second), metres: metres, accuracy: accuracy) }
    }
}

@Suite("Rest")
struct StationaryDetectorTests {
    @Test(
        "each activity makes the device stationary after its own time (S14)",
        arguments: [
            (.other, 300), (.automotiveNavigation, 600), (.fitness, 300), (.otherNavigation, 600), (.airborne, nil),
        ] as [(ActivityType, Int?)])
    func activityTimes(activity: ActivityType, seconds: Int?) {
        var bench = RestBench(StationaryByActivity()[activity])
        bench.stand(0...3600)
        #expect(bench.changes == (seconds.map { ["\($0) rest since 0"] } ?? []))
    }

    @Test(
        "each activity tolerates its own radius beside the accuracy of 95 %",
        arguments: [
            (.other, 30), (.automotiveNavigation, 50), (.fitness, 15), (.otherNavigation, 50),
        ] as [(ActivityType, Double)])
    func activityRadii(activity: ActivityType, radius: Double) {
        for (metres, moves) in [(radius + 7.5, false), (radius + 8.5, true)] {
            var bench = RestBench(StationaryByActivity()[activity])
            bench.stand(0...600)
            bench.fix(at: 601, metres: metres)
            bench.fix(at: 602, metres: metres)
            #expect(bench.detector.isStationary != moves, "\(metres) m")
        }
    }

    @Test("every activity of live updates has its settings")
    func liveConfigurations() {
        let settings = StationaryByActivity()
        #expect(LiveConfiguration.allCases.map { settings[$0.activity].radius } == [30, 50, 50, 15, 50])
        #expect(settings[LiveConfiguration.airborne.activity].time == .unlimited)
    }

    @Test("ten minutes still, then away: one rest, one movement (S14, L1)")
    func stillThenMoving() {
        var bench = RestBench()
        bench.stand(0...600)
        for second in 601...900 { bench.fix(at: Double(second), metres: 1.4 * Double(second - 600)) }
        #expect(bench.changes == ["300 rest since 0", "629 moved"])
    }

    @Test("movement is two fixes outside in a row or one clear one, in every order of eight", .tellsSeed)
    func everyOrder() {
        let metres = [0.0, 50, 100]
        for code in 0..<6561 {
            var bench = RestBench()
            bench.stand(0...300)
            var digits = code
            var wasOutside = false
            for step in 0..<8 {
                let kind = digits % 3
                digits /= 3
                let moves = kind == 2 || (kind == 1 && wasOutside)
                let change = bench.fix(at: Double(310 + 10 * step), metres: metres[kind])
                #expect((change == .moved) == moves, "order \(code), step \(step)")
                if moves { break }
                wasOutside = kind == 1
            }
        }
    }

    @Test("a fix that came faster than a vehicle moves nothing for half a minute, however far away it is")
    func reflection() {
        for (length, moves) in [(1, false), (30, false), (31, true)] {
            var bench = RestBench()
            bench.stand(0...300)
            bench.stand(301...300 + length, metres: 200)
            bench.fix(at: Double(301 + length), metres: 0)
            #expect(bench.changes.contains("331 moved") == moves, "\(length) s")
        }
    }

    @Test("while the receiver says that it stands still, drift moves nothing for half a minute; a pace moves at once")
    func speed() {
        for (pace, moved) in [(0.1, 340.0), (0.6, 311)] {
            var bench = RestBench()
            bench.stand(0...300)
            for second in 310...400 { bench.fix(at: Double(second), metres: 60, speed: pace) }
            #expect(bench.changes.dropFirst().first == "\(Int(moved)) moved")
        }
    }

    @Test("the rest after a movement begins where the movement ended")
    func secondRest() {
        var bench = RestBench()
        bench.stand(0...300)
        bench.stand(301...700, metres: 39)
        #expect(bench.changes == ["300 rest since 0", "302 moved", "601 rest since 301"])
    }

    @Test("a restless receiver of 50 m does not move a phone at rest, one of 5 m with the same errors does")
    func accuracyWeighs() {
        for (accuracy, isStationary) in [(50.0, true), (5.0, false)] {
            var bench = RestBench()
            for second in 0...900 {
                bench.fix(at: Double(second), metres: second / 100 % 2 == 0 ? 40 : -40, accuracy: accuracy)
            }
            #expect(bench.detector.isStationary == isStationary)
        }
    }

    @Test("two fixes, however far apart in time, are no rest")
    func twoFixes() {
        var bench = RestBench()
        bench.fix(at: 0, metres: 0)
        bench.fix(at: 5000, metres: 0)
        #expect(bench.changes == [])
        bench.fix(at: 5001, metres: 0)
        #expect(bench.changes == ["5001 rest since 0"])
    }

    @Test("a car that stops at lights for four minutes does not rest")
    func lights() {
        var bench = RestBench(StationaryByActivity().automotiveNavigation)
        var metres = 0.0
        for second in 0..<7200 {
            if second % 300 >= 240 { metres += 10 }
            bench.fix(at: Double(second), metres: metres)
        }
        #expect(bench.changes == [])
    }

    @Test("the receiver sleeps at rest, and wakes for the fix that decides")
    func sleep() {
        var bench = RestBench()
        #expect(bench.detector.longestSleep(bench.settings) == .zero)
        bench.stand(0...299)
        #expect(bench.detector.longestSleep(bench.settings) == .zero)
        bench.stand(300...300)
        #expect(bench.detector.longestSleep(bench.settings) == .seconds(60))
        bench.fix(at: 360, metres: 40)
        #expect(bench.detector.longestSleep(bench.settings) == .zero)
        bench.fix(at: 361, metres: 0)
        #expect(bench.detector.longestSleep(bench.settings) == .seconds(60))
    }

    @Test("`since` is known only at rest")
    func since() {
        var bench = RestBench()
        bench.stand(7...306)
        #expect(bench.detector.since == nil)
        bench.stand(307...307)
        #expect(bench.detector.since == .second(7))
        bench.fix(at: 330, metres: 500)
        #expect(bench.detector.since == nil)
    }

    @Test("a parked car under an imperfect sky rests for ten hours and moves never")
    func parked() {
        for seed in 1...4 as ClosedRange<UInt64> {
            var bench = RestBench()
            for point in Track(.parked, duration: .seconds(36_000), rate: 0.5, seed: seed) {
                guard let place = point.measured else { continue }
                bench.fix(at: point.elapsed.seconds, place, accuracy: max(4 * point.hdop, 3))
            }
            #expect(bench.changes == ["300 rest since 0"], "seed \(seed)")
        }
    }

    @Test("in made-up working days most movements at a desk are known as drift", arguments: [(0.3, 20), (1, 2)])
    func drift(roughness: Double, factor: Int) {
        var (rests, wrong) = (0, 0)
        for seed in 1...3 as ClosedRange<UInt64> {
            var bench = RestBench(StationaryByActivity().automotiveNavigation)
            for point in HumanDay(seed: seed, interval: 5, roughness: roughness) {
                guard let place = point.measured else { continue }
                let change = bench.fix(at: point.elapsed.seconds, place, accuracy: point.accuracy)
                if case .becameStationary = change { rests += 1 }
                if change == .moved, point.stay != nil { wrong += 1 }
            }
        }
        #expect(rests >= 15)
        #expect(wrong * factor <= rests, "\(wrong) of \(rests)")
    }

    @Test("a random walk is judged as a model that remembers everything judges it", .tellsSeed)
    func naiveModel() {
        var random = SplitMix64()
        for round in 0..<200 {
            var bench = RestBench(StationarySettings(radius: random.uniform(10...60), time: .seconds(600)))
            var model = NaiveRest(settings: bench.settings)
            var metres = 0.0
            let pace = random.uniform(0...3)
            for second in stride(from: 0, to: 5000, by: 10) {
                if second / 1000 % 2 == 0 { metres += random.uniform(-pace...(2 * pace)) }
                let noise = random.chance(0.05) ? random.uniform(-90...90) : random.gaussian() * 3
                let change = bench.fix(at: Double(second), metres: metres + noise)
                #expect(change == model.process(metres + noise, at: second), "round \(round), second \(second)")
                #expect(bench.detector.isStationary == model.isStationary)
            }
        }
    }
}

/// The same decisions on a line, from all fixes at once; accuracy is always 5 m, and no fix is faster than a vehicle.
private struct NaiveRest {
    let settings: StationarySettings
    /// All since the first one at the place.
    var members: [(metres: Double, second: Int)] = []
    var suspect: (metres: Double, second: Int)?
    var isStationary = false

    mutating func process(_ metres: Double, at second: Int) -> StationaryChange? {
        guard let first = members.first else {
            members = [(metres, second)]
            return nil
        }
        let reach = settings.radius + 1.62 * 5
        let mean = members.reduce(0) { $0 + $1.metres } / Double(members.count)
        let distance = abs(metres - mean)
        if distance <= reach {
            suspect = nil
            members.append((metres, second))
            guard !isStationary, members.count >= 3, Double(second - first.second) >= settings.time.seconds else {
                return nil
            }
            isStationary = true
            return .becameStationary(since: .second(Double(first.second)))
        }
        if suspect == nil, distance <= 2 * reach {
            suspect = (metres, second)
            return nil
        }
        members = [(metres, second)]
        if let suspect, abs(suspect.metres - metres) <= settings.radius { members.insert(suspect, at: 0) }
        suspect = nil
        defer { isStationary = false }
        return isStationary ? .moved : nil
    }
}
