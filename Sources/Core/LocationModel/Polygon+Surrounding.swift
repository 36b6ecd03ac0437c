// SPDX-License-Identifier: Apache-2.0
import func Glibc.asin
import func Glibc.cos
import func Glibc.sin

extension Polygon {
    /// A circle that holds the polygon: the middle of its latitudes and longitudes, and metres to the farthest point, and a little more.
    package var surroundingCircle: (center: Coordinate, radius: Double) {
        let center = middle
        var largestHaversine = 0.0
        for index in vertices.indices {
            let (from, to) = (vertices[index], vertices[(index + 1) % vertices.count])
            let degrees = abs(shorterWay(to.longitude - from.longitude)) + abs(to.latitude - from.latitude)
            // The farthest point of a long edge need not be its end.
            let parts = degrees > 1 ? 32 : 1
            for part in 0..<parts {
                let point = part == 0 ? from : from.interpolated(to: to, Double(part) / Double(parts))
                largestHaversine = max(largestHaversine, center.haversine(to: point))
            }
        }
        // No curve on the ellipsoid bends less than a meridian at the poles: on a sphere of that radius everything is at least as far.
        let radius = WGS84.equatorialRadius / (1 - WGS84.flattening)
        let farthest = 2 * radius * asin(min(largestHaversine, 1).squareRoot())
        return (center, farthest * 1.01 + 1)
    }

    /// Metres that a place in the polygon can be from its border, roughly and never too much: as a radius is for a circle.
    ///
    /// - Parameter circle: `surroundingCircle`.
    package func roughInradius(in circle: (center: Coordinate, radius: Double)) -> Double {
        let shape = RegionShape.polygon(self)
        var deepest = max(-shape.signedDistance(to: circle.center), 0)
        for ring in 1...3 {
            for course in stride(from: 0.0, to: 360, by: 45) {
                let place = circle.center.moved(by: circle.radius * Double(ring) / 4, course: course)
                deepest = max(deepest, -shape.signedDistance(to: place))
            }
        }
        return deepest
    }

    private var middle: Coordinate {
        var (south, north) = (vertices[0].latitude, vertices[0].latitude)
        var longitude = vertices[0].longitude
        var (west, east) = (longitude, longitude)
        for (vertex, next) in zip(vertices, vertices.dropFirst()) {
            longitude += shorterWay(next.longitude - vertex.longitude)
            (west, east) = (min(west, longitude), max(east, longitude))
            (south, north) = (min(south, next.latitude), max(north, next.latitude))
        }
        return Coordinate(latitude: (south + north) / 2, longitude: shorterWay((west + east) / 2))
    }
}

extension Coordinate {
    /// The square of the sine of half the angle between two places on a sphere.
    fileprivate func haversine(to other: Coordinate) -> Double {
        let halfLatitude = sin((other.latitude - latitude) * .pi / 360)
        let halfLongitude = sin((other.longitude - longitude) * .pi / 360)
        return halfLatitude * halfLatitude
            + cos(latitude * .pi / 180) * cos(other.latitude * .pi / 180) * halfLongitude * halfLongitude
    }
}
