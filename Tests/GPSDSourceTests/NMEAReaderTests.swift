// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import LocationModel
import LocationTestSupport
import Testing

@Suite("NMEAReader")
struct NMEAReaderTests {
    private static func sentence(_ body: String) -> [UInt8] {
        let sum = body.utf8.reduce(0, ^)
        let digits = Array("0123456789ABCDEF".utf8)
        return Array("$\(body)*".utf8) + [digits[Int(sum >> 4)], digits[Int(sum & 15)]]
    }

    private func read(_ bodies: [String]) -> [GPSDReport] {
        var reader = NMEAReader()
        var reports: [GPSDReport] = []
        for body in bodies { reports += reader.read(Self.sentence(body)) }
        reader.finish(into: &reports)
        return reports
    }

    private func tpvs(_ bodies: [String]) -> [TPVReport] {
        read(bodies).compactMap { if case .tpv(let report) = $0 { report } else { nil } }
    }

    @Test("one epoch of all sentences becomes one SKY, one GST, one TPV")
    func completeEpoch() {
        let reports = read([
            "GNRMC,103800.25,A,4730.000,N,00830.000,W,10.0,84.4,211126,,,A",
            "GNVTG,84.4,T,,M,10.0,N,18.5,K,A",
            "GNGGA,103800.25,4730.000,N,00830.000,W,2,12,0.80,500.0,M,48.0,M,,",
            "GNGSA,A,3,01,02,03,04,,,,,,,,,1.5,0.80,1.25",
            "GNGSA,A,3,65,66,67,,,,,,,,,,1.5,0.80,1.25",
            "GPGSV,3,1,10,01,40,083,46,02,17,308,41", "GPGSV,3,2,10,03,40,083,46", "GLGSV,1,1,07,65,40,083,46",
            "GNGST,103800.25,1.0,2.0,1.0,45.0,1.5,2.5,3.5",
        ])
        let receiver = ReceiverID(rawValue: 0)
        let time = WallTime(year: 2026, month: 11, day: 21, hour: 10, minute: 38, second: 0, millisecond: 250)
        var sky = SkyReport(receiver: receiver)
        sky.hdop = 0.8
        sky.vdop = 1.25
        var gst = GSTReport(receiver: receiver, time: time)
        gst.latitudeError = 1.5
        gst.longitudeError = 2.5
        gst.altitudeError = 3.5
        var tpv = TPVReport(receiver: receiver, mode: 3, status: .dgps, time: time)
        tpv.latitude = 47.5
        tpv.longitude = -8.5
        tpv.altMSL = 500
        tpv.altHAE = 548
        tpv.speed = 10.0 * 1852 / 3600
        tpv.track = 84.4
        tpv.eph = 0.8 * 19 * 0.25
        tpv.epv = 1.25 * 23 * 0.25
        #expect(reports == [.sky(sky), .gst(gst), .tpv(tpv)])
    }

    @Test("bad checksums, unfinished lines and unknown sentences are counted and skipped")
    func skipped() {
        var reader = NMEAReader()
        var line = Self.sentence("GPRMC,103800,A,4730.0,N,00830.0,E,1.0,2.0,211126,,,A")
        line[10] ^= 1
        for bad in [line, Array("$GP".utf8), [], Array("$GPRMC,1038".utf8), Array("$*00".utf8), Array("noise*7A".utf8)]
        {
            #expect(reader.read(bad).isEmpty)
        }
        #expect(reader.read(Self.sentence("GPZDA,103800,21,11,2026,00,00")).isEmpty)
        #expect(reader.read(Self.sentence("PUBX,00,1")).isEmpty)
        #expect(reader.badLines == 6)
        #expect(reader.unknownSentences == 2)
        #expect(reader.sentences == 0)
    }

    @Test("a time of day without a date is no time")
    func noDateYet() {
        let reports = tpvs([
            "GPGGA,103759,4730.0,N,00830.0,E,1,05,1.0,500.0,M,48.0,M,,",
            "GPGGA,103800,4730.0,N,00830.0,E,1,05,1.0,500.0,M,48.0,M,,",
            "GPRMC,103800,A,4730.0,N,00830.0,E,1.0,2.0,211126,,,A",
        ])
        #expect(reports.map(\.time) == [nil, WallTime(year: 2026, month: 11, day: 21, hour: 10, minute: 38)])
        #expect(reports.map(\.mode) == [3, 3])
    }

    @Test("two digits of the year mean 1980 to 2079")
    func years() {
        for (digits, year) in [("79", 2079), ("80", 1980), ("99", 1999), ("00", 2000)] {
            let reports = tpvs(["GPRMC,000000,A,4730.0,N,00830.0,E,1.0,2.0,0102\(digits),,,A"])
            #expect(reports.first?.time == WallTime(year: year, month: 2, day: 1))
        }
    }

    @Test("midnight comes, whether the date is told before or after it")
    func midnight() {
        let reports = tpvs([
            "GPRMC,235958,A,4730.0,N,00830.0,E,1.0,2.0,311226,,,A",
            "GPGGA,235959,4730.0,N,00830.0,E,1,05,1.0,500.0,M,48.0,M,,",
            "GPGGA,000000,4730.0,N,00830.0,E,1,05,1.0,500.0,M,48.0,M,,",
            "GPGGA,000001,4730.0,N,00830.0,E,1,05,1.0,500.0,M,48.0,M,,",
            "GPRMC,000001,A,4730.0,N,00830.0,E,1.0,2.0,010127,,,A",
            "GPGGA,000002,4730.0,N,00830.0,E,1,05,1.0,500.0,M,48.0,M,,",
        ])
        let start = WallTime(year: 2026, month: 12, day: 31, hour: 23, minute: 59, second: 58).milliseconds
        #expect(reports.map(\.time?.milliseconds) == (0..<5).map { start + $0 * 1000 })
    }

    @Test(
        "what says that there is no fix is believed",
        arguments: [
            ["GPRMC,103800,V,,,,,,,211126,,,N"], ["GPGGA,103800,,,,,0,00,,,M,,M,,"],
            ["GPRMC,103800,A,4730.0,N,00830.0,E,1.0,2.0,211126,,,A", "GPGSA,A,1,,,,,,,,,,,,,,,"],
            ["GPGLL,4730.0,N,00830.0,E,103800,V"],
            ["GPRMC,103800,A,4760.0,N,00830.0,E,1.0,2.0,211126,,,A"],
        ])
    func noFix(bodies: [String]) {
        let reports = tpvs(bodies)
        #expect(reports.map(\.mode) == [1])
        #expect(reports.first?.latitude == nil)
    }

    @Test("a place that there is not makes a fix impossible, unless the epoch has another")
    func impossible() {
        let nowhere = "GPRMC,103800,A,9930.0,N,00830.0,E,1.0,2.0,211126,,,A"
        let somewhere = "GPGLL,4730.0,N,00830.0,E,103800,A"
        for bodies in [[nowhere], [nowhere, somewhere], [somewhere, nowhere]] {
            let reports = tpvs(bodies)
            #expect(reports.map(\.mode) == [2] && reports.map(\.isImpossible) == [bodies.count == 1], "\(bodies)")
            #expect(reports.map(\.latitude) == [bodies.count == 1 ? nil : 47.5])
        }
    }

    @Test("without GSA the mode follows from the altitude; GLL alone is enough for a place")
    func modes() {
        #expect(tpvs(["GPRMC,103800,A,4730.0,N,00830.0,E,1.0,2.0,211126,,,A"]).map(\.mode) == [2])
        #expect(tpvs(["GPGLL,4730.0,S,00830.0,E,103800,A"]).map(\.latitude) == [-47.5])
        let flat = tpvs([
            "GPGGA,103800,4730.0,N,00830.0,E,1,05,1.0,500.0,M,48.0,M,,", "GPGSA,A,2,01,02,03,,,,,,,,,,1.5,0.80,1.25",
        ])
        #expect(flat.map(\.mode) == [2])
        #expect(flat.first?.altMSL == nil && flat.first?.epv == nil)
    }

    @Test("a simulator and RTK keep their status")
    func statuses() {
        for (quality, status) in [(1, FixStatus.plain), (4, .rtkFixed), (5, .rtkFloat), (8, .simulated)] {
            let reports = tpvs(["GPGGA,103800,4730.0,N,00830.0,E,\(quality),05,1.0,500.0,M,48.0,M,,"])
            #expect(reports.map(\.status) == [status])
        }
    }

    @Test("through the gatherer an epoch becomes one fix with a radius of 5 m per unit of dilution")
    func throughGatherer() {
        var gatherer = EpochGatherer()
        var fixes: [Fix] = []
        for second in 0..<3 {
            let reports = read([
                "GPRMC,10380\(second),A,4730.0,N,00830.0,E,4.0,90.0,211126,,,A",
                "GPGGA,10380\(second),4730.0,N,00830.0,E,1,05,1.2,500.0,M,48.0,M,,",
                "GPGSA,A,3,01,02,03,04,,,,,,,,,2.5,1.2,2.0",
            ])
            for report in reports {
                gatherer.receive(
                    report, at: BootInstant(nanoseconds: Int64(second) * 1_000_000_000),
                    hostTime: WallTime(milliseconds: 0), into: &fixes)
            }
        }
        #expect(fixes.map(\.location.horizontalAccuracy) == [6, 6, 6])
        #expect(fixes.map(\.location.verticalAccuracy) == [15, 15, 15])
        #expect(fixes.allSatisfy { $0.location.course == 90 && $0.hasReceiverTime })
        #expect(gatherer.nextDeadline == nil)
    }

    @Test("mutated sentences never crash the reader")
    func fuzz() {
        var random = SplitMix64()
        let bodies = [
            "GNRMC,103800.25,A,4730.000,N,00830.000,W,10.0,84.4,211126,,,A",
            "GNGGA,103800.25,4730.000,N,00830.000,W,2,12,0.80,500.0,M,48.0,M,,",
            "GNGSA,A,3,01,02,03,04,,,,,,,,,1.5,0.80,1.25", "GPGSV,3,1,10,01,40,083,46,02,17,308,41",
            "GNGST,103800.25,1.0,2.0,1.0,45.0,1.5,2.5,3.5", "GPGLL,4730.0,N,00830.0,E,103800,A",
        ]
        var reader = NMEAReader()
        for _ in 0..<5000 {
            var body = Array(bodies[random.below(bodies.count)].utf8)
            for _ in 0...random.below(4) {
                let position = random.below(body.count)
                switch random.below(3) {
                case 0: body[position] = UInt8(truncatingIfNeeded: random.next() & 0x7F)
                case 1: if body.count > 1 { body.remove(at: position) }
                default: body.insert(contentsOf: Array("99999999999999999999,".utf8), at: position)
                }
            }
            for report in reader.read(Self.sentence(String(decoding: body, as: UTF8.self))) {
                guard case .tpv(let tpv) = report else { continue }
                #expect(tpv.latitude.map { abs($0) <= 90 } ?? true)
                #expect(tpv.speed.map { $0 >= 0 && $0 <= 1e5 } ?? true)
            }
        }
        #expect(reader.sentences > 1000)
    }
}
