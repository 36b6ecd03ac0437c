// SPDX-License-Identifier: Apache-2.0
package import LocationModel

import func Glibc.atan2
import func Glibc.cos

extension Coordinate {
    /// The direction of a place nearby, degrees clockwise from north, 0 to < 360, as on a flat map of the surroundings; nil: it is this one.
    package func course(to other: Coordinate) -> Double? {
        guard self != other else { return nil }
        var turn = other.longitude - longitude
        if abs(turn) > 180 { turn -= turn > 0 ? 360 : -360 }
        let east = turn * cos((latitude + other.latitude) / 2 * .pi / 180)
        let degrees = atan2(east, other.latitude - latitude) * 180 / .pi
        return degrees < 0 ? degrees + 360 : degrees
    }
}
