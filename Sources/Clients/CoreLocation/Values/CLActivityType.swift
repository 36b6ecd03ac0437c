// SPDX-License-Identifier: Apache-2.0

/// The use of the device, which decides how soon updates pause while it is stationary.
@nonexhaustive(warn)
public enum CLActivityType: Int, Sendable {
    /// Nothing in particular; the default.
    case other = 1
    /// In a car, on roads.
    case automotiveNavigation = 2
    /// On foot.
    case fitness = 3
    /// In a vehicle that keeps to no road: train, boat, bicycle.
    case otherNavigation = 4
    /// In the air.
    case airborne = 5
}
