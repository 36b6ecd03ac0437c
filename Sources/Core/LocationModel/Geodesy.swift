// SPDX-License-Identifier: Apache-2.0
import func Glibc.atan
import func Glibc.atan2
import func Glibc.cos
import func Glibc.sin
import func Glibc.tan

/// The WGS 84 ellipsoid.
public enum WGS84 {
    /// Equatorial radius, metres.
    public static let equatorialRadius = 6_378_137.0
    /// Flattening.
    public static let flattening = 1 / 298.257223563
    /// Polar radius, metres.
    public static let polarRadius = equatorialRadius * (1 - flattening)
    /// Square of the first eccentricity.
    public static let eccentricitySquared = flattening * (2 - flattening)
}

/// Metres per degree around one latitude: the cheap way to compare many short distances with one centre.
///
/// Within 0.05 degrees of the latitude the squared distance is right to 1e-2 below 80 degrees; whoever decides near a
/// threshold asks `Coordinate.distance(to:)`.
public struct LocalFrame: Sendable, BitwiseCopyable {
    /// Metres per degree of latitude.
    public let metresPerDegreeOfLatitude: Double
    /// Metres per degree of longitude.
    public let metresPerDegreeOfLongitude: Double

    /// The frame around `latitude`, degrees.
    public init(latitude: Double) {
        let radians = latitude * .pi / 180
        let sine = sin(radians)
        let squared = 1 - WGS84.eccentricitySquared * sine * sine
        let prime = WGS84.equatorialRadius / squared.squareRoot()
        let meridional = prime * (1 - WGS84.eccentricitySquared) / squared
        metresPerDegreeOfLatitude = meridional * .pi / 180
        metresPerDegreeOfLongitude = prime * cos(radians) * .pi / 180
    }

    /// The square of the distance between two places near the frame's latitude, square metres.
    public func squaredDistance(_ one: Coordinate, _ other: Coordinate) -> Double {
        let north = (other.latitude - one.latitude) * metresPerDegreeOfLatitude
        let east = shorterWay(other.longitude - one.longitude) * metresPerDegreeOfLongitude
        return north * north + east * east
    }
}

extension Coordinate {
    /// The distance along the ellipsoid, metres: the same in both directions to the bit, altitude ignored.
    ///
    /// Short distances (under 0.1 degrees, below 80 degrees of latitude) come from the ellipsoid's radii at the middle
    /// latitude, which is within 1e-6 of the geodesic there; all others from Vincenty's inverse formula, and where that
    /// does not converge (nearly antipodal places) from the sphere of the same volume, within 0.6 %.
    public func distance(to other: Coordinate) -> Double {
        let latitudeDifference = abs(other.latitude - latitude)
        let longitudeDifference = abs(shorterWay(other.longitude - longitude))
        let middle = (latitude + other.latitude) / 2
        if latitudeDifference < 0.1, longitudeDifference < 0.1, abs(middle) < 80 {
            return LocalFrame(latitude: middle).squaredDistance(self, other).squareRoot()
        }
        // Ordered, so that both directions run through the same arithmetic.
        let swap = latitude > other.latitude
        return vincenty(
            from: swap ? other.latitude : latitude, to: swap ? latitude : other.latitude,
            longitudeDifference: longitudeDifference)
    }

    /// The place `distance` metres away in the direction of `course`, degrees clockwise from north, along the sphere that
    /// touches the ellipsoid here. Right to 1e-3 of distances up to 100 km; made for tracks and for extrapolation.
    public func moved(by distance: Double, course: Double) -> Coordinate {
        let frame = LocalFrame(latitude: latitude)
        let radians = course * .pi / 180
        let newLatitude = latitude + distance * cos(radians) / frame.metresPerDegreeOfLatitude
        let middle = LocalFrame(latitude: (latitude + newLatitude) / 2)
        let newLongitude = longitude + distance * sin(radians) / max(middle.metresPerDegreeOfLongitude, 1)
        return Coordinate(latitude: min(max(newLatitude, -90), 90), longitude: shorterWay(newLongitude))
    }
}

// A difference of longitudes, brought into -180 to 180 degrees.
func shorterWay(_ degrees: Double) -> Double {
    guard abs(degrees) > 180 else { return degrees }
    return degrees - (degrees / 360).rounded() * 360
}

// T. Vincenty, "Direct and inverse solutions of geodesics on the ellipsoid with application of nested equations",
// Survey Review XXIII (176), 1975: the inverse problem.
private func vincenty(from latitude1: Double, to latitude2: Double, longitudeDifference: Double) -> Double {
    let f = WGS84.flattening
    let reduced1 = atan((1 - f) * tan(latitude1 * .pi / 180))
    let reduced2 = atan((1 - f) * tan(latitude2 * .pi / 180))
    let (sin1, cos1) = (sin(reduced1), cos(reduced1))
    let (sin2, cos2) = (sin(reduced2), cos(reduced2))
    let difference = longitudeDifference * .pi / 180

    var lambda = difference
    for _ in 0..<60 {
        let (sinLambda, cosLambda) = (sin(lambda), cos(lambda))
        let across = cos2 * sinLambda
        let along = cos1 * sin2 - sin1 * cos2 * cosLambda
        let sinSigma = (across * across + along * along).squareRoot()
        guard sinSigma > 0 else { return 0 }
        let cosSigma = sin1 * sin2 + cos1 * cos2 * cosLambda
        let sigma = atan2(sinSigma, cosSigma)
        let sinAlpha = cos1 * cos2 * sinLambda / sinSigma
        let cosSquaredAlpha = 1 - sinAlpha * sinAlpha
        let cosTwoSigmaM = cosSquaredAlpha > 0 ? cosSigma - 2 * sin1 * sin2 / cosSquaredAlpha : 0
        let c = f / 16 * cosSquaredAlpha * (4 + f * (4 - 3 * cosSquaredAlpha))
        let inner = cosTwoSigmaM + c * cosSigma * (-1 + 2 * cosTwoSigmaM * cosTwoSigmaM)
        let next = difference + (1 - c) * f * sinAlpha * (sigma + c * sinSigma * inner)
        guard abs(next) <= .pi else { break }
        if abs(next - lambda) < 1e-12 {
            return vincentyLength(
                sigma: sigma, sinSigma: sinSigma, cosSigma: cosSigma, cosTwoSigmaM: cosTwoSigmaM,
                cosSquaredAlpha: cosSquaredAlpha)
        }
        lambda = next
    }
    let halfLatitude = sin((latitude2 - latitude1) * .pi / 360)
    let halfLongitude = sin(difference / 2)
    let haversine =
        halfLatitude * halfLatitude
        + cos(latitude1 * .pi / 180) * cos(latitude2 * .pi / 180) * halfLongitude * halfLongitude
    let clamped = min(haversine, 1)
    return 2 * 6_371_000.8 * atan2(clamped.squareRoot(), (1 - clamped).squareRoot())
}

private func vincentyLength(
    sigma: Double, sinSigma: Double, cosSigma: Double, cosTwoSigmaM: Double, cosSquaredAlpha: Double
) -> Double {
    let (a, b) = (WGS84.equatorialRadius, WGS84.polarRadius)
    let u = cosSquaredAlpha * (a * a - b * b) / (b * b)
    let scale = 1 + u / 16384 * (4096 + u * (-768 + u * (320 - 175 * u)))
    let k = u / 1024 * (256 + u * (-128 + u * (74 - 47 * u)))
    let squared = cosTwoSigmaM * cosTwoSigmaM
    let first = cosSigma * (-1 + 2 * squared)
    let second = k / 6 * cosTwoSigmaM * (-3 + 4 * sinSigma * sinSigma) * (-3 + 4 * squared)
    let correction = k * sinSigma * (cosTwoSigmaM + k / 4 * (first - second))
    return b * scale * (sigma - correction)
}
