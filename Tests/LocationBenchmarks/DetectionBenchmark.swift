// SPDX-License-Identifier: Apache-2.0
import LivedDays
import LocationEngine
import LocationModel
import LocationTracks

/// How much is found of people's days, and for how much time of the receiver: a curve over what an administrator may set.
enum DetectionBenchmark {
    private struct Point {
        var name: String
        var configuration = EngineConfiguration()
        /// Seconds, while the receiver knows its satellites.
        var hotStart = 3.0...8

        init(_ name: String, _ change: (inout EngineConfiguration) -> Void = { _ in }) {
            self.name = name
            change(&configuration)
        }

        /// The defaults, with a receiver whose starts take so long.
        init(hotStart: ClosedRange<Double>) {
            self.init("starts of \(Int(hotStart.lowerBound)) to \(Int(hotStart.upperBound)) s")
            self.hotStart = hotStart
        }
    }

    /// Which looks find a sky is luck.
    private static let receiversPerDay: UInt64 = 4

    private static let titles: [(String, Int)] = [
        ("setting", 26), ("on %", 6), ("in vain", 7), ("recall", 7), ("precision", 9), ("in 5 min", 8), ("false", 5),
        ("late s p50", 10),
        ("p90", 6), ("p99", 6),
    ]

    /// `isTuning`: over the days that numbers are chosen by, else over those that none was.
    static func run(isTuning: Bool) {
        let seeds = isTuning ? PersonalDay.tuning : PersonalDay.heldOut
        let days = seeds.map { (seed: $0, day: PersonalDay(seed: $0)) }
        let hours = days.reduce(0) { $0 + $1.day.points.count } / 3_600
        print(
            "detection: \(days.count) days of people, \(hours) h, seeds \(seeds), \(receiversPerDay) receivers each; "
                + "the first row of each has every fix")
        for use in [PowerUse.visits, .regions, .significantChange] {
            print("  \(use.rawValue) only\n" + row(titles.map(\.0)))
            for point in points(of: use) { print(line(use, point, days)) }
        }
        print("")
    }

    private static func points(of use: PowerUse) -> [Point] {
        var points = [Point("DutyCycle=no") { $0.power.dutyCycle = false }, Point("defaults")]
        points += [1...3, 2...5, 6...12].map { Point(hotStart: $0) }
        for seconds in [60.0, 120, 300, 1_800] {
            points.append(
                Point("MaximumSleepSec=\(Int(seconds))") { $0.power.maximumSleep = .seconds(seconds) })
        }
        for seconds in [15.0, 30, 120] {
            points.append(Point("AcquisitionSec=\(Int(seconds))") { $0.power.acquisition = .seconds(seconds) })
        }
        guard use != .visits else { return points }
        for speed in [5.0, 10, 20, 30] {
            points.append(
                Point("PlausibleSpeedFromRest=\(Int(speed))") { $0.power.plausibleSpeedFromRest = speed })
        }
        return points
    }

    private static func line(_ use: PowerUse, _ point: Point, _ days: [(seed: UInt64, day: PersonalDay)]) -> String {
        var score = DetectionScore()
        var (seconds, onSeconds, vainSeconds) = (0, 0, 0)
        for (seed, day) in days {
            let powerDay = PowerDay(day, seed: seed)
            for receiver in 0..<receiversPerDay {
                let start = StartingReceiver(seed: seed + receiver * 10_000, hotStart: point.hotStart)
                let run = LivedDay(powerDay, use, start, configuration: point.configuration)
                seconds += day.points.count
                onSeconds += run.onSeconds
                vainSeconds += run.receiver.vainSeconds
                switch use {
                case .visits: score.addVisits(run.told, day)
                case .regions: score.addRegions(run.told, day)
                default: score.addChanges(run.told, day)
                }
            }
        }
        func share(_ part: Int) -> String { fixed(100 * Double(part) / Double(seconds), 2) }
        let costs = [point.name, share(onSeconds), share(vainSeconds)]
        switch use {
        case .visits:
            return row(
                costs + [
                    fixed(score.recall, 3), fixed(score.precision, 3), "-",
                    "\(score.visits - score.visitsRight)", "-", "-", "-",
                ])
        case .regions:
            return row(
                costs + [
                    fixed(score.crossingRecall, 3), "-", fixed(score.crossingRecallInTime, 3),
                    "\(score.falseCrossings)",
                ] + spread(score.crossingDelays))
        default:
            return row(
                costs + [fixed(score.changesInTime, 3), "-", "-", "-"] + spread(score.lateSeconds))
        }
    }

    /// Median, and what nine tenths and all but a hundredth do not exceed.
    private static func spread(_ values: [Double]) -> [String] {
        let sorted = values.sorted()
        guard let last = sorted.indices.last else { return ["-", "-", "-"] }
        return [0.5, 0.9, 0.99].map { fixed(sorted[Int(Double(last) * $0)], 0) }
    }

    private static func row(_ words: [String]) -> String {
        "  " + zip(words, titles).map { padded($0, $1.1) }.joined(separator: " ")
    }
}
