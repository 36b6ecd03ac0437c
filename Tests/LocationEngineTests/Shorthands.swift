// SPDX-License-Identifier: Apache-2.0
import LocationEngine
import LocationModel

// Short names for what tables repeat.
extension Authorization {
    static let always = Authorization(status: .authorizedAlways)
    static let reduced = Authorization(status: .authorizedAlways, accuracy: .reduced)
    static let denied = Authorization(status: .denied)
    static let undetermined = Authorization(status: .notDetermined)
}

extension Coordinate {
    static let origin = Coordinate(latitude: 48.1, longitude: 11.5)
}

extension Request {
    static let start = Request.startUpdatingLocation(resumeAfter: nil)
    static let stop = Request.stopUpdatingLocation
    static let disallow = Request.disallowDeferredLocationUpdates
    static let startSignificant = Request.startMonitoringSignificantLocationChanges
    static let stopSignificant = Request.stopMonitoringSignificantLocationChanges
    static let foreground = Request.setPresence(.foreground)
    static let background = Request.setPresence(.background)
    static let requestLocation = Request.requestLocation(timeout: .seconds(10))

    /// No criterion unless given.
    static func allow(metres: Double = .infinity, seconds: Double = .infinity) -> Request {
        .allowDeferredLocationUpdates(untilTraveled: metres, timeout: .seconds(seconds))
    }

    static func properties(filter: Double = -1, accuracy: DesiredAccuracy = .best) -> Request {
        var properties = ManagerProperties()
        properties.distanceFilter = filter
        properties.desiredAccuracy = accuracy
        return .setProperties(properties)
    }
}
