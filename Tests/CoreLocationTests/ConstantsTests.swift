// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import LocationModel
import Testing

@Suite("Core Location's numbers")
struct ConstantsTests {
    @Test("of accuracies and filters are Apple's (K1)")
    func accuracies() {
        #expect(kCLLocationAccuracyBestForNavigation == -2)
        #expect(kCLLocationAccuracyBest == -1)
        #expect(kCLLocationAccuracyNearestTenMeters == 10)
        #expect(kCLLocationAccuracyHundredMeters == 100)
        #expect(kCLLocationAccuracyKilometer == 1_000)
        #expect(kCLLocationAccuracyThreeKilometers == 3_000)
        #expect(kCLLocationAccuracyReduced == 6_380_000)
        #expect(kCLDistanceFilterNone == -1)
        #expect(kCLHeadingFilterNone == -1)
    }

    @Test(
        "of no limit are the largest double, and survive JSON bit for bit (K2)",
        arguments: [
            CLLocationDistanceMax, CLTimeIntervalMax,
        ])
    func unlimited(limit: Double) throws {
        #expect(limit == .greatestFiniteMagnitude)
        let decoded = try JSONDecoder().decode([Double].self, from: JSONEncoder().encode([limit]))
        #expect(decoded.first?.bitPattern == limit.bitPattern)
    }

    @Test(
        "of authorization are Apple's, and are the daemon's, both ways (K4)",
        arguments: [
            (CLAuthorizationStatus.notDetermined, 0), (.restricted, 1), (.denied, 2), (.authorizedAlways, 3),
            (.authorizedWhenInUse, 4),
        ])
    func authorization(status: CLAuthorizationStatus, number: Int) {
        #expect(status.rawValue == Int32(number))
        #expect(CLAuthorizationStatus(rawValue: Int32(number)) == status)
        #expect(status.modelled.rawValue == number)
        #expect(CLAuthorizationStatus(status.modelled) == status)
    }

    @Test("of accuracy authorization are Apple's; undecided reads as full (C17)")
    func accuracyAuthorization() {
        #expect(CLAccuracyAuthorization.fullAccuracy.rawValue == 0)
        #expect(CLAccuracyAuthorization.reducedAccuracy.rawValue == 1)
        #expect(CLAccuracyAuthorization(.reduced) == .reducedAccuracy)
        #expect(CLAccuracyAuthorization(.full) == .fullAccuracy)
        #expect(CLAccuracyAuthorization(nil) == .fullAccuracy)
        #expect(CLAccuracyAuthorization.reducedAccuracy.modelled == .reduced)
        #expect(CLAccuracyAuthorization.fullAccuracy.modelled == .full)
    }

    @Test(
        "of activities are Apple's, and are the daemon's, both ways (K5)",
        arguments: [
            (CLActivityType.other, 1), (.automotiveNavigation, 2), (.fitness, 3), (.otherNavigation, 4), (.airborne, 5),
        ])
    func activities(activity: CLActivityType, number: Int) {
        #expect(activity.rawValue == number)
        #expect(CLActivityType(rawValue: number) == activity)
        #expect(activity.modelled.rawValue == number)
        #expect(CLActivityType(activity.modelled) == activity)
    }

    @Test(
        "of region states are Apple's, and are the daemon's, both ways",
        arguments: [
            (CLRegionState.unknown, 0), (.inside, 1), (.outside, 2),
        ])
    func regionStates(state: CLRegionState, number: Int) {
        #expect(state.rawValue == number)
        #expect(state.modelled.rawValue == number)
        #expect(CLRegionState(state.modelled) == state)
    }

    @Test("of beacons and of how the device is held are Apple's")
    func others() {
        let proximities: [CLProximity] = [.unknown, .immediate, .near, .far]
        #expect(proximities.map(\.rawValue) == [0, 1, 2, 3])
        let orientations: [CLDeviceOrientation] = [
            .unknown, .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown,
        ]
        #expect(orientations.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6] as [Int32])
    }

    @Test("of the invalid place are Apple's, and no place (C10)")
    func invalidPlace() {
        #expect(kCLLocationCoordinate2DInvalid.latitude == -180)
        #expect(kCLLocationCoordinate2DInvalid.longitude == -180)
        #expect(!CLLocationCoordinate2DIsValid(kCLLocationCoordinate2DInvalid))
    }

    @Test(
        "make a place if latitude and longitude are in range, the limits included (X2)",
        arguments: [
            (90, 180, true), (-90, -180, true), (0, 0, true), (90.000_001, 0, false), (-90.000_001, 0, false),
            (0, 180.000_001, false), (0, -180.000_001, false), (.nan, 0, false), (0, .nan, false),
            (.infinity, 0, false),
        ] as [(Double, Double, Bool)])
    func validity(latitude: Double, longitude: Double, isValid: Bool) {
        #expect(CLLocationCoordinate2DIsValid(CLLocationCoordinate2DMake(latitude, longitude)) == isValid)
    }

    @Test("have Apple's types")
    func types() {
        #expect(type(of: CLAuthorizationStatus.denied.rawValue) == Int32.self)
        #expect(type(of: CLDeviceOrientation.portrait.rawValue) == Int32.self)
        #expect(type(of: CLActivityType.fitness.rawValue) == Int.self)
        #expect(type(of: CLAccuracyAuthorization.fullAccuracy.rawValue) == Int.self)
        #expect(type(of: CLRegionState.inside.rawValue) == Int.self)
        #expect(type(of: CLProximity.near.rawValue) == Int.self)
        #expect(type(of: CLError.Code.denied.rawValue) == Int.self)
        #expect(CLBeaconMajorValue.self == UInt16.self)
        #expect(CLLocationDistance.self == Double.self)
        #expect(MemoryLayout<CLLocationCoordinate2D>.size == 16)
    }
}

@Suite("A coordinate")
struct CoordinateConformanceTests {
    private let place: Any = CLLocationCoordinate2D(latitude: 1, longitude: 2)

    @Test("conforms to nothing that an app may want to write for it itself")
    func conformances() {
        #expect(!(place is any Equatable))
        #expect(!(place is any Hashable))
        #expect(!(place is any Encodable))
        #expect(!(place is any Decodable))
        #expect(!(place is any CustomStringConvertible))
    }

    @Test("starts at 0, 0 and can be changed")
    func variables() {
        var place = CLLocationCoordinate2D()
        #expect((place.latitude, place.longitude) == (0, 0))
        place.latitude = 3
        #expect(place.latitude == 3)
    }
}
