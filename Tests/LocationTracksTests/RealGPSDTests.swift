// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import LocationTracks
import Testing

@Suite("Tracks in the eyes of gpsd", .blocking)
struct RealGPSDTests {
    @Test("gpsd makes exactly one complete report of every epoch but the first, through a tunnel too")
    func oneReportPerEpoch() throws {
        let track = Track(.tunnel, duration: .seconds(130), seed: 3)
        let gpsd = try RealGPSD()
        let client = try watch(gpsd)
        var reports: [String: [String]] = [:]
        for point in track {
            try gpsd.feed(NMEAWriter().burst(of: point))
            let time = point.time.rfc3339
            // The first epoch's last report is the one with the altitude.
            while true {
                let line = try client.nextLine { $0.hasPrefix(#"{"class":"TPV""#) }
                reports[member("time", of: line) ?? "", default: []].append(line)
                if member("time", of: line) == time, !point.hasFix || line.contains("altMSL") { break }
            }
        }
        #expect(client.linesSoFar().filter { $0.contains("TPV") }.isEmpty)
        #expect(reports.count == 130)
        var before: TrackPoint?
        for point in track {
            let lines = try #require(reports[point.time.rfc3339])
            let report = try #require(lines.last)
            if point.elapsed > .zero { #expect(lines.count == 1, "\(lines)") }
            try expectSame(report, point, device: gpsd.device)
            guard point.hasFix else { continue }
            // gpsd estimates the error at the first sentence with a position, before it reads the new dilutions.
            let dilution = ((before ?? point).hdop * 100).rounded() / 100
            #expect(abs(try number("eph", of: report) - 19 * dilution) < 0.01)
            before = point
        }
    }

    @Test("the lines that are written for gpsd say what gpsd says of the same track")
    func sameLines() throws {
        let gpsd = try RealGPSD()
        let client = try watch(gpsd)
        for point in Track(.drive, duration: .seconds(30), seed: 5) {
            try gpsd.feed(NMEAWriter().burst(of: point))
            let real = try client.nextLine { $0.hasPrefix(#"{"class":"TPV""#) && $0.contains("altMSL") }
            let ours = String(decoding: GPSDJSONWriter(device: gpsd.device).lines(of: point), as: UTF8.self)
                .split(separator: "\r\n")
            let (sky, report) = (try #require(ours.first), try #require(ours.last))
            #expect(sky.hasPrefix(#"{"class":"SKY","device":"\#(gpsd.device)""#))
            for name in ["class", "device", "mode", "time"] {
                #expect(member(name, of: String(report)) == member(name, of: real))
            }
            for (name, tolerance) in [
                ("lat", 1e-7), ("lon", 1e-7), ("altMSL", 0.06), ("altHAE", 0.06), ("eph", 0.5), ("epv", 0.8),
                ("speed", 0.01), ("track", 0.06), ("sep", 0.8),
            ] {
                let mine = member(name, of: String(report)).flatMap(Double.init)
                let theirs = member(name, of: real).flatMap(Double.init)
                #expect((mine == nil) == (theirs == nil), "\(name): \(real)")
                #expect(abs((mine ?? 0) - (theirs ?? 0)) <= tolerance, "\(name): \(real) \(report)")
            }
        }
    }

    @Test("a killed gpsd comes back on its port and reads its receiver again")
    func restart() throws {
        let gpsd = try RealGPSD()
        var points = Track(.walk, duration: .seconds(100)).makeIterator()
        for _ in 0..<2 {
            let client = try watch(gpsd)
            for _ in 0..<3 {
                let next = points.next()
                let point = try #require(next)
                try gpsd.feed(NMEAWriter().burst(of: point))
            }
            _ = try client.nextLine { $0.contains("TPV") && $0.contains(#""mode":3"#) }
            try gpsd.kill()
            #expect(!gpsd.isRunning)
            #expect(try client.remainingLines().allSatisfy { !$0.isEmpty })
            try gpsd.restart()
        }
    }

    private func watch(_ gpsd: RealGPSD) throws -> LoopbackConnection {
        let client = try LoopbackConnection(port: gpsd.port)
        try client.send(#"?WATCH={"enable":true,"json":true};"#)
        _ = try client.nextLine { $0.hasPrefix(#"{"class":"WATCH""#) }
        return client
    }

    private func expectSame(_ report: String, _ point: TrackPoint, device: String) throws {
        #expect(member("device", of: report) == device)
        guard let measured = point.measured else {
            #expect(member("mode", of: report) == "1", "\(report)")
            return
        }
        #expect(member("mode", of: report) == "3", "\(report)")
        let place = Coordinate(
            latitude: try number("lat", of: report), longitude: try number("lon", of: report))
        #expect(place.distance(to: measured) < 0.01)
        #expect(abs(try number("altMSL", of: report) - point.altitude) < 0.06)
        #expect(abs(try number("speed", of: report) - point.speed) < 0.01)
        if let course = point.course { #expect(abs(try number("track", of: report) - course) < 0.06) }
    }

    private func number(_ name: String, of line: String) throws -> Double {
        try #require(member(name, of: line).flatMap(Double.init), "\(name) in \(line)")
    }
}

// The value of a member in a line as gpsd writes it: flat, no spaces, no escapes.
private func member(_ name: String, of line: String) -> String? {
    let bytes = Array(line.utf8)
    let key = Array("\"\(name)\":".utf8)
    guard bytes.count > key.count,
        let start = (0..<(bytes.count - key.count)).first(where: { bytes[$0..<($0 + key.count)].elementsEqual(key) })
    else { return nil }
    let value = bytes[(start + key.count)...].prefix { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "}") }
    return String(decoding: value.filter { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
}
