// SPDX-License-Identifier: Apache-2.0
import LivedDays
import LocationModel
import Testing

@Suite("Days of people")
struct PersonalDayTests {
    @Test("have holes of seconds to most of an hour, most of the time under roofs, and are the same for the same seed")
    func holes() {
        var holes: [Int] = []
        for seed in PersonalDay.heldOut.prefix(4) {
            let day = PersonalDay(seed: seed)
            #expect(day.points == PersonalDay(seed: seed).points)
            #expect(day.points.count > 3 * 3_600)
            #expect(day.circles.count >= 4)
            var length = 0
            for point in day.points {
                guard point.measured != nil else {
                    length += 1
                    continue
                }
                if length > 0 { holes.append(length) }
                length = 0
            }
        }
        #expect(holes.contains { $0 < 30 })
        #expect(holes.contains { $0 > 1_200 })
        #expect(holes.count { (300...900).contains($0) } > 4)
    }

    @Test("the seeds that numbers were chosen by judge none")
    func seeds() { #expect(!PersonalDay.tuning.overlaps(PersonalDay.heldOut)) }

    @Test("a receiver needs half a minute for its first fix, some seconds for the next, and a moment after a tunnel")
    func starts() {
        var receiver = StartingReceiver(seed: 1)
        func firstFix(from second: Int) -> Int? {
            (second..<second + 100).first { receiver.report(hasSky: true, hasSignals: true, at: $0) == .fix }.map {
                $0 - second
            }
        }
        #expect(firstFix(from: -100) == nil)
        receiver.power(true, at: 0)
        let cold = firstFix(from: 0) ?? 0
        receiver.power(false, at: 100)
        receiver.power(true, at: 400)
        let hot = firstFix(from: 400) ?? 0
        let isUnderground = receiver.report(hasSky: false, hasSignals: true, at: 500) == .noFix(satellites: 5)
        let back = firstFix(from: 501) ?? 9
        #expect((20...45).contains(cold) && (2...8).contains(hot) && isUnderground && (0...2).contains(back))
        #expect(receiver.onSeconds(at: 600) == 300)
    }

    @Test(
        "a receiver hears satellites within three seconds, in few starts as late as its fix, and none without a signal")
    func signals() {
        var receiver = StartingReceiver(seed: 1)
        var late = 0
        for start in stride(from: 0, to: 100_000, by: 100) {
            receiver.power(true, at: start)
            let reports = (start..<start + 50).map { receiver.report(hasSky: true, hasSignals: true, at: $0) }
            let heard = reports.firstIndex { $0 != .noFix(satellites: 0) } ?? 99
            if start > 0, heard > 2 { late += 1 }
            #expect(reports[heard] == .noFix(satellites: 5) || reports[heard] == .fix && (heard > 2 || start == 0))
            receiver.power(false, at: start + 50)
        }
        #expect((20...80).contains(late))
        receiver.power(true, at: 200_000)
        let silent = (200_000..<200_100).map { receiver.report(hasSky: false, hasSignals: false, at: $0) }
        #expect(silent.allSatisfy { $0 == .noFix(satellites: 0) })
    }
}
