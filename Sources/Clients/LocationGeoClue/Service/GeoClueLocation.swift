// SPDX-License-Identifier: Apache-2.0
import BusSupport

/// A location on the bus. It never changes: the next one is another object.
final class GeoClueLocation: BusObject {
    static let interface = BusInterface(
        "org.freedesktop.GeoClue2.Location",
        properties: [
            .init(name: "Latitude", signature: "d", isConstant: true),
            .init(name: "Longitude", signature: "d", isConstant: true),
            .init(name: "Accuracy", signature: "d", isConstant: true),
            .init(name: "Altitude", signature: "d", isConstant: true),
            .init(name: "Speed", signature: "d", isConstant: true),
            .init(name: "Heading", signature: "d", isConstant: true),
            .init(name: "Description", signature: "s", isConstant: true),
            .init(name: "Timestamp", signature: "(tt)", isConstant: true),
        ])

    let properties: LocationProperties

    init(_ properties: LocationProperties) { self.properties = properties }

    override func value(of property: String) -> BusValue {
        switch property {
        case "Latitude": .double(properties.latitude)
        case "Longitude": .double(properties.longitude)
        case "Accuracy": .double(properties.accuracy)
        case "Altitude": .double(properties.altitude)
        case "Speed": .double(properties.speed)
        case "Heading": .double(properties.heading)
        case "Timestamp": .pair(properties.seconds, properties.microseconds)
        case "Description": .string(properties.description)
        default: .string("")
        }
    }
}
