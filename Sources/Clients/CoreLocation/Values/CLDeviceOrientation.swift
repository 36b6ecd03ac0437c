// SPDX-License-Identifier: Apache-2.0

/// How the device is held: which of its edges a heading refers to.
@nonexhaustive(warn)
public enum CLDeviceOrientation: Int32, Sendable {
    /// Cannot be told.
    case unknown = 0
    /// Upright.
    case portrait = 1
    /// Upright, the upper edge below.
    case portraitUpsideDown = 2
    /// On its side, the upper edge to the left.
    case landscapeLeft = 3
    /// On its side, the upper edge to the right.
    case landscapeRight = 4
    /// Flat, the face above.
    case faceUp = 5
    /// Flat, the face below.
    case faceDown = 6
}
