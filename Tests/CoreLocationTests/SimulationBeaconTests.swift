// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import CoreLocationSimulation
import Foundation
import LocationModel
import LocationProtocol
import Testing

@Suite("Beacons in a simulation")
struct SimulationBeaconTests {
    private let simulation = CLSimulation(authorization: .authorizedWhenInUse)
    private let uuid = UUID()

    private func heard(_ app: SessionRecorder) -> [String] {
        app.told.compactMap { notification in
            switch notification {
            case .didRangeBeacons(let beacons, _):
                beacons.map { "\($0.beacon.minor) \($0.proximity.rawValue)" }.joined(separator: ", ")
            case .rangingDidFail(_, let error): "failure \(error.code.rawValue)"
            default: nil
            }
        }
    }

    @Test("are heard when they are fed, told when the clock moves on, and unavailable without Bluetooth")
    func beacons() async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startRangingBeacons(BeaconIdentity(uuid: uuid.uuidString, major: 1)))
        await simulation.feedBeacon(uuid: uuid, major: 1, minor: 7, rssi: -80)
        await simulation.feedBeacon(uuid: uuid, major: 1, minor: 8, rssi: -30)
        await simulation.feedBeacon(uuid: uuid, major: 2, minor: 9)
        await simulation.advance(by: 2)
        #expect(heard(app) == ["8 immediate, 7 far", "8 immediate, 7 far"])
        await simulation.loseBluetooth()
        await simulation.feedBeacon(uuid: uuid, major: 1, minor: 7)
        await simulation.advance(by: 5)
        #expect(heard(app).dropFirst(2) == ["failure 16"])
        await simulation.restoreBluetooth()
        await simulation.advance(by: 1)
        #expect(heard(app).dropFirst(3) == [""])
        #expect(!simulation.isReceiverOn)
    }

    @Test("are monitored: near, gone after thirty seconds, not without Bluetooth, and over a restart")
    func monitoring() async {
        let simulation = CLSimulation(authorization: .authorizedAlways)
        let app = await simulation.run { SessionRecorder() }
        let region = Region(identifier: "desk", shape: .beacon(BeaconIdentity(uuid: uuid.uuidString, major: 1)))
        func told() -> [String] {
            app.told.compactMap { notification in
                switch notification {
                case .didEnterRegion(let crossing): crossing.location == nil ? "in" : "in by a fix"
                case .didExitRegion: "out"
                case .didDetermineState(_, let state): "\(state)"
                default: nil
                }
            }
        }
        app.perform(.startMonitoring(region))
        await simulation.advance(by: 32)
        await simulation.feedBeacon(uuid: uuid, major: 1, minor: 7)
        #expect(told() == ["in", "inside"])
        await simulation.loseBluetooth()
        await simulation.advance(by: 60)
        app.perform(.requestState(identifier: "desk"))
        await simulation.restoreBluetooth()
        await simulation.advance(by: 10)
        #expect(told() == ["in", "inside", "unknown"])
        await simulation.stopDaemon()
        await simulation.startDaemon()
        await simulation.advance(by: 40)
        #expect(told().dropFirst(3) == ["out", "outside"])
        #expect(!simulation.isReceiverOn)
    }

    @Test("are ranged again by an app whose daemon started anew and knows it no longer", arguments: [true, false])
    func restart(losingManagers: Bool) async {
        let app = await simulation.run { SessionRecorder() }
        app.perform(.startRangingBeacons(BeaconIdentity(uuid: uuid.uuidString)))
        await simulation.advance(by: 1)
        await simulation.stopDaemon()
        await simulation.startDaemon(losingManagers: losingManagers)
        await simulation.advance(by: 10)
        await simulation.feedBeacon(uuid: uuid, major: 1, minor: 7)
        await simulation.advance(by: 1)
        #expect(heard(app).last == "7 near")
        app.perform(.stopRangingBeacons(BeaconIdentity(uuid: uuid.uuidString)))
        await simulation.stopDaemon()
        await simulation.startDaemon(losingManagers: true)
        let told = heard(app).count
        await simulation.advance(by: 10)
        #expect(heard(app).count == told)
    }
}
