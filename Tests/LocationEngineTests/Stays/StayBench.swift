// SPDX-License-Identifier: Apache-2.0
import LocationModel

@testable import LocationEngine

/// A device on a line to the east, seen by a receiver without errors unless the test makes some.
struct StayBench {
    var settings = VisitSettings()
    var detector = VisitDetector()
    var origin = Coordinate.origin
    /// Seconds since the start.
    private(set) var time = 0.0
    /// Metres from the origin.
    private(set) var metres = 0.0
    /// Seconds between fixes.
    var interval = 10.0
    var accuracy = 5.0
    /// Whether fixes have a speed.
    var tellsSpeed = false
    /// What the boot clock shows at the start, seconds.
    var boot = 1000.0
    /// Everything that was told, and when, seconds.
    private(set) var visits: [(told: Double, visit: Visit)] = []

    /// The whole seconds of all fixes.
    private(set) var fixTimes: Set<Int> = []

    static let start = WallTime(year: 2026, month: 3, day: 3, hour: 8)

    /// `600 arrived 290 at 1000`: told, arrival, metres; `?` is unknown.
    var lines: [String] {
        visits.map { told, visit in
            let arrival = visit.arrival.map { "\(Int(StayBench.seconds($0)))" } ?? "?"
            let metres = Int((origin.distance(to: visit.coordinate) / 10).rounded() * 10)
            let what =
                visit.departure.map { "stayed \(arrival) to \(Int(StayBench.seconds($0)))" } ?? "arrived \(arrival)"
            return "\(Int(told)) \(what) at \(metres)"
        }
    }

    static func seconds(_ date: WallTime) -> Double { Double(date.milliseconds - start.milliseconds) / 1000 }

    /// One fix now; `offset` metres away from where the device is.
    mutating func fix(offset: Double = 0, course: Double = 90, accuracy: Double? = nil, speed: Double = 0) {
        var location = Location(
            coordinate: origin.moved(by: metres, course: 90).moved(by: offset, course: course),
            horizontalAccuracy: accuracy ?? self.accuracy,
            timestamp: WallTime(milliseconds: StayBench.start.milliseconds + Int64(time * 1000)))
        if tellsSpeed { location.speed = speed }
        fixTimes.insert(Int(StayBench.seconds(location.timestamp)))
        var told: [Visit] = []
        let now = BootInstant(nanoseconds: TimeSpan.seconds(boot + time).nanoseconds)
        detector.process(location, at: now, settings, into: &told)
        visits += told.map { (time, $0) }
    }

    /// Time passes without a sky, and the receiver looks for it every three minutes, `first` seconds after the last fix first.
    mutating func search(_ seconds: Double, first: Double = 40) {
        for second in stride(from: first, through: seconds, by: 180) {
            detector.noteVainSearch(at: BootInstant(nanoseconds: TimeSpan.seconds(boot + time + second).nanoseconds))
        }
        time += seconds
    }

    /// Time passes without a fix.
    mutating func pass(_ seconds: Double) { time += seconds }

    mutating func stand(_ seconds: Double) { travel(metres: 0, seconds: seconds) }

    mutating func walk(_ metres: Double) { travel(metres: metres, seconds: abs(metres) / 1.25) }

    mutating func drive(_ metres: Double) { travel(metres: metres, seconds: abs(metres) / 12.5) }

    /// One fix after every interval.
    mutating func travel(metres distance: Double, seconds: Double) {
        let begin = (time: time, metres: self.metres)
        while time + interval <= begin.time + seconds {
            time += interval
            self.metres = begin.metres + distance * (time - begin.time) / seconds
            fix(speed: abs(distance) / seconds)
        }
        time = begin.time + seconds
        self.metres = begin.metres + distance
    }

    /// The daemon starts again, after a reboot: the boot clock, too.
    mutating func restart(isReboot: Bool) {
        let stored = detector.stored
        detector = stored.map { VisitDetector(restoring: $0, settings) } ?? VisitDetector()
        if isReboot { boot = -time }
    }
}
