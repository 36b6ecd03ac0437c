// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import LocationModel
import LocationProtocol

// gpsd and its receivers, as people see them.
extension GPSDLink {
    // A receiver that has not reported yet may be of any kind.
    var isConnected: Bool {
        machine.status.hasSpoken && [.connected, .subscribing, .watching].contains(machine.status.state)
    }

    var problem: String {
        let status = machine.status
        switch status.state {
        case .watching: break
        case .connected, .subscribing, .connecting: return status.lastError ?? "the receiver is being started"
        case .disconnected, .waiting: return status.lastError ?? "gpsd at \(status.address) is not connected"
        }
        let present = machine.receivers.filter(\.isPresent)
        guard !present.isEmpty else { return "gpsd has no receiver" }
        let best = present.max { ($0.satellitesUsed ?? 0) < ($1.satellitesUsed ?? 0) }
        guard let best, let seen = best.satellitesSeen else { return "no fix yet" }
        return "no fix yet: \(best.path) uses \(best.satellitesUsed ?? 0) of \(seen) satellites"
    }

    func receivers(at now: BootInstant) -> [ReceiverStatus] {
        machine.receivers.map { receiver in
            ReceiverStatus(
                path: receiver.path, driver: receiver.driver, mode: Int(receiver.mode),
                satellitesUsed: receiver.satellitesUsed, satellitesSeen: receiver.satellitesSeen,
                fixAge: receiver.lastFix.map { (now - $0).seconds },
                rate: receiver.cycle.flatMap { $0 > .zero ? 1 / $0.seconds : nil }, lost: !receiver.isPresent)
        }
    }

    func satellites(of receiver: ReceiverID?, at now: BootInstant) -> SatellitesResult? {
        machine.satellites(of: receiver, at: now).map { heard in
            SatellitesResult(heard.satellites, receiver: path(of: heard.receiver), age: (now - heard.at).seconds)
        }
    }

    func path(of receiver: ReceiverID) -> String? { machine.path(of: receiver) }

    /// `openToAll`: every program here can have the location from gpsd, whatever is decided.
    func status(openToAll: Bool, at now: BootInstant) -> GPSDStatus {
        let status = machine.status
        return GPSDStatus(
            connected: isConnected, address: status.address, state: status.state.rawValue,
            since: (now - status.since).seconds, lastError: status.lastError, openToAll: openToAll)
    }
}
