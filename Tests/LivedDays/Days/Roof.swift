// SPDX-License-Identifier: Apache-2.0
import LocationTracks

import func Glibc.exp
import func Glibc.log

/// Whether a receiver sees the sky, second by second: holes of seconds to an hour, most of them under roofs.
struct Roof: Sendable {
    /// Kinds of roofs.
    enum Kind: Sendable {
        case open
        /// A desk at a window: more sky than none.
        case windows
        /// Little sky, and seldom for long.
        case deep
        /// None.
        case sealed
    }

    private(set) var isOpen = true
    /// Whether weak signals come through the roof that hides the sky now.
    private var isLeaky = false
    /// Draws nothing but that, so that the days are the same with and without it.
    private var ether: NoiseGenerator
    private var kind: Kind?
    private var remaining = 0.0

    /// An open sky; `seed` decides which roofs let signals through.
    init(seed: UInt64) { ether = NoiseGenerator(seed: ~seed) }

    /// Whether as many satellites can be heard as a fix takes.
    var hasSignals: Bool { isOpen || isLeaky }

    /// One second later, at a place of this kind.
    mutating func stay(_ kind: Kind, _ noise: inout NoiseGenerator) {
        if self.kind == nil {
            // The door.
            isOpen = true
            remaining = noise.uniform(3...40)
        }
        self.kind = kind
        remaining -= 1
        guard remaining <= 0 else { return }
        isOpen = kind == .open || !isOpen && kind != .sealed
        // Beside a window there are always some.
        isLeaky = kind == .windows || kind == .deep && ether.chance(0.25)
        remaining = Roof.length(kind, isOpen: isOpen, &noise)
    }

    /// One second later, on the way.
    mutating func travel(underground: Bool, isVehicle: Bool, _ noise: inout NoiseGenerator) {
        if kind != nil {
            kind = nil
            remaining = isOpen ? 0 : noise.uniform(1...15)
        }
        remaining -= 1
        guard remaining <= 0 else { return }
        isOpen = !underground
        isLeaky = false
        // A tunnel, or the shadow of a house.
        if isOpen, noise.chance(1 / (isVehicle ? 1_500 : 900)) {
            isOpen = false
            remaining = isVehicle ? noise.uniform(15...90) : noise.uniform(5...30)
        }
    }

    private static func length(_ kind: Kind, isOpen: Bool, _ noise: inout NoiseGenerator) -> Double {
        switch kind {
        case .open: 3_600
        case .windows: noise.spread(isOpen ? 60...3_600 : 5...900)
        case .deep: noise.spread(isOpen ? 5...180 : 60...3_600)
        case .sealed: 3_600
        }
    }
}

extension NoiseGenerator {
    /// A number from `range`, each ratio equally likely.
    mutating func spread(_ range: ClosedRange<Double>) -> Double {
        exp(uniform(log(range.lowerBound)...log(range.upperBound)))
    }
}
