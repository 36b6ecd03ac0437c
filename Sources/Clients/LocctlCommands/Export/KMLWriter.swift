// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// KML 2.2, with a `gx:Track` for each segment.
///
/// The format has all times of a track before all its places, which wait: a segment of very many points becomes several tracks, each of which
/// begins where the one before ended.
package struct KMLWriter: TrackFormat {
    package var output = ExportText()
    /// Points of one track at the most: more than those of a day at one a second.
    static let pointsOfATrack = 100_000

    private var places = ExportText()
    private var points = 0
    private var last: Location?

    package init() {}

    package mutating func begin() {
        output.append(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <kml xmlns="http://www.opengis.net/kml/2.2" xmlns:gx="http://www.google.com/kml/ext/2.2">
            <Document>\n
            """)
    }

    package mutating func append(_ waypoint: Waypoint) {
        output.append("<Placemark><name>", xml: waypoint.name, "</name><description>")
        output.append(text: waypoint.kind.rawValue)
        output.append("</description>")
        appendTime(of: waypoint)
        output.append("<Point><coordinates>")
        append(waypoint.coordinate, waypoint.altitude, ",", to: &output)
        output.append("</coordinates></Point></Placemark>\n")
    }

    private mutating func appendTime(of waypoint: Waypoint) {
        guard waypoint.kind == .visit else {
            return output.append("<TimeStamp><when>", waypoint.time, "</when></TimeStamp>")
        }
        output.append("<TimeSpan>")
        output.append("<begin>", waypoint.time, "</begin>")
        output.append("<end>", waypoint.end, "</end>")
        output.append("</TimeSpan>")
    }

    package mutating func beginTrack(named name: String?) {
        output.append("<Folder>")
        output.append("<name>", xml: name, "</name>")
        output.append("\n")
    }

    package mutating func beginSegment() {
        (points, _) = (0, places.take())
        output.append("<Placemark><gx:Track>\n")
    }

    package mutating func append(_ location: Location) {
        if points == KMLWriter.pointsOfATrack, let last {
            endSegment()
            beginSegment()
            append(toTrack: last)
        }
        append(toTrack: location)
    }

    private mutating func append(toTrack location: Location) {
        output.append("<when>", location.timestamp, "</when>\n")
        places.append("<gx:coord>")
        append(location.coordinate, location.altitude, " ", to: &places)
        places.append("</gx:coord>\n")
        (points, last) = (points + 1, location)
    }

    package mutating func endSegment() {
        output.append(places)
        output.append("</gx:Track></Placemark>\n")
    }

    package mutating func endTrack() { output.append("</Folder>\n") }
    package mutating func end() { output.append("</Document>\n</kml>\n") }

    private func append(
        _ coordinate: Coordinate, _ altitude: Double?, _ separator: StaticString, to text: inout ExportText
    ) {
        text.append(coordinate.longitude, places: 9)
        text.append(separator)
        text.append(coordinate.latitude, places: 9)
        text.append(separator)
        text.append(altitude ?? 0, places: 3)
    }
}
