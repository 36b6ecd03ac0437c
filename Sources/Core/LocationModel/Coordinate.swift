// SPDX-License-Identifier: Apache-2.0

/// A place on the WGS 84 ellipsoid, in degrees.
public struct Coordinate: Sendable, Hashable, BitwiseCopyable {
    /// Degrees north, -90 to 90.
    public var latitude: Double
    /// Degrees east, -180 to 180.
    public var longitude: Double

    /// The place at `latitude` and `longitude`; nothing is checked, see `isValid`.
    public init(latitude: Double, longitude: Double) {
        self.latitude = latitude
        self.longitude = longitude
    }

    /// Whether both are numbers within their range; the limits themselves are valid (as CLLocationCoordinate2DIsValid has it).
    public var isValid: Bool { abs(latitude) <= 90 && abs(longitude) <= 180 }
}
