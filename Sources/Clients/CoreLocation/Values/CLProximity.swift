// SPDX-License-Identifier: Apache-2.0

/// How near a beacon seems.
@nonexhaustive(warn)
public enum CLProximity: Int, Sendable {
    /// Cannot be told.
    case unknown = 0
    /// Right here.
    case immediate = 1
    /// Some metres away.
    case near = 2
    /// Farther away.
    case far = 3
}
