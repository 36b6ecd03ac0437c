// SPDX-License-Identifier: Apache-2.0
internal import Foundation
package import LocationModel

extension WallTime {
    /// The millisecond nearest to `date`; dates beyond what 64 bits of milliseconds hold become the nearest that fit.
    package init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1000).rounded()
        self.init(milliseconds: Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max))
    }

    /// The date, as Foundation has it.
    package var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
}

extension CLLocationCoordinate2D {
    /// The place, as the library's public type has it.
    package init(_ place: Coordinate) { self.init(latitude: place.latitude, longitude: place.longitude) }

    /// The place, as the daemon has it.
    package var modelled: Coordinate { Coordinate(latitude: latitude, longitude: longitude) }
}

extension CLLocation {
    /// A location that the daemon delivered. A value that it does not know is -1, but both altitudes are 0.
    package convenience init(_ location: Location) {
        self.init(
            fields: LocationFields(
                coordinate: CLLocationCoordinate2D(location.coordinate), altitude: location.altitude ?? 0,
                ellipsoidalAltitude: location.ellipsoidalAltitude ?? 0,
                horizontalAccuracy: location.horizontalAccuracy, verticalAccuracy: location.verticalAccuracy ?? -1,
                course: location.course ?? -1, courseAccuracy: location.courseAccuracy ?? -1,
                speed: location.speed ?? -1, speedAccuracy: location.speedAccuracy ?? -1,
                timestamp: location.timestamp.date,
                sourceInformation: CLLocationSourceInformation(
                    softwareSimulationState: location.isSimulatedBySoftware,
                    andExternalAccessoryState: location.kind == .accessory)))
    }

    /// The location as a receiver would have told it: values that are negative here are left out.
    package var modelled: Location {
        let hasHeight = verticalAccuracy > 0
        return Location(
            coordinate: coordinate.modelled, horizontalAccuracy: horizontalAccuracy, timestamp: WallTime(timestamp),
            altitude: hasHeight ? altitude : nil, ellipsoidalAltitude: hasHeight ? ellipsoidalAltitude : nil,
            verticalAccuracy: hasHeight ? verticalAccuracy : nil, speed: known(speed),
            speedAccuracy: known(speedAccuracy), course: known(course), courseAccuracy: known(courseAccuracy),
            isSimulatedBySoftware: sourceInformation?.isSimulatedBySoftware ?? false,
            kind: sourceInformation?.isProducedByAccessory == true ? .accessory : .receiver)
    }
}

private func known(_ value: Double) -> Double? { value >= 0 ? value : nil }

extension CLRegion {
    /// The area as the daemon has it; nil for a kind of region that the daemon does not know.
    package var modelled: Region? {
        let shape: RegionShape
        switch self {
        case let circle as CLCircularRegion:
            shape = .circle(center: circle.center.modelled, radius: circle.radius)
        case let polygon as CLPolygonRegion:
            shape = .polygon(polygon.polygon)
        case let beacons as CLBeaconRegion:
            shape = .beacon(beacons.identity.modelled)
        default:
            return nil
        }
        return Region(
            identifier: identifier, shape: shape, notifyOnEntry: notifyOnEntry, notifyOnExit: notifyOnExit,
            notice: notice?.modelled)
    }

    /// The region that the daemon tells of.
    package static func make(of region: Region) -> CLRegion {
        let made: CLRegion =
            switch region.shape {
            case .circle(let center, let radius):
                CLCircularRegion(
                    center: CLLocationCoordinate2D(center), radius: radius, identifier: region.identifier)
            case .polygon(let polygon):
                CLPolygonRegion(polygon, identifier: region.identifier)
            case .beacon(let beacons):
                CLBeaconRegion(
                    beaconIdentityConstraint: CLBeaconIdentityConstraint(BeaconSelection(beacons)),
                    identifier: region.identifier)
            }
        made.notifyOnEntry = region.notifyOnEntry
        made.notifyOnExit = region.notifyOnExit
        made.notice = region.notice.map { CLRegionNotice($0) }
        return made
    }
}

extension CLVisit {
    /// The stay that the daemon tells of; what is not known of its times is distant.
    package convenience init(_ visit: Visit) {
        self.init(
            VisitFields(
                coordinate: CLLocationCoordinate2D(visit.coordinate), horizontalAccuracy: visit.horizontalAccuracy,
                arrival: visit.arrival?.date ?? .distantPast, departure: visit.departure?.date ?? .distantFuture))
    }

    /// The stay as the daemon has it.
    package var modelled: Visit {
        Visit(
            coordinate: coordinate.modelled, horizontalAccuracy: horizontalAccuracy,
            arrival: arrivalDate == .distantPast ? nil : WallTime(arrivalDate),
            departure: departureDate == .distantFuture ? nil : WallTime(departureDate))
    }
}

extension CLHeading {
    /// The heading that the daemon tells of; what it does not know is -1.
    package convenience init(_ heading: Heading) {
        self.init(
            HeadingFields(
                magnetic: heading.magneticHeading ?? -1, true: heading.trueHeading ?? -1,
                accuracy: heading.headingAccuracy ?? -1, timestamp: heading.timestamp.date))
    }

    /// The heading as the daemon has it.
    package var modelled: Heading {
        Heading(
            magneticHeading: known(magneticHeading), trueHeading: known(trueHeading),
            headingAccuracy: known(headingAccuracy), timestamp: WallTime(timestamp))
    }
}
