// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// One shape in the table: as small as it can be, because there may be a million.
struct RegionSlot: Sendable, BitwiseCopyable {
    /// The circle, or the circle round the polygon: metres.
    var center: Coordinate
    var radius: Double
    /// Neighbours in the chain of a grid cell; in a free slot `next` is the next free one. -1: none.
    var next: Int32 = -1
    var previous: Int32 = -1
    /// Which polygon; -1: a circle.
    var polygon: Int32
    var generation: UInt32
    /// Metres and seconds of the region's own; NaN: none.
    var cushion: Float
    var dwell: Float
    var state: RegionSlotState
    var flags: Flags = []
    /// Of the grid, by the radius.
    var level: UInt8

    /// Flags of the slot, beside its state.
    struct Flags: OptionSet, BitwiseCopyable {
        let rawValue: UInt8
        /// Somebody has a handle.
        static let used = Flags(rawValue: 1)
        /// Takes part.
        static let watched = Flags(rawValue: 2)
        /// Has a `BorderWatch`.
        static let near = Flags(rawValue: 4)
        /// No fix has looked at it yet.
        static let fresh = Flags(rawValue: 8)
    }
}

/// A region's state in one byte.
enum RegionSlotState: UInt8, BitwiseCopyable {
    case unknown, inside, outside

    init(_ state: RegionState) {
        switch state {
        case .unknown: self = .unknown
        case .inside: self = .inside
        case .outside: self = .outside
        }
    }

    var state: RegionState {
        switch self {
        case .unknown: .unknown
        case .inside: .inside
        case .outside: .outside
        }
    }
}
