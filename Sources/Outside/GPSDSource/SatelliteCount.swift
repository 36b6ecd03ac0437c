// SPDX-License-Identifier: Apache-2.0

/// Counts of the satellites that a SKY lists.
struct SatelliteCount: Sendable, Hashable {
    /// All of them: above the horizon, as the receiver reckons.
    var seen = 0
    /// Those whose signal the receiver hears.
    var heard = 0
    /// Those that it computes its position from.
    var used = 0
}
