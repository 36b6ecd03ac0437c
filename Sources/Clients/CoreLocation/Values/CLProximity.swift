// SPDX-License-Identifier: Apache-2.0
internal import LocationModel

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

extension CLProximity {
    init(_ proximity: BeaconProximity) {
        self =
            switch proximity {
            case .unknown: .unknown
            case .immediate: .immediate
            case .near: .near
            case .far: .far
            }
    }
}
