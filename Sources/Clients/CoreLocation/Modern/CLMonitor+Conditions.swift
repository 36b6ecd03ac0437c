// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import LocationModel

/// A condition that a monitor can watch. The conditions of this library are the ones of `CLMonitor`; any other is unsupported.
public protocol CLCondition: Decodable, Encodable, Sendable {}

extension CLMonitor {
    /// The device is within a distance of a place.
    public struct CircularGeographicCondition: CLCondition {
        /// The middle.
        public let center: CLLocationCoordinate2D
        /// Metres, > 0, at most `CLLocationManager.maximumRegionMonitoringDistance` of the device.
        public let radius: CLLocationDistance

        /// Within `radius` metres of `center`.
        public init(center: CLLocationCoordinate2D, radius: CLLocationDistance) {
            self.center = center
            self.radius = radius
        }
    }

    /// The device is in a polygon. Only here: Apple's Core Location has no such condition.
    public struct PolygonGeographicCondition: CLCondition {
        /// 3 to 1,000 corners in either direction; the last is joined to the first, no two edges cross, each goes the shorter way
        /// around the Earth, and no pole is inside.
        public let vertices: [CLLocationCoordinate2D]

        /// Within the polygon of `vertices`.
        public init(vertices: [CLLocationCoordinate2D]) { self.vertices = vertices }
    }

    /// A beacon is near: satisfied when one is heard, unsatisfied when none was for 30 seconds. The refinement of an event is the beacon that was
    /// heard. While nothing hears beacons the condition stands as it did.
    public struct BeaconIdentityCondition: CLCondition {
        /// Whose beacons.
        public let uuid: UUID
        /// Which group of them; nil: any.
        public let major: CLBeaconMajorValue?
        /// Which of the group; nil: any.
        public let minor: CLBeaconMinorValue?

        /// Any beacon of `uuid`.
        public init(uuid: UUID) { self.init(uuid, major: nil, minor: nil) }

        /// Any beacon of a group.
        public init(uuid: UUID, major: CLBeaconMajorValue) { self.init(uuid, major: major, minor: nil) }

        /// One beacon.
        public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
            self.init(uuid, major: major, minor: minor)
        }

        init(_ uuid: UUID, major: CLBeaconMajorValue?, minor: CLBeaconMinorValue?) {
            self.uuid = uuid
            self.major = major
            self.minor = minor
        }
    }
}

extension RegionShape {
    /// The area of a condition, or why no device of this kind can watch it.
    init(_ condition: any CLCondition) throws(UnsupportedCondition) {
        switch condition {
        case let circle as CLMonitor.CircularGeographicCondition:
            guard CLLocationCoordinate2DIsValid(circle.center), circle.radius.isFinite, circle.radius > 0 else {
                throw UnsupportedCondition(reason: "its center must be on the Earth and its radius more than 0 m")
            }
            self = .circle(center: circle.center.modelled, radius: circle.radius)
        case let polygon as CLMonitor.PolygonGeographicCondition:
            do {
                self = .polygon(try Polygon(vertices: polygon.vertices.map(\.modelled)))
            } catch {
                throw UnsupportedCondition(reason: "\(error)")
            }
        case let beacons as CLMonitor.BeaconIdentityCondition:
            guard beacons.minor == nil || beacons.major != nil else {
                throw UnsupportedCondition(reason: "a minor number means something only beside a major number")
            }
            let selection = BeaconSelection(uuid: beacons.uuid, major: beacons.major, minor: beacons.minor)
            self = .beacon(selection.modelled)
        default:
            throw UnsupportedCondition(
                reason: "only circles, polygons and beacons can be watched, not a \(type(of: condition))")
        }
    }

    /// The condition of this area.
    var condition: any CLCondition {
        switch self {
        case .circle(let center, let radius):
            CLMonitor.CircularGeographicCondition(center: CLLocationCoordinate2D(center), radius: radius)
        case .polygon(let polygon):
            CLMonitor.PolygonGeographicCondition(vertices: polygon.vertices.map { CLLocationCoordinate2D($0) })
        case .beacon(let beacons):
            CLMonitor.BeaconIdentityCondition(
                BeaconSelection(beacons).uuid, major: beacons.major, minor: beacons.minor)
        }
    }
}

/// Why a condition is not watched.
struct UnsupportedCondition: Error, Sendable {
    var reason: String
}
