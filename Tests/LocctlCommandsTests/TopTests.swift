// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol
import LocationTestSupport
import TerminalScreen
import Testing

@testable import LocctlCommands

@Suite("The picture of top")
struct TopTests {
    /// A sky of all systems; some used, one not heard, one with two signals.
    static let sky = [
        Satellite(.gps, 5, elevation: 71, azimuth: 100, signal: 44, used: true),
        Satellite(.gps, 12, elevation: 12, azimuth: 350, signal: 21),
        Satellite(.gps, 5, elevation: 71, azimuth: 100, signal: 31),
        Satellite(.galileo, 7, elevation: 45, azimuth: 270, signal: 38, used: true),
        Satellite(.galileo, 30, elevation: 5, azimuth: 180),
        Satellite(.glonass, 6, elevation: 33, azimuth: 45, signal: 35, used: true),
        Satellite(.beidou, 23, elevation: 20, azimuth: 135, signal: 29),
        Satellite(.sbas, 123, elevation: 30, azimuth: 190, signal: 40, used: true),
        Satellite(.qzss, 2, elevation: 3, azimuth: 80, signal: 10),
        Satellite(.unknown, 160, signal: 12),
    ]

    /// A drive of eight minutes, with a corner in it, that ends now.
    static func reading(_ status: Status = Sample.crowded()) -> TopReading {
        var reading = TopReading(at: lookedAt)
        reading.status = status
        reading.location = Sample.location()
        reading.sky = SatellitesResult(sky, receiver: "/dev/ttyACM0", age: 0.4)
        return reading
    }

    static func state(_ status: Status = Sample.crowded()) -> TopState {
        var state = TopState(at: lookedAt)
        let end = Sample.location().coordinate
        let corner = end.moved(by: 2000, course: 90)
        let south: [Coordinate] = (0..<240).map { corner.moved(by: Double(240 - $0) * 10, course: 0) }
        let west: [Coordinate] = (0..<240).map { end.moved(by: Double(240 - $0) * 2000 / 240, course: 90) }
        state.takeHistory(
            (south + west).enumerated().map { index, place in
                Location(
                    coordinate: place, horizontalAccuracy: 4,
                    timestamp: WallTime(milliseconds: lookedAt.milliseconds - Int64(480 - index) * 1000 - 1000))
            })
        state.take(reading(status))
        return state
    }

    private func picture(
        _ state: TopState, rows: Int = 36, columns: Int = 110, _ glyphs: TopGlyphs = .unicode
    ) -> String {
        TopScreen(state, glyphs, .utc).draw(rows: rows, columns: columns).text
    }

    @Test(
        "the picture of a state is as it was agreed",
        arguments: [("wide", 36, 110, TopGlyphs.unicode), ("small", 24, 80, .unicode), ("ascii", 24, 80, .ascii)])
    func pictures(name: String, rows: Int, columns: Int, glyphs: TopGlyphs) throws {
        let text = picture(Self.state(), rows: rows, columns: columns, glyphs)
        try Golden.expect(text, "top-\(name)", width: columns)
        #expect(text.split(separator: "\n", omittingEmptySubsequences: false).count == rows + 1)
    }

    @Test(
        "every state has a picture in every size",
        arguments: [
            Sample.working(), Sample.withoutGPSD(), Sample.withoutReceiver(), Sample.withoutFix(), Sample.sleeping(),
            Sample.denied(), Sample.idle(), Sample.crowded(), Sample.resting(),
        ])
    func sizes(status: Status) {
        for (rows, columns) in [(1, 1), (2, 40), (10, 30), (24, 80), (60, 200), (5, 300), (100, 20)] {
            let lines = picture(Self.state(status), rows: rows, columns: columns).split(
                separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count == rows + 1)
            for line in lines { #expect(line.count <= columns) }
        }
    }

    @Test func `a terminal that shows no more than ASCII gets nothing else`() {
        for status in [Sample.crowded(), Sample.resting(), Sample.sleeping()] {
            let text = picture(Self.state(status), .ascii)
            #expect(text.utf8.allSatisfy { $0 < 0x80 })
        }
    }

    @Test func `where the receiver sleeps it is said why, and when it goes on`() {
        let text = picture(Self.state(Sample.sleeping()))
        #expect(text.contains("on now and then, now asleep: those who need locations can wait"))
        #expect(text.contains("on again in 40 s"))
    }

    @Test func `without a daemon the last place stays, and why there is none is said`() {
        var state = Self.state()
        var gone = TopReading(at: lookedAt)
        gone.failure = "cannot connect to /run/locationd/locationd.sock: no such file"
        state.take(gone)
        let text = picture(state)
        #expect(text.contains("No locationd: cannot connect to /run/locationd/locationd.sock"))
        #expect(text.contains("locationd is gone"))
    }

    @Test func `north is up and east is right, in the sky and on the track`() throws {
        var screen = Screen(rows: 11, columns: 21)
        SkyPlot(
            [
                Satellite(.gps, 1, elevation: 1, azimuth: 0, used: true),
                Satellite(.galileo, 1, elevation: 1, azimuth: 90, used: true),
                Satellite(.glonass, 1, elevation: 90, azimuth: 0, used: true),
            ], .unicode
        ).draw(into: &screen, 0, 0, rows: 11)
        #expect(screen[0, 10] == "●" && screen[5, 20] == "■" && screen[5, 10] == "▲")
        var map = Screen(rows: 9, columns: 20)
        let origin = Sample.location().coordinate
        let way = (0...20).map { step in
            Location(
                coordinate: origin.moved(by: Double(step) * 50, course: 45), horizontalAccuracy: 4,
                timestamp: WallTime(milliseconds: Int64(step)))
        }
        TrackPlot(way, .ascii).draw(into: &map, 0, 0, rows: 9, columns: 20)
        // To the north-east: a row up for two columns to the right.
        let device = try #require(
            (0..<8).flatMap { row in (0..<20).map { (row, $0) } }.first { map[$0.0, $0.1] == "@" })
        #expect(device.0 == 0)
        #expect(map[7, device.1 - 14] == "*" && map[3, device.1 - 6] == "*")
    }

    @Test func `the keys stand alone in their line, however low the terminal is`() {
        for rows in 3...30 {
            let lines = picture(Self.state(), rows: rows, columns: 80).split(
                separator: "\n", omittingEmptySubsequences: false)
            let keys = String(lines[rows - 1])
            #expect(keys.hasPrefix("q quit   o receiver on   + - ") && keys.hasSuffix("j k scroll clients"), "\(keys)")
        }
    }

    @Test func `a place that is known only roughly is shown, and no part of the way`() {
        var state = Self.state()
        let way = state.track.count
        var rough = Sample.location()
        rough.timestamp = WallTime(milliseconds: rough.timestamp.milliseconds + 600_000)
        (rough.horizontalAccuracy, rough.kind) = (25_000, .cell)
        state.take(rough)
        #expect(state.track.count == way && state.reading.location == rough)
        state.takeHistory([rough])
        #expect(state.track.count == way)
    }

    @Test func `a device at rest is a point, however its fixes jump`() {
        let origin = Sample.location().coordinate
        let way = (0..<60).map { step in
            Location(
                coordinate: origin.moved(by: 2, course: Double(step * 70)), horizontalAccuracy: 5,
                timestamp: WallTime(milliseconds: Int64(step)))
        }
        let plot = TrackPlot(way, .ascii)
        #expect(TrackPlot.length(of: way) == 0)
        var map = Screen(rows: 9, columns: 20)
        plot.draw(into: &map, 0, 0, rows: 9, columns: 20)
        #expect(map.text.filter { $0 == "*" }.count <= 12)
    }

    @Test func `a satellite with several signals counts once, as used if one of them is`() {
        let plot = SkyPlot(Self.sky, .unicode)
        #expect(plot.satellites.count == 9)
        #expect(plot.satellites.first == Satellite(.gps, 5, elevation: 71, azimuth: 100, signal: 44, used: true))
        #expect(plot.satellites.map(\.used) == plot.satellites.map(\.used).sorted { $0 && !$1 })
    }

    @Test func `what changes between two looks is told once, newest first`() {
        var state = TopState(at: lookedAt)
        func take(_ change: (inout Status) -> Void) -> [String] {
            let before = state.happenings.count
            state.take(Self.reading(Sample.working(change)))
            return state.happenings.prefix(state.happenings.count - before).map(\.text)
        }
        #expect(take { _ in } == [])
        #expect(take { _ in } == [])
        #expect(take { $0.gpsd.connected = false } == ["gpsd is not connected"])
        #expect(
            take { $0.managers?[0].services = [] } == ["uid:1000 #3 asks for standard no longer", "gpsd is connected"])
        #expect(take { $0.managers = [] } == ["uid:1000 #3 went"])
        #expect(
            take { $0.managers?.append(Sample.client(9, app: nil)) } == [
                "uid:1000 #9 came for standard", "uid:1000 #3 came for standard",
            ])
        let lost = take { $0.receivers?[0].lost = true }
        #expect(lost.contains("receiver /dev/ttyACM0 is lost"))
        let back = take { $0.receivers?[0].mode = 1 }
        #expect(back.contains("receiver /dev/ttyACM0 is there"))
        let restarted = take { $0.daemon.pid = 1 }
        #expect(restarted.contains("locationd started anew"))
    }

    @Test func `events of apps are told with their own dates, those that were there before, too`() throws {
        var state = TopState(at: lookedAt)
        var reading = Self.reading()
        let event = StoredEvent(
            event: 4, date: WallTime(milliseconds: lookedAt.milliseconds - 60_000), label: nil,
            notification: .didEnterRegion(
                RegionCrossing(region: Sample.region(), location: Sample.location(), event: 4)))
        reading.events["fence\u{1B}"] = [event]
        state.take(reading)
        state.take(reading)
        #expect(state.happenings.map(\.text) == ["fence\u{FFFD}: entered home"])
        #expect(state.happenings.first?.date == event.date)
    }

    @Test func `the track and what happened have a bound`() {
        var state = TopState(at: lookedAt)
        for second in 0..<5000 {
            var location = Sample.location()
            location.timestamp = WallTime(milliseconds: lookedAt.milliseconds + Int64(second) * 1000)
            state.take(location)
            state.take(Self.reading(Sample.working { $0.gpsd.connected = second % 2 == 0 }))
        }
        #expect(state.track.count == 3600)
        #expect(state.happenings.count == 200)
    }
}
