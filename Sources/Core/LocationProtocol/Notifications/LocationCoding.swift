// SPDX-License-Identifier: Apache-2.0

package import LocationModel

/// Writes a location as the wire has it: what is unknown is absent.
package enum LocationCoding {
    /// More than one written location ever takes, in bytes.
    package static let maximumLength = 512

    /// Appends the `location` object. Degrees are rounded to 1e-9 (0.1 mm), the rest to 1e-3; an accuracy stays over 0.
    package static func append(_ location: Location, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.fragment("\"latitude\":")
        writer.decimal(location.coordinate.latitude, places: 9)
        writer.fragment(",\"longitude\":")
        writer.decimal(location.coordinate.longitude, places: 9)
        writer.fragment(",\"horizontalAccuracy\":")
        writer.decimal(atLeastAMillimetre(location.horizontalAccuracy), places: 3)
        if let accuracy = location.verticalAccuracy {
            append(",\"altitude\":", location.altitude, to: &writer)
            append(",\"ellipsoidalAltitude\":", location.ellipsoidalAltitude, to: &writer)
            append(",\"verticalAccuracy\":", atLeastAMillimetre(accuracy), to: &writer)
        }
        append(",\"speed\":", location.speed, to: &writer)
        append(",\"speedAccuracy\":", location.speedAccuracy.map(atLeastAMillimetre), to: &writer)
        append(",\"course\":", location.course.map(wireCourse), to: &writer)
        append(",\"courseAccuracy\":", location.courseAccuracy.map(atLeastAMillimetre), to: &writer)
        writer.fragment(",\"timestamp\":\"")
        location.timestamp.appendRFC3339(to: &writer.bytes)
        writer.fragment("\",\"sequence\":")
        writer.integer(location.sequence)
        guard location.kind == .receiver else { return appendSource(of: location, to: &writer) }
        writer.fragment(
            location.isSimulatedBySoftware
                ? #","sourceInformation":{"isSimulatedBySoftware":true,"isProducedByAccessory":false}}"#
                : #","sourceInformation":{"isSimulatedBySoftware":false,"isProducedByAccessory":false}}"#)
    }

    /// Of a location that somebody provided.
    private static func appendSource(of location: Location, to writer: inout JSONWriter) {
        writer.name("sourceInformation")
        writer.beginObject()
        writer.name("isSimulatedBySoftware")
        writer.bool(location.isSimulatedBySoftware)
        writer.name("isProducedByAccessory")
        writer.bool(location.kind == .accessory)
        writer.member("kind", location.kind.word)
        if location.isCoarse {
            writer.name("isCoarse")
            writer.bool(true)
        }
        writer.endObject()
        writer.endObject()
    }

    private static func append(_ name: StaticString, _ value: Double?, to writer: inout JSONWriter) {
        guard let value, value.isFinite else { return }
        writer.fragment(name)
        writer.decimal(value, places: 3)
    }
}

/// An accuracy for the wire: never rounded to the 0 that would mean "exactly". 0 itself stays.
func atLeastAMillimetre(_ accuracy: Double) -> Double { accuracy > 0 ? max(accuracy, 0.001) : accuracy }

/// A course for the wire: what would be rounded up to 360 is north.
func wireCourse(_ degrees: Double) -> Double { degrees >= 359.9995 && degrees <= 360 ? 0 : degrees }
