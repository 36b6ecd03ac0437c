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
        output.append("<ele>", waypoint.altitude, places: 3, "</ele>")
        output.append("<time>", waypoint.time ?? waypoint.end, "</time>")
        output.append("<name>", xml: waypoint.name, "</name>")
        output.append("<desc>until ", waypoint.end, "</desc>")
        output.append("<type>", text: waypoint.kind.rawValue, "</type></wpt>\n")
    }

    package mutating func beginTrack(named name: String?) {
        output.append("<trk>")
        output.append("<name>", xml: name, "</name>")
        output.append("\n")
    }

    package mutating func beginSegment() { output.append("<trkseg>\n") }

    package mutating func append(_ location: Location) {
        open("<trkpt", location.coordinate)
        output.append("<ele>", location.altitude, places: 3, "</ele>")
        output.append("<time>", location.timestamp, "</time>")
        if let sea = location.altitude, let ellipsoid = location.ellipsoidalAltitude {
            output.append("<geoidheight>", ellipsoid - sea, places: 3, "</geoidheight>")
        }
        if location.speed != nil || location.course != nil {
            output.append("<extensions><gpxtpx:TrackPointExtension>")
            output.append("<gpxtpx:speed>", location.speed, places: 3, "</gpxtpx:speed>")
            output.append("<gpxtpx:course>", location.course, places: 3, "</gpxtpx:course>")
            output.append("</gpxtpx:TrackPointExtension></extensions>")
        }
        output.append("</trkpt>\n")
    }

    package mutating func endSegment() { output.append("</trkseg>\n") }
    package mutating func endTrack() { output.append("</trk>\n") }
    package mutating func end() { output.append("</gpx>\n") }

    private mutating func open(_ element: StaticString, _ coordinate: Coordinate) {
        output.append(element)
        output.append(" lat=\"", coordinate.latitude, places: 9, "\" lon=\"")
        // The format's longitudes end before 180.
        output.append(coordinate.longitude == 180 ? -180 : coordinate.longitude, places: 9)
        output.append("\">")
    }
}
