// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import LocationProtocol

/// GeoJSON (RFC 7946): one collection with a line for each segment and a point for each waypoint.
///
/// The times of a line's points are its property `coordTimes`, and their accuracies `horizontalAccuracies`. A line waits until its end
/// shows what it is, so a segment of very many points becomes several lines, each of which begins where the one before ended.
/// Where the way crosses the antimeridian, the line becomes one of several parts (3.1.9), and so do its times and accuracies.
package struct GeoJSONWriter: TrackFormat {
    package var output = ExportText()
    /// Points of one line at the most: more than those of a day at one a second.
    static let pointsOfALine = 100_000

    private var hasFeatures = false
    private var line = LineInTheMaking()
    private var last: Location?
    private var track: String?

    package init() {}

    package mutating func begin() { output.append("{\"type\":\"FeatureCollection\",\"features\":[") }

    package mutating func append(_ waypoint: Waypoint) {
        beginFeature()
        output.append("\"Point\",\"coordinates\":")
        output.append(position: waypoint.coordinate, waypoint.altitude)
        output.append("},\"properties\":{\"type\":\"")
        output.append(text: waypoint.kind.rawValue)
        output.append("\",\"name\":")
        append(json: waypoint.name)
        append(",\"time\":\"", waypoint.time)
        append(",\"end\":\"", waypoint.end)
        output.append(",\"horizontalAccuracy\":", waypoint.horizontalAccuracy, places: 3, "}}")
    }

    package mutating func beginTrack(named name: String?) { track = name }

    package mutating func beginSegment() { line = LineInTheMaking() }

    package mutating func append(_ location: Location) {
        if line.points == GeoJSONWriter.pointsOfALine, let last {
            endSegment()
            beginSegment()
            line.append(last)
        }
        line.append(location)
        last = location
    }

    package mutating func endSegment() {
        let isPoint = line.points == 1
        beginFeature()
        output.append(isPoint ? "\"Point\"" : line.isCut ? "\"MultiLineString\"" : "\"LineString\"")
        output.append(",\"coordinates\":")
        append(line.places, isPoint)
        output.append("},\"properties\":{\"type\":")
        output.append(isPoint ? "\"location\",\"time\":" : "\"track\",\"coordTimes\":")
        append(line.times, isPoint)
        output.append(isPoint ? ",\"horizontalAccuracy\":" : ",\"horizontalAccuracies\":")
        append(line.accuracies, isPoint)
        if let track {
            output.append(",\"name\":")
            append(json: track)
        }
        output.append("}}")
    }

    // Of a point one value, of a line a list of them, of several lines a list of lists.
    private mutating func append(_ values: ExportText, _ isPoint: Bool) {
        let depth = isPoint ? 0 : line.isCut ? 2 : 1
        for _ in 0..<depth { output.append("[") }
        output.append(values)
        for _ in 0..<depth { output.append("]") }
    }

    package mutating func endTrack() { track = nil }
    package mutating func end() { output.append("\n]}\n") }

    private mutating func beginFeature() {
        output.append(hasFeatures ? ",\n" : "\n")
        hasFeatures = true
        output.append("{\"type\":\"Feature\",\"geometry\":{\"type\":")
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

/// A line of which not all is known: its values with commas between them, and `],[` where it is cut.
private struct LineInTheMaking {
    private(set) var places = ExportText()
    private(set) var times = ExportText()
    private(set) var accuracies = ExportText()
    /// Locations that it has, without the ends of parts.
    private(set) var points = 0
    private(set) var isCut = false
    /// The point before, at the longitude with which it was written.
    private var last: Location?

    mutating func append(_ location: Location) {
        points += 1
        guard let last, abs(location.coordinate.longitude - last.coordinate.longitude) > 180 else {
            return write(location)
        }
        let side = last.coordinate.longitude < 0 ? -180.0 : 180
        guard abs(location.coordinate.longitude) < 180 else { return write(location.moved(toLongitude: side)) }
        let way = location.coordinate.longitude + 2 * side - last.coordinate.longitude
        let edge = last.between(location, fraction: (side - last.coordinate.longitude) / way)
        if last.coordinate.longitude != side {
            write(edge.moved(toLongitude: side))
        } else if points == 2 {
            // A line that begins at the antimeridian begins at the side to which it goes.
            (places, times, accuracies) = (ExportText(), ExportText(), ExportText())
            self.last = nil
        }
        cut()
        write(edge.moved(toLongitude: -side))
        write(location)
    }

    private mutating func cut() {
        guard last != nil else { return }
        for text in [\LineInTheMaking.places, \.times, \.accuracies] { self[keyPath: text].append("],[") }
        (isCut, last) = (true, nil)
    }

    private mutating func write(_ location: Location) {
        if last != nil {
            places.append(",")
            times.append(",")
            accuracies.append(",")
        }
        places.append(position: location.coordinate, location.altitude)
        times.append("\"", location.timestamp, "\"")
        accuracies.append(location.horizontalAccuracy, places: 3)
        last = location
    }
}

extension Location {
    /// The same with another longitude.
    fileprivate func moved(toLongitude longitude: Double) -> Location {
        var moved = self
        moved.coordinate.longitude = longitude
        return moved
    }

    /// A place between this one and `other`, but for its longitude; `fraction`: 0 here, 1 there.
    fileprivate func between(_ other: Location, fraction: Double) -> Location {
        func mix(_ one: Double, _ two: Double) -> Double { one + fraction * (two - one) }
        var place = self
        place.coordinate.latitude = mix(coordinate.latitude, other.coordinate.latitude)
        place.altitude = altitude.flatMap { here in other.altitude.map { mix(here, $0) } }
        place.horizontalAccuracy = mix(horizontalAccuracy, other.horizontalAccuracy)
        let step = Double(other.timestamp.milliseconds - timestamp.milliseconds)
        place.timestamp = WallTime(milliseconds: timestamp.milliseconds + Int64(fraction * step))
        return place
    }
}

extension ExportText {
    /// A position: longitude, latitude, and the altitude where it is known.
    fileprivate mutating func append(position coordinate: Coordinate, _ altitude: Double?) {
        append("[")
        append(coordinate.longitude, places: 9)
        append(",")
        append(coordinate.latitude, places: 9)
        if let altitude, altitude.isFinite {
            append(",")
            append(altitude, places: 3)
        }
        append("]")
    }
}
