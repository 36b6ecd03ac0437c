// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import LocationEngine

@Suite("Ranging of beacons")
struct RangingTests {
    private var bench = EngineBench()
    private let client: ManagerID
    private let ear: ManagerID

    init() {
        client = bench.greet()
        ear = bench.greet()
        _ = bench.lines(client)
        _ = bench.lines(ear)
    }

    /// Beacon `minor` of UUID A, so many times, `interval` seconds apart.
    private mutating func hear(
        _ minor: UInt16 = 1, major: UInt16 = 1, rssi: Int? = -59, of number: UInt32 = 0xA, times: Int = 1,
        every interval: Double = 0
    ) {
        for _ in 0..<times {
            let beacon = Beacon(uuid: BeaconIdentity.some(number).uuid, major: major, minor: minor)
            bench.handle(.beaconsHeard([BeaconSighting(beacon, rssi: rssi, measuredPower: -59)]))
            bench.advance(by: interval)
        }
    }

    private mutating func listen() {
        bench.ask(ear, .offerBeacons)
        _ = bench.lines(ear)
    }

    private mutating func range(_ number: UInt32 = 0xA, major: UInt16? = nil, minor: UInt16? = nil) {
        var beacons = BeaconIdentity.some(number)
        (beacons.major, beacons.minor) = (major, minor)
        bench.ask(client, .startRangingBeacons(beacons))
    }

    private mutating func found() -> [RangedBeacon] {
        bench.advance(by: 1)
        guard case .ranged(_, let beacons)? = bench.connections[client]?.lines.last?.line else { return [] }
        return beacons
    }

    // MARK: Once a second

    @Test("tells once a second what is heard, and that nothing is, until it ends (H3)")
    mutating func eachSecond() {
        listen()
        range()
        bench.advance(by: 2)
        hear(7)
        bench.advance(by: 1)
        #expect(bench.lines(client) == ["reply running", "ranged", "ranged", "ranged 7 near"])
        bench.ask(client, .stopRangingBeacons(.some(0xA)))
        bench.advance(by: 5)
        #expect(bench.lines(client) == ["reply"])
        #expect(bench.engine.nextWake == nil && bench.violations == [])
    }

    @Test("wakes nobody, and holds nothing of what is heard, while nobody ranges")
    mutating func rest() {
        listen()
        hear(times: 100)
        #expect(bench.engine.nextWake == nil)
        range()
        #expect(found().isEmpty)
    }

    @Test("tells only the beacons that are meant: of a UUID, a major, a minor")
    mutating func constraints() {
        listen()
        range(major: 1, minor: 2)
        range(0xB)
        for (minor, major, number) in [(1, 1, 0xA), (2, 1, 0xA), (2, 2, 0xA), (3, 1, 0xB), (4, 1, 0xC)]
            as [(UInt16, UInt16, UInt32)]
        {
            hear(minor, major: major, of: number)
        }
        bench.advance(by: 1)
        #expect(bench.lines(client).suffix(2) == ["ranged 2 near", "ranged 3 near"])
    }

    @Test("does not make up for seconds in which the device slept")
    mutating func sleep() {
        listen()
        range()
        bench.oversleep(3600)
        bench.advance(by: 1.5)
        #expect(bench.lines(client).count { $0 == "ranged" } <= 3)
    }

    // MARK: How far

    @Test(
        "takes loudness for distance by the published curve (H5)",
        arguments: [
            (-40, 0.0205, BeaconProximity.immediate), (-59, 0.9709, .near), (-70, 1.9304, .near), (-90, 8.4628, .far),
        ])
    mutating func distance(rssi: Int, metres: Double, proximity: BeaconProximity) {
        listen()
        range()
        hear(rssi: rssi)
        let beacon = found().first
        #expect(beacon?.rssi == rssi && beacon?.proximity == proximity)
        #expect(abs((beacon?.accuracy ?? 0) - metres) < 0.001, "\(beacon?.accuracy ?? -1)")
    }

    @Test("leaves out the loudest and the quietest tenth of the last twenty seconds, and what is older")
    mutating func outliers() {
        listen()
        range()
        hear(rssi: -20, times: 5, every: 0.1)
        bench.advance(by: 7)
        hear(rssi: -60, times: 18, every: 0.75)
        hear(rssi: -127)
        hear(rssi: -1)
        #expect(found().first?.rssi == -60)
    }

    @Test("calls a distance unknown after five seconds without the beacon, and the beacon gone after ten")
    mutating func fading() {
        listen()
        range()
        hear()
        bench.advance(by: 12)
        let told = bench.lines(client).dropFirst()
        #expect(
            told.elementsEqual(
                Array(repeating: "ranged 1 near", count: 4) + Array(repeating: "ranged 1 unknown", count: 5)
                    + Array(repeating: "ranged", count: 3)))
    }

    @Test("says -1 m and 0 dBm of a beacon whose radio or whose power says nothing")
    mutating func unknown() {
        listen()
        range()
        hear(rssi: nil)
        #expect(found().map(\.accuracy) == [-1])
        #expect(found().map(\.rssi) == [0])
        bench.handle(
            .beaconsHeard([
                BeaconSighting(
                    Beacon(uuid: BeaconIdentity.some(0xA).uuid, major: 1, minor: 1), rssi: -50, measuredPower: 0)
            ]))
        #expect(found().map(\.proximity) == [.unknown])
    }

    @Test("tells the nearest first and those of unknown distance last, and of many the hundred nearest")
    mutating func order() {
        listen()
        range()
        for minor in 1...300 as ClosedRange<UInt16> { hear(minor, rssi: -30 - Int(minor) % 60) }
        hear(301, rssi: nil)
        hear(302, rssi: -20)
        let beacons = found()
        #expect(beacons.count == 100 && beacons.first?.beacon.minor == 302)
        #expect(zip(beacons, beacons.dropFirst()).allSatisfy { $0.accuracy <= $1.accuracy })
        #expect(beacons.allSatisfy { $0.accuracy >= 0 })
    }

    @Test("knows the 256 beacons that were heard last")
    mutating func bound() {
        listen()
        range()
        range(major: 1, minor: 1)
        hear(1)
        bench.advance(by: 0.5)
        for minor in 2...257 as ClosedRange<UInt16> { hear(minor) }
        bench.advance(by: 0.5)
        #expect(bench.lines(client).last == "ranged")
    }

    // MARK: Who may know

    @Test(
        "is unavailable while nothing hears, says so for each request, and begins by itself when something does (H2, H4)"
    )
    mutating func unavailable() {
        range()
        range()
        bench.advance(by: 3)
        #expect(
            bench.lines(client) == [
                "reply unavailable", "ranging failed 16", "reply unavailable", "ranging failed 16",
            ])
        #expect(bench.engine.nextWake == nil)
        bench.ask(ear, .offerBeacons)
        bench.advance(by: 1)
        #expect(bench.lines(client) == ["ranged"])
        bench.ask(ear, .withdrawBeacons(reason: "Bluetooth is off"))
        bench.advance(by: 3)
        #expect(
            bench.lines(client) == ["ranging failed 16"]
                && bench.engine.report(of: client, at: bench.now).deafness == "Bluetooth is off")
        bench.ask(ear, .offerBeacons)
        bench.advance(by: 1)
        #expect(bench.lines(client) == ["ranged"] && bench.engine.report(of: client, at: bench.now).deafness == nil)
    }

    @Test("tells why nobody hears until the program that said so goes, whoever else does")
    mutating func deafness() {
        let other = bench.greet()
        bench.ask(other, .startRangingBeacons(.some(0xB)))
        bench.ask(ear, .withdrawBeacons(reason: "Bluetooth is off"))
        bench.close(other)
        #expect(bench.engine.report(of: client, at: bench.now).deafness == "Bluetooth is off")
        bench.close(ear)
        #expect(bench.engine.report(of: client, at: bench.now).deafness == nil)
    }

    @Test("waits for consent, ends with it, and needs full accuracy")
    mutating func consent() {
        listen()
        bench.authorize(Authorization(status: .notDetermined))
        _ = bench.lines(client)
        range()
        bench.advance(by: 2)
        #expect(
            bench.lines(client).filter { $0.contains("rang") || $0.contains("reply") } == [
                "reply waitingForAuthorization"
            ])
        let steps: [(Authorization, [String])] = [
            (.always, ["ranged"]),
            (Authorization(status: .authorizedAlways, accuracy: .reduced), ["ranging failed 17"]),
            (.always, ["ranged"]), (.denied, ["ranging failed 1"]),
        ]
        for (authorization, lines) in steps {
            bench.authorize(authorization)
            bench.advance(by: 1)
            #expect(bench.lines(client).filter { $0.contains("rang") } == lines, "\(authorization)")
        }
        range()
        #expect(
            bench.lines(client).filter { $0.contains("rang") || $0.contains("reply") } == [
                "reply denied", "ranging failed 1",
            ])
        #expect(bench.engine.nextWake == nil && bench.violations == [])
    }

    @Test("does not keep the receiver on, and is a use of the location")
    mutating func use() {
        listen()
        range()
        #expect(bench.engine.powerReport(at: bench.now).policy == .off && !bench.isReceiverOn)
        #expect(bench.using == [IdentityID(rawValue: 0)])
        bench.ask(client, .stopRangingBeacons(.some(0xA)))
        #expect(bench.using.isEmpty)
    }

    @Test("takes ten constraints of a connection, and an eleventh only in place of one")
    mutating func limit() {
        listen()
        for number in 1...10 as ClosedRange<UInt32> { range(number) }
        range(3)
        range(11)
        #expect(bench.lines(client).count { $0 == "reply running" } == 11)
        #expect(bench.connections[client]?.lastReply?.refusal == .tooManyConstraints)
        bench.ask(client, .stopRangingBeacons(.some(3)))
        range(11)
        #expect(bench.connections[client]?.lastReply?.refusal == nil)
    }

    // MARK: Who hears

    @Test("tells those who hear what is wanted: at once, with each change, and nothing when nobody is there")
    mutating func wanted() {
        range(0xB)
        bench.ask(ear, .offerBeacons)
        range(0xA, major: 1)
        range(0xA, major: 2)
        #expect(bench.lines(ear) == ["reply", "wanted B", "wanted A B"])
        bench.ask(client, .stopRangingBeacons(.some(0xB)))
        #expect(bench.lines(ear) == ["wanted A"])
        bench.detach(client)
        #expect(
            bench.lines(ear) == ["wanted"]
                && bench.engine.nextWake.map { $0.earliest > bench.now + .seconds(5) } ?? true)
        bench.attach(client)
        #expect(bench.lines(ear) == ["wanted A"])
        bench.close(client)
        #expect(bench.lines(ear) == ["wanted"])
    }

    @Test("tells those who hear once what is wanted, however many apps lose their rights at a time")
    mutating func switchedOff() {
        bench.authorize(.always, app: 1)
        let other = bench.greet(app: 1)
        listen()
        range(0xA)
        bench.ask(other, .startRangingBeacons(.some(0xB)))
        _ = bench.lines(ear)
        bench.handle(.servicesSwitched(false))
        #expect(bench.lines(ear).filter { $0.contains("wanted") } == ["wanted"])
        bench.handle(.servicesSwitched(true))
        #expect(bench.lines(ear).filter { $0.contains("wanted") } == ["wanted A B"])
    }

    @Test("wants any beacon where more than a hundred UUIDs are ranged")
    mutating func any() {
        listen()
        for group in 0...10 as ClosedRange<UInt32> {
            let other = bench.greet()
            for number in 0..<10 as Range<UInt32> {
                bench.ask(other, .startRangingBeacons(.some(group * 10 + number + 1)))
            }
        }
        #expect(bench.lines(ear).last == "wanted any")
    }

    @Test("takes twenty reports at once and ten a second, and none of somebody who does not hear")
    mutating func reports() {
        bench.ask(ear, .reportBeacons([]))
        #expect(bench.connections[ear]?.lastReply?.refusal == .notOffered)
        listen()
        var refusals: [EngineRefusal?] = []
        for _ in 0..<21 {
            bench.ask(ear, .reportBeacons([]))
            refusals.append(bench.connections[ear]?.lastReply?.refusal)
        }
        #expect(refusals.prefix(20).allSatisfy { $0 == nil } && refusals.last == .tooManyReports)
        bench.advance(by: 0.1)
        bench.ask(ear, .reportBeacons([]))
        #expect(bench.connections[ear]?.lastReply?.refusal == nil)
    }

    @Test("fails when the program that hears is gone for good, and not while it may come back")
    mutating func lostEar() {
        listen()
        range()
        _ = bench.lines(client)
        bench.detach(ear)
        bench.advance(by: 2)
        #expect(bench.lines(client) == ["ranged", "ranged"])
        bench.close(ear)
        #expect(bench.lines(client) == ["ranging failed 16"])
    }

    // MARK: Another process

    @Test("goes on in a new process as it was, whoever is opened first")
    mutating func handover() throws {
        listen()
        range(major: 1, minor: 65_535)
        let managers = [client, ear].map { (manager: $0, record: bench.engine.record(of: $0)) }
        for order in [managers, managers.reversed()] {
            var engine = Engine(configuration: bench.configuration, at: bench.now)
            var effects = EffectBuffer()
            let identity = IdentityID(rawValue: 0)
            engine.handle(
                .identityEntered(identity, decided: Authorization.always.consent, policy: Consent(.undecided)),
                at: bench.now, into: &effects)
            engine.handle(.appEntered(AppID(rawValue: 0), AppRecord(identity: identity)), at: bench.now, into: &effects)
            effects.removeAll()
            var kept = KeptClients()
            kept.managers = order
            engine.handle(.clientsKept(kept), at: bench.now, into: &effects)
            #expect(!effects.effects.contains { if case .rangingFailed = $0 { true } else { false } })
            effects.removeAll()
            engine.handle(.woke, at: bench.now + .seconds(1), into: &effects)
            #expect(effects.ranged.map(\.constraint.minor) == [65_535])
        }
    }
}

extension BeaconIdentity {
    /// The beacons of a UUID of this number: A is AAAAAAAA-….
    static func some(_ number: UInt32) -> BeaconIdentity {
        let digits = String(number, radix: 16, uppercase: true)
        let groups = [8, 4, 4, 4, 12].map { String(String(repeating: digits, count: $0).prefix($0)) }
        return BeaconIdentity(uuid: groups.joined(separator: "-"))
    }
}
