// SPDX-License-Identifier: Apache-2.0

/// A length of time in whole nanoseconds; may be negative.
public struct TimeSpan: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// Nanoseconds.
    public var nanoseconds: Int64

    /// A span of `nanoseconds`.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// No time at all.
    public static let zero = TimeSpan(nanoseconds: 0)
    /// Longer than any service runs (292 years): the span of a limit that is not set.
    public static let unlimited = TimeSpan(nanoseconds: .max)

    /// A span of `seconds`, rounded to the nanosecond. What a span cannot hold is `unlimited` (or its negative); NaN is zero.
    public static func seconds(_ seconds: Double) -> TimeSpan {
        guard !seconds.isNaN else { return .zero }
        let nanoseconds = (seconds * 1e9).rounded()
        if nanoseconds >= 9.2e18 { return .unlimited }
        if nanoseconds <= -9.2e18 { return TimeSpan(nanoseconds: -.max) }
        return TimeSpan(nanoseconds: Int64(nanoseconds))
    }

    /// A span of `milliseconds`; stays at `unlimited` (or its negative) instead of overflowing.
    public static func milliseconds(_ milliseconds: Int64) -> TimeSpan {
        let (nanoseconds, overflow) = milliseconds.multipliedReportingOverflow(by: 1_000_000)
        guard overflow else { return TimeSpan(nanoseconds: nanoseconds) }
        return milliseconds < 0 ? TimeSpan(nanoseconds: -.max) : .unlimited
    }

    /// The span in seconds.
    public var seconds: Double { Double(nanoseconds) / 1e9 }

    /// The shorter span first.
    public static func < (left: TimeSpan, right: TimeSpan) -> Bool { left.nanoseconds < right.nanoseconds }
    /// The sum; stays at `unlimited` instead of overflowing.
    public static func + (left: TimeSpan, right: TimeSpan) -> TimeSpan {
        TimeSpan(nanoseconds: saturatingSum(left.nanoseconds, right.nanoseconds))
    }
    /// The difference; saturates instead of overflowing.
    public static func - (left: TimeSpan, right: TimeSpan) -> TimeSpan {
        TimeSpan(nanoseconds: saturatingDifference(left.nanoseconds, right.nanoseconds))
    }
}

/// A moment on the clock that counts from boot and goes on in suspend (CLOCK_BOOTTIME), in nanoseconds.
///
/// All decisions are made on it; wall-clock time is data only.
public struct BootInstant: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// Nanoseconds since boot.
    public var nanoseconds: Int64

    /// The moment `nanoseconds` after boot.
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Later than every other moment: the deadline of what has none.
    public static let distantFuture = BootInstant(nanoseconds: .max)

    /// The earlier moment first.
    public static func < (left: BootInstant, right: BootInstant) -> Bool { left.nanoseconds < right.nanoseconds }
    /// The moment `span` later; `distantFuture` instead of overflowing.
    public static func + (instant: BootInstant, span: TimeSpan) -> BootInstant {
        BootInstant(nanoseconds: saturatingSum(instant.nanoseconds, span.nanoseconds))
    }
    /// The moment `span` earlier.
    public static func - (instant: BootInstant, span: TimeSpan) -> BootInstant {
        BootInstant(nanoseconds: saturatingDifference(instant.nanoseconds, span.nanoseconds))
    }
    /// The time from `earlier` to `later`.
    public static func - (later: BootInstant, earlier: BootInstant) -> TimeSpan {
        TimeSpan(nanoseconds: saturatingDifference(later.nanoseconds, earlier.nanoseconds))
    }
}

/// A timer that need not be exact: to be served no earlier than `earliest` and, if the process is awake at all,
/// no later than `latest`, so that the system can serve several timers in one wake-up.
public struct WakeWindow: Sendable, Hashable, BitwiseCopyable {
    /// Not before this moment.
    public var earliest: BootInstant
    /// By this moment.
    public var latest: BootInstant

    /// The window from `earliest` to `latest`.
    public init(earliest: BootInstant, latest: BootInstant) {
        self.earliest = earliest
        self.latest = max(earliest, latest)
    }

    /// The window that serves both: opens with the one that must be served first.
    ///
    /// A window that opens only after the other closed does not narrow it.
    public func merged(with other: WakeWindow) -> WakeWindow {
        let (first, second) = latest <= other.latest ? (self, other) : (other, self)
        guard second.earliest <= first.latest else { return first }
        return WakeWindow(earliest: max(first.earliest, second.earliest), latest: first.latest)
    }
}

private func saturatingSum(_ left: Int64, _ right: Int64) -> Int64 {
    let (sum, overflow) = left.addingReportingOverflow(right)
    guard overflow else { return sum }
    return left < 0 ? .min : .max
}

/// Not the sum with the negative: `Int64.min` has none.
private func saturatingDifference(_ left: Int64, _ right: Int64) -> Int64 {
    let (difference, overflow) = left.subtractingReportingOverflow(right)
    guard overflow else { return difference }
    return left < 0 ? .min : .max
}
