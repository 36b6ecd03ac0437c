// SPDX-License-Identifier: Apache-2.0
import LocationModel

/// Ranging of beacons (Protocol 4.10, rule H2): nothing here hears any, which is said once for each request. Nothing is kept.
struct BeaconRanging: Service {
    mutating func take(
        _ request: Request, of manager: ManagerID, _ directory: Directory, _ turn: inout Turn
    ) -> Bool {
        guard case .startRangingBeacons = request else { return false }
        turn.answer(manager, Reply(state: .unavailable))
        turn.append(.rangingFailed(manager))
        return true
    }
}
