// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import BeaconSource

private let uuid = "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0"
private let hci0 = "/org/bluez/hci0"
private let hci1 = "/org/bluez/hci1"
private let wanted = WantedBeacons(uuids: [uuid])

/// Manufacturer data of beacon `minor` of `uuid`, group 1, of -59 dBm.
private func data(_ minor: UInt8 = 2) -> [UInt8] {
    [
        0x02, 0x15, 0xE2, 0xC5, 0x6D, 0xB5, 0xDF, 0xFB, 0x48, 0xD2, 0xB0, 0x60, 0xD0, 0xF5, 0xA7, 0x10, 0x96, 0xE0, 0,
        1,
        0, minor, 0xC5,
    ]
}

private func moment(_ seconds: Double) -> BootInstant { BootInstant(nanoseconds: 0) + .seconds(1000 + seconds) }

@Suite("An advertisement of a beacon")
struct BeaconAdvertisementTests {
    @Test("has UUID, major, minor and the power at one metre, as bytes in this order")
    func fields() {
        let read = BeaconAdvertisement(manufacturerData: data(255))
        #expect(read?.beacon == Beacon(uuid: uuid, major: 1, minor: 255) && read?.measuredPower == -59)
    }

    @Test("is none with another kind, or with a byte too few or too many")
    func others() {
        #expect(BeaconAdvertisement(manufacturerData: []) == nil)
        #expect(BeaconAdvertisement(manufacturerData: data().dropLast()) == nil)
        #expect(BeaconAdvertisement(manufacturerData: data() + [0]) == nil)
        #expect(BeaconAdvertisement(manufacturerData: [0x10] + data().dropFirst()) == nil)
        #expect(BeaconAdvertisement(manufacturerData: [0x02, 0x16] + data().dropFirst(2)) == nil)
    }
}

@Suite("The scanner of beacons")
struct BeaconScannerTests {
    private var scanner = BeaconScanner(patience: .seconds(60), reportLimit: 100)

    /// Listens on hci0 by discovery, or by a monitor.
    private mutating func listen(monitors: Bool = false) {
        _ = scanner.blueZCame()
        _ = scanner.adapterCame(hci0, isPowered: true, monitors: monitors)
        _ = scanner.want(wanted, at: moment(0))
        _ = scanner.answered(hci0, error: nil, at: moment(0))
    }

    // MARK: Whether anything can be heard

    @Test("says why nothing can be heard, once for each reason, and when something can")
    mutating func obstacles() {
        #expect(scanner.connected() == [.withdraw(reason: "BlueZ is not running")])
        #expect(scanner.blueZCame() == [.withdraw(reason: "there is no Bluetooth adapter")])
        #expect(
            scanner.adapterCame(hci0, isPowered: false, monitors: false) == [.withdraw(reason: "Bluetooth is off")])
        #expect(scanner.adapterChanged(hci0, isPowered: true) == [.offer])
        #expect(scanner.adapterCame(hci1, isPowered: false, monitors: false) == [])
        #expect(scanner.adapterWent(hci0) == [.withdraw(reason: "Bluetooth is off")])
        #expect(scanner.connected() == [.withdraw(reason: "Bluetooth is off")])
    }

    // MARK: Listening

    @Test("listens only while something is wanted, by a monitor where there is one")
    mutating func demand() {
        _ = scanner.blueZCame()
        #expect(scanner.adapterCame(hci0, isPowered: true, monitors: true) == [.offer])
        #expect(scanner.adapterCame(hci1, isPowered: true, monitors: false) == [])
        #expect(scanner.nextWake == nil)
        #expect(scanner.want(wanted, at: moment(0)) == [.startMonitor(adapter: hci0), .startDiscovery(adapter: hci1)])
        #expect(scanner.want(WantedBeacons(any: true), at: moment(0)) == [])
        #expect(scanner.want(WantedBeacons(), at: moment(1)) == [])
        #expect(scanner.nextWake?.earliest == moment(6))
        #expect(scanner.woke(at: moment(6)) == [.stopMonitor(adapter: hci0), .stopDiscovery(adapter: hci1)])
        #expect(scanner.nextWake == nil)
    }

    @Test(
        "switches no radio for who wants beacons, wants none and wants them again, until five seconds after the last; but when it ends"
    )
    mutating func grace() {
        listen(monitors: true)
        for second in 0..<10 {
            #expect(scanner.want(WantedBeacons(), at: moment(Double(second))) == [])
            #expect(scanner.want(wanted, at: moment(Double(second) + 0.5)) == [])
        }
        #expect(scanner.want(WantedBeacons(), at: moment(10)) == [])
        #expect(scanner.woke(at: moment(14.9)) == [])
        #expect(scanner.woke(at: moment(15)) == [.stopMonitor(adapter: hci0)])
        _ = scanner.want(wanted, at: moment(20))
        #expect(scanner.end() == [.stopMonitor(adapter: hci0)] && scanner.nextWake == nil)
    }

    @Test("listens seldom while beacons are only monitored, and begins its monitors again when that changes")
    mutating func pace() {
        let monitored = WantedBeacons(uuids: [uuid], onlyMonitored: true)
        _ = scanner.blueZCame()
        _ = scanner.adapterCame(hci0, isPowered: true, monitors: true)
        _ = scanner.adapterCame(hci1, isPowered: true, monitors: false)
        #expect(
            scanner.want(monitored, at: moment(0)) == [
                .startMonitor(adapter: hci0, isSparse: true), .startDiscovery(adapter: hci1),
            ])
        for adapter in [hci0, hci1] { _ = scanner.answered(adapter, error: nil, at: moment(0)) }
        #expect(scanner.want(wanted, at: moment(0)) == [.stopMonitor(adapter: hci0), .startMonitor(adapter: hci0)])
        _ = scanner.answered(hci0, error: nil, at: moment(1))
        #expect(scanner.want(monitored, at: moment(2)) == [] && scanner.want(wanted, at: moment(3)) == [])
        #expect(scanner.want(monitored, at: moment(4)) == [])
        #expect(
            scanner.woke(at: moment(9)) == [
                .stopMonitor(adapter: hci0), .startMonitor(adapter: hci0, isSparse: true),
            ])
    }

    @Test("reports a beacon that is only monitored at once, and then every five seconds as long as it is heard")
    mutating func seldom() {
        listen()
        _ = scanner.want(WantedBeacons(uuids: [uuid], onlyMonitored: true), at: moment(0))
        var reports: [Double] = []
        for step in 0..<60 {
            let now = Double(step) / 4
            if let wake = scanner.nextWake, wake.earliest <= moment(now), !scanner.woke(at: moment(now)).isEmpty {
                reports.append(now)
            }
            if now < 12 { _ = scanner.heard(hci0 + "/dev_1", data: data(), rssi: -60, at: moment(now)) }
            if now == 2 { _ = scanner.heard(hci0 + "/dev_2", data: data(3), rssi: -60, at: moment(now)) }
        }
        #expect(reports == [0.5, 2.5, 7.5, 12.5])
    }

    @Test("begins on an adapter that comes or is switched on, and forgets all when BlueZ goes")
    mutating func adapters() {
        #expect(scanner.blueZCame() == [.withdraw(reason: "there is no Bluetooth adapter")])
        #expect(scanner.want(wanted, at: moment(0)) == [])
        #expect(
            scanner.adapterCame(hci0, isPowered: true, monitors: false) == [.startDiscovery(adapter: hci0), .offer])
        #expect(scanner.adapterChanged(hci0, isPowered: false) == [.withdraw(reason: "Bluetooth is off")])
        #expect(scanner.adapterChanged(hci0, isPowered: true) == [.startDiscovery(adapter: hci0), .offer])
        #expect(scanner.blueZWent() == [.withdraw(reason: "BlueZ is not running")])
        #expect(scanner.knownAdapters.isEmpty)
        #expect(scanner.blueZCame() == [.withdraw(reason: "there is no Bluetooth adapter")])
        #expect(
            scanner.adapterCame(hci0, isPowered: true, monitors: false) == [.startDiscovery(adapter: hci0), .offer])
    }

    @Test("takes its monitor back when the power goes, which BlueZ would refuse when it is there again")
    mutating func monitorWithoutPower() {
        _ = scanner.blueZCame()
        _ = scanner.adapterCame(hci0, isPowered: true, monitors: true)
        _ = scanner.want(wanted, at: moment(0))
        _ = scanner.answered(hci0, error: nil, at: moment(0))
        #expect(
            scanner.adapterChanged(hci0, isPowered: false)
                == [.stopMonitor(adapter: hci0), .withdraw(reason: "Bluetooth is off")])
        #expect(scanner.adapterChanged(hci0, isPowered: true) == [.startMonitor(adapter: hci0), .offer])
    }

    @Test("takes discovery where BlueZ refuses a monitor or lets go of it")
    mutating func refusedMonitor() {
        _ = scanner.blueZCame()
        for adapter in [hci0, hci1] { _ = scanner.adapterCame(adapter, isPowered: true, monitors: true) }
        _ = scanner.want(wanted, at: moment(0))
        let refused = scanner.answered(hci0, error: "no", at: moment(0))
        #expect(
            refused == [
                .say("hci0 listens by discovery from now on: BlueZ refuses a monitor (no)"),
                .startDiscovery(adapter: hci0),
            ])
        _ = scanner.answered(hci1, error: nil, at: moment(0))
        #expect(scanner.monitorReleased(hci1).last == .startDiscovery(adapter: hci1))
        #expect(scanner.monitorReleased(hci1) == [])
    }

    @Test("tries again what BlueZ refuses, later each time and a minute apart at most, and says it once")
    mutating func refusedDiscovery() {
        _ = scanner.blueZCame()
        _ = scanner.adapterCame(hci0, isPowered: true, monitors: false)
        _ = scanner.want(wanted, at: moment(0))
        var (now, waits, said) = (0.0, [Double](), [BeaconScanner.Command]())
        for _ in 0..<9 {
            said += scanner.answered(hci0, error: "busy", at: moment(now))
            guard let wake = scanner.nextWake else { break }
            waits.append((wake.earliest - moment(now)).seconds)
            now += waits[waits.count - 1]
            #expect(scanner.woke(at: moment(now)) == [.startDiscovery(adapter: hci0)])
        }
        #expect(waits == [1, 2, 4, 8, 16, 32, 60, 60, 60])
        // That nothing listens must not be taken for silence.
        #expect(
            said == [
                .say("cannot listen on hci0, and goes on trying: busy"), .withdraw(reason: "BlueZ refuses to listen"),
            ])
        #expect(scanner.answered(hci0, error: nil, at: moment(now)) == [.offer])
    }

    // MARK: Stalls

    @Test(
        "begins discovery again when nothing is heard, after twice the time each time, says it once, and that it hears again"
    )
    mutating func stall() {
        listen()
        var (now, waits, said) = (0.0, [Double](), 0)
        for _ in 0..<7 {
            guard let wake = scanner.nextWake else { break }
            waits.append((wake.earliest - moment(now)).seconds)
            now += waits[waits.count - 1]
            let commands = scanner.woke(at: moment(now))
            #expect(commands.suffix(2) == [.stopDiscovery(adapter: hci0), .startDiscovery(adapter: hci0)])
            said += commands.count - 2
            _ = scanner.answered(hci0, error: nil, at: moment(now))
        }
        #expect(waits == [60, 120, 240, 480, 960, 1800, 1800] && said == 1)
        // Of anybody, not only of beacons.
        #expect(scanner.heard(hci0 + "/dev_1", data: nil, rssi: -90, at: moment(now + 1)) == [.say("hci0 hears again")])
        #expect(scanner.nextWake?.earliest == moment(now + 61))
    }

    @Test("begins a monitor again that hears nothing, and keeps it")
    mutating func silentMonitor() {
        listen(monitors: true)
        #expect(
            scanner.woke(at: moment(60)) == [
                .say("hci0 has heard nothing at all for 60 s: its monitor is begun again, and again while that lasts"),
                .stopMonitor(adapter: hci0), .startMonitor(adapter: hci0),
            ])
        _ = scanner.answered(hci0, error: nil, at: moment(60))
        #expect(scanner.nextWake?.earliest == moment(180))
    }

    // MARK: Sightings

    @Test("makes one sighting of what it heard of a beacon in half a second, as loud as it was on average")
    mutating func gathers() {
        listen()
        _ = scanner.heard(hci0 + "/dev_1", data: data(2), rssi: -60, at: moment(1))
        _ = scanner.heard(hci0 + "/dev_1", data: nil, rssi: -63, at: moment(1.1))
        _ = scanner.heard(hci0 + "/dev_2", data: data(3), rssi: 127, at: moment(1.2))
        _ = scanner.heard(hci0 + "/dev_3", data: [1, 2, 3], rssi: -40, at: moment(1.2))
        #expect(scanner.nextWake?.earliest == moment(1.5))
        guard case .report(let sightings)? = scanner.woke(at: moment(1.5)).first else {
            Issue.record("nothing is reported")
            return
        }
        #expect(sightings.map(\.beacon.minor) == [2, 3])
        #expect(sightings.map(\.rssi) == [-62, nil] && sightings.map(\.measuredPower) == [-59, -59])
        #expect(zip(sightings.map(\.age), [0.4, 0.3]).allSatisfy { abs($0 - $1) < 1e-6 })
        #expect(scanner.woke(at: moment(2)) == [])
    }

    @Test("knows a beacon that told its data while nobody wanted it and adapters still listened")
    mutating func dataInGrace() {
        listen()
        _ = scanner.want(WantedBeacons(), at: moment(0))
        _ = scanner.heard(hci0 + "/dev_1", data: data(1), rssi: -60, at: moment(1))
        #expect(scanner.woke(at: moment(2)) == [])
        _ = scanner.want(wanted, at: moment(2))
        _ = scanner.heard(hci0 + "/dev_1", data: nil, rssi: -62, at: moment(3))
        guard case .report(let sightings)? = scanner.woke(at: moment(3.6)).first else { return #expect(Bool(false)) }
        #expect(sightings.map(\.beacon.minor) == [1])
    }

    @Test("reports what is wanted and nothing else, and nothing that BlueZ only remembers")
    mutating func onlyWanted() {
        listen()
        scanner.remembered(hci0 + "/dev_1", data: data(1))
        _ = scanner.want(WantedBeacons(uuids: ["00000000-0000-0000-0000-000000000000"]), at: moment(0))
        _ = scanner.heard(hci0 + "/dev_1", data: nil, rssi: -60, at: moment(1))
        #expect(scanner.woke(at: moment(2)) == [])
        _ = scanner.want(WantedBeacons(any: true), at: moment(0))
        _ = scanner.heard(hci0 + "/dev_1", data: nil, rssi: -60, at: moment(3))
        #expect(scanner.woke(at: moment(3.5)).count == 1)
        scanner.deviceWent(hci0 + "/dev_1")
        _ = scanner.heard(hci0 + "/dev_1", data: nil, rssi: -60, at: moment(4))
        #expect(scanner.woke(at: moment(5)) == [])
    }

    @Test("holds no more than 256 beacons of half a second, and reports at most a hundred at once")
    mutating func bound() {
        listen()
        for number in 0..<1000 {
            var bytes = data(UInt8(number % 256))
            bytes[19] = UInt8(number / 256)
            _ = scanner.heard(hci0 + "/dev_\(number)", data: bytes, rssi: -60, at: moment(1))
        }
        let reports = scanner.woke(at: moment(1.5)).compactMap {
            if case .report(let all) = $0 { all.count } else { nil }
        }
        #expect(reports == [100, 100, 56])
    }
}
