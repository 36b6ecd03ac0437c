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
            (second..<second + 100).first { receiver.hears(sky: true, at: $0) }.map { $0 - second }
        }
        #expect(firstFix(from: -100) == nil)
        receiver.power(true, at: 0)
        let cold = firstFix(from: 0) ?? 0
        receiver.power(false, at: 100)
        receiver.power(true, at: 400)
        let hot = firstFix(from: 400) ?? 0
        let isUnderground = !receiver.hears(sky: false, at: 500)
        let back = firstFix(from: 501) ?? 9
        #expect((20...45).contains(cold) && (2...8).contains(hot) && isUnderground && (0...2).contains(back))
        #expect(receiver.onSeconds(at: 600) == 300)
    }
}
