// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// The values of a GeoClue location: what a client reads of one object, which never change.
package struct LocationProperties: Sendable, Hashable {
    /// GeoClue's value for an unknown altitude.
    package static let unknownAltitude = -Double.greatestFiniteMagnitude
    /// GeoClue's value for an unknown speed or heading.
    package static let unknown = -1.0

    /// Degrees.
    package let latitude: Double
    /// Degrees.
    package let longitude: Double
    /// Metres: the radius of 68 %.
    package let accuracy: Double
    /// Metres above mean sea level.
    package let altitude: Double
    /// Metres per second.
    package let speed: Double
    /// Degrees clockwise from true north: where the device moves to.
    package let heading: Double
    /// When the receiver was there: whole seconds since 1970.
    package let seconds: UInt64
    /// The rest of that time, microseconds.
    package let microseconds: UInt64
    /// How the place was found, in words; empty: a receiver measured it.
    package let description: String

    /// The properties of `location` as GeoClue's clients are told them.
    package init(_ location: Location) {
        latitude = location.coordinate.latitude
        longitude = location.coordinate.longitude
        accuracy = location.horizontalAccuracy
        altitude = location.altitude ?? LocationProperties.unknownAltitude
        speed = location.speed ?? LocationProperties.unknown
        heading = location.course ?? LocationProperties.unknown
        let milliseconds = UInt64(max(location.timestamp.milliseconds, 0))
        seconds = milliseconds / 1000
        microseconds = milliseconds % 1000 * 1000
        description =
            switch location.kind {
            case .receiver: ""
            case .manual: "set by hand"
            case .wifi, .cell, .network, .accessory, .other: "provided by \(location.kind)"
            }
    }
}
