// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import Testing

@Suite("Power of the receiver")
struct ReceiverPowerTests {
    @Test("without demand the receiver is off and nothing wakes the process")
    func off() {
        var bench = EngineBench()
        let client = bench.open()
        #expect(bench.engine.nextWake == nil)
        for (on, off) in [
            (Request.start, Request.stop), (.startSignificant, .stopSignificant), (.requestLocation, .stop),
        ] {
            bench.advance(by: 6)
            bench.ask(client, on)
            #expect(bench.isReceiverOn)
            bench.travel(3)
            bench.ask(client, off)
            #expect(!bench.isReceiverOn)
            #expect(bench.engine.nextWake == nil)
            #expect(bench.engine.powerReport(at: bench.now) == .off)
        }
        #expect(bench.violations == [])
    }

    @Test("unauthorized services need no receiver")
    func unauthorized() {
        var bench = EngineBench(authorization: .undetermined)
        let client = bench.open()
        bench.ask(client, .start)
        bench.ask(client, .startSignificant)
        #expect(!bench.isReceiverOn)
        #expect(bench.engine.nextWake == nil)
        #expect(bench.engine.receiverUsers.isEmpty)
        bench.authorize(.always)
        #expect(bench.isReceiverOn)
        #expect(bench.engine.receiverUsers.count == 2)
        bench.authorize(.denied)
        #expect(!bench.isReceiverOn)
        #expect(bench.engine.nextWake == nil)
    }

    @Test(
        "the most demanding wish decides",
        arguments: [
            (DesiredAccuracy.best, PowerPolicy.fullRate), (.bestForNavigation, .fullRate),
            (.nearestTenMeters, .fullRate),
            (.meters(99), .fullRate), (.hundredMeters, .dutyCycled), (.kilometer, .dutyCycled),
            (.threeKilometers, .dutyCycled), (.reduced, .dutyCycled),
        ])
    func policies(accuracy: DesiredAccuracy, policy: PowerPolicy) {
        var bench = EngineBench()
        let (coarse, client) = (bench.open(), bench.open())
        bench.ask(coarse, .startSignificant)
        bench.ask(client, .properties(accuracy: accuracy, pauses: false))
        bench.ask(client, .start)
        #expect(bench.engine.powerReport(at: bench.now).policy == policy)
        bench.ask(coarse, .requestLocation)
        #expect(bench.engine.powerReport(at: bench.now).policy == .fullRate)
        bench.ask(coarse, .stop)
        #expect(bench.engine.powerReport(at: bench.now).policy == policy)
    }

    @Test func `the time that the receiver was on is that between its switches, and goes on while it is on`() {
        var bench = EngineBench()
        let client = bench.open()
        #expect(bench.engine.powerReport(at: bench.now).onTime == .zero)
        bench.ask(client, .properties(accuracy: .kilometer, pauses: false))
        bench.ask(client, .start)
        for _ in 0..<5 {
            bench.receive(for: 700) { _ in 0 }
            #expect(bench.engine.powerReport(at: bench.now).onTime.seconds == bench.onSeconds)
        }
        #expect(bench.onSeconds > 0 && bench.onSeconds < 600)
        bench.ask(client, .stop)
        bench.ask(client, .properties(accuracy: .best, pauses: false))
        bench.ask(client, .start)
        bench.travel(10)
        #expect(bench.isReceiverOn)
        #expect(bench.engine.powerReport(at: bench.now).onTime.seconds == bench.onSeconds)
    }

    @Test("an app with reduced accuracy does not keep the receiver on")
    func reduced() {
        var bench = EngineBench(authorization: .reduced)
        let client = bench.open()
        bench.ask(client, .properties(pauses: false))
        bench.ask(client, .start)
        bench.receive(for: 3600) { _ in 0 }
        #expect(bench.onSeconds < 120)
        #expect(bench.sequences(client).count == 4)
        #expect(bench.violations == [])
    }

    @Test(
        "coarse accuracies sleep between fixes",
        arguments: [
            (DesiredAccuracy.hundredMeters, 10), (.kilometer, 30), (.threeKilometers, 60),
        ])
    func coarse(accuracy: DesiredAccuracy, sleep: Int) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .properties(accuracy: accuracy, pauses: false))
        bench.ask(client, .start)
        bench.receive(for: 3600) { _ in 0 }
        let cycle = sleep + 3
        #expect(abs(bench.sequences(client).count - 3600 / cycle) <= 3600 / cycle / 8 + 1)
        #expect(bench.violations == [])
    }

    @Test("without duty cycling every demand is full rate")
    func noDutyCycle() {
        var bench = EngineBench(.with(\.power.dutyCycle, false))
        let client = bench.open()
        bench.ask(client, .startSignificant)
        bench.receive(for: 600) { _ in 0 }
        #expect(bench.powerSwitches.count == 1)
        #expect(bench.engine.powerReport(at: bench.now).policy == .fullRate)
    }

    @Test(
        "significant change over a parked night has the receiver off most of the time",
        arguments: EngineBench.WakeMoment.allCases)
    func parkedNight(wake: EngineBench.WakeMoment) {
        var bench = EngineBench()
        bench.wakeMoment = wake
        let client = bench.open()
        bench.ask(client, .startSignificant)
        _ = bench.lines(client)
        bench.receive(for: 8 * 3600) { seconds in seconds.truncatingRemainder(dividingBy: 7) }
        #expect(bench.lines(client) == ["significantChange 1"])
        #expect(bench.onSeconds < 8 * 3600 * 0.06)
        #expect(bench.violations == [])
    }

    @Test("significant change over a drive comes in time though the receiver sleeps", arguments: [8.0, 14, 33])
    func drive(speed: Double) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .startSignificant)
        _ = bench.lines(client)
        bench.receive(for: 600) { _ in 0 }
        let departure = bench.now
        bench.receive(for: 3600) { seconds in seconds * speed }
        let events = bench.moments(of: .significantChange, to: client).filter { $0 > departure }
        // 300 s between events, and not much more: the way of a second threshold, and the sleep's slack.
        let slack = 1000 / min(speed, 14) + 60
        #expect(Double(events.count) >= 3600 / (300 + slack))
        for (earlier, later) in zip(events, events.dropFirst()) {
            #expect(later - earlier >= .seconds(300))
            #expect((later - earlier).seconds <= 300 + slack)
        }
        #expect(bench.onSeconds < 4200 * 0.25)
        #expect(bench.violations == [])
    }

    @Test("where there is no sky the receiver is not kept searching")
    func noSky() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .startSignificant)
        _ = bench.lines(client)
        bench.advance(by: 8 * 3600)
        #expect(bench.onSeconds < 8 * 3600 * 0.2)
        #expect(bench.lines(client) == ["fail 0 significantChange"])
        #expect(bench.violations == [])
    }

    @Test("a roof over a resting device costs a twentieth of the time, and what comes after it is seen within minutes")
    func roof() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .startSignificant)
        bench.receive(for: 3600) { _ in 0 }
        let before = bench.onSeconds
        bench.advance(by: 6000)
        #expect(bench.onSeconds - before < 6000 * 0.06)
        _ = bench.lines(client)
        bench.receive(for: 320) { _ in 600 }
        #expect(bench.lines(client).count == 1)
        #expect(bench.violations == [])
    }

    @Test(
        "regions round a resting device do not keep the receiver on, near their borders neither", arguments: [0.0, 60])
    func restingInRegion(metres: Double) {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .startMonitoring(.circle("here", at: metres)))
        bench.receive(for: 8 * 3600) { _ in 0 }
        #expect(bench.onSeconds < 8 * 3600 * 0.07)
        #expect(bench.violations == [])
    }

    @Test("a border that was just crossed keeps the receiver on while it has fixes, and not for an hour under a roof")
    func roofBehindBorder() {
        var bench = EngineBench()
        let client = bench.greet()
        bench.ask(client, .startMonitoring(.circle("ahead", at: 500)))
        bench.ask(client, .start)
        bench.travel(46)
        bench.ask(client, .stop)
        #expect(bench.isReceiverOn)
        let before = bench.onSeconds
        bench.advance(by: 3600)
        // Searches are long, because no start was ever seen that says how long a fix takes.
        #expect(bench.onSeconds - before < 3600 * 0.15)
        bench.receive(for: 400) { _ in 500 }
        let events = (bench.connections[client]?.lines ?? []).map { "\($0.line)" }.filter { $0.contains("event") }
        #expect(events == ["enter ahead event 1"])
        #expect(bench.violations == [])
    }

    @Test("a device that was fast is looked at sooner while it stands at a light than one that walked")
    func light() throws {
        func sleep(after speed: Double) throws -> Double {
            var bench = EngineBench()
            let client = bench.greet()
            bench.ask(client, .startMonitoring(.circle("far", at: 60 * speed + 2100)))
            bench.ask(client, .start)
            for second in 1...60 {
                bench.advance(by: 1)
                bench.fix(at: Double(second) * speed, speed: speed)
            }
            bench.travel(20, from: 60 * speed, metres: 0)
            bench.ask(client, .stop)
            return try #require(bench.engine.powerReport(at: bench.now).nextOn).seconds
        }
        let (fast, slow) = (try sleep(after: 20), try sleep(after: 1.5))
        // 2000 m at 20 m/s that have hardly faded, and 15 s beyond the border.
        #expect(fast <= 2000 / 19 + 15)
        #expect(slow > 1.4 * fast)
    }

    @Test(
        "for significant changes who came by car is looked at sooner than who came on foot, under a roof too",
        arguments: [(1.2, 120.0...140, 900.0), (12, 60...85, 120)])
    func cameByCar(speed: Double, resting: ClosedRange<Double>, blind: Double) {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .startSignificant)
        bench.receive(for: 900) { $0 * speed }
        bench.receive(for: 1_200) { _ in 900 * speed }
        #expect(resting.contains(bench.lastSleep), "\(bench.lastSleep)")
        bench.advance(by: 5_000)
        #expect(abs(bench.lastSleep - blind) < 1, "\(bench.lastSleep)")
    }

    @Test(
        "a device at rest is not looked at sooner than the shortest sleep lasts, nor than the fastest has come far enough",
        arguments: [(150, 500, 150), (10, 8_000, 8_000 / 40)] as [(Double, Double, Double)])
    func atRest(minimum: Double, distance: Double, sleep: Double) {
        var configuration = EngineConfiguration()
        configuration.power.minimumSleep = .seconds(minimum)
        configuration.significantChange.distance = distance
        var bench = EngineBench(configuration)
        let client = bench.open()
        bench.ask(client, .startSignificant)
        bench.receive(for: 3_600) { _ in 0 }
        #expect(abs(bench.lastSleep - sleep) < 1, "\(bench.lastSleep)")
    }

    @Test("who moves is looked at before a significant change could be late by half of its distance")
    func underWay() throws {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .startSignificant)
        bench.ask(client, .start)
        bench.travel(310, metres: 1)
        bench.ask(client, .stop)
        let sleep = try #require(bench.engine.powerReport(at: bench.now).nextOn).seconds
        #expect(abs(sleep - (191 + 250) / 12) < 1, "\(sleep)")
    }

    @Test(
        "who is far enough for a significant change is looked at when the interval ends",
        arguments: [(250, 47.0), (292, 10)])
    func untilTheInterval(second: Int, sleep: Double) throws {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .startSignificant)
        bench.ask(client, .start)
        bench.travel(second, metres: 3)
        bench.ask(client, .stop)
        let report = bench.engine.powerReport(at: bench.now)
        let next = try #require(report.nextOn).seconds
        #expect(report.policy == .dutyCycled && abs(next - sleep) <= 1, "\(next)")
    }

    @Test func `a receiver that has its fixes at once tells a significant change when the interval ends`() throws {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .startSignificant)
        bench.ask(client, .start)
        bench.travel(250, metres: 3)
        bench.ask(client, .stop)
        for second in 250..<320 {
            bench.advance(by: 1)
            if bench.isReceiverOn { bench.fix(at: Double(second) * 3) }
        }
        let told = bench.moments(of: .significantChange, to: client)
        #expect(told.count == 2 && (300...301).contains((told[1] - told[0]).seconds), "\(told)")
        #expect(!bench.isReceiverOn)
    }

    @Test func `a poor first fix keeps the receiver on for some seconds, though nothing comes after it`() {
        var bench = EngineBench()
        bench.ask(bench.greet(), .startMonitoring(.circle("far", at: 5_000)))
        bench.advance(by: 3)
        bench.fix(at: 0, accuracy: 80)
        #expect(bench.isReceiverOn)
        bench.advance(by: 10)
        #expect(!bench.isReceiverOn)
    }

    @Test("a precise service ends the sleep, and the receiver sleeps again when it ends")
    func sleepInterrupted() {
        var bench = EngineBench()
        let (coarse, precise) = (bench.open(), bench.open())
        bench.ask(coarse, .startSignificant)
        bench.receive(for: 60) { _ in 0 }
        #expect(!bench.isReceiverOn)
        bench.ask(precise, .start)
        #expect(bench.isReceiverOn)
        bench.receive(for: 60) { _ in 0 }
        bench.ask(precise, .stop)
        #expect(!bench.isReceiverOn)
        #expect(bench.engine.nextWake != nil)
        #expect(bench.violations == [])
    }

    @Test("a wish for more frequent fixes shortens the sleep under way")
    func sleepShortened() {
        var bench = EngineBench()
        let (rare, frequent) = (bench.open(), bench.open())
        bench.ask(rare, .startSignificant)
        bench.receive(for: 60) { _ in 0 }
        #expect(!bench.isReceiverOn)
        bench.ask(frequent, .properties(accuracy: .hundredMeters))
        bench.ask(frequent, .start)
        bench.receive(for: 20) { _ in 0 }
        #expect(!bench.sequences(frequent).isEmpty)
        #expect(bench.violations == [])
    }

    @Test("while nothing is due, full rate wakes nobody between fixes")
    func noNeedlessWake() {
        var bench = EngineBench()
        let client = bench.open()
        bench.ask(client, .start)
        bench.travel(1)
        bench.ask(client, .allow(metres: 1e6, seconds: 1e6))
        bench.travel(600)
        #expect(bench.wakeUps == 0)
    }
}

extension PowerReport {
    fileprivate static func == (report: PowerReport, policy: PowerPolicy) -> Bool {
        report.policy == policy && !report.isOn && report.nextOn == nil
    }
}

extension EngineBench {
    /// How long the receiver was on.
    var onSeconds: Double {
        var sum = 0.0
        var since: BootInstant?
        for change in powerSwitches {
            if let since, !change.isOn { sum += (change.at - since).seconds }
            since = change.isOn ? change.at : nil
        }
        return sum + (since.map { (now - $0).seconds } ?? 0)
    }

    /// The newest sleep that is over, seconds.
    fileprivate var lastSleep: Double {
        let sleeps = zip(powerSwitches, powerSwitches.dropFirst()).filter { !$0.0.isOn && $0.1.isOn }
        return sleeps.last.map { ($1.at - $0.at).seconds } ?? 0
    }

    fileprivate func moments(of source: LocationSource, to manager: ManagerID) -> [BootInstant] {
        (connections[manager]?.lines ?? []).compactMap { entry in
            if case .locations(_, let delivery) = entry.line, delivery.source == source { entry.at } else { nil }
        }
    }
}
