// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// One shape watched by a `RegionMonitor`: the number of a slot, and which of its users it means.
package struct RegionHandle: Sendable, Hashable, BitwiseCopyable {
    /// The slot, used again after a removal.
    package var index: Int32
    /// Grows with every use of the slot, so that a handle kept too long means nothing instead of another shape.
    package var generation: UInt32
}

extension RegionHandle: Comparable {
    /// By slot.
    package static func < (left: RegionHandle, right: RegionHandle) -> Bool { left.index < right.index }
    var slot: Int { Int(index) }
}

/// The device is on another side of a border than before.
package struct RegionCrossing: Sendable, Hashable, BitwiseCopyable {
    /// Of which shape.
    package var handle: RegionHandle
    /// The side it is on now: inside or outside.
    package var state: RegionState
    /// The side before; unknown: this is a first state, and nobody entered or left anything.
    package var previous: RegionState
    /// When the crossing was accepted, or, if interpolated, when the border was crossed.
    package var date: WallTime
    /// The device came through between fixes: date and place were computed, no fix was taken there.
    package var isInterpolated: Bool
    /// Where: the fix that decided, or, if interpolated, the place on the border.
    package var coordinate: Coordinate
}
