// SPDX-License-Identifier: Apache-2.0

/// A short way on the ground, metres.
package struct LocalOffset: Sendable, BitwiseCopyable {
    /// Metres towards north.
    package var north: Double
    /// Metres towards east.
    package var east: Double

    /// The way `north` and `east`.
    package init(north: Double, east: Double) {
        self.north = north
        self.east = east
    }

    /// Square metres.
    package var squaredLength: Double { north * north + east * east }
}

extension LocalFrame {
    /// The way from one place near the frame's latitude to another.
    package func offset(from origin: Coordinate, to place: Coordinate) -> LocalOffset {
        LocalOffset(
            north: (place.latitude - origin.latitude) * metresPerDegreeOfLatitude,
            east: shorterWay(place.longitude - origin.longitude) * metresPerDegreeOfLongitude)
    }

    /// Where `offset` leads from `origin`: a valid coordinate also over the antimeridian and at the poles.
    package func place(_ offset: LocalOffset, from origin: Coordinate) -> Coordinate {
        let latitude = origin.latitude + offset.north / metresPerDegreeOfLatitude
        let longitude = origin.longitude + offset.east / max(metresPerDegreeOfLongitude, 1)
        return Coordinate(latitude: min(max(latitude, -90), 90), longitude: shorterWay(longitude))
    }
}

extension Coordinate {
    /// The place at `fraction`, 0 to 1, of the way to `other` that is straight in longitude and latitude.
    package func interpolated(to other: Coordinate, _ fraction: Double) -> Coordinate {
        Coordinate(
            latitude: latitude + (other.latitude - latitude) * fraction,
            longitude: shorterWay(longitude + shorterWay(other.longitude - longitude) * fraction))
    }
}
