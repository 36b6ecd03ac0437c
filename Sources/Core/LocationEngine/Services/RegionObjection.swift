// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Why a region cannot be monitored.
package enum RegionObjection: Sendable, Hashable, BitwiseCopyable {
    /// The app is not authorized for regions.
    case isDenied
    /// The app has as many as it may: so many.
    case hasTooMany(limit: Int)
    /// It is larger than so many metres of radius.
    case isTooLarge(maximum: Double)

    /// Core Location's code for it.
    package var code: LocationErrorCode {
        switch self {
        case .isDenied: .regionMonitoringDenied
        case .hasTooMany, .isTooLarge: .regionMonitoringFailure
        }
    }
}
