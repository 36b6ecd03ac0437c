// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import LocationModel
import LocationTestSupport
import Testing

@Suite("EpochGatherer")
struct EpochGathererTests {
    @Test("a receiver with one report an epoch is published at once, always")
    func singleReports() {
        var player = EpochPlayer()
        player.seconds(0..<5)
        #expect(player.summary == "0.0@0 1.0@1000 2.0@2000 3.0@3000 4.0@4000")
        #expect(player.gatherer.nextDeadline == nil)
    }

    @Test("the first fix does not wait; later epochs wait for the number of reports that the receiver is known for")
    func learnedNumber() {
        var player = EpochPlayer()
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
        var player = EpochPlayer()
        player.seconds(0..<2, after: [0, 20])
        player.seconds([2])
        player.serveTimers(until: 2900)
        player.tpv("t=3", at: 3000)
        player.tpv("t=4", at: 3100)
        #expect(player.summary == "0.0@0 1.0@1020 2.0@2150 3.0@3100")
    }

    @Test("a fast receiver's epochs wait a quarter of its cycle at most")
    func fastReceiver() {
        var player = EpochPlayer()
        for step in 0..<4 {
            player.tpv("t=\(Double(step) / 5)", at: Int64(step) * 200)
            if step < 3 { player.tpv("t=\(Double(step) / 5)", at: Int64(step) * 200 + 10) }
        }
        player.serveTimers(until: 5000)
        #expect(player.summary == "0.0@0 0.2@210 0.4@410 0.6@650")
    }

    @Test("late reports of a published epoch make no second fix, and are waited for from then on")
    func lateReports() {
        var player = EpochPlayer()
        player.seconds([0])
        player.seconds(1..<3, after: [0, 40, 80])
        #expect(player.summary == "0.0@0 1.0@1000 2.0@2080")
    }

    @Test("a time that is told again a cycle later is an epoch again, for whoever takes it; within the cycle it is not")
    func standingClock() {
        var player = EpochPlayer()
        player.seconds(0..<3)
        for milliseconds in [2900, 3000, 3999, 4000] as [Int64] { player.tpv("t=2", at: milliseconds) }
        player.seconds([6])
        player.serveTimers(until: 7000)
        // Two reports were one epoch, so that a second one is waited for.
        #expect(player.summary == "0.0@0 1.0@1000 2.0@2000 2.0@3150 2.0@4150 6.0@6150")
    }

    @Test("more reports are no longer waited for after four epochs without them")
    func forgets() {
        var player = EpochPlayer()
        player.seconds([0], after: [0, 30])
        player.seconds(1..<7)
        player.serveTimers(until: 10_000)
        #expect(player.summary == "0.0@0 1.0@1150 2.0@2150 3.0@3150 4.0@4150 5.0@5000 6.0@6000")
    }

    @Test("a GST that usually follows is waited for and used; one that is missing is not waited for long")
    func gstFollows() {
        var player = EpochPlayer()
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
        var player = EpochPlayer()
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
        var player = EpochPlayer()
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
        var player = EpochPlayer()
        let times = ["100", "101", "88", "89", "101", "80000", "102", "101"]
        for (index, time) in times.enumerated() { player.tpv("t=\(time)", at: Int64(index) * 1000) }
        #expect(player.published.count == times.count)
        #expect(player.published.allSatisfy { $0.milliseconds % 1000 == 0 })
    }

    @Test("reports without time join the epoch that is open, or make one of their own with the host's time")
    func anonymous() {
        var player = EpochPlayer()
        for milliseconds in [0, 40, 1000, 1030, 2000, 2020] as [Int64] { player.tpv("", at: milliseconds) }
        player.tpv("t=3", at: 3000)
        player.tpv("", at: 3030)
        player.tpv("", at: 4000)
        player.serveTimers(until: 5000)
        #expect(player.summary == "-@0 -@1030 -@2020 3.0@3030 -@4150")
        let hostTime = WallTime(milliseconds: EpochPlayer.day.milliseconds + 5_000_000)
        #expect(player.published[0].fix.location.timestamp == hostTime)
        #expect(player.published.map(\.fix.hasReceiverTime) == [false, false, false, true, false])
    }

    @Test("an epoch whose time comes with a later report has that time")
    func timeComesLater() {
        var player = EpochPlayer()
        for second in 0..<3 {
            player.tpv(second == 0 ? "t=0" : "", at: Int64(second) * 1000)
            player.tpv("t=\(second)", at: Int64(second) * 1000 + 40)
        }
        #expect(player.summary == "0.0@0 1.0@1040 2.0@2040")
    }

    @Test("modes 0 and 1 are no fix, and a mode without a position is none either")
    func noFix() {
        var player = EpochPlayer()
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
        var player = EpochPlayer()
        player.seconds(0..<2, after: [0, 30])
        player.tpv("t=2 mode=1", at: 2000)
        player.seconds([3], after: [0, 30])
        player.seconds([10])
        #expect(player.summary == "0.0@0 1.0@1030 3.0@3000 10.0@10000")
    }

    @Test("an unfixed report without time ends the epoch of a fix")
    func noFixWithoutTime() {
        var player = EpochPlayer()
        player.tpv("t=0", at: 0)
        player.tpv("mode=1", at: 1)
        player.tpv("", at: 2)
        player.tpv("t=1", at: 3)
        #expect(player.summary == "0.0@0 -@2 1.0@3")
    }

    @Test("finish publishes what waits, once")
    func finish() {
        var player = EpochPlayer()
        player.seconds([0], after: [0, 20])
        player.seconds([1])
        #expect(player.published.count == 1)
        var fixes: [Fix] = []
        player.gatherer.finish(into: &fixes)
        player.gatherer.finish(into: &fixes)
        #expect(fixes.count == 1)
    }

    @Test("random streams: as many fixes as runs of one time with a position, in order, for every receiver")
    func againstNaiveCount() {
        var random = SplitMix64()
        for _ in 0..<300 {
            var player = EpochPlayer()
            var expected: [Int32: [WallTime]] = [:]
            var last: [Int32: WallTime] = [:]
            var hasPosition: [Int32: Bool] = [:]
            var began: [Int32: Int64] = [:]
            var now: Int64 = 0
            for _ in 0..<60 {
                now += Int64(random.below(400))
                let receiver = Int32(random.below(3))
                let mode = random.below(4)
                var report = EpochPlayer.report("t=\(random.below(4))", receiver: receiver)
                report.mode = Int8(mode)
                if random.below(8) == 0 { report.latitude = nil }
                // A run of a cycle or longer is more than one epoch, and no cycle here is shorter than a second.
                if now - began[receiver, default: 0] >= 1000, report.time == last[receiver] {
                    report.time = WallTime(milliseconds: EpochPlayer.day.milliseconds + 9000 + now)
                }
                let time = report.time ?? EpochPlayer.day
                if last[receiver] != time {
                    last[receiver] = time
                    began[receiver] = now
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
