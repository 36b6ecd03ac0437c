// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Testing

@Suite("A monitor's conditions")
struct ConditionCodingTests {
    private func again<Condition: CLCondition>(_ condition: Condition) throws -> Condition {
        try JSONDecoder().decode(Condition.self, from: JSONEncoder().encode(condition))
    }

    @Test("are read as they were written, bit for bit, be they possible or not")
    func circles() throws {
        for (latitude, radius) in [(48.137_154_321_987, 0.1), (-91, -1), (0, .greatestFiniteMagnitude)] {
            let circle = CLMonitor.CircularGeographicCondition(
                center: CLLocationCoordinate2D(latitude: latitude, longitude: -179.999_999_999), radius: radius)
            let read = try again(circle)
            #expect(read.center.latitude == latitude && read.center.longitude == circle.center.longitude)
            #expect(read.radius == radius)
        }
    }

    @Test("are read with any or no number of a beacon")
    func beacons() throws {
        let uuid = UUID()
        for (major, minor) in [(nil, nil), (7, nil), (7, 65_535)] as [(UInt16?, UInt16?)] {
            let condition =
                switch (major, minor) {
                case (let major?, let minor?): CLMonitor.BeaconIdentityCondition(uuid: uuid, major: major, minor: minor)
                case (let major?, nil): CLMonitor.BeaconIdentityCondition(uuid: uuid, major: major)
                case (nil, _): CLMonitor.BeaconIdentityCondition(uuid: uuid)
                }
            let read = try again(condition)
            #expect(read.uuid == uuid && read.major == major && read.minor == minor)
        }
    }

    @Test("are read with the corners of a polygon in their order")
    func polygons() throws {
        let corners = [(1.0, 2.0), (3.0, 4.5), (-5.0, 6.0)]
        let polygon = CLMonitor.PolygonGeographicCondition(vertices: corners.map(CLLocationCoordinate2D.init))
        let read = try again(polygon)
        #expect(read.vertices.map(\.latitude) == corners.map(\.0))
        #expect(read.vertices.map(\.longitude) == corners.map(\.1))
    }

    @Test("are not read from something else")
    func refused() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CLMonitor.CircularGeographicCondition.self, from: Data(#"{"radius":1}"#.utf8))
        }
    }
}
