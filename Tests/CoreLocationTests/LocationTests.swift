// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import LocationModel
import LocationTestSupport
import Testing

@Suite("A location")
struct LocationTests {
    @Test("of latitude and longitude alone knows nothing else (X1)")
    func latitudeAndLongitude() {
        let before = Date()
        let location = CLLocation(latitude: 91, longitude: 200)
        #expect(location.coordinate.latitude == 91)
        #expect(location.coordinate.longitude == 200)
        #expect(location.altitude == 0)
        #expect(location.ellipsoidalAltitude == 0)
        #expect(location.horizontalAccuracy == 0)
        #expect(location.verticalAccuracy == -1)
        #expect(location.course == -1)
        #expect(location.courseAccuracy == -1)
        #expect(location.speed == -1)
        #expect(location.speedAccuracy == -1)
        #expect((before...Date()).contains(location.timestamp))
        #expect(location.floor == nil)
        #expect(location.sourceInformation?.isSimulatedBySoftware == false)
        #expect(location.sourceInformation?.isProducedByAccessory == false)
    }

    @Test("keeps whatever it is made with, and of the rest knows nothing")
    func initialisers() {
        let place = CLLocationCoordinate2D(latitude: 48.5, longitude: 9.25)
        let time = Date(timeIntervalSince1970: 1_700_000_000)
        let five = CLLocation(
            coordinate: place, altitude: 300, horizontalAccuracy: 4, verticalAccuracy: -1, timestamp: time)
        #expect(five.altitude == 300)
        #expect(five.verticalAccuracy == -1)
        #expect(five.ellipsoidalAltitude == 0)
        #expect((five.course, five.speed) == (-1, -1))
        #expect(five.timestamp == time)

        let seven = CLLocation(
            coordinate: place, altitude: 300, horizontalAccuracy: 4, verticalAccuracy: 6, course: 90, speed: 3,
            timestamp: time)
        #expect((seven.course, seven.courseAccuracy) == (90, -1))
        #expect((seven.speed, seven.speedAccuracy) == (3, -1))

        let nine = CLLocation(
            coordinate: place, altitude: 300, horizontalAccuracy: 4, verticalAccuracy: 6, course: 90, courseAccuracy: 5,
            speed: 3, speedAccuracy: 0.5, timestamp: time)
        #expect((nine.course, nine.courseAccuracy) == (90, 5))
        #expect((nine.speed, nine.speedAccuracy) == (3, 0.5))

        let ten = CLLocation(
            coordinate: place, altitude: 300, horizontalAccuracy: 4, verticalAccuracy: 6, course: 90, courseAccuracy: 5,
            speed: 3, speedAccuracy: 0.5, timestamp: time,
            sourceInfo: CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: true))
        #expect(ten.sourceInformation?.isSimulatedBySoftware == true)
        #expect(ten.sourceInformation?.isProducedByAccessory == true)
    }

    @Test("of nothing says that it is no place")
    func empty() {
        #expect(CLLocation().horizontalAccuracy == -1)
    }

    @Test("is as far from another as the ellipsoid says (X3)")
    func distances() {
        func metres(_ from: (Double, Double), _ to: (Double, Double)) -> Double {
            CLLocation(latitude: from.0, longitude: from.1)
                .distance(from: CLLocation(latitude: to.0, longitude: to.1))
        }
        #expect(abs(metres((0, 0), (0, 1)) - 111_319.4908) < 0.01)
        #expect(abs(metres((60, 0), (60, 1)) - 55_800) < 0.6)
        #expect(abs(metres((40.7128, -74.0060), (51.5074, -0.1278)) - 5_585_234) < 56)
        #expect(abs(metres((31.2304, 121.4737), (31.2354, 121.4737)) - 554.3672) < 0.01)
        #expect(abs(metres((31.2304, 121.4737), (31.2304, 121.4787)) - 476.3668) < 0.01)
        #expect(metres((12, 34), (12, 34)) == 0)
    }

    @Test("is as far from another as the other from it, to the bit, whatever their heights (X3)")
    func symmetry() {
        var random = SplitMix64()
        for _ in 0..<1_000 {
            let one = anyLocation(&random)
            let other = anyLocation(&random)
            #expect(one.distance(from: other) == other.distance(from: one), "\(random)")
            let flat = CLLocation(latitude: other.coordinate.latitude, longitude: other.coordinate.longitude)
            #expect(one.distance(from: flat) == one.distance(from: other), "\(random)")
        }
    }

    @Test("is equal only to itself, as on Apple's systems")
    func identity() {
        let one = CLLocation(latitude: 1, longitude: 2)
        #expect(one.isEqual(one))
        #expect(!one.isEqual(CLLocation(latitude: 1, longitude: 2)))
        #expect(one.copy() as? CLLocation === one)
    }

    @Test("comes out of an archive bit for bit")
    func archive() throws {
        let odd = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: -0.0, longitude: .leastNonzeroMagnitude), altitude: .infinity,
            horizontalAccuracy: 0.1 + 0.2, verticalAccuracy: .nan, course: 1, courseAccuracy: -0.0, speed: 1e308,
            speedAccuracy: .ulpOfOne, timestamp: Date(timeIntervalSinceReferenceDate: 0.1),
            sourceInfo: CLLocationSourceInformation(softwareSimulationState: true, andExternalAccessoryState: false))
        try expectSame(odd, try unarchived(odd))
        #expect(try unarchived(odd).sourceInformation?.isSimulatedBySoftware == true)
        #expect(try unarchived(odd).sourceInformation?.isProducedByAccessory == false)

        var random = SplitMix64()
        for _ in 0..<200 {
            let location = anyLocation(&random)
            try expectSame(location, try unarchived(location), "\(random)")
        }
    }

    @Test("is not read from an archive of something else")
    func foreignArchive() throws {
        let archiver = NSKeyedArchiver(requiringSecureCoding: true)
        archiver.encode(48.5, forKey: "latitude")
        archiver.finishEncoding()
        func unarchiver() throws -> NSKeyedUnarchiver { try NSKeyedUnarchiver(forReadingFrom: archiver.encodedData) }
        #expect(CLLocation(coder: try unarchiver()) == nil)
        #expect(CLFloor(coder: try unarchiver()) == nil)
        #expect(CLVisit(coder: try unarchiver()) == nil)
        #expect(CLHeading(coder: try unarchiver()) == nil)
        #expect(CLBeacon(coder: try unarchiver()) == nil)
        #expect(CLBeaconIdentityConstraint(coder: try unarchiver()) == nil)
        #expect(CLCircularRegion(coder: try unarchiver()) == nil)
        #expect(CLPolygonRegion(coder: try unarchiver()) == nil)
        #expect(CLBeaconRegion(coder: try unarchiver()) == nil)
    }

    @Test("says on one line where and when")
    func description() {
        let location = CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: 48.5, longitude: -9.25), altitude: 0, horizontalAccuracy: 5,
            verticalAccuracy: -1, timestamp: Date(timeIntervalSince1970: 1_700_000_000))
        #expect(
            location.description
                == "<+48.50000000,-9.25000000> +/- 5.00m (speed -1.00 mps / course -1.00) @ 2023-11-14T22:13:20.000Z")
        #expect("\(location)" == location.description)
    }

    @Test("may be a subclass of an app's tests, whose values count")
    func subclass() {
        final class Moved: CLLocation, @unchecked Sendable {
            override var coordinate: CLLocationCoordinate2D { CLLocationCoordinate2D(latitude: 0, longitude: 1) }
        }
        let moved = Moved(latitude: 5, longitude: 5)
        #expect(abs(moved.distance(from: CLLocation(latitude: 0, longitude: 0)) - 111_319.4908) < 0.01)
    }
}

@Suite("A location of the daemon's")
struct DeliveredLocationTests {
    private let bare = Location(
        coordinate: Coordinate(latitude: 1, longitude: 2), horizontalAccuracy: 3,
        timestamp: WallTime(milliseconds: 1_700_000_000_123))

    @Test("has -1 where the daemon knows nothing, never 0 (X4)")
    func unknown() {
        let location = CLLocation(bare)
        #expect(location.verticalAccuracy == -1)
        #expect(location.speed == -1)
        #expect(location.speedAccuracy == -1)
        #expect(location.course == -1)
        #expect(location.courseAccuracy == -1)
        #expect(location.horizontalAccuracy == 3)
        #expect(location.timestamp == Date(timeIntervalSince1970: 1_700_000_000.123))
        #expect(location.floor == nil)
        #expect(location.sourceInformation?.isSimulatedBySoftware == false)
        #expect(location.modelled == bare)
    }

    @Test("has every number that the daemon knows, and gives it back")
    func full() {
        var full = bare
        full.altitude = 300.5
        full.ellipsoidalAltitude = 348.25
        full.verticalAccuracy = 6
        full.speed = 0
        full.speedAccuracy = 0.25
        full.course = 0
        full.courseAccuracy = 2
        full.isSimulatedBySoftware = true
        let location = CLLocation(full)
        #expect(location.altitude == 300.5)
        #expect(location.ellipsoidalAltitude == 348.25)
        #expect((location.speed, location.course) == (0, 0))
        #expect(location.sourceInformation?.isSimulatedBySoftware == true)
        #expect(location.modelled == full)
        full.sequence = 7
        #expect(CLLocation(full).modelled.sequence == 0)
    }

    @Test("has no height where its vertical accuracy is not positive")
    func heightWithoutAccuracy() {
        let location = CLLocation(
            coordinate: CLLocationCoordinate2D(), altitude: 300, horizontalAccuracy: 1, verticalAccuracy: 0,
            timestamp: Date())
        #expect(location.modelled.altitude == nil)
        #expect(location.modelled.verticalAccuracy == nil)
    }

    @Test("keeps its time to the millisecond both ways")
    func times() {
        var random = SplitMix64()
        for _ in 0..<1_000 {
            let time = WallTime(
                milliseconds: Int64.random(in: -62_135_596_800_000...253_402_300_799_999, using: &random))
            #expect(WallTime(time.date) == time, "\(random)")
        }
        #expect(WallTime(Date(timeIntervalSince1970: .infinity)).milliseconds == .max)
        #expect(WallTime(Date(timeIntervalSince1970: -1e300)).milliseconds == .min)
    }
}

private func anyLocation(_ random: inout SplitMix64) -> CLLocation {
    func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
    return CLLocation(
        coordinate: CLLocationCoordinate2D(latitude: number(-90...90), longitude: number(-180...180)),
        altitude: number(-500...9_000), horizontalAccuracy: number(0...100), verticalAccuracy: number(-1...100),
        course: number(-1...360), courseAccuracy: number(-1...90), speed: number(-1...300),
        speedAccuracy: number(-1...10), timestamp: Date(timeIntervalSinceReferenceDate: number(-1e9...1e9)))
}

private func unarchived(_ location: CLLocation) throws -> CLLocation {
    let data = try NSKeyedArchiver.archivedData(withRootObject: location, requiringSecureCoding: true)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: CLLocation.self, from: data))
}

private func expectSame(_ one: CLLocation, _ other: CLLocation, _ comment: Comment? = nil) throws {
    func bits(_ location: CLLocation) -> [UInt64] {
        [
            location.coordinate.latitude, location.coordinate.longitude, location.altitude,
            location.ellipsoidalAltitude, location.horizontalAccuracy, location.verticalAccuracy, location.course,
            location.courseAccuracy, location.speed, location.speedAccuracy,
            location.timestamp.timeIntervalSinceReferenceDate,
        ].map(\.bitPattern)
    }
    #expect(bits(one) == bits(other), comment)
}
