// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// One satellite in view.
struct Satellite {
    /// GPS number, 1 to 32.
    var number: Int
    /// Degrees above the horizon, 0 to 90.
    var elevation: Int
    /// Degrees clockwise from north, 0 to 359.
    var azimuth: Int
    /// Signal to noise, dB-Hz.
    var signal: Int
    var isUsed: Bool
}

/// A plausible sky for a point: not an almanac, but stable numbers that move slowly.
func satellites(of point: TrackPoint) -> [Satellite] {
    let degreesMoved = Int(point.elapsed.seconds / 120)
    return (0..<point.satellitesSeen).map { index in
        let elevation = 12 + (index * 29) % 70
        return Satellite(
            number: 1 + (index * 7) % 32, elevation: elevation, azimuth: (index * 83 + degreesMoved) % 360,
            signal: 24 + elevation / 4, isUsed: index < point.satellitesUsed)
    }
}
