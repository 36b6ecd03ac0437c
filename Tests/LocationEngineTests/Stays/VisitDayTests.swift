// SPDX-License-Identifier: Apache-2.0
import LivedDays
import LocationModel
import Testing

@testable import LocationEngine

/// A made-up day, and what is found in it.
private struct DayRun {
    var told: [SeenStay] = []
    /// Of five minutes and more.
    var truth: [SeenStay] = []
    var fixes: [StayFix] = []
    /// Seconds that the receiver was on, and all.
    var onSeconds = 0.0
    var seconds = 0.0

    /// `isDutyCycled`: the receiver sleeps as long as the detector allows, and needs `acquisition` seconds for a fix.
    init(_ day: HumanDay, isDutyCycled: Bool = false, acquisition: Double = 4) {
        let settings = VisitSettings()
        var detector = VisitDetector()
        var visits: [Visit] = []
        var stays: [Int: SeenStay] = [:]
        var onSince = 0.0
        var vainSearches = 0
        for point in day {
            let time = point.elapsed.seconds
            if let index = point.stay {
                let from = stays[index]?.from ?? time
                stays[index] = SeenStay(coordinate: point.truth, from: from, to: time)
            }
            seconds = time
            if isDutyCycled, time < onSince { continue }
            onSeconds += day.interval
            guard let place = point.measured, !isDutyCycled || time >= onSince + acquisition else {
                guard isDutyCycled, time >= onSince + 60 else { continue }
                // A search that finds nothing is given up for a while, each time for longer, as ReceiverPower does it.
                vainSearches = min(vainSearches + 1, 10)
                let longer = TimeSpan(nanoseconds: 10_000_000_000 << Int64(vainSearches - 1))
                onSince = time + min(max(detector.longestSleep(settings), longer), .seconds(900)).seconds
                continue
            }
            vainSearches = 0
            fixes.append(StayFix(coordinate: place, time: time))
            let location = Location(coordinate: place, horizontalAccuracy: point.accuracy, timestamp: point.time)
            let now = BootInstant(nanoseconds: point.elapsed.nanoseconds)
            detector.process(location, at: now, settings, into: &visits)
            onSince = time + detector.longestSleep(settings).seconds
        }
        truth = stays.keys.sorted().compactMap { stays[$0] }.filter { $0.to - $0.from >= 300 }
        told = DayRun.stays(of: visits, from: day.from)
    }

    private static func stays(of visits: [Visit], from start: WallTime) -> [SeenStay] {
        func seconds(_ date: WallTime) -> Double { Double(date.milliseconds - start.milliseconds) / 1000 }
        var stays: [SeenStay] = []
        for visit in visits {
            if visit.departure != nil { stays.removeLast() }
            stays.append(
                SeenStay(
                    coordinate: visit.coordinate, from: visit.arrival.map(seconds) ?? -.infinity,
                    to: visit.departure.map(seconds) ?? .infinity))
        }
        return stays
    }
}

@Suite("Visits of made-up working days")
struct VisitDayTests {
    private static let seeds: ClosedRange<UInt64> = 1...6

    @Test(
        "agree with the truth: precision and recall of 0.9, at every rate, with pauses of the logger and without",
        arguments: [
            (1, false, 1), (10, false, 1), (30, true, 1), (60, false, 1), (60, true, 1), (10, true, 0.3),
            (10, false, 1.5),
        ])
    func truth(interval: Double, hasPauses: Bool, roughness: Double) {
        var agreement = Agreement()
        for seed in Self.seeds {
            let run = DayRun(
                HumanDay(seed: seed, interval: interval, hasPauses: hasPauses, roughness: roughness))
            agreement.addPairs(told: run.told, expected: run.truth)
        }
        #expect(agreement.expected > 30)
        #expect(agreement.precision >= 0.9, "\(agreement)")
        #expect(agreement.recall >= 0.9, "\(agreement)")
    }

    @Test(
        "agree with the classic detector that sees the whole day: precision and recall of 0.9",
        arguments: [(10, false), (30, true), (60, false), (60, true)])
    func oracle(interval: Double, hasPauses: Bool) {
        var agreement = Agreement()
        for seed in Self.seeds {
            let run = DayRun(HumanDay(seed: seed, interval: interval, hasPauses: hasPauses))
            agreement.add(told: run.told, expected: stayPoints(of: run.fixes))
        }
        #expect(agreement.expected > 30)
        #expect(agreement.precision >= 0.9, "\(agreement)")
        #expect(agreement.recall >= 0.9, "\(agreement)")
    }

    @Test("are as good when the receiver sleeps as the detector allows, and it is on for a tenth of the day at most")
    func dutyCycled() {
        var agreement = Agreement()
        var (on, all) = (0.0, 0.0)
        for seed in Self.seeds {
            let run = DayRun(HumanDay(seed: seed), isDutyCycled: true)
            agreement.addPairs(told: run.told, expected: run.truth)
            on += run.onSeconds
            all += run.seconds
        }
        #expect(agreement.precision >= 0.9, "\(agreement)")
        #expect(agreement.recall >= 0.9, "\(agreement)")
        #expect(on / all <= 0.1, "\(on / all)")
    }

    @Test("the classic detector finds what a look at the numbers finds")
    func classic() {
        func fixes(_ metres: [Double]) -> [StayFix] {
            metres.enumerated().map {
                StayFix(coordinate: .origin.moved(by: $1, course: 0), time: Double($0) * 100)
            }
        }
        #expect(stayPoints(of: fixes([0, 200, 400, 600, 800])).isEmpty)
        #expect(stayPoints(of: fixes([0, 200, 210, 190, 400])).isEmpty)
        #expect(stayPoints(of: fixes([0, 200, 210, 190, 205, 400])).map(\.from) == [100])
        #expect(stayPoints(of: fixes([0, 0, 0, 0, 500, 500, 500, 500])).map(\.to) == [300, 700])
    }
}
