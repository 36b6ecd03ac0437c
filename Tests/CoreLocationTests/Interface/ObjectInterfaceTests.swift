// SPDX-License-Identifier: Apache-2.0
import CoreLocation
import Testing

private typealias Kept = NSObject & NSCopying & NSSecureCoding & Sendable

@Suite("The interface of Core Location's objects")
struct ObjectInterfaceTests {
    @Test("can be copied, archived and passed between tasks")
    func kinds() {
        let types: [any Kept.Type] = [
            CLLocation.self, CLFloor.self, CLLocationSourceInformation.self, CLRegion.self, CLCircularRegion.self,
            CLBeaconRegion.self, CLBeaconIdentityConstraint.self, CLBeacon.self, CLVisit.self, CLHeading.self,
        ]
        #expect(types.allSatisfy { $0.supportsSecureCoding })
        let circle: CLRegion.Type = CLCircularRegion.self
        let beacon: CLRegion.Type = CLBeaconRegion.self
        #expect(circle != beacon)
    }

    @Test("of which a location has Apple's initialisers")
    func locationInitialisers() {
        typealias Place = CLLocationCoordinate2D
        let _: (CLLocationDegrees, CLLocationDegrees) -> CLLocation = CLLocation.init(latitude:longitude:)
        let _: (Place, CLLocationDistance, CLLocationAccuracy, CLLocationAccuracy, Date) -> CLLocation =
            CLLocation.init(coordinate:altitude:horizontalAccuracy:verticalAccuracy:timestamp:)
        let _:
            (
                Place, CLLocationDistance, CLLocationAccuracy, CLLocationAccuracy, CLLocationDirection, CLLocationSpeed,
                Date
            ) -> CLLocation =
                CLLocation.init(coordinate:altitude:horizontalAccuracy:verticalAccuracy:course:speed:timestamp:)
        let _:
            (
                Place, CLLocationDistance, CLLocationAccuracy, CLLocationAccuracy, CLLocationDirection,
                CLLocationDirectionAccuracy, CLLocationSpeed, CLLocationSpeedAccuracy, Date
            ) -> CLLocation =
                CLLocation.init(
                    coordinate:altitude:horizontalAccuracy:verticalAccuracy:course:courseAccuracy:speed:speedAccuracy:
                    timestamp:)
        let _:
            (
                Place, CLLocationDistance, CLLocationAccuracy, CLLocationAccuracy, CLLocationDirection,
                CLLocationDirectionAccuracy, CLLocationSpeed, CLLocationSpeedAccuracy, Date, CLLocationSourceInformation
            ) -> CLLocation =
                CLLocation.init(
                    coordinate:altitude:horizontalAccuracy:verticalAccuracy:course:courseAccuracy:speed:speedAccuracy:
                    timestamp:sourceInfo:)
        let _: (Bool, Bool) -> CLLocationSourceInformation =
            CLLocationSourceInformation.init(softwareSimulationState:andExternalAccessoryState:)
        let _: () -> CLLocation = CLLocation.init
    }

    @Test("of which a location has Apple's properties")
    func locationProperties() {
        let _: KeyPath<CLLocation, CLLocationCoordinate2D> = \.coordinate
        let _: KeyPath<CLLocation, CLLocationDistance> = \.altitude
        let _: KeyPath<CLLocation, CLLocationDistance> = \.ellipsoidalAltitude
        let _: KeyPath<CLLocation, CLLocationAccuracy> = \.horizontalAccuracy
        let _: KeyPath<CLLocation, CLLocationAccuracy> = \.verticalAccuracy
        let _: KeyPath<CLLocation, CLLocationDirection> = \.course
        let _: KeyPath<CLLocation, CLLocationDirectionAccuracy> = \.courseAccuracy
        let _: KeyPath<CLLocation, CLLocationSpeed> = \.speed
        let _: KeyPath<CLLocation, CLLocationSpeedAccuracy> = \.speedAccuracy
        let _: KeyPath<CLLocation, Date> = \.timestamp
        let _: KeyPath<CLLocation, CLFloor?> = \.floor
        let _: KeyPath<CLFloor, Int> = \.level
        let _: KeyPath<CLLocation, CLLocationSourceInformation?> = \.sourceInformation
        let _: KeyPath<CLLocationSourceInformation, Bool> = \.isSimulatedBySoftware
        let _: KeyPath<CLLocationSourceInformation, Bool> = \.isProducedByAccessory
        let _: (CLLocation) -> (CLLocation) -> CLLocationDistance = CLLocation.distance(from:)
    }

    @Test("of which regions have Apple's names")
    func regions() {
        let identifier: KeyPath<CLRegion, String> = \.identifier
        let _: ReferenceWritableKeyPath<CLRegion, Bool> = \.notifyOnEntry
        let _: ReferenceWritableKeyPath<CLRegion, Bool> = \.notifyOnExit
        let _: (CLLocationCoordinate2D, CLLocationDistance, String) -> CLCircularRegion =
            CLCircularRegion.init(center:radius:identifier:)
        let center: KeyPath<CLCircularRegion, CLLocationCoordinate2D> = \.center
        let radius: KeyPath<CLCircularRegion, CLLocationDistance> = \.radius
        let _: (CLCircularRegion) -> (CLLocationCoordinate2D) -> Bool = CLCircularRegion.contains(_:)
        let _: () -> CLRegion = CLRegion.init
        let _: () -> CLCircularRegion = CLCircularRegion.init
        let _: () -> CLBeaconRegion = CLBeaconRegion.init
        #expect(!canSet(identifier) && !canSet(center) && !canSet(radius))
    }

    @Test("of which visits and headings have Apple's names")
    func visitsAndHeadings() {
        let _: [KeyPath<CLVisit, Date>] = [\.arrivalDate, \.departureDate]
        let _: KeyPath<CLVisit, CLLocationCoordinate2D> = \.coordinate
        let _: KeyPath<CLVisit, CLLocationAccuracy> = \.horizontalAccuracy
        let _: [KeyPath<CLHeading, CLLocationDirection>] = [\.magneticHeading, \.trueHeading, \.headingAccuracy]
        let _: [KeyPath<CLHeading, CLHeadingComponentValue>] = [\.x, \.y, \.z]
        let _: KeyPath<CLHeading, Date> = \.timestamp
    }

    @Test("of which beacons have Apple's names")
    func beacons() {
        typealias Constraint = CLBeaconIdentityConstraint
        let _: (UUID) -> Constraint = Constraint.init(uuid:)
        let _: (UUID, CLBeaconMajorValue) -> Constraint = Constraint.init(uuid:major:)
        let _: (UUID, CLBeaconMajorValue, CLBeaconMinorValue) -> Constraint = Constraint.init(uuid:major:minor:)
        let _: KeyPath<Constraint, UUID> = \.uuid
        let _: KeyPath<Constraint, CLBeaconMajorValue?> = \.major
        let _: KeyPath<Constraint, CLBeaconMinorValue?> = \.minor
        let _: (Constraint, String) -> CLBeaconRegion = CLBeaconRegion.init(beaconIdentityConstraint:identifier:)
        let _: (UUID, String) -> CLBeaconRegion = CLBeaconRegion.init(uuid:identifier:)
        let _: (UUID, CLBeaconMajorValue, String) -> CLBeaconRegion = CLBeaconRegion.init(uuid:major:identifier:)
        let _: (UUID, CLBeaconMajorValue, CLBeaconMinorValue, String) -> CLBeaconRegion =
            CLBeaconRegion.init(uuid:major:minor:identifier:)
        let _: KeyPath<CLBeaconRegion, Constraint> = \.beaconIdentityConstraint
        let _: KeyPath<CLBeaconRegion, UUID> = \.uuid
        let _: [KeyPath<CLBeaconRegion, NSNumber?>] = [\.major, \.minor]
        let _: ReferenceWritableKeyPath<CLBeaconRegion, Bool> = \.notifyEntryStateOnDisplay
        let _: KeyPath<CLBeacon, UUID> = \.uuid
        let _: [KeyPath<CLBeacon, NSNumber>] = [\.major, \.minor]
        let _: KeyPath<CLBeacon, CLProximity> = \.proximity
        let _: KeyPath<CLBeacon, CLLocationAccuracy> = \.accuracy
        let _: KeyPath<CLBeacon, Int> = \.rssi
        let _: KeyPath<CLBeacon, Date> = \.timestamp
    }

    @Test("still have what Apple has deprecated")
    @available(*, deprecated, message: "uses what is deprecated")
    func deprecated() {
        let _: (UUID, String) -> CLBeaconRegion = CLBeaconRegion.init(proximityUUID:identifier:)
        let _: (UUID, CLBeaconMajorValue, String) -> CLBeaconRegion = CLBeaconRegion.init(
            proximityUUID:major:identifier:)
        let _: (UUID, CLBeaconMajorValue, CLBeaconMinorValue, String) -> CLBeaconRegion =
            CLBeaconRegion.init(proximityUUID:major:minor:identifier:)
        let _: KeyPath<CLBeaconRegion, UUID> = \.proximityUUID
        let _: KeyPath<CLBeacon, UUID> = \.proximityUUID
    }
}
