// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import Testing

@testable import LocationEngine

@Suite("Visits: holes in the data, restarts")
struct VisitHoleTests {
    @Test("a place that is found after a hole has an unknown arrival; after a sleep it has the first fix's")
    func arrivalInHole() {
        for (hole, arrival) in [(1200.0, "?"), (600.0, "690")] {
            var bench = StayBench()
            bench.drive(1000)
            bench.pass(hole)
            bench.travel(metres: 5000, seconds: 0)
            bench.stand(900)
            #expect(bench.lines.count == 1)
            #expect(bench.lines.first?.hasSuffix("arrived \(arrival) at 6000") == true, "\(bench.lines)")
        }
    }

    @Test("who is seen on the way after a hole has a known arrival again")
    func arrivalAfterHole() {
        var bench = StayBench()
        bench.drive(1000)
        bench.pass(7200)
        bench.drive(1000)
        bench.stand(900)
        #expect(bench.lines == ["7660 arrived 7360 at 2000"])
    }

    @Test("a departure in a hole has the date of the last fix before it", arguments: [600.0, 3600, 20_000])
    func departureInHole(hole: Double) {
        var bench = StayBench()
        bench.drive(1000)
        bench.stand(900)
        bench.pass(hole)
        bench.travel(metres: 5000, seconds: 0)
        bench.drive(2000)
        #expect(bench.lines.count == 2)
        #expect(bench.lines.last?.contains("stayed 80 to 980 at") == true)
    }

    @Test("a building without a sky between two fixes at its door is part of the stay")
    func lostIndoors() {
        var bench = StayBench()
        bench.drive(1000)
        bench.stand(30)
        bench.pass(3 * 3600)
        bench.stand(60)
        bench.drive(1000)
        #expect(bench.lines == ["10920 arrived 80 at 1000", "11050 stayed 80 to 10980 at 1000"])
    }

    @Test("after half a day without a fix the stay has ended with the last one, and the next has an unknown arrival")
    func longAbsence() {
        var bench = StayBench()
        bench.drive(1000)
        bench.stand(900)
        bench.pass(13 * 3600)
        bench.stand(900)
        #expect(
            bench.lines == ["380 arrived 80 at 1000", "47790 stayed 80 to 980 at 1000", "48090 arrived ? at 1000"])
    }

    @Test("where only a sleep may be bridged, an hour without a fix ends the stay")
    func strict() {
        var bench = StayBench()
        bench.settings.longestAbsence = bench.settings.longestSleep
        bench.drive(1000)
        bench.stand(900)
        bench.pass(3600)
        bench.stand(900)
        #expect(bench.lines.map { $0.contains("?") } == [false, false, true])
    }

    @Test("a restart at any fix of a stay loses nothing and tells nothing twice", arguments: [false, true])
    func restart(isReboot: Bool) {
        for seconds in stride(from: 310.0, through: 900, by: 10) {
            var bench = StayBench()
            bench.drive(1000)
            bench.stand(seconds)
            bench.restart(isReboot: isReboot)
            bench.stand(900 - seconds)
            bench.drive(1000)
            #expect(bench.lines == ["380 arrived 80 at 1000", "1060 stayed 80 to 990 at 1000"], "after \(seconds) s")
        }
    }

    @Test(
        "who was carried away while the daemon was down departed with the last fix before",
        arguments: [60.0, 3600, 86_400])
    func movedWhileDown(seconds: Double) {
        var bench = StayBench()
        bench.drive(1000)
        bench.stand(900)
        bench.pass(seconds)
        bench.restart(isReboot: true)
        bench.travel(metres: 9000, seconds: 0)
        bench.stand(900)
        let arrival = seconds < 900 ? "\(980 + Int(seconds) + 10)" : "?"
        #expect(bench.lines.count == 3)
        #expect(bench.lines[1].hasSuffix("stayed 80 to 980 at 1000"))
        #expect(bench.lines[2].hasSuffix("arrived \(arrival) at 10000"), "\(bench.lines)")
    }

    @Test(
        "who walks in where there is no sky, and is seen again near by, stayed from the last fix to the last vain search"
    )
    func underRoof() {
        var bench = StayBench()
        bench.walk(1000)
        bench.search(1300)
        bench.travel(metres: 150, seconds: 0)
        bench.walk(1000)
        #expect(bench.lines == ["2110 arrived 800 at 1000", "2110 stayed 800 to 2100 at 1000"])
    }

    @Test("who drives in and is missed within 400 m stayed somewhat ahead of the last fix")
    func driveUnderRoof() {
        var bench = StayBench()
        bench.drive(5000)
        bench.search(1300, first: 24)
        bench.travel(metres: 200, seconds: 0)
        bench.walk(1000)
        #expect(bench.lines == ["1710 arrived 400 at 5120", "1710 stayed 400 to 1684 at 5120"])
    }

    @Test("two roofs one after the other are two stays, although hardly anything is seen between them")
    func roofAfterRoof() {
        var bench = StayBench()
        bench.walk(1000)
        bench.stand(400)
        bench.search(1300)
        bench.travel(metres: 350, seconds: 0)
        bench.stand(10)
        bench.search(1300)
        bench.travel(metres: 200, seconds: 0)
        bench.walk(1000)
        #expect(bench.lines.count == 4, "\(bench.lines)")
        #expect(bench.lines.suffix(2) == ["3820 arrived 2510 at 1350", "3820 stayed 2510 to 3810 at 1350"])
    }

    @Test(
        "a hole that nobody searched, one of minutes, a drive into it, or a train under the ground is no stay",
        arguments: ["unsearched", "short", "drive", "train"])
    func noRoof(kind: String) {
        var bench = StayBench()
        if kind == "drive" { bench.drive(5000) } else { bench.walk(1000) }
        switch kind {
        case "unsearched": bench.pass(1300)
        case "short": bench.search(400)
        default: bench.search(1300)
        }
        bench.travel(metres: kind == "train" ? 6000 : 200, seconds: 0)
        bench.walk(1000)
        #expect(bench.lines == [])
    }

    @Test("arrivals and departures take turns, and no date was invented, whatever comes", .tellsSeed)
    func properties() {
        var random = SplitMix64()
        for round in 0..<60 {
            var bench = StayBench()
            for _ in 0..<Int.random(in: 5...25, using: &random) {
                bench.interval = [1, 7, 30, 120][Int.random(in: 0..<4, using: &random)]
                switch Int.random(in: 0..<5, using: &random) {
                case 0: bench.walk(random.uniform(-800...800))
                case 1: bench.drive(random.uniform(-5000...5000))
                case 2: bench.stand(random.uniform(0...2000))
                case 3: bench.pass(random.uniform(0...60_000))
                default:
                    bench.pass(1)
                    bench.fix(offset: random.uniform(0...400), accuracy: random.uniform(3...400))
                }
                if random.chance(0.1) { bench.restart(isReboot: random.chance(0.5)) }
            }
            for (index, entry) in bench.visits.enumerated() {
                let visit = entry.visit
                #expect((visit.departure != nil) == (index % 2 == 1), "round \(round)")
                #expect(visit.horizontalAccuracy > 0 && visit.coordinate.isValid)
                let told = [visit.arrival, visit.departure].compactMap { $0 }.map { Int(StayBench.seconds($0)) }
                #expect(told.allSatisfy(bench.fixTimes.contains))
                #expect(told == told.sorted())
                if index % 2 == 1 { #expect(visit.arrival == bench.visits[index - 1].visit.arrival) }
            }
        }
    }
}
