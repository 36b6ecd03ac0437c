// SPDX-License-Identifier: Apache-2.0
// The names are Apple's.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

/// A place on the WGS 84 ellipsoid, in degrees.
///
/// As on Apple's systems it is neither Equatable nor Codable, so that an app's own conformances stay possible.
public struct CLLocationCoordinate2D: Sendable {
    /// Degrees north of the equator, -90 to 90.
    public var latitude: CLLocationDegrees
    /// Degrees east of the zero meridian, -180 to 180.
    public var longitude: CLLocationDegrees

    /// Latitude and longitude 0.
    public init() {
        latitude = 0
        longitude = 0
    }

    /// The place at `latitude` and `longitude`; nothing is checked, see `CLLocationCoordinate2DIsValid(_:)`.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        self.latitude = latitude
        self.longitude = longitude
    }
}

/// The place at `latitude` and `longitude`; nothing is checked, see `CLLocationCoordinate2DIsValid(_:)`.
public func CLLocationCoordinate2DMake(
    _ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees
) -> CLLocationCoordinate2D {
    CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
}

/// Whether `coordinate` is a place: a latitude from -90 to 90 and a longitude from -180 to 180, the limits included.
public func CLLocationCoordinate2DIsValid(_ coordinate: CLLocationCoordinate2D) -> Bool {
    abs(coordinate.latitude) <= 90 && abs(coordinate.longitude) <= 180
}
