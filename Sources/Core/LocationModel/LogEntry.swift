// SPDX-License-Identifier: Apache-2.0

/// One accepted fix in the log, with what the engine noted beside it.
package struct LogEntry: Sendable, Hashable, BitwiseCopyable {
    /// The fix; its `sequence` is the entry's key and never 0.
    package var location: Location
    /// Metres that the device had travelled when the fix was accepted.
    package var odometer: Double
    /// The engine's own marks, which the log only keeps.
    package var flags: UInt32

    /// An entry for `location`.
    package init(location: Location, odometer: Double, flags: UInt32) {
        self.location = location
        self.odometer = odometer
        self.flags = flags
    }
}
