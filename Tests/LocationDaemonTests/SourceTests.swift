// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@testable import LocationDaemon
@testable import LocationServices

/// The example of Documentation/Architecture.md, "To add a source": a beacon that knows its place and tells it when the test says so.
private final class Lighthouse: FixSource {
    var fixReceived: (Fix, BootInstant) -> Void = { _, _ in }
    var noFixReported: (Int, BootInstant) -> Void = { _, _ in }
    var headingReceived: (Heading, BootInstant) -> Void = { _, _ in }
    private let name: String
    private(set) var isWanted = false
    private(set) var hasStarted = false
    private(set) var woken = 0
    var nextWake: WakeWindow?

    init(_ name: String) { self.name = name }

    func start(at now: BootInstant) { hasStarted = true }
    func setDemand(_ isWanted: Bool, at now: BootInstant) { self.isWanted = isWanted }
    func woke(at now: BootInstant) {
        woken += 1
        nextWake = nil
    }
    func receivers(at now: BootInstant) -> [ReceiverStatus] { [ReceiverStatus(path: name, mode: 3)] }
    func path(of receiver: ReceiverID) -> String? { receiver.rawValue == 0 ? name : nil }
    var problem: String { "\(name) is dark" }

    func shine(_ metres: Double, accuracy: Double = 10, _ bench: ServiceBench) {
        let location = Location(
            coordinate: Simulation.home.moved(by: metres, course: 0), horizontalAccuracy: accuracy,
            timestamp: bench.date)
        fixReceived(Fix(receiver: ReceiverID(rawValue: 0), location: location), bench.now)
    }
}

@Suite("Sources of locations")
struct SourceTests {
    private let bench: ServiceBench
    private let first = Lighthouse("north")
    private let second = Lighthouse("south")

    init() throws { bench = try ServiceBench() }

    @Test("are all started, and asked only while a location is wanted")
    func demand() throws {
        let sources = FixSources([first, second], for: bench.service, Configuration().gpsd)
        sources.start(at: bench.now)
        #expect(first.hasStarted && second.hasStarted && !first.isWanted && !second.isWanted)
        let client = bench.connect(uid: 0)
        try client.ask("startUpdatingLocation")
        #expect(first.isWanted && second.isWanted)
        try client.ask("stopUpdatingLocation")
        #expect(!first.isWanted && !second.isWanted)
    }

    @Test("stand behind one service: a client gets what the second tells when the first is silent")
    func locations() throws {
        let sources = FixSources([first, second], for: bench.service, Configuration().gpsd)
        try bench.connect(uid: 0).ask("startUpdatingLocation")
        second.shine(100, bench)
        #expect(bench.service.engine.accepted == 1)
        #expect(sources.receivers(at: bench.now).map(\.preferred) == [false, true])
        bench.advance(seconds: 60)
        first.shine(0, bench)
        #expect(bench.service.engine.accepted == 2)
        #expect(sources.receivers(at: bench.now).map(\.preferred) == [true, false])
    }

    @Test(
        "tell how many satellites they hear: one that told of some and hears none now is switched off before its time")
    func silence() throws {
        let sources = FixSources([first], for: bench.service, Configuration().gpsd)
        sources.start(at: bench.now)
        try bench.connect(uid: 0).ask("startMonitoringSignificantLocationChanges")
        func secondsOn(hearing satellites: Int) -> Int {
            (0..<500).first { _ in
                first.noFixReported(satellites, bench.now)
                bench.advance(seconds: 1)
                return !first.isWanted
            } ?? 500
        }
        let patient = secondsOn(hearing: 5)
        while !first.isWanted { bench.advance(seconds: 1) }
        #expect(patient >= 58 && secondsOn(hearing: 2) < 25)
    }

    @Test("have receivers of their own: of two that count theirs alike one is believed at a time")
    func numbers() throws {
        _ = FixSources([first, second], for: bench.service, Configuration().gpsd)
        try bench.connect(uid: 0).ask("startUpdatingLocation")
        first.shine(0, bench)
        bench.advance(seconds: 1)
        second.shine(5000, bench)
        #expect(bench.service.engine.accepted == 1)
    }

    @Test("are chosen among by the name that the configuration prefers, from the receiver's first location on")
    func preference() throws {
        var configuration = Configuration()
        configuration.gpsd.preferredReceiver = "south"
        let bench = try ServiceBench(configuration)
        let sources = FixSources([first, second], for: bench.service, configuration.gpsd)
        try bench.connect(uid: 0).ask("startUpdatingLocation")
        first.shine(0, accuracy: 2, bench)
        bench.advance(seconds: 1)
        second.shine(1, accuracy: 30, bench)
        #expect(bench.service.engine.accepted == 2)
        #expect(sources.receivers(at: bench.now).map(\.preferred) == [false, true])
    }

    @Test("wake when their own time has come, and nobody else with them")
    func waking() {
        let sources = FixSources([first, second], for: bench.service, Configuration().gpsd)
        #expect(sources.nextWake == nil)
        let due = bench.now + .seconds(5)
        second.nextWake = WakeWindow(earliest: due, latest: due + .seconds(1))
        #expect(sources.nextWake == second.nextWake)
        sources.wakeDue(at: bench.now)
        #expect(second.woken == 0)
        sources.wakeDue(at: due)
        #expect(first.woken == 0 && second.woken == 1 && sources.nextWake == nil)
    }

    @Test("say why there is no location only while there is none")
    func problem() throws {
        _ = FixSources([first, second], for: bench.service, Configuration().gpsd)
        #expect(bench.service.host.receiverProblem() == "north is dark")
    }
}
