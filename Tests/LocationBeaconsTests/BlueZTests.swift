// SPDX-License-Identifier: Apache-2.0
import Glibc
import LocationClient
import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

private func beacon(_ minor: Int, rssi: Int = -59, on adapter: String = "hci0") -> String {
    "beacon \(adapter) \(minor) \(Ranger.uuid) 7 \(minor) -59 \(rssi)"
}

/// No radio was there: BlueZ is python-dbusmock's.
@Suite("locationd-beacons and BlueZ", .blocking, .enabled(if: Air.isPossible, Comment(rawValue: Air.reason)))
struct BlueZTests {
    @Test func `a beacon that BlueZ hears is told to who ranges it, and BlueZ listens no longer than somebody does`()
        throws
    {
        let air = try Air()
        try air.tell("add_adapter hci0")
        let ranger = try Ranger(air)
        try air.wait(for: "true", to: "discovers hci0")
        try air.tell(beacon(3, rssi: -65))
        let near = try ranger.wait("the beacon is near") { $0.first?.beacon.minor == 3 }
        #expect(near.first?.rssi == -65 && near.first?.proximity == .near)
        try air.tell("again hci0 3 -65")
        try ranger.stop()
        try air.wait(for: "false", to: "discovers hci0")
    }

    @Test func `nothing listens before somebody ranges`() throws {
        let air = try Air()
        try air.tell("add_adapter hci0")
        try waitUntil("locationd-beacons offers beacons") { try air.connection().hello().capabilities.ranging }
        #expect(try air.tell("discovers hci0") == "false")
    }

    @Test func `where BlueZ has advertisement monitors it gets one, and no discovery`() throws {
        let air = try Air(monitors: true)
        try air.tell("add_adapter hci0")
        let ranger = try Ranger(air)
        try air.wait(for: "1", to: "calls hci0 RegisterMonitor")
        #expect(try air.tell("discovers hci0") == "false")
        try air.tell(beacon(4))
        try ranger.wait("the beacon is there") { $0.first?.beacon.minor == 4 }
        try ranger.stop()
        try air.wait(for: "1", to: "calls hci0 UnregisterMonitor")
    }

    @Test func `a region is entered without anybody ranging, and BlueZ tells of its beacon only every five seconds`()
        throws
    {
        let air = try Air(monitors: true)
        try air.tell("add_adapter hci0")
        let app = try air.connection()
        _ = try app.hello()
        let beacons = BeaconIdentity(uuid: Ranger.uuid, major: 7)
        _ = try app.startMonitoring(Region(identifier: "desk", shape: .beacon(beacons)))
        try air.wait(for: "1", to: "calls hci0 RegisterMonitor")
        #expect(try air.tell("sampling hci0") == "50")
        // Near at the start is no entry: what is asked for is the state.
        _ = try app.requestState("desk")
        try air.tell(beacon(4))
        let deadline = LocationConnection.now + .seconds(patience)
        var states: [RegionState] = []
        while states.last != .inside, case .notification(let received) = try app.nextNotification(by: deadline) {
            if case .didDetermineState(_, let state) = received.notification { states.append(state) }
        }
        #expect(states == [.unknown, .inside])
        let ranger = try Ranger(air)
        try air.wait(for: "2", to: "calls hci0 RegisterMonitor")
        #expect(try air.tell("sampling hci0") == "0")
        try ranger.stop()
        try air.wait(for: "3", to: "calls hci0 RegisterMonitor")
        #expect(try air.tell("sampling hci0") == "50")
        #expect(try air.tell("discovers hci0") == "false", "to release what it is told to let go of is no refusal")
        try app.stopMonitoring("desk")
        try air.wait(for: "3", to: "calls hci0 UnregisterMonitor")
    }

    @Test(arguments: [true, false])
    func `what hears nothing is begun again while that lasts`(hasMonitors: Bool) throws {
        let air = try Air(monitors: hasMonitors, patience: 1)
        try air.tell("add_adapter hci0")
        let ranger = try Ranger(air)
        let what = hasMonitors ? "its monitor" : "discovery"
        try air.waitUntilSaid("hci0 has heard nothing at all for 1 s: \(what) is begun again")
        try air.wait(for: "2", to: "calls hci0 \(hasMonitors ? "RegisterMonitor" : "StartDiscovery")")
        try air.tell(beacon(5))
        try ranger.wait("the beacon is there") { $0.first?.beacon.minor == 5 }
        try air.waitUntilSaid("hci0 hears again")
    }

    @Test func `nobody else's word is taken for BlueZ's`() throws {
        let air = try Air()
        try air.tell("add_adapter hci0")
        let ranger = try Ranger(air)
        try air.wait(for: "true", to: "discovers hci0")
        try air.tell("forge \(Ranger.uuid) 1 66")
        try air.tell(beacon(7))
        var heard: [Int] = []
        try ranger.wait("the true one is there") { beacons in
            heard = beacons.map { Int($0.beacon.minor) }
            return heard.contains(7)
        }
        #expect(heard == [7])
    }

    @Test func `without the bus it can do nothing, and says so`() throws {
        let air = try Air()
        try air.tell("add_adapter hci0")
        let ranger = try Ranger(air)
        try air.wait(for: "true", to: "discovers hci0")
        withExtendedLifetime(ranger) { air.endBus() }
        #expect(try air.ears.waitForExit() == .exited(1))
        #expect(air.ears.standardError.contains("cannot go on: the system bus is gone"))
    }

    @Test func `many beacons are told with the nearest first, weak ones last`() throws {
        let air = try Air()
        try air.tell("add_adapter hci0")
        let ranger = try Ranger(air)
        try air.wait(for: "true", to: "discovers hci0")
        for minor in 1...40 { try air.tell(beacon(minor, rssi: minor == 17 ? -45 : -70 - minor / 2)) }
        try air.tell(beacon(41, rssi: -127))
        let beacons = try ranger.wait("all are there") { $0.count == 41 }
        #expect(beacons.first?.beacon.minor == 17 && beacons.last?.beacon.minor == 41)
        #expect(beacons.last?.proximity == .far)
    }

    @Test func `two adapters listen both, and one goes on when the other is off or pulled out`() throws {
        let air = try Air()
        for adapter in ["hci0", "hci1"] { try air.tell("add_adapter \(adapter)") }
        let ranger = try Ranger(air)
        for adapter in ["hci0", "hci1"] { try air.wait(for: "true", to: "discovers \(adapter)") }
        try air.tell(beacon(1, on: "hci0"))
        try air.tell(beacon(2, on: "hci1"))
        try ranger.wait("both are there") { $0.count == 2 }
        try air.tell("remove_adapter hci0")
        try air.tell(beacon(3, on: "hci1"))
        try ranger.wait("the third is there") { beacons in beacons.contains { $0.beacon.minor == 3 } }
        try air.tell("power hci1 off")
        #expect(try ranger.waitForFailure().code == .rangingUnavailable)
        try air.tell("power hci1 on")
        try air.tell(beacon(4, on: "hci1"))
        try ranger.wait("the fourth is there") { beacons in beacons.contains { $0.beacon.minor == 4 } }
    }

    @Test func `BlueZ may come, go and come back`() throws {
        let air = try Air(isBlueZThere: false)
        let ranger = try Ranger(air)
        #expect(try ranger.waitForFailure().code == .rangingUnavailable)
        for minor in [1, 2] {
            try air.tell("arrive")
            try air.tell("add_adapter hci0")
            try air.wait(for: "true", to: "discovers hci0")
            try air.tell(beacon(minor))
            try ranger.wait("beacon \(minor) is there") { beacons in beacons.contains { Int($0.beacon.minor) == minor }
            }
            try air.tell("leave")
            #expect(try ranger.waitForFailure().code == .rangingUnavailable)
        }
    }

    @Test func `locationd may crash, and learns anew that beacons are heard`() throws {
        let air = try Air()
        try air.tell("add_adapter hci0")
        let first = try Ranger(air)
        try air.wait(for: "true", to: "discovers hci0")
        try withExtendedLifetime(first) { try air.restartDaemon() }
        let ranger = try Ranger(air)
        try air.wait(for: "true", to: "discovers hci0")
        try air.tell(beacon(6))
        try ranger.wait("the beacon is there") { beacons in
            // The adapter listens on meanwhile: nothing is told of a beacon that sent before it was wanted again.
            if beacons.isEmpty { _ = try? air.tell("again hci0 6 -59") }
            return beacons.first?.beacon.minor == 6
        }
    }

    @Test func `it ends in order: who ranges is told at once`() throws {
        let air = try Air()
        try air.tell("add_adapter hci0")
        let ranger = try Ranger(air)
        try air.wait(for: "true", to: "discovers hci0")
        air.ears.terminate(SIGTERM)
        let failure = try ranger.waitForFailure()
        #expect(failure.code == .rangingUnavailable)
        #expect(try air.ears.waitForExit() == .exited(0))
        try air.wait(for: "false", to: "discovers hci0")
    }
}
