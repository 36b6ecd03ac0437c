// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTracks
import Testing

@Suite("NMEA sentences")
struct NMEAWriterTests {
    @Test("every sentence has its checksum, its length and its ends", arguments: TrackKind.allCases)
    func checksums(kind: TrackKind) throws {
        for point in Track(kind, duration: .seconds(200)) {
            let burst = String(decoding: NMEAWriter().burst(of: point), as: UTF8.self)
            #expect(burst.hasSuffix("\r\n"))
            for sentence in burst.split(separator: "\r\n") {
                // The standard's limit is 82 with CR LF; six decimals of a minute and a receiver with milliseconds need a little more.
                #expect(sentence.first == "$" && sentence.utf8.count <= 90, "\(sentence)")
                let parts = sentence.dropFirst().split(separator: "*")
                try #require(parts.count == 2)
                let sum = parts[0].utf8.reduce(0, ^)
                #expect(parts[1].utf8.count == 2 && UInt8(parts[1], radix: 16) == sum, "\(sentence)")
            }
        }
    }

    @Test("a burst is RMC, VTG, GSA, GSV and GGA, with and without a fix")
    func order() {
        for point in Track(.tunnel, duration: .seconds(70)) {
            var names: [String] = []
            for fields in sentences(of: point) where names.last != fields[0] { names.append(fields[0]) }
            #expect(names == ["GPRMC", "GPVTG", "GPGSA", "GPGSV", "GPGGA"])
        }
    }

    @Test("what is written is what was measured", arguments: TrackKind.allCases)
    func values(kind: TrackKind) throws {
        for point in Track(kind, duration: .seconds(120)) {
            let all = sentences(of: point)
            let rmc = try #require(all.first), gga = try #require(all.last)
            #expect(rmc[2] == (point.hasFix ? "A" : "V"))
            #expect(gga[6] == (point.hasFix ? "1" : "0"))
            guard let measured = point.measured else {
                #expect(rmc[3...8].allSatisfy(\.isEmpty) && gga[2...5].allSatisfy(\.isEmpty))
                continue
            }
            let written = try #require(coordinate(rmc[3...6]))
            #expect(written.distance(to: measured) < 0.002)
            #expect(Array(rmc[3...6]) == Array(gga[2...5]))
            #expect(abs(try #require(Double(rmc[7])) * 1852 / 3600 - point.speed) < 0.003)
            if let course = point.course {
                #expect(abs(try #require(Double(rmc[8])) - course) < 0.051)
            } else {
                #expect(rmc[8].isEmpty)
            }
            #expect(abs(try #require(Double(gga[9])) - point.altitude) < 0.051)
            #expect(Int(gga[7]) == point.satellitesUsed)
        }
    }

    @Test("dates and times of day are UTC, to the millisecond")
    func dates() throws {
        let from = WallTime(year: 2031, month: 12, day: 31, hour: 23, minute: 59, second: 59, millisecond: 900)
        let points = Array(Track(.walk, from: from, duration: .seconds(0.2), rate: 10))
        let rmc = try points.map { try #require(sentences(of: $0).first) }
        #expect(rmc.map { $0[1] } == ["235959.900", "000000.000"])
        #expect(rmc.map { $0[9] } == ["311231", "010132"])
    }

    @Test(
        "hemispheres and full minutes are written right",
        arguments: [
            (Coordinate(latitude: -33.999_999_999_9, longitude: 18.5), ["3400.000000", "S", "01830.000000", "E"]),
            (Coordinate(latitude: 0, longitude: -0.000_001), ["0000.000000", "N", "00000.000060", "W"]),
            (Coordinate(latitude: 89.5, longitude: -180), ["8930.000000", "N", "18000.000000", "W"]),
        ])
    func hemispheres(place: Coordinate, expected: [String]) throws {
        var point = try #require(Array(Track(.parked, duration: .seconds(1))).first)
        point.measured = place
        #expect(Array(try #require(sentences(of: point).first)[3...6]) == expected)
    }

    private func sentences(of point: TrackPoint) -> [[String]] {
        String(decoding: NMEAWriter().burst(of: point), as: UTF8.self).split(separator: "\r\n").map { sentence in
            sentence.dropFirst().prefix { $0 != "*" }.split(separator: ",", omittingEmptySubsequences: false)
                .map(String.init)
        }
    }

    private func coordinate(_ fields: ArraySlice<String>) -> Coordinate? {
        let fields = Array(fields)
        guard let latitude = degrees(fields[0], digits: 2), let longitude = degrees(fields[2], digits: 3) else {
            return nil
        }
        return Coordinate(
            latitude: fields[1] == "S" ? -latitude : latitude, longitude: fields[3] == "W" ? -longitude : longitude)
    }

    private func degrees(_ text: String, digits: Int) -> Double? {
        guard let whole = Double(text.prefix(digits)), let minutes = Double(text.dropFirst(digits)), minutes < 60
        else { return nil }
        return whole + minutes / 60
    }
}
