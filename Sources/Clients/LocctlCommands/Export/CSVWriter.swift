// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// Values with commas between them (RFC 4180): a line with the names, then one for each waypoint and each point. What is unknown is empty.
package struct CSVWriter: TrackFormat {
    package var output = ExportText()
    /// Counted from 1 over all tracks.
    private var segment = 0
    private var track = ""

    package init() {}

    package mutating func begin() {
        output.append(
            """
            time,latitude,longitude,altitude,speed,course,horizontalAccuracy,verticalAccuracy,speedAccuracy,courseAccuracy,\
            ellipsoidalAltitude,sequence,segment,track,type,name,end\n
            """)
    }

    package mutating func append(_ waypoint: Waypoint) {
        if let time = waypoint.time { output.append(time) }
        append(waypoint.coordinate)
        append(waypoint.altitude)
        output.append(",,")
        append(waypoint.horizontalAccuracy)
        output.append(",,,,,,,,", text: waypoint.kind.rawValue, ",\"")
        output.append(text: waypoint.name.replacing("\"", with: "\"\""))
        output.append("\",")
        if let end = waypoint.end { output.append(end) }
        output.append("\n")
    }

    package mutating func beginTrack(named name: String?) { track = name ?? "" }
    package mutating func beginSegment() { segment += 1 }

    package mutating func append(_ location: Location) {
        output.append(location.timestamp)
        append(location.coordinate)
        for value in [
            location.altitude, location.speed, location.course, location.horizontalAccuracy, location.verticalAccuracy,
            location.speedAccuracy, location.courseAccuracy, location.ellipsoidalAltitude,
        ] {
            append(value)
        }
        output.append(text: ",\(location.sequence),\(segment),\(track),location,,\n")
    }

    package mutating func endSegment() {}
    package mutating func endTrack() {}
    package mutating func end() {}

    private mutating func append(_ coordinate: Coordinate) {
        output.append(",", coordinate.latitude, places: 9, ",")
        output.append(coordinate.longitude, places: 9)
    }

    private mutating func append(_ number: Double?) {
        output.append(",")
        if let number, number.isFinite { output.append(number, places: 3) }
    }
}
