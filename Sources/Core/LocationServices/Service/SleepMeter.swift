// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// How long the device slept between two turns, looked at only while that matters.
struct SleepMeter {
    /// The clocks are read one after the other: a shorter difference is none.
    private static let least = TimeSpan.milliseconds(100)

    /// The sleep since the device was started, when somebody looked; nil: it matters to nothing.
    private var before: TimeSpan?

    /// The sleep since the turn before; nil: none. `total`: since the device was started.
    mutating func span(_ total: () -> TimeSpan) -> TimeSpan? {
        guard let before, case let span = total() - before, span >= SleepMeter.least else { return nil }
        self.before = before + span
        return span
    }

    /// After a turn: whether sleep matters from now on.
    mutating func follow(_ matters: Bool, _ total: () -> TimeSpan) { before = matters ? before ?? total() : nil }
}
