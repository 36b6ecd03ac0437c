// SPDX-License-Identifier: Apache-2.0
package import LocationModel

extension Database {
    /// The location saved last, nil if none ever was. One that cannot have been is an error with `isDamage`.
    package func lastLocation() throws(StoreError) -> Location? {
        var location: Location?
        try connection.statement(
            """
            SELECT latitude, longitude, horizontal_accuracy, timestamp, sequence, altitude, ellipsoidal_altitude,
                vertical_accuracy, speed, speed_accuracy, course, course_accuracy, is_simulated, kind
            FROM last_location WHERE id = 1
            """
        ).forEachRow { row in
            location = Location(
                coordinate: Coordinate(latitude: row.real(0), longitude: row.real(1)), horizontalAccuracy: row.real(2),
                timestamp: WallTime(milliseconds: row.integer(3)), sequence: row.count(4),
                altitude: row.optionalReal(5), ellipsoidalAltitude: row.optionalReal(6),
                verticalAccuracy: row.optionalReal(7), speed: row.optionalReal(8), speedAccuracy: row.optionalReal(9),
                course: row.optionalReal(10), courseAccuracy: row.optionalReal(11),
                isSimulatedBySoftware: row.integer(12) != 0,
                kind: UInt8(exactly: row.integer(13)).flatMap(LocationKind.init) ?? .other)
        }
        if let location, !location.isPlausible { throw damaged("last_location") }
        return location
    }

    /// Saves the last known location. It survives a kill at once, a power cut only after the next durable write:
    /// an fsync for each would wear the flash for a value that the next minute replaces.
    package func saveLastLocation(_ location: Location) throws(StoreError) {
        try connection.transaction(.process) { () throws(StoreError) in
            try connection.statement(
                """
                INSERT OR REPLACE INTO last_location (id, latitude, longitude, horizontal_accuracy, timestamp, sequence,
                    altitude, ellipsoidal_altitude, vertical_accuracy, speed, speed_accuracy, course, course_accuracy,
                    is_simulated, kind)
                VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
            ).run(
                .real(location.coordinate.latitude), .real(location.coordinate.longitude),
                .real(location.horizontalAccuracy), .integer(location.timestamp.milliseconds),
                .integer(Int64(clamping: location.sequence)), .optional(location.altitude),
                .optional(location.ellipsoidalAltitude), .optional(location.verticalAccuracy),
                .optional(location.speed),
                .optional(location.speedAccuracy), .optional(location.course), .optional(location.courseAccuracy),
                .integer(location.isSimulatedBySoftware ? 1 : 0), .integer(Int64(location.kind.rawValue)))
        }
    }
}
