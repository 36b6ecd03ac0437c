// SPDX-License-Identifier: Apache-2.0
import CLinux
import Glibc
package import LocationModel

/// The boot-time clock: read where a turn begins, and handed on.
package func bootClock() -> BootInstant { BootInstant(nanoseconds: clinux_boottime_nanoseconds()) }

/// The date, for data only.
package func wallClock() -> WallTime { WallTime(milliseconds: clinux_realtime_milliseconds()) }

/// The clock that systemd compares, microseconds.
package func monotonicMicroseconds() -> Int64 {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Int64(now.tv_sec) * 1_000_000 + Int64(now.tv_nsec) / 1000
}
