// SPDX-License-Identifier: Apache-2.0
import LocationModel

// Beacons (CL 9, row H2): nothing here hears any, which is said once for each request. Nothing is kept.
extension Engine {
    mutating func startRangingBeacons(_ manager: ManagerID, into effects: inout EffectBuffer) {
        effects.append(.reply(manager, Reply(state: .unavailable)))
        announceInitialAuthorization(manager, into: &effects)
        effects.append(.rangingFailed(manager))
    }
}
