// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import LocationTracks
import Testing

private func request(at: Double = 0, id: Int = 1, _ method: String, _ params: String = "{}") -> String {
    #"{"at":\#(at),"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
}

private func span(_ seconds: Double, _ kind: TrackKind = .walk, seed: UInt64 = 5) -> Track {
    Track(kind, duration: .seconds(seconds), seed: seed)
}

@Suite("A replay", .blocking)
struct ReplayTests {
    private static let standard = request("startUpdatingLocation")

    @Test("without requests follows a journey and sums it up")
    func summary() throws {
        let points = Array(span(600))
        let run = try ReplayRun(track: ReplayRun.track(points))
        #expect(run.end == .exited(0) && run.errors.isEmpty)
        #expect(
            run.summary.names == [
                "seconds", "fixes", "seen", "receiverOnSeconds", "receiverStarts", "wakeups", "delivered",
            ])
        #expect(run.summary["fixes"]?.int == 600)
        #expect(run.summary["seen"]?.int == 600)
        #expect(run.summary["delivered"]?.int == 600)
        #expect(run.summary["receiverStarts"]?.int == 1)
        #expect((598.9...600).contains(run.summary["seconds"]?.double ?? 0))
        #expect((598.9...600).contains(run.summary["receiverOnSeconds"]?.double ?? 0))
        let locations = run.locations("standard")
        #expect(locations.map { $0.location["sequence"]?.int ?? 0 } == Array(1...600))
        for (point, (at, location)) in zip(points, locations) {
            #expect(abs(at - point.elapsed.seconds) < 0.5)
            let place = Coordinate(
                latitude: location["latitude"]?.double ?? 0, longitude: location["longitude"]?.double ?? 0)
            #expect(point.measured.map { place.distance(to: $0) < 0.1 } == true)
        }
        let moments = run.lines.map(\.at)
        #expect(zip(moments, moments.dropFirst()).allSatisfy { $0 <= $1 })
    }

    @Test("gives the same bytes every time, from a file and from standard input")
    func deterministic() throws {
        let track = ReplayRun.track(span(300, .tunnel))
        let requests = [
            request("hello", #"{"protocol":1}"#), request(id: 2, "startUpdatingLocation"),
            request(at: 10, id: 3, "allowDeferredLocationUpdates", #"{"untilTraveled":400}"#),
            #"{"at":100,"disconnect":true}"#,
            request(at: 110, id: 4, "hello", #"{"protocol":1,"manager":"00000000000000000000000000000001"}"#),
            request(at: 120, id: 5, "requestLocation"),
            request(at: 120, id: 6, "startMonitoringSignificantLocationChanges"),
        ]
        let runs = try (0..<3).map { try ReplayRun(track: track, requests: requests, fromStandardInput: $0 == 2) }
        #expect(runs[0].end == .exited(0))
        #expect(runs[0].output == runs[1].output)
        #expect(runs[0].output == runs[2].output)
        #expect(runs[0].lines.count > 100)
    }

    @Test(
        "says what the running daemon says of the same lines and requests",
        arguments: [TrackKind.walk, .drive, .tunnel])
    func equalsLive(kind: TrackKind) throws {
        let points = Array(span(200, kind, seed: 11))
        let run = try ReplayRun(
            track: ReplayRun.track(points),
            requests: [
                request("startUpdatingLocation"), request("startMonitoringSignificantLocationChanges"),
                request(at: 10.5, "allowDeferredLocationUpdates", #"{"untilTraveled":40}"#),
                request(at: 40.5, "setProperties", #"{"distanceFilter":7.5}"#),
                request(at: 55.5, "setProperties", #"{"distanceFilter":"none"}"#),
                request(at: 55.5, "allowDeferredLocationUpdates", "{}"),
                request(at: 57.5, "disallowDeferredLocationUpdates"), request(at: 58.5, "stopUpdatingLocation"),
            ])
        let daemon = try DaemonFixture()
        let client = try daemon.connect()
        var rest = points[...]
        func push(until second: Double) throws {
            while let point = rest.first, point.elapsed.seconds <= second {
                try daemon.waitForWatch()
                try daemon.gpsd.push(bytes: GPSDJSONWriter(device: Simulation.device).lines(of: point))
                rest.removeFirst()
            }
            let expected = points.prefix(points.count - rest.count).count(where: \.hasFix)
            try waitUntil("the daemon has heard \(expected)") {
                try daemon.status()["fixes"]?["accepted"]?.int == expected
            }
        }
        try client.call("startUpdatingLocation")
        try client.call("startMonitoringSignificantLocationChanges")
        try push(until: 10)
        try client.call("allowDeferredLocationUpdates", #"{"untilTraveled":40}"#)
        try push(until: 40)
        try client.call("setProperties", #"{"distanceFilter":7.5}"#)
        try push(until: 55)
        try client.call("setProperties", #"{"distanceFilter":"none"}"#)
        try client.call("allowDeferredLocationUpdates", "{}")
        try push(until: 57)
        try client.call("disallowDeferredLocationUpdates")
        try push(until: 58)
        try client.call("stopUpdatingLocation")
        try client.settle()
        let replayed = run.notifications.filter { $0.at <= 58.5 }.map(\.message)
        #expect(replayed.count > 15)
        #expect(replayed == client.notifications)
    }

    @Test("reads sentences of NMEA 0183 as well")
    func sentences() throws {
        let points = Array(span(120, .drive))
        let run = try ReplayRun(track: points.flatMap { NMEAWriter().burst(of: $0) })
        #expect(run.summary["fixes"]?.int == 120)
        #expect(run.summary["delivered"]?.int == 120)
        for (point, (_, location)) in zip(points, run.locations("standard")) {
            let place = Coordinate(
                latitude: location["latitude"]?.double ?? 0, longitude: location["longitude"]?.double ?? 0)
            #expect(point.measured.map { place.distance(to: $0) < 1 } == true)
        }
    }

    @Test("gives out tokens that count from 1, and takes a client back with one, in time")
    func rejoin() throws {
        let run = try ReplayRun(
            track: ReplayRun.track(span(300)),
            requests: [
                request("hello", #"{"protocol":1}"#), request(id: 2, "startUpdatingLocation"),
                #"{"at":100.5,"disconnect":true}"#,
                request(at: 120.5, id: 3, "hello", #"{"protocol":1,"manager":"00000000000000000000000000000001"}"#),
                #"{"at":200.5,"disconnect":true}"#,
                request(at: 240.5, id: 4, "hello", #"{"protocol":1,"manager":"00000000000000000000000000000001"}"#),
            ])
        #expect(run.reply(to: 1)?["manager"]?.string == "00000000000000000000000000000001")
        #expect(run.reply(to: 3)?["rejoined"]?.bool == true)
        #expect(run.reply(to: 3)?["manager"]?.string == "00000000000000000000000000000001")
        #expect(run.reply(to: 4)?["rejoined"]?.bool == false)
        #expect(run.reply(to: 4)?["manager"]?.string == "00000000000000000000000000000002")
        let locations = run.locations("standard")
        #expect(locations.map { $0.location["sequence"]?.int ?? 0 } == Array(1...201))
        #expect(locations.count { $0.at == 120.5 } == 20)
        #expect(!locations.contains { (100.6..<120.5).contains($0.at) || $0.at > 200.6 })
        // The receiver is kept on for a client that may come back, and for nobody else.
        #expect((229...233).contains(run.summary["receiverOnSeconds"]?.double ?? 0), "\(run.summary)")
        #expect(run.summary["receiverStarts"]?.int == 1)
    }

    @Test("keeps the receiver off while nobody wants anything")
    func off() throws {
        let run = try ReplayRun(
            track: ReplayRun.track(span(100)),
            requests: [request("location"), request(at: 50, id: 2, "status"), request(at: 60, id: 3, "getProperties")])
        #expect(run.summary["fixes"]?.int == 100)
        for name in ["seen", "receiverOnSeconds", "receiverStarts", "wakeups", "delivered"] {
            #expect(run.summary[name]?.double == 0, "\(name)")
        }
        #expect(run.reply(to: 1) == .null)
        #expect(run.notifications.isEmpty)
    }

    @Test("serves timers at their moments: a deferral's end, a request's, the loss of fixes")
    func timers() throws {
        // The tunnel begins after a minute and lasts 40 s.
        let points = Array(span(200, .tunnel))
        let lastFix = points.last { $0.elapsed.seconds < 100 && $0.hasFix }?.elapsed.seconds ?? 0
        let nextFix = points.first { $0.elapsed.seconds > lastFix && $0.hasFix }?.elapsed.seconds ?? 0
        let run = try ReplayRun(
            track: ReplayRun.track(points),
            requests: [
                ReplayTests.standard,
                request(at: 10.25, id: 2, "allowDeferredLocationUpdates", #"{"timeout":20}"#),
                request(at: 50.25, id: 3, "allowDeferredLocationUpdates"),
                request(at: 150.25, id: 4, "stopUpdatingLocation"),
                request(at: 160, id: 5, "setProperties", #"{"desiredAccuracy":0.001}"#),
                request(at: 160.25, id: 6, "requestLocation", #"{"timeout":5}"#),
            ])
        let finishes = run.notifications("didFinishDeferredUpdates")
        #expect(finishes.count == 2)
        #expect((30.25...31.25).contains(finishes.first?.at ?? 0))
        #expect(finishes.first?.message["params"]?["error"] == .null)
        #expect((lastFix + 30...lastFix + 31.2).contains(finishes.last?.at ?? 0))
        #expect(finishes.last?.message["params"]?["error"]?["code"]?.int == 11)
        let failures = run.notifications("didFailWithError")
        #expect(failures.count == 1)
        #expect((lastFix + 10...lastFix + 11.2).contains(failures.first?.at ?? 0))
        #expect(failures.first?.message["params"]?["error"]?["code"]?.int == 0)
        #expect(run.locations("standard").contains { abs($0.at - nextFix) < 0.5 })
        let answers = run.locations("request")
        #expect(answers.count == 1)
        #expect((165.25...165.75).contains(answers.first?.at ?? 0))
    }

    /// A receiver's fix so many metres north of the origin.
    private static func fix(_ seconds: Double, at metres: Double = 0, by device: String = "/dev/a") -> String {
        let time = WallTime(year: 2026, month: 11, day: 21, hour: 10).milliseconds + Int64(seconds * 1000)
        return #"{"class":"TPV","device":"\#(device)","mode":3,"time":"\#(WallTime(milliseconds: time).rfc3339)","#
            + #""lat":\#(metres / 111_195),"lon":0.0,"eph":4.0}"# + "\n"
    }

    private static let region =
        #"{"region":{"identifier":"h","center":{"latitude":0,"longitude":0},"radius":200}}"#

    @Test(
        "of a clock that was set back goes on as time does: what the running daemon accepts and tells is told",
        arguments: [3600, 600, 20])
    func setBack(by seconds: Double) throws {
        let inside = (0..<60).map { ReplayTests.fix(Double($0)) }
        let outside = (60..<140).map { ReplayTests.fix(Double($0) - seconds, at: 1000) }
        let run = try ReplayRun(
            track: Array((inside + outside).joined().utf8),
            requests: [
                ReplayTests.standard, request(id: 2, "startMonitoring", ReplayTests.region),
                request(at: 137.5, id: 3, "status", #"{"scope":"all"}"#),
            ])
        #expect(run.notifications("didExitRegion").count == 1)
        #expect(run.locations("standard").count == 140)
        #expect((137.9...139.1).contains(run.summary["seconds"]?.double ?? 0), "\(run.summary)")
        #expect(run.reply(to: 3)?["fixes"]?["rejected"]?["outOfOrder"]?.int == 0)
    }

    /// A hundred fixes, with lines behind the fiftieth.
    private static func interrupted(by lines: [String]) -> [UInt8] {
        let fixes = (0..<100).map { ReplayTests.fix(Double($0), at: $0 < 50 ? 0 : 1000) }
        return Array((fixes.prefix(50) + lines + fixes.suffix(50)).joined().utf8)
    }

    private static let year = 365 * 86_400.0

    @Test(
        "of dates far ahead of those around them goes on as time does, and says where they are",
        arguments: [[86_400], [20 * year], [480 * year], [1000 * year, 1000 * year + 1], [7000 * year + 5]])
    func farAhead(seconds: [Double]) throws {
        let run = try ReplayRun(
            track: ReplayTests.interrupted(by: seconds.map { ReplayTests.fix(50 + $0) }),
            requests: [ReplayTests.standard, request(id: 2, "startMonitoring", ReplayTests.region)])
        #expect(run.locations("standard").count == 100 + seconds.count)
        #expect(run.notifications("didExitRegion").count == 1)
        #expect((98.9...100.1).contains(run.summary["seconds"]?.double ?? 0), "\(run.summary)")
        guard seconds.count == 1 else { return }
        #expect(
            run.errors.contains("cannot believe the date of line 51 of ")
                && run.errors.contains(": far ahead of those before and after it"), "\(run.errors)")
    }

    @Test("of a date far ahead that comes first, last, or from another receiver, loses nothing of the rest")
    func farAheadAtAnEnd() throws {
        let fixes = (0..<100).map { ReplayTests.fix(Double($0)) }
        let far = ReplayTests.fix(7000 * ReplayTests.year)
        let other = (0..<3).map { ReplayTests.fix(7000 * ReplayTests.year + Double($0), by: "/dev/b") }
        for lines in [[far] + fixes, fixes + [far], fixes.prefix(9) + other + fixes.suffix(91)] {
            let run = try ReplayRun(track: Array(lines.joined().utf8), requests: [ReplayTests.standard])
            let expected = lines.count == 101 ? 101 : 100
            #expect(run.locations("standard").count == expected, "\(run.summary) \(run.errors)")
        }
    }

    @Test("says how many lines it did not use, why, and which is the first, for each reason")
    func unused() throws {
        let noTime = ReplayTests.fix(0).replacing(/"time":"[^"]*",/, with: "")
        let run = try ReplayRun(
            track: ReplayTests.interrupted(by: [
                "rubbish\n", "# a comment\n", "$GPGGA\n", "\n", noTime, "{\"class\":\"TPV\"\n", "more\n", noTime,
                String(repeating: "x", count: 70_000) + "\n",
            ]), requests: [ReplayTests.standard])
        #expect(run.locations("standard").count == 100)
        let said = run.errors.split(separator: "\n").map {
            $0.dropFirst("locationd: error: ".count).replacing(/of [^,:]*track/, with: "")
        }
        #expect(
            said == [
                "cannot use 2 lines , the first is line 51: neither an NMEA sentence nor gpsd's JSON",
                "cannot use line 53 : a damaged NMEA sentence",
                "cannot use line 56 : no whole report of gpsd's, or of one receiver too many",
                "cannot use line 59 : longer than 65536 bytes",
                "cannot use 2 lines , the first is line 55: a place without a time",
            ], "\(run.errors)")
    }

    @Test("uses the last line without its end, and tells that sentences without a date have no time")
    func edges() throws {
        let fixes = (0..<3).map { ReplayTests.fix(Double($0)) }.joined()
        #expect(try ReplayRun(track: Array(fixes.utf8.dropLast())).locations("standard").count == 3)
        let undated = "$GPGGA,100000.00,0100.00,N,00200.00,E,1,08,1.0,10.0,M,0.0,M,,*66\n"
        let run = try ReplayRun(track: Array(undated.utf8))
        #expect(run.locations("standard").isEmpty)
        #expect(run.errors.contains("cannot use line 1 of "), "\(run.errors)")
    }

    @Test("takes reports that come late for late, and the times of two receivers for two clocks")
    func disorder() throws {
        var lines: [String] = []
        for second in 0..<120 {
            lines.append(ReplayTests.fix(Double(second)))
            if second % 10 == 9 { lines.append(ReplayTests.fix(Double(second) - 3)) }
            // Two hours behind, and faster.
            for step in 0..<4 {
                lines.append(ReplayTests.fix(Double(second) - 7200 + Double(step) / 4, at: 9000, by: "/dev/b"))
            }
        }
        let run = try ReplayRun(
            track: Array(lines.joined().utf8),
            requests: [ReplayTests.standard, request(at: 118, id: 2, "status", #"{"scope":"all"}"#)])
        #expect((118.9...120.5).contains(run.summary["seconds"]?.double ?? 0), "\(run.summary)")
        #expect(run.locations("standard").count == 120)
        let rejected = run.reply(to: 2)?["fixes"]?["rejected"]
        #expect(rejected?["outOfOrder"]?.int == 11 && rejected?["invalid"]?.int == 0, "\(rejected ?? .null)")
    }

    @Test("counts fixes of places that there are not, of gpsd's lines and of sentences")
    func impossible() throws {
        func sentence(_ body: String) -> String {
            let sum = body.utf8.reduce(0, ^)
            return "$\(body)*\(sum < 16 ? "0" : "")\(String(sum, radix: 16, uppercase: true))\n"
        }
        let json = [
            ReplayTests.fix(0), ReplayTests.fix(1, at: 91 * 111_195), ReplayTests.fix(2),
            ReplayTests.fix(3).replacing(#""lon":0.0"#, with: #""lon":181.0"#), ReplayTests.fix(4),
        ]
        let nmea = ["0100.00,N,00200.00,E", "9100.00,N,00200.00,E", "0100.00,N,18100.00,W", ",,,"].enumerated().map {
            sentence("GPRMC,10000\($0).00,A,\($1),0.0,0.0,211126,,,A")
        }
        for (lines, good) in [(json, 3), (nmea, 1)] {
            let run = try ReplayRun(
                track: Array(lines.joined().utf8),
                requests: [ReplayTests.standard, request(at: 60, id: 2, "status", #"{"scope":"all"}"#)])
            let fixes = run.reply(to: 2)?["fixes"]
            #expect(fixes?["accepted"]?.int == good && fixes?["rejected"]?["invalid"]?.int == 2, "\(fixes ?? .null)")
            #expect(run.summary["seen"]?.int == good && run.summary["fixes"]?.int == good, "\(run.summary)")
        }
    }

    @Test("fails with a message where track or requests cannot be used")
    func failures() throws {
        let directory = try TemporaryDirectory()
        let program = try BuildProducts.program("locationd")
        let missing = try ChildProcess(program, ["--replay", directory.file("none")])
        #expect(try missing.waitForExit() == .exited(1))
        #expect(missing.standardError.contains("cannot read the track \(directory.file("none"))"))
        let track = ReplayRun.track(span(10))
        for faulty in ["nonsense", request("nonsense"), #"{"at":-1,"jsonrpc":"2.0","id":1,"method":"location"}"#] {
            let run = try ReplayRun(track: track, requests: [ReplayTests.standard, faulty])
            #expect(run.end == .exited(1))
            #expect(run.errors.contains("request 2"), "\(run.errors)")
        }
        let noisy = try ReplayRun(
            track: Array("# a comment\n\n{\"class\":\"TPV\"\n$GPXXX*00\n\u{1}\u{2}\n".utf8) + track)
        #expect(noisy.summary["delivered"]?.int == 10)
        let empty = try ReplayRun(track: [])
        #expect(empty.end == .exited(0))
        #expect(empty.summary["fixes"]?.int == 0)
    }
}

@Suite("A replay of significant changes alone", .blocking)
struct ReplayPowerTests {
    private static let requests = [request("startMonitoringSignificantLocationChanges")]

    @Test("of a parked car needs the receiver hardly ever, and says nothing more")
    func parked() throws {
        let run = try ReplayRun(track: ReplayRun.track(span(4 * 3600, .parked)), requests: ReplayPowerTests.requests)
        #expect(run.locations("significantChange").count == 1)
        let (on, all) = (run.summary["receiverOnSeconds"]?.double ?? 0, run.summary["seconds"]?.double ?? 0)
        #expect(on < all * 0.15, "\(run.summary)")
        #expect((run.summary["receiverStarts"]?.int ?? 0) > 5)
        #expect((run.summary["seen"]?.int ?? 0) < 4 * 3600 / 6)
    }

    @Test("of a drive needs the receiver less than all the time, misses no change by much, and reports none too soon")
    func drive() throws {
        let points = Array(span(2 * 3600, .drive))
        let run = try ReplayRun(track: ReplayRun.track(points), requests: ReplayPowerTests.requests)
        let events = run.locations("significantChange")
        #expect(events.count > 8)
        #expect((run.summary["receiverOnSeconds"]?.double ?? 0) < 7200 * 0.5, "\(run.summary)")
        func place(_ location: JSON) -> Coordinate {
            Coordinate(latitude: location["latitude"]?.double ?? 0, longitude: location["longitude"]?.double ?? 0)
        }
        for (earlier, later) in zip(events, events.dropFirst()) {
            #expect(later.at - earlier.at >= 299)
            #expect(place(earlier.location).distance(to: place(later.location)) >= 499)
        }
    }
}
