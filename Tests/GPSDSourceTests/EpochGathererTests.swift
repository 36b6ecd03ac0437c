// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import LocationModel
import Testing

/// Plays reports at given milliseconds and serves the gatherer's timers in between.
private struct Player {
    var gatherer = EpochGatherer()
    var published: [(milliseconds: Int64, fix: Fix)] = []

    static let day = WallTime(year: 2026, month: 11, day: 21)

    static func report(_ members: String, receiver: Int32 = 0) -> TPVReport {
        var report = TPVReport(receiver: ReceiverID(rawValue: receiver), mode: 3)
        report.latitude = 10
        report.longitude = 20
        report.eph = 19
        for member in members.split(separator: " ") {
            let pair = member.split(separator: "=")
            let value = pair.count == 2 ? Double(pair[1]) : nil
            switch pair[0] {
            case "t": report.time = value.map { WallTime(milliseconds: day.milliseconds + Int64($0 * 1000)) }
            case "mode": report.mode = Int8(value ?? 0)
            case "status": report.status = FixStatus(rawValue: Int8(value ?? 0))
            case "lat": report.latitude = value
            case "alt": report.altMSL = value
            case "hae": report.altHAE = value
            case "speed": report.speed = value
            case "track": report.track = value
            case "eph": report.eph = value
            case "eps": report.eps = value
            case "epd": report.epd = value
            case "noposition":
                report.latitude = nil
                report.longitude = nil
            default: Issue.record("unknown member \(member)")
            }
        }
        return report
    }

    mutating func play(_ report: GPSDReport, at milliseconds: Int64) {
        serveTimers(until: milliseconds)
        let now = BootInstant(nanoseconds: milliseconds * 1_000_000)
        var fixes: [Fix] = []
        let host = WallTime(milliseconds: Self.day.milliseconds + 5_000_000 + milliseconds)
        gatherer.receive(report, at: now, hostTime: host, into: &fixes)
        for fix in fixes { published.append((milliseconds, fix)) }
    }

    mutating func tpv(_ members: String, at milliseconds: Int64, receiver: Int32 = 0) {
        play(.tpv(Self.report(members, receiver: receiver)), at: milliseconds)
    }

    mutating func gst(_ seconds: Double?, at milliseconds: Int64) {
        var report = GSTReport(receiver: ReceiverID(rawValue: 0))
        report.time = seconds.map { WallTime(milliseconds: Self.day.milliseconds + Int64($0 * 1000)) }
        report.latitudeError = 3
        report.longitudeError = 4
        play(.gst(report), at: milliseconds)
    }

    mutating func serveTimers(until milliseconds: Int64) {
        while let deadline = gatherer.nextDeadline, deadline.nanoseconds <= milliseconds * 1_000_000 {
            var fixes: [Fix] = []
            gatherer.expire(at: deadline, into: &fixes)
            for fix in fixes { published.append((deadline.nanoseconds / 1_000_000, fix)) }
        }
    }

    /// `seconds of the epoch@milliseconds of its publication`, `-` for an epoch without time.
    var summary: String {
        published.map { published in
            let seconds = Double(published.fix.location.timestamp.milliseconds - Self.day.milliseconds) / 1000
            return "\(published.fix.hasReceiverTime ? "\(seconds)" : "-")@\(published.milliseconds)"
        }.joined(separator: " ")
    }
}

@Suite("EpochGatherer")
struct EpochGathererTests {
    @Test("a receiver with one report an epoch is published at once, always")
    func singleReports() {
        var player = Player()
        for second in 0..<5 { player.tpv("t=\(second)", at: Int64(second) * 1000) }
        #expect(player.summary == "0.0@0 1.0@1000 2.0@2000 3.0@3000 4.0@4000")
        #expect(player.gatherer.nextDeadline == nil)
    }

    @Test("the first fix does not wait; later epochs wait for the number of reports that the receiver is known for")
    func learnedNumber() {
        var player = Player()
        for second in 0..<3 {
            let start = Int64(second) * 1000
            player.tpv("t=\(second)", at: start)
            player.tpv("t=\(second) speed=2 track=90", at: start + 30)
            player.tpv("t=\(second) alt=500", at: start + 60)
        }
        #expect(player.summary == "0.0@0 1.0@1060 2.0@2060")
        #expect(player.published[0].fix.location.speed == nil)
        #expect(player.published[1].fix.location.speed == 2)
        #expect(player.published[1].fix.location.course == 90)
        #expect(player.published[1].fix.location.altitude == 500)
    }

    @Test("a missing report costs at most 150 ms, and the next time publishes at once")
    func missingReport() {
        var player = Player()
        for second in 0..<2 {
            player.tpv("t=\(second)", at: Int64(second) * 1000)
            player.tpv("t=\(second)", at: Int64(second) * 1000 + 20)
        }
        player.tpv("t=2", at: 2000)
        player.serveTimers(until: 2900)
        player.tpv("t=3", at: 3000)
        player.tpv("t=4", at: 3100)
        #expect(player.summary == "0.0@0 1.0@1020 2.0@2150 3.0@3100")
    }

    @Test("a fast receiver's epochs wait a quarter of its cycle at most")
    func fastReceiver() {
        var player = Player()
        for step in 0..<4 {
            player.tpv("t=\(Double(step) / 5)", at: Int64(step) * 200)
            if step < 3 { player.tpv("t=\(Double(step) / 5)", at: Int64(step) * 200 + 10) }
        }
        player.serveTimers(until: 5000)
        #expect(player.summary == "0.0@0 0.2@210 0.4@410 0.6@650")
    }

    @Test("late reports of a published epoch make no second fix, and are waited for from then on")
    func lateReports() {
        var player = Player()
        player.tpv("t=0", at: 0)
        player.tpv("t=1", at: 1000)
        player.tpv("t=1", at: 1040)
        player.tpv("t=1", at: 1080)
        player.tpv("t=2", at: 2000)
        player.tpv("t=2", at: 2040)
        player.tpv("t=2", at: 2080)
        #expect(player.summary == "0.0@0 1.0@1000 2.0@2080")
    }

    @Test("more reports are no longer waited for after four epochs without them")
    func forgets() {
        var player = Player()
        player.tpv("t=0", at: 0)
        player.tpv("t=0", at: 30)
        for second in 1..<7 { player.tpv("t=\(second)", at: Int64(second) * 1000) }
        player.serveTimers(until: 10_000)
        #expect(player.summary == "0.0@0 1.0@1150 2.0@2150 3.0@3150 4.0@4150 5.0@5000 6.0@6000")
    }

    @Test("a GST that usually follows is waited for and used; one that is missing is not waited for long")
    func gstFollows() {
        var player = Player()
        for second in 0..<2 {
            player.tpv("t=\(second)", at: Int64(second) * 1000)
            player.gst(Double(second), at: Int64(second) * 1000 + 50)
        }
        player.tpv("t=2", at: 2000)
        player.serveTimers(until: 2999)
        #expect(player.summary == "0.0@0 1.0@1050 2.0@2150")
        #expect(player.published.map(\.fix.location.horizontalAccuracy) == [5, 5.3500000000000005, 5])
    }

    @Test("a GST before its epoch's report is used for that epoch only")
    func gstPrecedes() {
        var player = Player()
        player.tpv("t=0", at: 0)
        player.gst(1, at: 990)
        player.tpv("t=1", at: 1000)
        player.tpv("t=2", at: 2000)
        player.serveTimers(until: 3000)
        #expect(player.summary == "0.0@0 1.0@1000 2.0@2150")
        #expect(player.published.map { $0.fix.location.horizontalAccuracy > 5 } == [false, true, false])
    }

    @Test("two receivers do not disturb each other")
    func twoReceivers() {
        var player = Player()
        for second in 0..<3 {
            player.tpv("t=\(second)", at: Int64(second) * 1000, receiver: 0)
            player.tpv("t=\(second)", at: Int64(second) * 1000 + 10, receiver: 1)
            player.tpv("t=\(second) speed=1", at: Int64(second) * 1000 + 20, receiver: 0)
        }
        #expect(player.summary == "0.0@0 0.0@10 1.0@1010 1.0@1020 2.0@2010 2.0@2020")
        #expect(player.published.map(\.fix.receiver.rawValue) == [0, 1, 1, 0, 1, 0])
    }

    @Test("time that steps back or jumps begins a new epoch; a time that returns is a new epoch too")
    func steps() {
        var player = Player()
        let times = ["100", "101", "88", "89", "101", "80000", "102", "101"]
        for (index, time) in times.enumerated() { player.tpv("t=\(time)", at: Int64(index) * 1000) }
        #expect(player.published.count == times.count)
        #expect(player.published.allSatisfy { $0.milliseconds % 1000 == 0 })
    }

    @Test("reports without time join the epoch that is open, or make one of their own with the host's time")
    func anonymous() {
        var player = Player()
        player.tpv("", at: 0)
        player.tpv("", at: 40)
        player.tpv("", at: 1000)
        player.tpv("", at: 1030)
        player.tpv("", at: 2000)
        player.tpv("", at: 2020)
        player.tpv("t=3", at: 3000)
        player.tpv("", at: 3030)
        player.tpv("", at: 4000)
        player.serveTimers(until: 5000)
        #expect(player.summary == "-@0 -@1030 -@2020 3.0@3030 -@4150")
        #expect(
            player.published[0].fix.location.timestamp == WallTime(milliseconds: Player.day.milliseconds + 5_000_000))
        #expect(player.published.map(\.fix.hasReceiverTime) == [false, false, false, true, false])
    }

    @Test("an epoch whose time comes with a later report has that time")
    func timeComesLater() {
        var player = Player()
        for second in 0..<3 {
            player.tpv(second == 0 ? "t=0" : "", at: Int64(second) * 1000)
            player.tpv("t=\(second)", at: Int64(second) * 1000 + 40)
        }
        #expect(player.summary == "0.0@0 1.0@1040 2.0@2040")
    }

    @Test("modes 0 and 1 are no fix, and a mode without a position is none either")
    func noFix() {
        var player = Player()
        player.tpv("t=0 mode=0", at: 0)
        player.tpv("t=1 mode=1", at: 1000)
        player.tpv("t=2 noposition", at: 2000)
        player.serveTimers(until: 9000)
        #expect(player.published.isEmpty)
        player.tpv("t=9", at: 9000)
        #expect(player.summary == "9.0@9000")
    }

    @Test("the first fix after a loss does not wait, however many reports an epoch has")
    func urgentAfterLoss() {
        var player = Player()
        for second in 0..<2 {
            player.tpv("t=\(second)", at: Int64(second) * 1000)
            player.tpv("t=\(second)", at: Int64(second) * 1000 + 30)
        }
        player.tpv("t=2 mode=1", at: 2000)
        player.tpv("t=3", at: 3000)
        player.tpv("t=3", at: 3030)
        player.tpv("t=10", at: 10_000)
        #expect(player.summary == "0.0@0 1.0@1030 3.0@3000 10.0@10000")
    }

    @Test("an unfixed report without time ends the epoch of a fix")
    func noFixWithoutTime() {
        var player = Player()
        player.tpv("t=0", at: 0)
        player.tpv("mode=1", at: 1)
        player.tpv("", at: 2)
        player.tpv("t=1", at: 3)
        #expect(player.summary == "0.0@0 -@2 1.0@3")
    }

    @Test("a fix without altitude has none, even if the receiver repeats an old one")
    func twoDimensional() {
        var player = Player()
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
        var player = Player()
        var report = Player.report("t=0")
        report.latitude = 0
        report.longitude = 0
        player.play(.tpv(report), at: 0)
        #expect(player.published.map(\.fix.location.coordinate) == [Coordinate(latitude: 0, longitude: 0)])
    }

    @Test("a simulated fix says so")
    func simulated() {
        var player = Player()
        player.tpv("t=0 status=8", at: 0)
        player.tpv("t=1", at: 1000)
        #expect(player.published.map(\.fix.location.isSimulatedBySoftware) == [true, false])
    }

    @Test("a course needs speed; errors of speed and course are the receiver's or absent")
    func motion() {
        var player = Player()
        func device(_ driver: String) -> GPSDReport {
            .device(
                DeviceReport(
                    receiver: ReceiverID(rawValue: 0), path: "/dev/a", driver: driver, activated: Player.day))
        }
        player.play(device("NMEA0183"), at: 0)
        player.tpv("t=0 speed=0.4 track=90 eps=0.2 epd=5", at: 0)
        player.tpv("t=1 speed=0.6 track=90 eps=0.2 epd=5", at: 1000)
        player.play(device("u-blox"), at: 1500)
        player.tpv("t=2 speed=0.6 track=90 eps=0.2 epd=5", at: 2000)
        player.tpv("t=3 speed=0.6 track=90 eps=38 epd=5", at: 3000)
        player.tpv("t=4 track=90", at: 4000)
        #expect(player.published.map(\.fix.location.course) == [nil, 90, 90, 90, nil])
        #expect(player.published.map(\.fix.location.speedAccuracy) == [nil, nil, 0.2, nil, nil])
        #expect(player.published.map(\.fix.location.courseAccuracy) == [nil, nil, 5, nil, nil])
    }

    @Test("finish publishes what waits, once")
    func finish() {
        var player = Player()
        for second in 0..<2 {
            player.tpv("t=\(second)", at: Int64(second) * 1000)
            if second == 0 { player.tpv("t=0", at: 20) }
        }
        #expect(player.published.count == 1)
        var fixes: [Fix] = []
        player.gatherer.finish(into: &fixes)
        player.gatherer.finish(into: &fixes)
        #expect(fixes.count == 1)
    }

    @Test("devices come and go by DEVICE, by absence from DEVICES, and return when heard")
    func presence() {
        var player = Player()
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
                activated: activated ? Player.day : nil)
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
        var player = Player()
        func cycle() -> Double? { player.gatherer.receiverStates(paths: [])[0].cycle?.seconds }
        for second in [0.0, 1, 2, 4] { player.tpv("t=\(second)", at: Int64(second * 1000)) }
        #expect(cycle() == 1)
        for step in 1...4 { player.tpv("t=\(4 + Double(step) / 5)", at: 4000 + Int64(step) * 200) }
        #expect(cycle() == 0.2)
    }

    @Test("random streams: as many fixes as runs of one time with a position, in order, for every receiver")
    func againstNaiveCount() {
        var random = SplitMix64(seed: 7)
        for _ in 0..<300 {
            var player = Player()
            var expected: [Int32: [WallTime]] = [:]
            var last: [Int32: WallTime] = [:]
            var hasPosition: [Int32: Bool] = [:]
            var now: Int64 = 0
            for _ in 0..<60 {
                now += Int64(random.below(400))
                let receiver = Int32(random.below(3))
                let mode = random.below(4)
                var report = Player.report("t=\(random.below(4))", receiver: receiver)
                report.mode = Int8(mode)
                if random.below(8) == 0 { report.latitude = nil }
                let time = report.time ?? Player.day
                if last[receiver] != time {
                    last[receiver] = time
                    hasPosition[receiver] = false
                }
                if report.position != nil, hasPosition[receiver] == false {
                    hasPosition[receiver] = true
                    expected[receiver, default: []].append(time)
                }
                player.play(.tpv(report), at: now)
                if random.below(10) == 0 { player.gst(Double(random.below(4)), at: now) }
            }
            player.serveTimers(until: now + 1000)
            for receiver in Int32(0)..<3 {
                let found = player.published.filter { $0.fix.receiver.rawValue == receiver }
                #expect(found.map(\.fix.location.timestamp) == expected[receiver] ?? [])
            }
        }
    }
}
