// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationProtocol

/// GPX 1.1. Speed and course stand in the extension that receivers of Garmin's have for them, which most programs read.
package struct GPXWriter: TrackFormat {
    package var output = ExportText()

    package init() {}

    package mutating func begin() {
        output.append("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<gpx version=\"1.1\" creator=\"locationd ")
        output.append(xml: locationdVersion)
        output.append(
            """
            " xmlns="http://www.topografix.com/GPX/1/1"
             xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
             xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd"
             xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n
            """)
    }

    package mutating func append(_ waypoint: Waypoint) {
        open("<wpt", waypoint.coordinate)
        append("<ele>", waypoint.altitude, "</ele>")
        if let time = waypoint.time ?? waypoint.end {
            output.append("<time>")
            output.append(time)
            output.append("</time>")
        }
        output.append("<name>")
        output.append(xml: waypoint.name)
        output.append("</name>")
        if let end = waypoint.end {
            output.append("<desc>until ")
            output.append(end)
            output.append("</desc>")
        }
        output.append("<type>")
        output.append(text: waypoint.kind.rawValue)
        output.append("</type></wpt>\n")
    }

    package mutating func beginTrack(named name: String?) {
        output.append("<trk>")
        if let name {
            output.append("<name>")
            output.append(xml: name)
            output.append("</name>")
        }
        output.append("\n")
    }

    package mutating func beginSegment() { output.append("<trkseg>\n") }

    package mutating func append(_ location: Location) {
        open("<trkpt", location.coordinate)
        append("<ele>", location.altitude, "</ele>")
        output.append("<time>")
        output.append(location.timestamp)
        output.append("</time>")
        if let sea = location.altitude, let ellipsoid = location.ellipsoidalAltitude {
            append("<geoidheight>", ellipsoid - sea, "</geoidheight>")
        }
        if location.speed != nil || location.course != nil {
            output.append("<extensions><gpxtpx:TrackPointExtension>")
            append("<gpxtpx:speed>", location.speed, "</gpxtpx:speed>")
            append("<gpxtpx:course>", location.course, "</gpxtpx:course>")
            output.append("</gpxtpx:TrackPointExtension></extensions>")
        }
        output.append("</trkpt>\n")
    }

    package mutating func endSegment() { output.append("</trkseg>\n") }
    package mutating func endTrack() { output.append("</trk>\n") }
    package mutating func end() { output.append("</gpx>\n") }

    private mutating func open(_ element: StaticString, _ coordinate: Coordinate) {
        output.append(element)
        output.append(" lat=\"")
        output.append(coordinate.latitude, places: 9)
        output.append("\" lon=\"")
        // The format's longitudes end before 180.
        output.append(coordinate.longitude == 180 ? -180 : coordinate.longitude, places: 9)
        output.append("\">")
    }

    private mutating func append(_ before: StaticString, _ number: Double?, _ after: StaticString) {
        guard let number, number.isFinite else { return }
        output.append(before)
        output.append(number, places: 3)
        output.append(after)
    }
}
