// SPDX-License-Identifier: Apache-2.0
import GPXReading
import LocationModel
import LocationTracks
import Testing

@Suite("Files in the GPX format")
struct GPXTests {
    private func way(_ text: String) throws -> [[GPXPoint]] { try GPXDocument(Array(text.utf8)).way() }

    private func failure(_ text: String) -> String {
        do {
            _ = try way(text)
            return "no failure"
        } catch {
            return "\(error)"
        }
    }

    @Test("Tracks come first, then routes, then waypoints")
    func order() throws {
        let point = "lat=\"1\" lon=\"2\"/>"
        let (track, route, waypoint) = (
            "<trk><trkseg><trkpt \(point)<trkpt \(point)</trkseg><trkseg><trkpt \(point)</trkseg></trk>",
            "<rte><rtept \(point)</rte>", "<wpt \(point)"
        )
        #expect(try way("<gpx>\(waypoint)\(route)\(track)</gpx>").map(\.count) == [2, 1])
        #expect(try way("<gpx>\(waypoint)\(route)\(route)</gpx>").map(\.count) == [1, 1])
        #expect(try way("<gpx>\(waypoint)\(waypoint)</gpx>").map(\.count) == [2])
    }

    @Test("Prefixes, both quotes, entities, comments, CDATA, instructions and extensions are XML like any other")
    func syntax() throws {
        let text = """
            \u{FEFF}<?xml version="1.0" encoding="utf-8"?><!-- <gpx> --><?x y?>
            <g:gpx xmlns:g="u"><g:name>a &lt; b &#x26; <![CDATA[<trkpt>]]></g:name><g:trk><g:trkseg>
            <g:trkpt lon = '-30.5' lat="45&#46;25" ><g:extensions><g:ele>7</g:ele><g:speed>3</g:speed></g:extensions>
            <g:ele> 12.5 </g:ele><g:time>2026-05-01T10:00:00+02:00</g:time></g:trkpt></g:trkseg></g:trk></g:gpx>
            """
        let points = try way(text).flatMap { $0 }
        #expect(
            points == [
                GPXPoint(
                    Coordinate(latitude: 45.25, longitude: -30.5), elevation: 12.5,
                    time: WallTime(year: 2026, month: 5, day: 1, hour: 8), line: 3)
            ])
    }

    @Test(
        "What is wrong is named with its line",
        arguments: [
            ("", "line 1: cannot find an element: the file is empty"),
            ("\n<kml/>", "line 2: cannot read this: a GPX file begins with <gpx>"),
            ("<gpx>\n<trk>\n", "line 3: cannot read on: the file ends inside of <trk>"),
            ("<gpx>\n</trk>", "line 2: cannot close <trk>: <gpx> is still open"),
            ("<gpx></gpx>", "cannot find a place: there is no <trkpt>, no <rtept> and no <wpt>"),
            ("<gpx>\n<wpt lat='1'/></gpx>", "line 2: cannot use <wpt> without lon"),
            ("<gpx><wpt lat='1' lon='x'/></gpx>", "line 1: cannot use lon=\"x\": degrees from -180 to 180 are allowed"),
            (
                "<gpx><wpt lat='1' lon='nan'/></gpx>",
                "line 1: cannot use lon=\"nan\": degrees from -180 to 180 are allowed"
            ),
            ("<gpx><wpt lat='1' lat='1' lon='2'/></gpx>", "line 1: cannot read <wpt>: it has two attributes lat"),
            ("<gpx><trkpt lat='1' lon='2'/></gpx>", "line 1: cannot use <trkpt> outside of <trkseg>"),
            (
                "<gpx><wpt lat='1' lon='2'>\n<time>noon</time></wpt></gpx>",
                "line 2: cannot use <time>noon</time>: a date like 2026-05-01T08:00:00Z is allowed"
            ),
            (
                "<gpx><wpt lat='1' lon='2'>\n<ele>high</ele></wpt></gpx>",
                "line 2: cannot use <ele>high</ele>: metres are allowed"
            ),
            ("<gpx>a & b</gpx>", "line 1: cannot read a lone &: it is written &amp;"),
            ("<!DOCTYPE gpx><gpx/>", "line 1: cannot read a document type declaration: tracks have none"),
            (
                "<?xml version='1.0' encoding='ISO-8859-1'?><gpx/>",
                "line 1: cannot read the encoding ISO-8859-1: UTF-8 is allowed; iconv -t UTF-8 makes it so"
            ),
            (
                "<gpx><wpt lat='1' lon='2'><time>2026-05-01T08:00:01Z</time></wpt>\n"
                    + "<wpt lat='1' lon='2'><time>2026-05-01T08:00:00Z</time></wpt></gpx>",
                "line 2: cannot go back in time: 2026-05-01T08:00:00.000Z is before 2026-05-01T08:00:01.000Z (line 1)"
            ),
            (
                "<gpx><wpt lat='1' lon='2'><time>2026-05-01T08:00:01Z</time></wpt>\n<wpt lat='1' lon='2'/></gpx>",
                "line 2: cannot use a place without <time> beside one with it (line 1)"
            ),
        ])
    func wrong(text: String, complaint: String) { #expect(failure(text) == complaint) }

    @Test("No piece of a file makes the reader trap or go on for ever")
    func pieces() {
        let text = """
            <?xml version="1.0"?><!--c--><gpx><trk><trkseg><trkpt lat="1" lon='2'><ele>3</ele><![CDATA[x]]>&amp;
            <time>2026-05-01T08:00:00Z</time></trkpt></trkseg></trk></gpx>
            """
        let bytes = Array(text.utf8)
        for end in bytes.indices { _ = try? GPXDocument(Array(bytes[..<end])) }
        for index in bytes.indices {
            for byte: UInt8 in [0, 0x22, 0x26, 0x3C, 0x3E, 0xFF] {
                var changed = bytes
                changed[index] = byte
                _ = try? GPXDocument(changed)
            }
        }
    }

    // MARK: As a receiver tells it

    private func points(_ way: [[GPXPoint]], seconds: Double) -> [TrackPoint] {
        Array(RecordedTrack(way).points(from: Track.defaultFrom, duration: .seconds(seconds)))
    }

    private func point(_ longitude: Double, _ second: Int? = nil) -> GPXPoint {
        GPXPoint(
            Coordinate(latitude: 0, longitude: longitude), elevation: longitude * 1000,
            time: second.map { WallTime(year: 2020, month: 1, day: 1, second: $0) }, line: 1)
    }

    @Test("Between two places the device moves in a straight line, each second, and rests at the end")
    func between() {
        let points = points([[point(0, 0), point(0.001, 4), point(0.001, 4), point(0.002, 5)]], seconds: 8)
        let expected = [0, 0.00025, 0.0005, 0.00075, 0.001, 0.002, 0.002, 0.002]
        #expect(points.map { (($0.measured?.longitude ?? -1) * 1e6).rounded() / 1e6 } == expected)
        #expect(points.map { $0.speed.rounded() } == [28, 28, 28, 28, 111, 0, 0, 0])
        #expect(points.map(\.course) == [90, 90, 90, 90, 90, nil, nil, nil])
        #expect(points[2].altitude == 0.5)
        #expect(points[3].time.rfc3339 == "2025-03-03T08:00:03.000Z")
    }

    @Test("Between two segments there is no fix")
    func gap() {
        let points = points([[point(0, 0), point(0.001, 1)], [point(0.002, 4), point(0.003, 5)]], seconds: 6)
        #expect(points.map(\.hasFix) == [true, true, false, false, true, true])
        #expect(points.map(\.satellitesUsed) == [9, 9, 0, 0, 9, 9])
    }

    @Test("A way without times is passed at one pace")
    func pace() {
        let track = RecordedTrack([[point(0), point(0.001)]], pace: 20)
        let points = Array(track.points(from: Track.defaultFrom, duration: track.length))
        #expect(points.count == 7)
        #expect(points.dropLast().allSatisfy { abs($0.speed - 20) < 0.01 })
        #expect(points.last?.measured?.longitude == 0.001)
    }
}
