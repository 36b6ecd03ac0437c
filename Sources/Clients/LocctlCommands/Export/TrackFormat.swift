// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A format for tracks, written piece by piece: waypoints first, then tracks of segments of points.
///
/// A writer holds no more than a bounded part of a segment. What it appends to `output` is to be taken out between the calls.
package protocol TrackFormat {
    /// The text that is written and not yet taken out.
    var output: ExportText { get set }
    /// The beginning of the file.
    mutating func begin()
    /// A place beside the tracks; only before the first track.
    mutating func append(_ waypoint: Waypoint)
    /// A track begins. `name`: the day; nil: it has none.
    mutating func beginTrack(named name: String?)
    /// A segment begins, in which the device was seen all the time.
    mutating func beginSegment()
    /// The next point of the segment.
    mutating func append(_ location: Location)
    /// The segment, of one point at the least, ends.
    mutating func endSegment()
    /// The track ends.
    mutating func endTrack()
    /// The end of the file.
    mutating func end()
}

/// The formats that locctl writes.
package enum ExportFormat: String, Sendable, CaseIterable {
    case gpx, geojson, kml, csv

    /// A writer of the format.
    package func writer() -> any TrackFormat {
        switch self {
        case .gpx: GPXWriter()
        case .geojson: GeoJSONWriter()
        case .kml: KMLWriter()
        case .csv: CSVWriter()
        }
    }
}

/// A visit, or the crossing of a border.
package struct Waypoint: Sendable, Hashable {
    /// The kind of event at the place.
    package enum Kind: String, Sendable, Hashable {
        case visit, entered, left
    }

    /// The kind of event at this place.
    package var kind: Kind
    /// For people.
    package var name: String
    /// Where.
    package var coordinate: Coordinate
    /// Metres above mean sea level; nil: not known.
    package var altitude: Double?
    /// Metres, 68 %.
    package var horizontalAccuracy: Double
    /// When; of a visit when it began, nil: nobody saw it.
    package var time: WallTime?
    /// When a visit ended; nil: it has not, or it is none.
    package var end: WallTime?

    /// A place where something happened.
    package init(
        _ kind: Kind, named name: String, at coordinate: Coordinate, altitude: Double? = nil,
        horizontalAccuracy: Double, time: WallTime?, end: WallTime? = nil
    ) {
        self.kind = kind
        self.name = name
        self.coordinate = coordinate
        self.altitude = altitude
        self.horizontalAccuracy = horizontalAccuracy
        self.time = time
        self.end = end
    }
}

/// Text in the making, as bytes: numbers and names as the formats want them.
package struct ExportText: Sendable {
    /// The bytes that are written and not yet taken out.
    package private(set) var bytes: [UInt8] = []

    /// Nothing yet.
    package init() {}

    /// Takes out what is written.
    package mutating func take() -> [UInt8] {
        defer { bytes.removeAll(keepingCapacity: true) }
        return bytes
    }

    /// Text as it is.
    package mutating func append(_ text: StaticString) { text.withUTF8Buffer { bytes.append(contentsOf: $0) } }

    /// Text as it is.
    package mutating func append(text: String) { bytes.append(contentsOf: text.utf8) }

    /// Appends text that was made elsewhere.
    package mutating func append(_ other: ExportText) { bytes.append(contentsOf: other.bytes) }

    /// A number with at most so many decimal places, 0 to 9, and no zeros behind them.
    package mutating func append(_ number: Double, places: Int) {
        var factor: Int64 = 1
        for _ in 0..<places { factor *= 10 }
        let scaled = (number * Double(factor)).rounded()
        // Beyond this a double has no digits left behind the point.
        guard abs(scaled) < 9e15 else { return append(text: "\(number)") }
        if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, fraction) = Int64(abs(scaled)).quotientAndRemainder(dividingBy: factor)
        append(digits: whole)
        guard fraction > 0 else { return }
        bytes.append(UInt8(ascii: "."))
        var (rest, divisor) = (fraction, factor / 10)
        while rest > 0 {
            bytes.append(UInt8(ascii: "0") + UInt8(rest / divisor))
            rest %= divisor
            divisor = max(divisor / 10, 1)
        }
    }

    private mutating func append(digits number: Int64) {
        if number >= 10 { append(digits: number / 10) }
        bytes.append(UInt8(ascii: "0") + UInt8(number % 10))
    }

    /// A date in UTC with milliseconds, as XML and JSON have it.
    package mutating func append(_ time: WallTime) { time.appendRFC3339(to: &bytes) }

    /// The same between two texts, an element's tags for one; nothing at all for nil.
    package mutating func append(_ begin: StaticString, _ time: WallTime?, _ end: StaticString) {
        append(begin, time, end) { $0.append($1) }
    }

    /// Text as it is between two texts.
    package mutating func append(_ begin: StaticString, text: String, _ end: StaticString) {
        append(begin, text, end) { $0.append(text: $1) }
    }

    /// Text within XML between two texts; nothing at all for nil.
    package mutating func append(_ begin: StaticString, xml text: String?, _ end: StaticString) {
        append(begin, text, end) { $0.append(xml: $1) }
    }

    /// A number between two texts; nothing at all for what is none.
    package mutating func append(_ begin: StaticString, _ number: Double?, places: Int, _ end: StaticString) {
        append(begin, number.flatMap { $0.isFinite ? $0 : nil }, end) { $0.append($1, places: places) }
    }

    private mutating func append<Value>(
        _ begin: StaticString, _ value: Value?, _ end: StaticString, _ append: (inout ExportText, Value) -> Void
    ) {
        guard let value else { return }
        self.append(begin)
        append(&self, value)
        self.append(end)
    }

    /// Text within XML. What XML cannot hold becomes the replacement character.
    package mutating func append(xml text: String) {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": append("&amp;")
            case "<": append("&lt;")
            case ">": append("&gt;")
            case "\"": append("&quot;")
            case "\u{0}"..."\u{8}", "\u{B}", "\u{C}", "\u{E}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": append("\u{FFFD}")
            default: bytes.append(contentsOf: String(scalar).utf8)
            }
        }
    }
}
