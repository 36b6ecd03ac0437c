// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel
import LocationServices

extension LocationService {
    /// Whether the next fix is as good as there: receivers are on at full rate, and one came just now.
    func expectsFix(at now: BootInstant) -> Bool {
        guard let last = engine.lastFixAt, now - last < .seconds(2) else { return false }
        return engine.powerReport(at: now).policy == .fullRate
    }
}
