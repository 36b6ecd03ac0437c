// SPDX-License-Identifier: Apache-2.0
import LivedDays
import LocationEngine
import LocationModel
import LocationTracks
import Testing

extension LivedDay {
    fileprivate init(_ day: PersonalDay, seed: UInt64, _ configuration: EngineConfiguration, _ requests: [Request]) {
        self.init(seconds: day.points.count, StartingReceiver(seed: seed), configuration, requests) { second in
            let point = day.points[second]
            let location = point.measured.map {
                Location(
                    coordinate: $0, horizontalAccuracy: point.accuracy, timestamp: point.time, speed: point.trueSpeed)
            }
            return HeardSky(location: location, hasSignals: point.hasSignals)
        }
    }
}

/// Days of each kind of person, none of which a number was chosen by.
@Suite("Detection over people's days, with the sky gone wherever there is a roof")
struct DetectionDayTests {
    private static let days: [(seed: UInt64, day: PersonalDay)] = PersonalDay.heldOut.prefix(2 * PersonalDay.kinds).map
    {
        ($0, PersonalDay(seed: $0))
    }

    private func score(
        isAlwaysOn: Bool, rounds: Int = 1, _ requests: (PersonalDay) -> [Request],
        _ add: (inout DetectionScore, ToldDay, PersonalDay) -> Void
    ) -> (score: DetectionScore, share: Double) {
        var configuration = EngineConfiguration()
        configuration.power.dutyCycle = !isAlwaysOn
        var score = DetectionScore()
        var (on, all) = (0, 0)
        for (seed, day) in Self.days.prefix(rounds * PersonalDay.kinds) {
            let run = LivedDay(day, seed: seed, configuration, requests(day))
            add(&score, run.told, day)
            on += run.onSeconds
            all += day.points.count
        }
        return (score, Double(on) / Double(all))
    }

    @Test(
        "visits: with every fix, and with a receiver that is on for a sixteenth of the day", arguments: [true, false])
    func visits(isAlwaysOn: Bool) {
        let (score, share) = score(isAlwaysOn: isAlwaysOn, { _ in [.startMonitoringVisits] }) { $0.addVisits($1, $2) }
        #expect(score.stays > 70)
        #expect(score.recall >= (isAlwaysOn ? 0.97 : 0.85), "\(score.recall)")
        #expect(score.precision >= (isAlwaysOn ? 0.98 : 0.95), "\(score.precision)")
        if !isAlwaysOn { #expect(share <= 0.065, "\(share)") }
    }

    @Test("regions: with every fix, and with a receiver that is on for a twelfth of the day", arguments: [true, false])
    func regions(isAlwaysOn: Bool) {
        let (score, share) = score(isAlwaysOn: isAlwaysOn, { $0.circles.map { .startMonitoring($0) } }) {
            $0.addRegions($1, $2)
        }
        #expect(score.crossings > 150)
        #expect(score.crossingRecall >= (isAlwaysOn ? 0.98 : 0.85), "\(score.crossingRecall)")
        #expect(score.falseCrossings <= 20, "\(score.falseCrossings)")
        if !isAlwaysOn { #expect(share <= 0.085, "\(share)") }
    }

    @Test("significant changes: with every fix, and with a receiver that sleeps", arguments: [true, false])
    func significantChanges(isAlwaysOn: Bool) {
        let (score, share) = score(isAlwaysOn: isAlwaysOn, rounds: 2, { _ in [.startSignificant] }) {
            $0.addChanges($1, $2)
        }
        #expect(score.lateMetres.count > 300)
        #expect(score.changesInTime >= (isAlwaysOn ? 0.99 : 0.9), "\(score.changesInTime)")
        if !isAlwaysOn { #expect(share <= 0.06, "\(share)") }
    }
}

@Suite("Away from a rest at once")
struct DepartureTests {
    /// A drive of 13 m/s from a rest of ten minutes, 65 s in a circle of 100 m that is 1.34 km away, and on.
    private static func place(_ seconds: Double) -> Double {
        let driving = max(seconds - 600, 0)
        let arrival = 1_340 / 13.0
        guard driving > arrival else { return driving * 13 }
        return 1_340 + max(driving - arrival - 50, 0) * 13
    }

    @Test(
        "a region that is a kilometre away and left after a minute is entered and left",
        arguments: [0, 20, 40, 60, 80, 100])
    func live(early: Int) {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .startMonitoring(.circle("ahead", at: 1_340)))
        // Wherever in a sleep the departure falls.
        bench.receive(for: 1_200) { Self.place($0 + Double(early)) }
        let lines = (bench.connections[client]?.lines ?? []).map { "\($0.line)" }.filter { $0.contains("event") }
        #expect(lines == ["enter ahead event 1", "exit ahead event 2"])
        #expect(bench.violations == [])
    }
}
