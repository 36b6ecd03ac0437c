// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import LocationGeoClue

@Suite("GeoClue's values")
struct ValueTests {
    private static let place = Location(
        coordinate: Coordinate(latitude: 52.5, longitude: -13.25), horizontalAccuracy: 4.5,
        timestamp: WallTime(milliseconds: 1_700_000_000_123), sequence: 7)

    @Test("what is not known has GeoClue's words for it, and never 0")
    func unknown() {
        let values = LocationProperties(ValueTests.place)
        #expect(values.altitude == -1.7976931348623157e308)
        #expect(values.speed == -1)
        #expect(values.heading == -1)
    }

    @Test("what is known is told as the receiver said it, with the time of the measurement in microseconds")
    func known() {
        var place = ValueTests.place
        (place.altitude, place.speed, place.course) = (0, 0, 0)
        let values = LocationProperties(place)
        #expect((values.latitude, values.longitude, values.accuracy) == (52.5, -13.25, 4.5))
        #expect((values.altitude, values.speed, values.heading) == (0, 0, 0))
        #expect((values.seconds, values.microseconds) == (1_700_000_000, 123_000))
        #expect(values.description == "")
    }

    @Test func `a place that no receiver measured is said to be so, also when it is coarsened`() {
        var place = ValueTests.place
        place.kind = .manual
        #expect(LocationProperties(place).description == "set by hand")
        place.kind = .wifi
        #expect(LocationProperties(AccuracyLevel.street.coarsened(place)).description == "provided by wifi")
    }

    @Test(
        "an object has one path, and a path one object",
        arguments: [
            ("/org/freedesktop/GeoClue2/Manager", ObjectPath.manager),
            ("/org/freedesktop/GeoClue2/Client/3", .client(3)),
            ("/org/freedesktop/GeoClue2/Client/3/Location/14", .location(client: 3, 14)),
        ])
    func path(text: String, path: ObjectPath) {
        #expect(ObjectPath(text) == path)
        #expect(path.text == text)
    }

    @Test(
        "other paths name nothing",
        arguments: [
            "", "/", "/org/freedesktop/GeoClue2/Client", "/org/freedesktop/GeoClue2/Client/",
            "/org/freedesktop/GeoClue2/Client/03",
            "/org/freedesktop/GeoClue2/Client/+3", "/org/freedesktop/GeoClue2/Client/3/",
            "/org/freedesktop/GeoClue2/Client/3/Location",
            "/org/freedesktop/GeoClue2/Client/3/Place/1", "/org/freedesktop/GeoClue2/Client/3/Location/1/2",
            "/org/freedesktop/GeoClue2/Client/99999999999999999999",
        ])
    func noPath(text: String) {
        #expect(ObjectPath(text) == nil)
    }
}
