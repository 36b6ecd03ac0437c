// SPDX-License-Identifier: Apache-2.0

/// Where the device is with respect to a region.
public enum CLRegionState: Int, Sendable {
    /// Not known yet.
    case unknown = 0
    /// In the region.
    case inside = 1
    /// Not in the region.
    case outside = 2
}
