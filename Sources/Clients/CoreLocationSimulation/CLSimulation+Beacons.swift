// SPDX-License-Identifier: Apache-2.0
public import CoreLocation
import LocationEngine
import LocationModel
import Synchronization

// Beacons near the device, as its radio hears them.
extension CLSimulation {
    /// The device hears a beacon once. A beacon sends some times a second; ranging tells it as heard for ten seconds, the last five of them at an
    /// unknown distance, and is told when the clock moves on.
    ///
    /// - Parameters:
    ///   - uuid: The beacon's.
    ///   - major: Its group.
    ///   - minor: Which of the group.
    ///   - rssi: How loud it is here, dBm, -127 to 20.
    ///   - measuredPower: How loud it says it is at one metre, dBm, -128 to 127.
    public func feedBeacon(
        uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, rssi: Int = -59, measuredPower: Int = -59
    ) async {
        precondition((-127...20).contains(rssi), "cannot hear a beacon at \(rssi) dBm: it is -127 to 20")
        precondition(
            (-128...127).contains(measuredPower),
            "cannot take a measured power of \(measuredPower) dBm: it is -128 to 127")
        await settle()
        transport.daemon.withLock { daemon in
            guard daemon.isRunning, daemon.hearsBeacons else { return }
            let beacon = Beacon(uuid: uuid.uuidString, major: major, minor: minor)
            daemon.handle(.beaconsHeard([BeaconSighting(beacon, rssi: rssi, measuredPower: measuredPower)]))
        }
        await settle()
    }

    /// Bluetooth goes off: what is ranged fails with `rangingUnavailable`, and goes on when Bluetooth is back.
    public func loseBluetooth() async { await setBluetooth(false) }

    /// Bluetooth is on again, as it is at first.
    public func restoreBluetooth() async { await setBluetooth(true) }

    private func setBluetooth(_ isOn: Bool) async {
        await settle()
        transport.daemon.withLock { daemon in
            daemon.hearsBeacons = isOn
            daemon.note(.receiver, "Bluetooth \(isOn ? "on" : "off")")
            if daemon.isRunning { daemon.handle(.deviceHears(isOn)) }
        }
        await settle()
    }
}
