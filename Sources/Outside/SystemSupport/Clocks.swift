// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
package import LocationModel

/// The boot-time clock: read where a turn begins, and handed on.
package func bootClock() -> BootInstant { ClockSpeed.shared.bootInstant(realBootClock()) }

/// The date, for data only.
package func wallClock() -> WallTime {
    ClockSpeed.shared.wallTime(WallTime(milliseconds: clinux_realtime_milliseconds()))
}

/// The clock that systemd compares, microseconds.
package func monotonicMicroseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
}

/// How long the device has slept since it was started: the monotonic clock stands still meanwhile.
package func timeSlept() -> TimeSpan {
    TimeSpan(nanoseconds: realBootClock().nanoseconds - monotonicMicroseconds() * 1000)
}

private func realBootClock() -> BootInstant { BootInstant(nanoseconds: clinux_boottime_nanoseconds()) }

/// How fast the process's clocks run, so that programs can be tried with a journey that passes faster than life: what takes five minutes
/// on the journey then takes five minutes of these clocks.
package struct ClockSpeed: Sendable {
    /// Written once, by `set` before the event loop is made.
    fileprivate nonisolated(unsafe) static var shared = ClockSpeed(1)

    /// Seconds of these clocks for a real one.
    private let speed: Double
    private let bootOrigin: BootInstant
    private let wallOrigin: WallTime

    private init(_ speed: Double) {
        self.speed = speed
        bootOrigin = realBootClock()
        wallOrigin = WallTime(milliseconds: clinux_realtime_milliseconds())
    }

    /// Makes the clocks run `speed` times as fast from now on; > 0. Only before the process has threads and an event loop.
    package static func set(_ speed: Double) { shared = ClockSpeed(speed) }

    fileprivate func bootInstant(_ real: BootInstant) -> BootInstant {
        speed == 1 ? real : bootOrigin + .seconds((real - bootOrigin).seconds * speed)
    }

    fileprivate func wallTime(_ real: WallTime) -> WallTime {
        guard speed != 1 else { return real }
        let passed = Double(real.milliseconds - wallOrigin.milliseconds)
        return WallTime(milliseconds: wallOrigin.milliseconds + Int64(passed * speed))
    }

    /// When the kernel's clock shows what these clocks show at the window's ends.
    package static func kernelWindow(of window: WakeWindow) -> WakeWindow {
        let clock = shared
        guard clock.speed != 1 else { return window }
        func real(_ moment: BootInstant) -> BootInstant {
            clock.bootOrigin + .seconds((moment - clock.bootOrigin).seconds / clock.speed)
        }
        return WakeWindow(earliest: real(window.earliest), latest: real(window.latest))
    }
}
