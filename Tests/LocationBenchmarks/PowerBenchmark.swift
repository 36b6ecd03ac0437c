// SPDX-License-Identifier: Apache-2.0
import LivedDays
import LocationTracks

/// How long the receiver is on for those who can wait, and what they miss by it.
enum PowerBenchmark {
    /// Those of one use over some days.
    private struct Sum {
        var seconds = 0
        var onSeconds = 0
        var starts = 0
        var wakeUps = 0
        var quality = PowerQuality()
    }

    private static let titles: [(String, Int)] = [
        ("use", 22), ("on %", 7), ("starts", 8), ("wakes", 7), ("changes", 7), ("late by m", 10), (">500 m", 7),
        ("visits to regions", 18), ("entry s", 10), ("exit s", 10), ("false", 6), ("visits", 8), ("arrival s", 11),
        ("departure s", 11), ("false", 5),
    ]

    static func run() {
        print("power: a receiver with a first fix after 3 to 8 s; per hour; means and worst")
        for (name, days) in [
            ("working day", (1...8).map { PowerDay.working(seed: $0) }),
            ("parked", [PowerDay.parked(seed: 1)]), ("driven", (1...3).map { PowerDay.driven(seed: $0 * 10) }),
        ] {
            print("  \(name), \(days.count)\n" + row(titles.map(\.0)))
            for use in PowerUse.allCases { print(line(use, days)) }
        }
        print("")
    }

    private static func line(_ use: PowerUse, _ days: [PowerDay]) -> String {
        var sum = Sum()
        for (index, day) in days.enumerated() {
            let run = LivedDay(day, use, StartingReceiver(seed: UInt64(index + 1)))
            sum.seconds += day.seconds.count
            sum.onSeconds += run.onSeconds
            sum.starts += run.receiver.starts
            sum.wakeUps += run.wakeUps
            sum.quality.add(day, run, use)
        }
        let quality = sum.quality
        let hours = Double(sum.seconds) / 3600
        func perHour(_ count: Int) -> String { fixed(Double(count) / hours, 1) }
        return row([
            use.rawValue, fixed(100 * Double(sum.onSeconds) / Double(sum.seconds), 2), perHour(sum.starts),
            perHour(sum.wakeUps), "\(quality.changes)", spread(quality.overshoots),
            use.hasSignificantChange
                ? "\(quality.overshoots.count { $0 > PowerQuality.allowedOvershoot })" : "-",
            use.hasRegions ? "\(quality.regionVisitsFound) of \(quality.regionVisits)" : "-",
            spread(quality.entryDelays), spread(quality.exitDelays),
            use.hasRegions ? "\(quality.falseCrossings)" : "-",
            use.hasVisits ? "\(quality.staysFound) of \(quality.stays)" : "-", spread(quality.arrivalDelays),
            spread(quality.departureDelays), use.hasVisits ? "\(quality.falseVisits)" : "-",
        ])
    }

    private static func row(_ words: [String]) -> String {
        "  " + zip(words, titles).map { padded($0, $1.1) }.joined(separator: " ")
    }

    /// Mean and worst.
    private static func spread(_ values: [Double]) -> String {
        guard let worst = values.max() else { return "-" }
        return "\(fixed(values.reduce(0, +) / Double(values.count), 0)) / \(fixed(worst, 0))"
    }
}
