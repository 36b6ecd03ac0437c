// SPDX-License-Identifier: Apache-2.0
import CoreLocation.CLError
import CoreLocation.CLLocation
import CoreLocation.CLLocationManager
import CoreLocation.CLLocationManagerDelegate

import struct CoreLocation.CLLocationCoordinate2D

/// Libraries often import no more than the part they need.
struct StoredPlace: Codable {
    var latitude: CLLocationDegrees
    var longitude: CLLocationDegrees
    var taken: Date

    init(_ location: CLLocation) {
        (latitude, longitude) = (location.coordinate.latitude, location.coordinate.longitude)
        taken = location.timestamp
    }

    var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
}

extension CLLocationManager {
    func take(_ delegate: any CLLocationManagerDelegate) throws {
        guard authorizationStatus != .denied else { throw CLError(.denied) }
        self.delegate = delegate
    }
}
