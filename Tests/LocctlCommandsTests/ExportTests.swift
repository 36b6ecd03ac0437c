// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import LocctlCommands

/// Programs that read tracks, of Debian's: they judge what is written.
private enum Reader {
    static func run(_ program: String, _ arguments: [String]) throws -> (end: ProcessEnd, output: String) {
        let path = "/usr/bin/\(program)"
        guard access(path, X_OK) == 0 else { throw TestFailure("cannot find \(path): make setup-tests installs it") }
        let process = try ChildProcess(path, arguments)
        let end = try process.waitForExit()
        return (end, process.standardOutput + process.standardError)
    }
}

@Suite("Exports", .blocking)
struct ExportTests {
    private let directory: TemporaryDirectory
    private static let noon = WallTime(year: 2026, month: 3, day: 1, hour: 12)

    init() throws { directory = try TemporaryDirectory() }

    private static func location(_ second: Int, north: Double = 0, east: Double? = nil) -> Location {
        let start = Coordinate(latitude: 51.5, longitude: -0.12)
        let place = start.moved(by: east ?? Double(second) * 12, course: 90).moved(by: north, course: 0)
        return Location(
            coordinate: place, horizontalAccuracy: 3.5,
            timestamp: WallTime(milliseconds: noon.milliseconds + Int64(second) * 1000), sequence: UInt64(second + 1),
            altitude: second % 3 == 0 ? nil : 100.5, ellipsoidalAltitude: 147.5, verticalAccuracy: 6, speed: 12,
            course: 90)
    }

    private static let waypoints = [
        Waypoint(
            .visit, named: "Visit", at: Coordinate(latitude: 51.5, longitude: -0.12), horizontalAccuracy: 30,
            time: WallTime(milliseconds: noon.milliseconds - 7_200_000),
            end: WallTime(milliseconds: noon.milliseconds - 60_000)),
        Waypoint(
            .left, named: "Left \"Tom & Jerry's\" <home>, \u{1F3E0} \u{FFFE}",
            at: Coordinate(latitude: -51.5, longitude: 180), altitude: -3.25, horizontalAccuracy: 5, time: noon),
    ]

    /// Two minutes, ten minutes of nothing, one minute over midnight's other side, and a fix that stands alone.
    private static let journey =
        (0..<120).map { location($0) } + (720..<780).map { location($0) } + [location(43_200)]

    private func write(
        _ format: ExportFormat, _ locations: [Location] = journey, waypoints: [Waypoint] = waypoints,
        tolerance: Double? = nil, split: TrackSplit = .gap, _ calendar: LocalCalendar = .utc
    ) throws -> String {
        var export = TrackExport(format, tolerance: tolerance, split: split, calendar)
        var bytes = export.take()
        for waypoint in waypoints { export.append(waypoint) }
        for location in locations {
            export.append(location, isBehindGap: false)
            bytes += export.take()
        }
        export.finish()
        bytes += export.take()
        let path = directory.file("track.\(format.rawValue)")
        try directory.write(String(decoding: bytes, as: UTF8.self), to: "track.\(format.rawValue)")
        return path
    }

    private func python(_ script: String, _ path: String) throws -> String {
        let (end, output) = try Reader.run("python3", ["-c", script, path])
        #expect(end == .exited(0), "\(output)")
        return output
    }

    @Test("gpxpy reads a GPX file with all of its segments, points and waypoints")
    func gpx() throws {
        let script = """
            import gpxpy, sys
            g = gpxpy.parse(open(sys.argv[1]))
            print([[len(s.points) for s in t.segments] for t in g.tracks])
            p = g.tracks[0].segments[0].points[1]
            print("%.6f %.6f %s %s" % (p.latitude, p.longitude, p.elevation, p.time.isoformat()))
            print([(w.name, w.type, w.elevation, w.time.isoformat(), w.longitude) for w in g.waypoints])
            """
        let lines = try python(script, try write(.gpx)).split(separator: "\n")
        #expect(lines[0] == "[[120, 60, 1]]")
        #expect(lines[1] == "51.500000 -0.119827 100.5 2026-03-01T12:00:01+00:00")
        #expect(lines[2].contains("('Visit', 'visit', None, '2026-03-01T10:00:00+00:00', -0.12)"))
        #expect(lines[2].contains(#"Jerry\'s" <home>, \#u{1F3E0} \#u{FFFD}', 'left', -3.25"#))
        #expect(lines[2].hasSuffix("-180.0)]"))
    }

    @Test(
        "a place that nobody measured and that is known only roughly is no point of a track",
        arguments: ExportFormat.allCases)
    func roughly(format: ExportFormat) throws {
        var rough = Self.location(60)
        (rough.horizontalAccuracy, rough.kind) = (25_000, .cell)
        let script = "import sys; print(open(sys.argv[1]).read())"
        let without = try python(script, try write(format, [Self.location(0), Self.location(120)]))
        let with = try python(script, try write(format, [Self.location(0), rough, Self.location(120)]))
        #expect(with == without)
    }

    @Test("what a GPX file holds stands in the order that the format has")
    func order() throws {
        // As the schema of GPX 1.1 has it, for elements that are written here.
        let script = """
            import sys, xml.etree.ElementTree as E
            n = "{http://www.topografix.com/GPX/1/1}"
            order = {"gpx": ["metadata", "wpt", "rte", "trk", "extensions"], "trk": ["name", "trkseg"], "trkseg": ["trkpt"],
              "wpt": ["ele", "time", "magvar", "geoidheight", "name", "cmt", "desc", "src", "link", "sym", "type", "extensions"]}
            order["trkpt"] = order["wpt"]
            def look(e):
                name = e.tag.replace(n, "")
                if not e.tag.startswith(n): return
                if name in ("trkpt", "wpt"):
                    assert -90 <= float(e.get("lat")) <= 90 and -180 <= float(e.get("lon")) < 180
                places = [order[name].index(c.tag.replace(n, "")) for c in e if c.tag.startswith(n)] if name in order else []
                assert places == sorted(places), (name, places)
                for c in e: look(c)
            root = E.parse(sys.argv[1]).getroot()
            assert root.tag == n + "gpx" and root.get("version") == "1.1" and root.get("creator")
            look(root)
            print("in order")
            """
        #expect(try python(script, try write(.gpx)) == "in order\n")
    }

    @Test("geojson finds a GeoJSON file valid, with a line for each segment and a point for each waypoint")
    func geojson() throws {
        let script = """
            import geojson, sys
            g = geojson.load(open(sys.argv[1]))
            assert g.is_valid and all(f.is_valid for f in g.features), g.errors()
            print([(f.geometry.type, f.properties["type"]) for f in g.features])
            lines = [f for f in g.features if f.geometry.type == "LineString"]
            print([(len(f.geometry.coordinates), len(f.properties["coordTimes"])) for f in lines])
            """
        let lines = try python(script, try write(.geojson)).split(separator: "\n")
        #expect(
            lines[0] == """
                [('Point', 'visit'), ('Point', 'left'), ('LineString', 'track'), ('LineString', 'track'), \
                ('Point', 'location')]
                """)
        #expect(lines[1] == "[(120, 120), (60, 60)]")
    }

    @Test("gpsbabel reads every format, and finds as many points and waypoints in it", arguments: ["gpx", "kml"])
    func gpsbabel(format: String) throws {
        let path = try write(try #require(ExportFormat(rawValue: format)))
        let output = directory.file("out.gpx")
        let (end, text) = try Reader.run("gpsbabel", ["-i", format, "-f", path, "-o", "gpx", "-F", output])
        #expect(end == .exited(0), "\(text)")
        let read = try String(decoding: readFile(output), as: UTF8.self)
        #expect(read.ranges(of: "<trkpt ").count == 181)
        #expect(read.ranges(of: "<wpt ").count == 2)
        #expect(read.contains("2026-03-01T12:00:01"))
    }

    @Test("xmllint finds the XML well-formed", arguments: ["gpx", "kml"])
    func xmllint(format: String) throws {
        let path = try write(try #require(ExportFormat(rawValue: format)))
        let (end, text) = try Reader.run("xmllint", ["--noout", path])
        #expect(end == .exited(0) && text == "", "\(text)")
    }

    @Test("a reader of comma-separated values finds a line for each point, with the names of the columns")
    func csv() throws {
        let script = """
            import csv, sys
            rows = list(csv.DictReader(open(sys.argv[1], newline="")))
            print(len(rows), [r["type"] for r in rows[:3]], rows[1]["name"])
            print(rows[2]["time"], rows[2]["altitude"] == "", rows[3]["altitude"], rows[3]["speed"], rows[3]["segment"])
            assert all(None not in r and None not in r.values() for r in rows)
            """
        let lines = try python(script, try write(.csv)).split(separator: "\n")
        #expect(lines[0].hasPrefix("183 ['visit', 'left', 'location'] Left \"Tom & Jerry's\" <home>, "))
        #expect(lines[1] == "2026-03-01T12:00:00.000Z True 100.5 12 1")
    }

    @Test("a file without anything in it is a file of its format", arguments: ExportFormat.allCases)
    func empty(format: ExportFormat) throws {
        let path = try write(format, [], waypoints: [])
        let checks: [ExportFormat: String] = [
            .gpx: "import gpxpy, sys; print(len(gpxpy.parse(open(sys.argv[1])).tracks))",
            .geojson: "import geojson, sys; print(len(geojson.load(open(sys.argv[1])).features))",
            .kml: "import sys, xml.etree.ElementTree as E; print(len(E.parse(sys.argv[1]).getroot()[0]))",
            .csv: "import csv, sys; print(len(list(csv.DictReader(open(sys.argv[1])))))",
        ]
        #expect(try python(checks[format] ?? "", path) == "0\n")
    }

    @Test("a new track begins at each midnight of the clocks here, and is named by its day")
    func days() throws {
        let script = """
            import gpxpy, sys
            print([(t.name, [len(s.points) for s in t.segments]) for t in gpxpy.parse(open(sys.argv[1])).tracks])
            """
        let path = try write(.gpx, split: .day)
        #expect(try python(script, path) == "[('2026-03-01', [120, 60]), ('2026-03-02', [1])]\n")
        let ahead = try write(.gpx, split: .day, LocalCalendar { _ in 12 * 3600 - 60 })
        #expect(
            try python(script, ahead)
                == "[('2026-03-01', [60]), ('2026-03-02', [60, 60, 1])]\n")
    }

    @Test("an export counts the locations that it wrote", arguments: [nil, 20.0])
    func count(tolerance: Double?) {
        var rough = ExportTests.location(60)
        (rough.horizontalAccuracy, rough.kind) = (25_000, .cell)
        var export = TrackExport(.gpx, tolerance: tolerance, split: .gap, .utc)
        for location in ExportTests.journey + [rough] { export.append(location, isBehindGap: false) }
        export.finish()
        let written = String(decoding: export.take(), as: UTF8.self).ranges(of: "<trkpt ").count
        #expect(written == (tolerance == nil ? 181 : 5) && export.count == UInt64(written))
    }

    @Test(
        "a line is cut where it crosses the antimeridian, and only there, with a time and an accuracy for each point",
        arguments: [
            ([179, -179], "[[[179, 10], [180, 11]], [[-180, 11], [-179, 12]]]", "[['00', '05'], ['05', '10']]"),
            (
                [-179, 179, -179],
                "[[[-179, 10], [-180, 11]], [[180, 11], [179, 12], [180, 13]], [[-180, 13], [-179, 14]]]",
                "[['00', '05'], ['05', '10', '15'], ['15', '20']]"
            ),
            ([179, 180, 179], "[[179, 10], [180, 12], [179, 14]]", "['00', '10', '20']"),
            ([180, -179], "[[-180, 10], [-179, 12]]", "['00', '10']"),
            ([-179, 180], "[[-179, 10], [-180, 12]]", "['00', '10']"),
            (
                [179, -180, -179], "[[[179, 10], [180, 12]], [[-180, 12], [-179, 14]]]",
                "[['00', '10'], ['10', '20']]"
            ),
            ([179, 0, -179], "[[179, 10], [0, 12], [-179, 14]]", "['00', '10', '20']"),
        ] as [([Double], String, String)])
    func antimeridian(longitudes: [Double], places: String, seconds: String) throws {
        let locations = longitudes.enumerated().map { index, longitude in
            Location(
                coordinate: Coordinate(latitude: 10 + 2 * Double(index), longitude: longitude), horizontalAccuracy: 3,
                timestamp: WallTime(milliseconds: ExportTests.noon.milliseconds + Int64(index) * 10_000),
                sequence: UInt64(index + 1))
        }
        let script = """
            import geojson, json, sys
            f = geojson.load(open(sys.argv[1])).features
            assert len(f) == 1 and f[0].is_valid, f[0].errors()
            def each(v, body): return [each(x, body) for x in v] if isinstance(v, list) else body(v)
            print(f[0].geometry.coordinates)
            print(each(f[0].properties["coordTimes"], lambda t: t[17:19]))
            assert each(f[0].properties["coordTimes"], lambda t: 3) == f[0].properties["horizontalAccuracies"]
            assert (f[0].geometry.type == "MultiLineString") == (f[0].geometry.coordinates[0][0].__class__ == list)
            """
        #expect(try python(script, try write(.geojson, locations, waypoints: [])) == "\(places)\n\(seconds)\n")
        let whole = try python("import sys; print(open(sys.argv[1]).read())", try write(.kml, locations, waypoints: []))
        #expect(whole.ranges(of: "<gx:coord>").count == longitudes.count)
    }

    @Test("more points than one line holds become several lines, which meet")
    func longSegments() throws {
        let count = GeoJSONWriter.pointsOfALine + 10
        let locations = (0..<count).map { ExportTests.location($0, east: Double($0 % 1000)) }
        let script = """
            import json, sys
            f = json.load(open(sys.argv[1]))["features"]
            print([len(x["geometry"]["coordinates"]) for x in f])
            assert f[0]["geometry"]["coordinates"][-1] == f[1]["geometry"]["coordinates"][0]
            """
        let path = try write(.geojson, locations, waypoints: [])
        #expect(try python(script, path) == "[\(GeoJSONWriter.pointsOfALine), 11]\n")
    }
}

@Suite("Simplifying a track")
struct TrackSimplifierTests {
    private func simplify(_ locations: [Location], _ tolerance: Double?) -> [Location] {
        var simplifier = TrackSimplifier(tolerance: tolerance)
        var kept: [Location] = []
        for location in locations { simplifier.append(location) { kept.append($0) } }
        simplifier.finish { kept.append($0) }
        return kept
    }

    /// A way with corners and noise.
    private func way(_ count: Int, seed: UInt64) -> [Location] {
        var random = SplitMix64(seed: seed)
        var (place, course) = (Coordinate(latitude: 60, longitude: 179.99), 40.0)
        return (1...count).map { number in
            if Int.random(in: 0..<30, using: &random) == 0 { course = Double.random(in: 0..<360, using: &random) }
            place = place.moved(by: Double.random(in: 0...15, using: &random), course: course)
            let seen = place.moved(
                by: Double.random(in: 0...2, using: &random), course: Double.random(in: 0..<360, using: &random))
            return Location(
                coordinate: seen, horizontalAccuracy: 3, timestamp: WallTime(milliseconds: Int64(number) * 1000),
                sequence: UInt64(number))
        }
    }

    @Test("no point that is left out is farther than the tolerance from the line that stays", arguments: 1...5)
    func promise(seed: UInt64) {
        let locations = way(6000, seed: seed)
        for tolerance in [2.0, 5, 50] {
            let kept = simplify(locations, tolerance)
            #expect(kept.first == locations.first && kept.last == locations.last)
            #expect(kept.map(\.sequence) == kept.map(\.sequence).sorted())
            for (from, to) in zip(kept, kept.dropFirst()) {
                let frame = LocalFrame(latitude: from.coordinate.latitude)
                let line = frame.offset(from: from.coordinate, to: to.coordinate)
                for sequence in from.sequence..<to.sequence {
                    let point = frame.offset(from: from.coordinate, to: locations[Int(sequence) - 1].coordinate)
                    let length = max(line.squaredLength, 1e-12)
                    let part = min(max((point.north * line.north + point.east * line.east) / length, 0), 1)
                    let off = LocalOffset(north: point.north - part * line.north, east: point.east - part * line.east)
                    #expect(off.squaredLength.squareRoot() <= tolerance * 1.001)
                }
            }
        }
        #expect(simplify(locations, 5).count < locations.count / 2)
        #expect(simplify(locations, nil) == locations)
    }

    @Test("a straight line is its ends, and one or two points stay")
    func small() {
        let line = (1...500).map { number in
            Location(
                coordinate: Coordinate(latitude: 0, longitude: Double(number) * 1e-4), horizontalAccuracy: 3,
                timestamp: WallTime(milliseconds: Int64(number)), sequence: UInt64(number))
        }
        #expect(simplify(line, 1).map(\.sequence) == [1, 500])
        #expect(simplify(Array(line.prefix(1)), 1).count == 1)
        #expect(simplify(Array(line.prefix(2)), 1).count == 2)
        #expect(simplify([], 1) == [])
    }
}
