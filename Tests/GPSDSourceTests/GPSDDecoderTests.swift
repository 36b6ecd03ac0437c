// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import LocationModel
import LocationTestSupport
import Testing

@Suite("GPSDDecoder")
struct GPSDDecoderTests {
    private let decoder = GPSDDecoder()

    private func decode(_ line: String) -> GPSDReport? { decoder.decode(Array(line.utf8)) }

    private func tpv(_ members: String) -> TPVReport? {
        guard case .tpv(let report) = decode("{\"class\":\"TPV\",\"device\":\"/dev/a\",\(members)}") else { return nil }
        return report
    }

    @Test("a complete TPV gives every member in its unit")
    func completeTPV() throws {
        let report = try #require(
            tpv(
                """
                "status":2,"mode":3,"time":"2026-11-21T10:38:00.250Z","ept":0.005,"lat":47.123456789,"lon":-8.5,\
                "altHAE":480.5,"altMSL":432.25,"alt":432.25,"epx":1.5,"epy":2.5,"epv":3.5,"track":359.5,\
                "speed":1.25,"climb":-0.5,"eps":0.3,"epd":12.0,"geoidSep":48.25,"eph":4.75
                """))
        var expected = TPVReport(
            receiver: ReceiverID(rawValue: 0), mode: 3, status: .dgps,
            time: WallTime(year: 2026, month: 11, day: 21, hour: 10, minute: 38, second: 0, millisecond: 250))
        expected.latitude = 47.123456789
        expected.longitude = -8.5
        expected.altHAE = 480.5
        expected.altMSL = 432.25
        expected.epx = 1.5
        expected.epy = 2.5
        expected.epv = 3.5
        expected.track = 359.5
        expected.speed = 1.25
        expected.climb = -0.5
        expected.eps = 0.3
        expected.epd = 12
        expected.eph = 4.75
        #expect(report == expected)
    }

    @Test("a TPV with nothing but a mode says nothing else, whatever came before")
    func nothingIsCarriedOver() {
        _ = tpv(
            "\"status\":3,\"mode\":3,\"time\":\"2026-01-01T00:00:00.000Z\",\"lat\":1.0,\"lon\":2.0,\"eph\":3.0,\"speed\":4.0"
        )
        #expect(tpv("\"mode\":1") == TPVReport(receiver: ReceiverID(rawValue: 0), mode: 1))
    }

    @Test(
        "a number that is no number or out of range is absent",
        arguments: [
            "\"lat\":1e999,\"lon\":2.0", "\"lat\":-1e999,\"lon\":2.0", "\"lat\":nan,\"lon\":2.0",
            "\"lat\":\"1\",\"lon\":2.0",
            "\"lat\":null,\"lon\":2.0", "\"lat\":90.1,\"lon\":2.0", "\"lat\":2.0,\"lon\":180.5", "\"lat\":2.0",
            "\"lon\":2.0",
        ])
    func badPositions(members: String) {
        let report = tpv("\"mode\":3,\(members)")
        #expect(report?.latitude == nil && report?.longitude == nil && report?.position == nil)
    }

    @Test("errors that are not above zero, impossible speeds and directions are absent; 360 degrees are 0")
    func ranges() throws {
        let report = try #require(
            tpv(
                "\"mode\":3,\"lat\":0.0,\"lon\":0.0,\"eph\":0,\"epv\":-1,\"epx\":1e999,\"speed\":-2,\"track\":361,\"altHAE\":1e300"
            ))
        #expect(report.position == Coordinate(latitude: 0, longitude: 0))
        #expect(report.eph == nil && report.epv == nil && report.epx == nil)
        #expect(report.speed == nil && report.track == nil && report.altHAE == nil)
        #expect(tpv("\"mode\":3,\"track\":360.0")?.track == 0)
        #expect(tpv("\"mode\":7")?.mode == 0)
        #expect(tpv("\"mode\":3,\"time\":\"1970-01-01T00:00:00.000Z\"")?.time == nil)
    }

    @Test(
        "a time that is no date is absent",
        arguments: ["9999-99-99T99:99:99.999Z", "2026-02-30T10:00:00.000Z", "soon", ""])
    func timeThatIsNoDate(text: String) throws {
        let report = try #require(tpv("\"mode\":3,\"time\":\"\(text)\",\"lat\":1.5,\"lon\":2.5"))
        #expect(report.time == nil)
        #expect(report.position == Coordinate(latitude: 1.5, longitude: 2.5))
    }

    @Test("members that libgps does not know, nested ones too, hide nothing behind them")
    func unknownMembers() {
        for unknown in ["{\"a\":{\"class\":\"SKY\"}}", "[1,[2,{\"b\":\"}\"}]]", "true", "\"text \\\" }\"", "{}", "[]"] {
            let report = tpv("\"mode\":3,\"novelty\":\(unknown),\"lat\":1.5,\"lon\":2.5,\"eph\":7.0")
            #expect(report?.position == Coordinate(latitude: 1.5, longitude: 2.5), "\(unknown)")
            #expect(report?.eph == 7, "\(unknown)")
        }
    }

    @Test(
        "a line that is not one whole object with its class is refused and counted",
        arguments: [
            "", "{", "}", "{}", "garbage", "[1]", "{\"class\":\"TPV\",\"mode\":3", "{\"class\":\"TPV\"}}",
            "{\"class\":\"TPV\",\"mode\":3}{\"class\":\"TPV\",\"mode\":2}", "{ \"class\": \"TPV\" } }",
            "{\"x\":{\"class\":\"TPV\"}}", "{\"class\":\"TPV", "{\"class\":\"TPV\",\"a\":\"\\\"}",
            "{\"class\":\"TPV\",\"a\":\"\u{1}\"}",
            #"{"class":"SKY","satellites":[{"PRN":5}]}{"class":"SKY","satellites":[{"PRN":6}]}"#,
            "{\"class\":\"TPV\",\u{0}\"mode\":3}", "{\"class\":3}", "{\"class\":\"TPV\",\"a\":[}",
        ])
    func malformed(line: String) {
        #expect(decode(line) == nil)
        #expect(decoder.malformedLines == 1)
    }

    @Test("blanks between what JSON is made of change nothing, wherever they stand, and those in a text stay")
    func blanks() throws {
        for line in [
            #"{"class":"TPV","device":"/dev/a b","mode":3,"time":"2026-11-21T10:38:00.250Z","lat":47.5,"lon":-8.5,"x":[{"y":1}]}"#,
            #"{"class":"SKY","device":"/dev/a","hdop":0.9,"satellites":[{"PRN":1,"used":true},{"PRN":2,"used":false}]}"#,
            #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/a b","activated":"2026-11-21T09:00:00.000Z"}]}"#,
            #"{"class":"WATCH","enable":true,"json":true}"#, #"{"class":"ERROR","message":"no \"x\" , : here"}"#,
            #"{"class":"VERSION","release":"3.22 \\","proto_major":3,"proto_minor":14}"#,
            #"{"class":"POLL","tpv":[]}"#,
        ] {
            let plain = try #require(decode(line), "\(line)")
            var isText = false
            let places = line.indices.filter { index in
                let isEscaped = index > line.startIndex && line[line.index(before: index)] == "\\"
                if line[index] == "\"", !isEscaped || line[index...].hasPrefix("\",\"proto") { isText.toggle() }
                return !isText && "{}[]:,".contains(line[index])
            }
            for index in places {
                for side in [index, line.index(after: index)] {
                    var spaced = line
                    spaced.insert(contentsOf: side == index ? " " : "\t ", at: side)
                    #expect(decode(spaced) == plain, "\(spaced)")
                }
            }
        }
        #expect(decoder.malformedLines == 0 && decoder.paths == ["/dev/a b", "/dev/a"])
    }

    @Test("a SKY tells its dilutions, however many satellites it lists, and wherever the list stands")
    func satellites() {
        func sky(_ count: Int) -> SkyReport? {
            let list = (0..<count).map {
                "{\"PRN\":\($0 % 200 + 1),\"el\":10.0,\"az\":20.0,\"ss\":30.0,\"used\":\($0 % 2 == 0)}"
            }
            let line =
                "{\"class\":\"SKY\",\"device\":\"/dev/a\",\"xdop\":0.5,\"ydop\":0.75,\"vdop\":1.5,\"hdop\":0.9,\"satellites\":["
                + list.joined(separator: ",") + "]}"
            guard case .sky(let report) = decode(line) else { return nil }
            return report
        }
        #expect(sky(0)?.listsSatellites == false)
        for count in [1, 12, 140, 300] {
            #expect(sky(count)?.listsSatellites == true)
            #expect(sky(count)?.hdop == 0.9 && sky(count)?.xdop == 0.5)
        }
        for line in [
            #"{"class":"SKY","device":"/dev/a","satellites":[{"PRN":5,"used":true}],"hdop":1.1}"#,
            #"{"class":"SKY","device":"/dev/a","hdop":1.1,"satellites":[{"PRN":5,"seen":[1]}]}"#,
            #"{"class":"SKY","device":"/dev/a","hdop":1.1}"#,
        ] {
            guard case .sky(let report) = decode(line) else {
                Issue.record("\(line) is no SKY")
                continue
            }
            #expect(report.hdop == 1.1 && report.vdop == nil)
            #expect(report.listsSatellites == line.contains("PRN"))
        }
    }

    @Test("GST, ATT, VERSION, WATCH, ERROR and unknown classes are told apart")
    func otherClasses() {
        let receiver = ReceiverID(rawValue: 0)
        var gst = GSTReport(receiver: receiver, time: WallTime(year: 2026, month: 1, day: 2))
        gst.latitudeError = 1.5
        gst.altitudeError = 3
        #expect(
            decode(
                "{\"class\":\"GST\",\"device\":\"/dev/a\",\"time\":\"2026-01-02T00:00:00.000Z\",\"rms\":2.0,\"lat\":1.5,\"alt\":3.0}"
            ) == .gst(gst))
        var attitude = AttitudeReport(receiver: receiver)
        attitude.heading = 90.5
        attitude.pitch = -3
        #expect(
            decode("{\"class\":\"ATT\",\"device\":\"/dev/a\",\"heading\":90.5,\"pitch\":-3.0,\"roll\":14223.0}")
                == .att(attitude))
        #expect(
            decode("{\"class\":\"VERSION\",\"release\":\"3.22\",\"rev\":\"3.22\",\"proto_major\":3,\"proto_minor\":14}")
                == .version(release: "3.22", protocolMajor: 3, protocolMinor: 14))
        #expect(
            decode("{\"class\":\"WATCH\",\"enable\":true,\"json\":true,\"nmea\":false}")
                == .watch(isEnabled: true, isJSON: true))
        #expect(
            decode("{\"class\":\"WATCH\",\"enable\":true,\"json\":false}") == .watch(isEnabled: true, isJSON: false))
        #expect(
            decode("{\"class\":\"ERROR\",\"message\":\"Unrecognized request\"}")
                == .error(message: "Unrecognized request"))
        #expect(decode("{\"class\":\"POLL\",\"tpv\":[{\"class\":\"TPV\"}]}") == .other(className: "POLL"))
    }

    @Test("an ERROR between two GST leaves no trace in either")
    func sharedUnion() {
        let line = "{\"class\":\"GST\",\"device\":\"/dev/a\",\"lat\":1.5,\"lon\":2.5}"
        let first = decode(line)
        _ = decode("{\"class\":\"ERROR\",\"message\":\"\(String(repeating: "x", count: 200))\"}")
        #expect(decode(line) == first)
    }

    @Test("DEVICE tells whether the device is open, DEVICES lists any number of them")
    func devices() {
        let time = WallTime(year: 2026, month: 11, day: 21, hour: 9)
        let first = ReceiverID(rawValue: 0)
        #expect(
            decode(
                "{\"class\":\"DEVICE\",\"path\":\"/dev/a\",\"driver\":\"u-blox\",\"activated\":\"2026-11-21T09:00:00.000Z\",\"cycle\":1.00,\"mincycle\":0.25}"
            )
                == .device(DeviceReport(receiver: first, path: "/dev/a", driver: "u-blox", activated: time)))
        #expect(
            decode("{\"class\":\"DEVICE\",\"path\":\"/dev/a\",\"activated\":0}")
                == .device(DeviceReport(receiver: first, path: "/dev/a")))
        func list(_ count: Int) -> String {
            let devices = (0..<count).map {
                "{\"class\":\"DEVICE\",\"path\":\"/dev/\($0)\",\"activated\":\"2026-11-21T09:00:00.000Z\"}"
            }
            return "{\"class\":\"DEVICES\",\"devices\":[\(devices.joined(separator: ","))]}"
        }
        for count in [0, 1, 4, 5, 6, 20] {
            guard case .devices(let devices) = decode(list(count)) else {
                Issue.record("no list of \(count)")
                continue
            }
            #expect(devices.map(\.path) == (0..<count).map { "/dev/\($0)" })
            #expect(devices.allSatisfy { $0.activated == time })
        }
        #expect(
            decode("{\"class\":\"DEVICES\",\"devices\":[{\"path\":\"/dev/x\"},{},[],3,{\"class\":\"DEVICE\"}]}")
                == .devices([]))
    }

    @Test("receivers are numbered as they are first heard, at most 64 of them")
    func receivers() {
        for number in 0..<70 {
            let report = decode("{\"class\":\"TPV\",\"device\":\"/dev/tty\(number)\",\"mode\":1}")
            let expected = TPVReport(receiver: ReceiverID(rawValue: Int32(number)), mode: 1)
            #expect(report == (number < 64 ? .tpv(expected) : nil))
        }
        #expect(decoder.paths.count == 64 && decoder.paths[5] == "/dev/tty5")
        #expect(decoder.droppedReports == 6)
        let again = decode("{\"class\":\"TPV\",\"device\":\"/dev/tty7\",\"mode\":1}")
        #expect(again == .tpv(TPVReport(receiver: ReceiverID(rawValue: 7), mode: 1)))
    }

    @Test("mutated lines never crash the decoder and never give a number out of its range")
    func fuzz() {
        var random = SplitMix64()
        let seeds = [
            "{\"class\":\"TPV\",\"device\":\"/dev/a\",\"status\":2,\"mode\":3,\"time\":\"2026-11-21T10:38:00.250Z\",\"lat\":47.1,\"lon\":-8.5,\"altHAE\":480.5,\"eph\":4.75,\"track\":10.0,\"speed\":2.0}",
            "{\"class\":\"SKY\",\"device\":\"/dev/a\",\"hdop\":0.9,\"satellites\":[{\"PRN\":1,\"el\":10.0,\"az\":20.0,\"ss\":30.0,\"used\":true},{\"PRN\":2,\"used\":false}]}",
            "{\"class\":\"DEVICES\",\"devices\":[{\"class\":\"DEVICE\",\"path\":\"/dev/a\",\"driver\":\"SiRF\",\"activated\":\"2026-11-21T09:00:00.000Z\"}]}",
            "{\"class\":\"GST\",\"device\":\"/dev/a\",\"lat\":1.5,\"lon\":2.5,\"alt\":3.5}",
            "{\"class\":\"ERROR\",\"message\":\"no\"}",
            "{\"class\":\"VERSION\",\"release\":\"3.22\",\"proto_major\":3}",
        ].map { Array($0.utf8) }
        let pieces: [[UInt8]] = [
            "{", "}", "[", "]", "\"", "\\", ",", ":", "1e999", "-", "nan", "\"class\":\"TPV\"", "\u{0}",
        ].map { Array($0.utf8) }
        for _ in 0..<6000 {
            var line = seeds[random.below(seeds.count)]
            for _ in 0...random.below(4) {
                let position = random.below(line.count)
                switch random.below(5) {
                case 0: line[position] = UInt8(truncatingIfNeeded: random.next())
                case 1: line.remove(at: position)
                case 2: line.insert(contentsOf: pieces[random.below(pieces.count)], at: position)
                case 3:
                    line.replaceSubrange(
                        position..<min(position + 8, line.count), with: pieces[random.below(pieces.count)])
                default:
                    line.insert(contentsOf: seeds[random.below(seeds.count)].prefix(random.below(60)), at: position)
                }
                if line.isEmpty { line = [0x7B] }
            }
            guard case .tpv(let report) = decoder.decode(line) else { continue }
            #expect((report.latitude == nil) == (report.longitude == nil))
            #expect(report.latitude.map { abs($0) <= 90 } ?? true)
            #expect(report.longitude.map { abs($0) <= 180 } ?? true)
            #expect(report.eph.map { $0 > 0 && $0.isFinite } ?? true)
            #expect(report.track.map { $0 >= 0 && $0 < 360 } ?? true)
        }
        #expect(decoder.malformedLines > 500)
    }
}
