// SPDX-License-Identifier: Apache-2.0
import Glibc
package import LocationModel

extension AccuracyLevel {
    /// Side of the squares that a client of this level is told in place of the exact place, metres; nil: it is told what the daemon says.
    ///
    /// These are our own values: GeoClue has names for its levels and no numbers.
    package var squareSide: Double? {
        switch self {
        case .street: 200
        case .neighborhood: 2000
        // The daemon's reduced view is coarser than any square here.
        case .none, .country, .city: nil
        case .exact: nil
        }
    }

    /// `location` as a client of this level is told it.
    ///
    /// For a street or a neighborhood that is the middle of a square of a fixed grid, which many locations of the same square do
    /// not make finer, with a radius that holds the true place. Height and movement would tell more than the level says.
    package func coarsened(_ location: Location) -> Location {
        guard let side = squareSide else { return location }
        let metersPerDegree = 111_195.0
        let latitudeStep = side / metersPerDegree
        let row = (location.coordinate.latitude / latitudeStep).rounded(.down)
        let latitude = min(max((row + 0.5) * latitudeStep, -90), 90)
        // As wide as high in the row's middle, and a whole number of squares around the globe.
        let columns = max((360 * cos(latitude * .pi / 180) / latitudeStep).rounded(.down), 1)
        let longitudeStep = 360 / columns
        let column = min(((location.coordinate.longitude + 180) / longitudeStep).rounded(.down), columns - 1)
        let longitude = (column + 0.5) * longitudeStep - 180
        let middle = Coordinate(latitude: latitude, longitude: longitude)
        // Half a diagonal and a little; only next to the poles a square is something else.
        let radius = max(side * 0.75, middle.distance(to: location.coordinate))
        return Location(
            coordinate: middle, horizontalAccuracy: location.horizontalAccuracy + radius, timestamp: location.timestamp,
            sequence: location.sequence, isSimulatedBySoftware: location.isSimulatedBySoftware,
            kind: location.kind)
    }
}
