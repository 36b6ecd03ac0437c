// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import LocationModel
import Testing

@Suite("What EpochGatherer tells of fixes and receivers")
struct GathererContentTests {
    @Test("a fix without altitude has none, even if the receiver repeats an old one")
    func twoDimensional() {
        var player = EpochPlayer()
        player.tpv("t=0 mode=2 alt=300 hae=350", at: 0)
        player.tpv("t=1 mode=3 alt=300 hae=350", at: 1000)
        #expect(player.published[0].fix.mode == 2)
        #expect(player.published[0].fix.location.altitude == nil)
        #expect(player.published[0].fix.location.ellipsoidalAltitude == nil)
        #expect(player.published[0].fix.location.verticalAccuracy == nil)
        #expect(player.published[1].fix.location.altitude == 300)
        #expect(player.published[1].fix.location.ellipsoidalAltitude == 350)
        #expect(player.published[1].fix.location.verticalAccuracy == 7.5)
    }

    @Test("the exact origin is a place")
    func origin() {
        var player = EpochPlayer()
        var report = EpochPlayer.report("t=0")
        report.latitude = 0
        report.longitude = 0
        player.play(.tpv(report), at: 0)
        #expect(player.published.map(\.fix.location.coordinate) == [Coordinate(latitude: 0, longitude: 0)])
    }

    @Test(
        "an epoch with a place that there is not is told once, as a fix that nobody takes for one",
        arguments: ["91.0,2.0", "-90.1,2.0", "1.0,180.5", "1.0,-1e300", "1e999,2.0"])
    func impossible(place: String) {
        var player = EpochPlayer()
        let decoder = GPSDDecoder()
        func play(_ members: String, at second: Int) {
            let line = #"{"class":"TPV","device":"/dev/a","time":"2026-11-21T10:00:0\#(second).000Z",\#(members)}"#
            guard let report = decoder.decode(Array(line.utf8)) else { return }
            player.play(report, at: Int64(second) * 1000)
        }
        let numbers = place.split(separator: ",")
        let members = "\"lat\":\(numbers[0]),\"lon\":\(numbers[1])"
        play("\"mode\":3,\"lat\":1.0,\"lon\":2.0", at: 0)
        for _ in 0..<3 { play("\"mode\":3,\(members)", at: 1) }
        // Whoever claims no fix, or names no place, claims nothing that is impossible.
        for absent in ["\"mode\":1,\(members)", "\"mode\":3", "\"mode\":3,\"lat\":1.0", "\"mode\":-1"] {
            play(absent, at: 2)
        }
        play("\"mode\":7,\"lat\":1.0,\"lon\":2.0", at: 3)
        play("\"mode\":3,\"lat\":1.0,\"lon\":2.0", at: 4)
        #expect(player.published.map(\.milliseconds) == [0, 1000, 3000, 4000])
        #expect(player.published.map(\.fix.location.isPlausible) == [true, false, false, true])
        #expect(player.gatherer.receiverStates(paths: []).first?.lastFix == BootInstant(nanoseconds: 4_000_000_000))
    }

    @Test("a simulated fix says so")
    func simulated() {
        var player = EpochPlayer()
        player.tpv("t=0 status=8", at: 0)
        player.tpv("t=1", at: 1000)
        #expect(player.published.map(\.fix.location.isSimulatedBySoftware) == [true, false])
    }

    @Test("a course needs speed; errors of speed and course are the receiver's or estimated")
    func motion() {
        var player = EpochPlayer()
        func device(_ driver: String) -> GPSDReport {
            .device(
                DeviceReport(
                    receiver: ReceiverID(rawValue: 0), path: "/dev/a", driver: driver, activated: EpochPlayer.day))
        }
        player.play(device("NMEA0183"), at: 0)
        player.tpv("t=0 speed=0.4 track=90 eps=0.2 epd=5", at: 0)
        player.tpv("t=1 speed=0.6 track=90 eps=0.2 epd=5", at: 1000)
        player.play(device("u-blox"), at: 1500)
        player.tpv("t=2 speed=0.6 track=90 eps=0.2 epd=5", at: 2000)
        player.tpv("t=3 speed=0.6 track=90 eps=38 epd=5", at: 3000)
        player.tpv("t=4 track=90", at: 4000)
        #expect(player.published.map(\.fix.location.course) == [nil, 90, 90, 90, nil])
        #expect(player.published.map(\.fix.location.speedAccuracy) == [0.3, 0.3, 0.2, 0.3, nil])
        #expect(player.published.map { $0.fix.location.courseAccuracy?.rounded() } == [nil, 27, 5, 27, nil])
    }

    @Test("a course that is hardly known is none, be its error the receiver's or estimated")
    func uselessCourse() {
        var player = EpochPlayer()
        player.play(
            .device(
                DeviceReport(
                    receiver: ReceiverID(rawValue: 0), path: "/dev/a", driver: "u-blox", activated: EpochPlayer.day)),
            at: 0)
        player.tpv("t=0 speed=0.6 track=90 eps=0.2 epd=59", at: 0)
        player.tpv("t=1 speed=0.6 track=90 eps=0.2 epd=61", at: 1000)
        player.tpv("t=2 speed=0.6 track=90 eps=1.5", at: 2000)
        #expect(player.published.map(\.fix.location.course) == [90, nil, nil])
        #expect(player.published.map(\.fix.location.courseAccuracy) == [59, nil, nil])
        #expect(player.published.map(\.fix.location.speed) == [0.6, 0.6, 0.6])
    }

    @Test("devices come and go by DEVICE, by absence from DEVICES, and return when heard")
    func presence() {
        var player = EpochPlayer()
        func changes() -> [String] {
            var words: [String] = []
            player.gatherer.takePresenceChanges { changes in
                words = changes.map { "\($0.isPresent ? "+" : "-")\($0.receiver.rawValue)" }
            }
            return words
        }
        func device(_ number: Int32, activated: Bool = true) -> DeviceReport {
            DeviceReport(
                receiver: ReceiverID(rawValue: number), path: "/dev/\(number)", driver: "SiRF",
                activated: activated ? EpochPlayer.day : nil)
        }
        player.play(.devices([device(0), device(1, activated: false)]), at: 0)
        #expect(changes() == ["+0", "+1"])
        player.play(.device(device(0, activated: false)), at: 10)
        #expect(changes() == ["-0"])
        player.tpv("t=1", at: 1000)
        #expect(changes() == ["+0"])
        player.play(.devices([device(1)]), at: 1200)
        #expect(changes() == ["-0"])
        let states = player.gatherer.receiverStates(paths: ["/dev/0", "/dev/1"])
        #expect(states.map(\.isPresent) == [false, true])
        #expect(states.map(\.path) == ["/dev/0", "/dev/1"])
        #expect(states.map(\.driver) == ["SiRF", "SiRF"])
        #expect(states[0].mode == 3)
    }

    @Test("the cycle is measured; one lost epoch does not change it, a new rate does")
    func cycle() {
        var player = EpochPlayer()
        func cycle() -> Double? { player.gatherer.receiverStates(paths: [])[0].cycle?.seconds }
        for second in [0.0, 1, 2, 4] { player.tpv("t=\(second)", at: Int64(second * 1000)) }
        #expect(cycle() == 1)
        for step in 1...4 { player.tpv("t=\(4 + Double(step) / 5)", at: 4000 + Int64(step) * 200) }
        #expect(cycle() == 0.2)
    }
}
