// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationProtocol

/// GeoJSON (RFC 7946): one collection with a line for each segment and a point for each waypoint.
///
/// The times of a line's points are its property `coordTimes`, and their accuracies `horizontalAccuracies`, which stand behind the line:
/// they wait, so that a segment of very many points becomes several lines, each of which begins where the one before ended.
package struct GeoJSONWriter: TrackFormat {
    package var output = ExportText()
    /// Points of one line at the most: more than those of a day at one a second.
    static let pointsOfALine = 100_000

    private var hasFeatures = false
    private var times = ExportText()
    private var accuracies = ExportText()
    private var points = 0
    private var first: Location?
    private var last: Location?
    private var track: String?

    package init() {}

    package mutating func begin() { output.append("{\"type\":\"FeatureCollection\",\"features\":[") }

    package mutating func append(_ waypoint: Waypoint) {
        beginFeature()
        output.append("\"Point\",\"coordinates\":")
        append(waypoint.coordinate, waypoint.altitude)
        output.append("},\"properties\":{\"type\":\"")
        output.append(text: waypoint.kind.rawValue)
        output.append("\",\"name\":")
        append(json: waypoint.name)
        append(",\"time\":\"", waypoint.time)
        append(",\"end\":\"", waypoint.end)
        output.append(",\"horizontalAccuracy\":")
        output.append(waypoint.horizontalAccuracy, places: 3)
        output.append("}}")
    }

    package mutating func beginTrack(named name: String?) { track = name }

    package mutating func beginSegment() {
        points = 0
        _ = times.take()
        _ = accuracies.take()
    }

    package mutating func append(_ location: Location) {
        if points == GeoJSONWriter.pointsOfALine, let last {
            endSegment()
            beginSegment()
            append(toLine: last)
        }
        append(toLine: location)
    }

    private mutating func append(toLine location: Location) {
        // Whether it is a line or a point shows with the second.
        if points == 0 { first = location }
        if points == 1, let first {
            beginFeature()
            output.append("\"LineString\",\"coordinates\":[")
            append(first.coordinate, first.altitude)
        }
        if points > 0 {
            output.append(",")
            append(location.coordinate, location.altitude)
            times.append(",")
            accuracies.append(",")
        }
        times.append("\"")
        times.append(location.timestamp)
        times.append("\"")
        accuracies.append(location.horizontalAccuracy, places: 3)
        last = location
        points += 1
    }

    package mutating func endSegment() {
        if points == 1, let first {
            beginFeature()
            output.append("\"Point\",\"coordinates\":")
            append(first.coordinate, first.altitude)
            output.append("},\"properties\":{\"type\":\"location\",\"time\":")
            output.append(times)
            output.append(",\"horizontalAccuracy\":")
            output.append(accuracies)
        } else {
            output.append("]},\"properties\":{\"type\":\"track\",\"coordTimes\":[")
            output.append(times)
            output.append("],\"horizontalAccuracies\":[")
            output.append(accuracies)
            output.append("]")
        }
        if let track {
            output.append(",\"name\":")
            append(json: track)
        }
        output.append("}}")
    }

    package mutating func endTrack() { track = nil }
    package mutating func end() { output.append("\n]}\n") }

    private mutating func beginFeature() {
        output.append(hasFeatures ? ",\n" : "\n")
        hasFeatures = true
        output.append("{\"type\":\"Feature\",\"geometry\":{\"type\":")
    }

    private mutating func append(_ coordinate: Coordinate, _ altitude: Double?) {
        output.append("[")
        output.append(coordinate.longitude, places: 9)
        output.append(",")
        output.append(coordinate.latitude, places: 9)
        if let altitude, altitude.isFinite {
            output.append(",")
            output.append(altitude, places: 3)
        }
        output.append("]")
    }

    private mutating func append(_ before: StaticString, _ time: WallTime?) {
        guard let time else { return }
        output.append(before)
        output.append(time)
        output.append("\"")
    }

    private mutating func append(json text: String) {
        var writer = JSONWriter()
        writer.string(text)
        output.append(text: String(decoding: writer.bytes, as: UTF8.self))
    }
}
