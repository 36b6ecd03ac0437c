// SPDX-License-Identifier: Apache-2.0
package import LocationEngine
package import LocationModel
package import LocationProtocol

// The exact cause, where one of Core Location's codes stands for several.
extension LocationError {
    /// Nobody is asked for full accuracy.
    package init(_ objection: FullAccuracyObjection) {
        let cause =
            switch objection {
            case .isNotAuthorized: "the app is not authorized for locations at all"
            case .isFull: "the app may know precise locations already"
            case .isUndeclared:
                "its purpose key is not declared; declare it in usageDescriptions.temporaryFullAccuracy of hello, or in"
                    + " [TemporaryFullAccuracy] of the app's manifest"
            case .hasNoAgent:
                "no agent is running that could ask a person; start one ('locctl agent'), or let an administrator decide"
                    + " ('locctl authorize APP --accuracy full')"
            }
        self.init(.promptDeclined, message: "cannot ask for full accuracy: \(cause)")
    }

    /// A region is not monitored.
    package init(_ objection: RegionObjection) {
        let message: String? =
            switch objection {
            case .isDenied: nil
            case .hasTooMany(let limit):
                "cannot watch the region: the app has \(limit) regions, and may have no more; stop watching another one"
            case .isTooLarge(let maximum):
                "cannot watch the region: its radius is larger than \(Int(maximum)) m, which is allowed; watch a smaller one"
            }
        self.init(objection.code, message: message)
    }

    /// Beacons are not ranged. `deafness`: why nobody hears them; nil: nobody says.
    package init(_ obstacle: RangingObstacle, _ deafness: String?) {
        let message: String? =
            switch obstacle {
            case .isReduced: "cannot range beacons: the app may know only roughly where the device is"
            case .isDeaf: deafness.map { "cannot range beacons right now: \($0)" }
            case .isDenied, .isUndecided: nil
            }
        self.init(obstacle.code, message: message)
    }

    /// A request for one location ends without one. `problem`: why no fixes come; nil: nothing is known to be wrong.
    package static func endOfRequest(_ code: LocationErrorCode, _ problem: String?) -> LocationError {
        guard code == .locationUnknown else { return LocationError(code) }
        let cause = problem.map { ": \($0)" } ?? ""
        return LocationError(
            code, message: "cannot tell the location: none came within the time of the request\(cause)")
    }
}
