// SPDX-License-Identifier: Apache-2.0
import CLinux
package import LocationModel

/// The boot-time clock, read once a turn.
package func bootClock() -> BootInstant { BootInstant(nanoseconds: clinux_boottime_nanoseconds()) }

/// The date, for data only.
package func wallClock() -> WallTime { WallTime(milliseconds: clinux_realtime_milliseconds()) }
