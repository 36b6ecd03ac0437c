// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import LocationModel
import Testing

@Suite("A region")
struct RegionTests {
    private let shanghai = CLLocationCoordinate2D(latitude: 31.2304, longitude: 121.4737)

    @Test("tells of entering and leaving unless it is told otherwise")
    func flags() {
        let region = CLCircularRegion(center: shanghai, radius: 500, identifier: "office")
        #expect(region.notifyOnEntry)
        #expect(region.notifyOnExit)
        region.notifyOnEntry = false
        #expect(!region.notifyOnEntry)
        #expect(region.notifyOnExit)
    }

    @Test("keeps whatever circle it is made with")
    func unchecked() {
        #expect(CLCircularRegion(center: shanghai, radius: -1, identifier: "a").radius == -1)
        #expect(CLCircularRegion(center: shanghai, radius: 9_999_999, identifier: "a").radius == 9_999_999)
        #expect(CLCircularRegion(center: shanghai, radius: 1, identifier: "").identifier == "")
    }

    @Test("of which nothing has been said has no name and holds no place")
    func unsaid() throws {
        #expect(CLRegion().identifier == "" && CLBeaconRegion().identifier == "" && CLBeaconRegion().major == nil)
        let circle = CLCircularRegion()
        #expect(circle.identifier == "" && circle.radius == 0 && circle.notifyOnEntry && circle.notifyOnExit)
        #expect(!circle.contains(shanghai))
        #expect((circle.copy() as? CLCircularRegion)?.radius == 0)
    }

    @Test("contains what is as near as its radius along the ellipsoid (M10)")
    func contains() {
        func near(_ north: Double, _ east: Double) -> CLLocationCoordinate2D {
            CLLocationCoordinate2D(latitude: shanghai.latitude + north, longitude: shanghai.longitude + east)
        }
        let region = CLCircularRegion(center: shanghai, radius: 500, identifier: "office")
        #expect(region.contains(shanghai))
        #expect(!region.contains(near(0.005, 0)))
        #expect(region.contains(near(0, 0.005)))
        #expect(!CLCircularRegion(center: shanghai, radius: -1, identifier: "a").contains(shanghai))
        let distance = CLLocation(latitude: shanghai.latitude, longitude: shanghai.longitude)
            .distance(from: CLLocation(latitude: near(0.005, 0).latitude, longitude: shanghai.longitude))
        #expect(CLCircularRegion(center: shanghai, radius: distance, identifier: "a").contains(near(0.005, 0)))
    }

    @Test("is equal to one of the same identifier, whatever its area")
    func equality() {
        let one = CLCircularRegion(center: shanghai, radius: 500, identifier: "office")
        let other = CLCircularRegion(center: CLLocationCoordinate2D(), radius: 1, identifier: "office")
        #expect(one == other)
        #expect(one.hash == other.hash)
        #expect(Set<CLRegion>([one, other]).count == 1)
        #expect(one != CLCircularRegion(center: shanghai, radius: 500, identifier: "home"))
        #expect(one == CLBeaconRegion(uuid: UUID(), identifier: "office") as CLRegion)
        #expect(!one.isEqual("office"))
    }

    @Test("of the circle kind comes out of an archive and out of a copy as it was")
    func circleArchive() throws {
        let circle = CLCircularRegion(
            center: CLLocationCoordinate2D(latitude: 0.1, longitude: -0.2), radius: 0.3, identifier: "naïve \u{1F980}")
        circle.notifyOnExit = false
        for same in [try archived(circle), try #require(circle.copy() as? CLCircularRegion)] {
            #expect(same !== circle)
            #expect(same.identifier == circle.identifier)
            #expect(same.center.latitude == 0.1)
            #expect(same.center.longitude == -0.2)
            #expect(same.radius == 0.3)
            #expect((same.notifyOnEntry, same.notifyOnExit) == (true, false))
        }
        let copy = try #require(circle.copy() as? CLCircularRegion)
        copy.notifyOnEntry = false
        #expect(circle.notifyOnEntry)
    }

    @Test("of the daemon's is one of Core Location's with the same area and flags, and back")
    func conversions() throws {
        let triangle = try Polygon(vertices: [
            Coordinate(latitude: 0, longitude: 0), Coordinate(latitude: 0, longitude: 1),
            Coordinate(latitude: 1, longitude: 0),
        ])
        let regions = [
            Region(
                identifier: "c", shape: .circle(center: Coordinate(latitude: 1, longitude: 2), radius: 3),
                notifyOnEntry: false),
            Region(identifier: "p", shape: .polygon(triangle), notifyOnExit: false),
            Region(
                identifier: "b", shape: .beacon(BeaconIdentity(uuid: UUID().uuidString, major: 1, minor: 2)),
                notifyOnEntry: false),
            Region(identifier: "u", shape: .beacon(BeaconIdentity(uuid: UUID().uuidString))),
        ]
        for region in regions { #expect(CLRegion.make(of: region).modelled == region) }
        #expect(CLRegion.make(of: regions[0]) is CLCircularRegion)
        #expect(CLRegion.make(of: regions[1]) is CLPolygonRegion)
        #expect(CLRegion.make(of: regions[2]) is CLBeaconRegion)
        #expect(CLRegion().modelled == nil)
    }
}

@Suite("A polygon region")
struct PolygonRegionTests {
    private let square = [(0.0, 0.0), (0, 1), (1, 1), (1, 0), (0, 0)]
        .map { CLLocationCoordinate2D(latitude: $0.0, longitude: $0.1) }

    @Test("closes itself and contains what is inside")
    func contains() throws {
        let region = try CLPolygonRegion(vertices: square, identifier: "square")
        #expect(region.vertices.count == 4)
        #expect(region.contains(CLLocationCoordinate2D(latitude: 0.5, longitude: 0.5)))
        #expect(!region.contains(CLLocationCoordinate2D(latitude: 1.5, longitude: 0.5)))
    }

    @Test("of corners that make none is refused with the reason")
    func refused() {
        #expect {
            try CLPolygonRegion(vertices: Array(square.prefix(2)), identifier: "line")
        } throws: { error in
            (error as? CLError)?.code == .regionMonitoringFailure
                && error.localizedDescription.contains("2 vertices, 3 to 1000 are allowed")
        }
    }

    @Test("comes out of an archive and out of a copy as it was")
    func archive() throws {
        let region = try CLPolygonRegion(
            vertices: square.map { CLLocationCoordinate2D(latitude: $0.latitude + 0.1, longitude: $0.longitude) },
            identifier: "square")
        region.notifyOnEntry = false
        for same in [try archived(region), try #require(region.copy() as? CLPolygonRegion)] {
            #expect(same.modelled == region.modelled)
            #expect(!same.notifyOnEntry)
        }
    }
}

@Suite("Beacons")
struct BeaconTests {
    private let uuid = UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))

    @Test("are meant by UUID, major and minor number")
    func constraints() throws {
        let all = CLBeaconIdentityConstraint(uuid: uuid)
        #expect((all.major, all.minor) == (nil, nil))
        let one = CLBeaconIdentityConstraint(uuid: uuid, major: 1, minor: 65_535)
        #expect(one.uuid == uuid)
        #expect((one.major, one.minor) == (1, 65_535))
        #expect(one == CLBeaconIdentityConstraint(uuid: uuid, major: 1, minor: 65_535))
        #expect(one != CLBeaconIdentityConstraint(uuid: uuid, major: 1))
        #expect(Set([one, all, CLBeaconIdentityConstraint(uuid: uuid)]).count == 2)
        #expect(try archived(one) == one)
        #expect(try archived(all) == all)
    }

    @Test("have regions that say which are meant")
    func regions() throws {
        let region = CLBeaconRegion(uuid: uuid, major: 7, minor: 8, identifier: "door")
        region.notifyEntryStateOnDisplay = true
        #expect((region.major, region.minor) == (7, 8))
        #expect(region.beaconIdentityConstraint == CLBeaconIdentityConstraint(uuid: uuid, major: 7, minor: 8))
        #expect(CLBeaconRegion(uuid: uuid, identifier: "door").major == nil)
        let made = CLBeaconRegion(beaconIdentityConstraint: region.beaconIdentityConstraint, identifier: "door")
        #expect(made.beaconIdentityConstraint == region.beaconIdentityConstraint)
        for same in [try archived(region), try #require(region.copy() as? CLBeaconRegion)] {
            #expect(same.beaconIdentityConstraint == region.beaconIdentityConstraint)
            #expect(same.identifier == "door")
            #expect(same.notifyEntryStateOnDisplay)
        }
    }

    @Test("are never heard, and say so")
    func unheard() {
        let beacon = CLBeacon()
        #expect((beacon.proximity, beacon.accuracy, beacon.rssi) == (.unknown, -1, 0))
    }
}

private func archived<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
    let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
}
