// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// A place of a recorded track or a planned route.
package struct GPXPoint: Sendable, Hashable {
    package let coordinate: Coordinate
    /// Metres above mean sea level; nil: not recorded.
    package let elevation: Double?
    /// When the device was there; nil: not recorded.
    package let time: WallTime?
    /// Where in the file it begins, counted from 1.
    package let line: Int

    package init(_ coordinate: Coordinate, elevation: Double? = nil, time: WallTime? = nil, line: Int) {
        self.coordinate = coordinate
        self.elevation = elevation
        self.time = time
        self.line = line
    }
}

/// The places in a file of the GPX format (1.0 or 1.1): recorded tracks, planned routes, waypoints. All else in it is passed over.
package struct GPXDocument: Sendable {
    /// The segments of all tracks, in the file's order. Between two segments the receiver was off or lost.
    package private(set) var segments: [[GPXPoint]] = []
    /// The places of all routes.
    package private(set) var routes: [[GPXPoint]] = []
    /// Places of no track and no route.
    package private(set) var waypoints: [GPXPoint] = []

    /// Reads a whole file.
    package init(_ bytes: [UInt8]) throws(GPXError) {
        var reader = XMLReader(bytes)
        guard case .start(let root, _)? = try reader.next(), root == "gpx" else {
            throw GPXError(line: reader.line, "cannot read this: a GPX file begins with <gpx>")
        }
        while let piece = try reader.next() {
            switch piece {
            case .start("trkseg", _): segments.append([])
            case .start("rte", _): routes.append([])
            case .start("trkpt", let attributes):
                let point = try GPXDocument.point("trkpt", attributes, &reader)
                guard !segments.isEmpty else {
                    throw GPXError(line: point.line, "cannot use <trkpt> outside of <trkseg>")
                }
                segments[segments.count - 1].append(point)
            case .start("rtept", let attributes):
                let point = try GPXDocument.point("rtept", attributes, &reader)
                guard !routes.isEmpty else { throw GPXError(line: point.line, "cannot use <rtept> outside of <rte>") }
                routes[routes.count - 1].append(point)
            case .start("wpt", let attributes): waypoints.append(try GPXDocument.point("wpt", attributes, &reader))
            case .start, .end, .text: break
            }
        }
        segments.removeAll(where: \.isEmpty)
        routes.removeAll(where: \.isEmpty)
    }

    /// The way that the file describes: its tracks; without any its routes; without those its waypoints, in their order. Never empty.
    ///
    /// Either all places have a time or none, and times go forward.
    package func way() throws(GPXError) -> [[GPXPoint]] {
        let way = !segments.isEmpty ? segments : !routes.isEmpty ? routes : waypoints.isEmpty ? [] : [waypoints]
        guard let first = way.first?.first else {
            throw GPXError(line: nil, "cannot find a place: there is no <trkpt>, no <rtept> and no <wpt>")
        }
        var before = first
        for point in way.joined().dropFirst() {
            guard (point.time == nil) == (first.time == nil) else {
                let (with, without) = point.time == nil ? (first, point) : (point, first)
                throw GPXError(
                    line: without.line, "cannot use a place without <time> beside one with it (line \(with.line))")
            }
            if let time = point.time, let earlier = before.time, time < earlier {
                throw GPXError(
                    line: point.line,
                    "cannot go back in time: \(time.rfc3339) is before \(earlier.rfc3339) (line \(before.line))")
            }
            before = point
        }
        return way
    }

    // MARK: A place

    private static func point(
        _ element: String, _ attributes: [String: String], _ reader: inout XMLReader
    ) throws(GPXError) -> GPXPoint {
        let line = reader.line
        let coordinate = Coordinate(
            latitude: try degrees("lat", of: element, attributes, within: 90, line),
            longitude: try degrees("lon", of: element, attributes, within: 180, line))
        var (elevation, time): (Double?, WallTime?) = (nil, nil)
        // Elements of the place itself; what is deeper belongs to an extension.
        var path: [String] = []
        var (text, textLine) = ("", line)
        while let piece = try reader.next() {
            switch piece {
            case .start(let name, _):
                path.append(name)
                (text, textLine) = ("", reader.line)
            case .text(let more): text += more
            case .end(let name):
                guard path.popLast() != nil else {
                    return GPXPoint(coordinate, elevation: elevation, time: time, line: line)
                }
                guard path.isEmpty else { continue }
                if name == "ele" { elevation = try metres(text, textLine) }
                if name == "time" { time = try date(text, textLine) }
            }
        }
        return GPXPoint(coordinate, elevation: elevation, time: time, line: line)
    }

    private static func degrees(
        _ name: String, of element: String, _ attributes: [String: String], within limit: Double, _ line: Int
    ) throws(GPXError) -> Double {
        guard let text = attributes[name] else { throw GPXError(line: line, "cannot use <\(element)> without \(name)") }
        guard let value = Double(trimmed(text)), abs(value) <= limit else {
            let allowed = "degrees from -\(Int(limit)) to \(Int(limit))"
            throw GPXError(line: line, "cannot use \(name)=\"\(text)\": \(allowed) are allowed")
        }
        return value
    }

    private static func metres(_ text: String, _ line: Int) throws(GPXError) -> Double {
        guard let value = Double(trimmed(text)), abs(value) <= 100_000 else {
            throw GPXError(line: line, "cannot use <ele>\(text)</ele>: metres are allowed")
        }
        return value
    }

    // An offset from UTC is allowed, as in all dates of XML: 2026-05-01T10:00:00+02:00.
    private static func date(_ text: String, _ line: Int) throws(GPXError) -> WallTime {
        let text = trimmed(text)
        if let time = WallTime(rfc3339: text) { return time }
        let zone = text.suffix(6)
        let digits = zone.dropFirst().split(separator: ":").map { Int($0) }
        guard zone.count == 6, let sign = zone.first, sign == "+" || sign == "-", digits.count == 2,
            let hours = digits[0], let minutes = digits[1], (0...14).contains(hours), (0..<60).contains(minutes),
            let local = WallTime(rfc3339: text.dropLast(6) + "Z")
        else {
            throw GPXError(line: line, "cannot use <time>\(text)</time>: a date like 2026-05-01T08:00:00Z is allowed")
        }
        let offset = Int64(hours * 60 + minutes) * 60_000
        return WallTime(milliseconds: local.milliseconds - (sign == "+" ? offset : -offset))
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
