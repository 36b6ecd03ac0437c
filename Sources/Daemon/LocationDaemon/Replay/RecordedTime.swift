// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// The moments at which the reports of a track came, by the times in them, in milliseconds.
struct RecordedTime {
    private struct Clock {
        var start: Int64
        var newest: WallTime
        var last: WallTime
    }

    /// The date at which the replay began, by the clock that was set last; nil: no time was told yet.
    private(set) var start: Int64?
    /// A receiver whose time is another one when it is first heard has a clock of its own.
    private var clocks: [ReceiverID: Clock] = [:]

    private static let hour: Int64 = 3_600_000
    /// No track pauses so long.
    private static let year = 365 * 24 * hour

    /// Whether a time is so far ahead of its receiver's others that only the next one tells whether it can be.
    func isFarAhead(_ time: WallTime, by receiver: ReceiverID) -> Bool {
        clocks[receiver].map { time.milliseconds - $0.newest.milliseconds > RecordedTime.hour } ?? false
    }

    /// How long after the beginning a report of a receiver came; `passed` are over by then. One that is older than another of the same receiver
    /// came late, right behind that; if the next one goes on from it, the clock was set back, and time goes on from where it stood. So it does
    /// when a clock is set to another year.
    mutating func moment(of time: WallTime, by receiver: ReceiverID, after passed: Int64) -> Int64 {
        let now = time.milliseconds - passed
        let isOther = start.map { now < $0 || now - $0 > RecordedTime.year } ?? true
        var clock = clocks[receiver] ?? Clock(start: isOther ? now : start ?? now, newest: time, last: time)
        start = start ?? now
        defer { clocks[receiver] = clock }
        let former = clock.last
        clock.last = time
        if time < clock.newest {
            guard time > former else { return passed + 1 }
            clock.start = former.milliseconds - passed
            start = clock.start
        } else if time.milliseconds - clock.newest.milliseconds > RecordedTime.year {
            clock.start = now - 1
            start = clock.start
        }
        clock.newest = time
        return time.milliseconds - clock.start
    }
}
