// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// The values of a `CLLocation`, with Core Location's defaults for those that are not given.
struct LocationFields: Sendable {
    var coordinate: CLLocationCoordinate2D
    var altitude: CLLocationDistance = 0
    var ellipsoidalAltitude: CLLocationDistance = 0
    var horizontalAccuracy: CLLocationAccuracy = 0
    var verticalAccuracy: CLLocationAccuracy = -1
    var course: CLLocationDirection = -1
    var courseAccuracy: CLLocationDirectionAccuracy = -1
    var speed: CLLocationSpeed = -1
    var speedAccuracy: CLLocationSpeedAccuracy = -1
    var timestamp = Date()
    var floor: CLFloor?
    var sourceInformation: CLLocationSourceInformation? = CLLocationSourceInformation()
}

extension LocationFields {
    // The numbers in the order in which an archive has them; a later version appends.
    private static let numbers: [(name: String, path: any WritableKeyPath<LocationFields, Double> & Sendable)] = [
        ("latitude", \.coordinate.latitude), ("longitude", \.coordinate.longitude),
        ("horizontalAccuracy", \.horizontalAccuracy), ("altitude", \.altitude),
        ("ellipsoidalAltitude", \.ellipsoidalAltitude), ("verticalAccuracy", \.verticalAccuracy),
        ("course", \.course), ("courseAccuracy", \.courseAccuracy), ("speed", \.speed),
        ("speedAccuracy", \.speedAccuracy),
    ]

    func encode(with coder: NSCoder) {
        encodeNumbers(with: coder)
        coder.encode(floor, forKey: "floor")
        coder.encode(sourceInformation, forKey: "sourceInformation")
    }

    /// Writes what no archive of a location lacks.
    func encodeNumbers(with coder: NSCoder) {
        for number in LocationFields.numbers { coder.encode(self[keyPath: number.path], forKey: number.name) }
        coder.encodeTime(timestamp, forKey: "timestamp")
    }

    init?(from coder: NSCoder) {
        self.init(coordinate: CLLocationCoordinate2D())
        for number in LocationFields.numbers {
            guard coder.containsValue(forKey: number.name) else { return nil }
            self[keyPath: number.path] = coder.decodeDouble(forKey: number.name)
        }
        guard coder.containsValue(forKey: "timestamp") else { return nil }
        timestamp = coder.decodeTime(forKey: "timestamp")
        floor = coder.decodeIfThere(CLFloor.self, forKey: "floor")
        sourceInformation = coder.decodeIfThere(CLLocationSourceInformation.self, forKey: "sourceInformation")
    }
}
