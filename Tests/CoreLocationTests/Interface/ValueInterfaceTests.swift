// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Testing

@Suite("The interface of Core Location's values")
struct ValueInterfaceTests {
    @Test("has Apple's constants, with their types")
    func constants() {
        let accuracies: [CLLocationAccuracy] = [
            kCLLocationAccuracyBestForNavigation, kCLLocationAccuracyBest, kCLLocationAccuracyNearestTenMeters,
            kCLLocationAccuracyHundredMeters, kCLLocationAccuracyKilometer, kCLLocationAccuracyThreeKilometers,
            kCLLocationAccuracyReduced,
        ]
        #expect(accuracies == [-2, -1, 10, 100, 1000, 3000, 6_380_000])
        let _: CLLocationDistance = kCLDistanceFilterNone
        let _: CLLocationDegrees = kCLHeadingFilterNone
        let _: CLLocationDistance = CLLocationDistanceMax
        let _: TimeInterval = CLTimeIntervalMax
        let _: CLLocationCoordinate2D = kCLLocationCoordinate2DInvalid
        let _: [String] = [kCLErrorDomain, kCLErrorUserInfoAlternateRegionKey]
    }

    @Test("has Apple's units")
    func units() {
        let doubles: [Any.Type] = [
            CLLocationDegrees.self, CLLocationDistance.self, CLLocationSpeed.self, CLLocationSpeedAccuracy.self,
            CLLocationDirection.self, CLLocationDirectionAccuracy.self, CLLocationAccuracy.self,
            CLHeadingComponentValue.self,
        ]
        #expect(doubles.allSatisfy { $0 == Double.self })
        let numbers: [Any.Type] = [CLBeaconMajorValue.self, CLBeaconMinorValue.self]
        #expect(numbers.allSatisfy { $0 == UInt16.self })
    }

    @Test("has a coordinate to which programs may add what Apple's lacks")
    func coordinate() {
        let _: WritableKeyPath<CLLocationCoordinate2D, CLLocationDegrees> = \.latitude
        let _: WritableKeyPath<CLLocationCoordinate2D, CLLocationDegrees> = \.longitude
        let _: () -> CLLocationCoordinate2D = CLLocationCoordinate2D.init
        let _: (CLLocationDegrees, CLLocationDegrees) -> CLLocationCoordinate2D =
            CLLocationCoordinate2D.init(latitude:longitude:)
        let _: (CLLocationDegrees, CLLocationDegrees) -> CLLocationCoordinate2D = CLLocationCoordinate2DMake
        let _: (CLLocationCoordinate2D) -> Bool = CLLocationCoordinate2DIsValid
        isSendable(CLLocationCoordinate2D.self)
        #expect(isBare(CLLocationCoordinate2D.self))
    }

    @Test("has Apple's enumerations, of Apple's raw types")
    func enumerations() {
        isEnumeration(CLAuthorizationStatus.self, of: Int32.self)
        isEnumeration(CLDeviceOrientation.self, of: Int32.self)
        isEnumeration(CLAccuracyAuthorization.self, of: Int.self)
        isEnumeration(CLActivityType.self, of: Int.self)
        isEnumeration(CLRegionState.self, of: Int.self)
        isEnumeration(CLProximity.self, of: Int.self)
        isEnumeration(CLError.Code.self, of: Int.self)
        isEnumeration(CLMonitor.Event.State.self, of: UInt.self)
        let types: [Any.Type] = [
            CLAuthorizationStatus.self, CLDeviceOrientation.self, CLAccuracyAuthorization.self, CLActivityType.self,
            CLRegionState.self, CLProximity.self, CLError.Code.self, CLMonitor.Event.State.self,
            CLLocationUpdate.LiveConfiguration.self, CLServiceSession.AuthorizationRequirement.self,
        ]
        for type in types {
            #expect(!(type is any CaseIterable.Type) && !(type is any Encodable.Type), "\(type)")
        }
    }

    @Test("has errors that are codes and NSErrors")
    func errors() {
        isError(CLError.self)
        isHashable(CLError.self)
        let _: any CustomNSError.Type = CLError.self
        let _: (CLError.Code, [String: Any]) -> CLError = CLError.init(_:userInfo:)
        let _: (NSError) -> CLError = CLError.init(_nsError:)
        let _: KeyPath<CLError, NSError> = \._nsError
        let _: KeyPath<CLError, CLError.Code> = \.code
        let _: KeyPath<CLError, Int> = \.errorCode
        let _: KeyPath<CLError, [String: Any]> = \.userInfo
        let _: KeyPath<CLError, [String: Any]> = \.errorUserInfo
        let _: KeyPath<CLError, CLRegion?> = \.alternateRegion
        let _: String = CLError.errorDomain
        let _: CLError.Code = CLError.denied
    }
}
