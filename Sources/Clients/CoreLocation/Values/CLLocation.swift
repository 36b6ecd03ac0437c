// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import LocationModel

/// Where the device was, when, and how well that is known.
///
/// An accuracy, a speed or a course that is unknown is negative. A location never changes, and two of them are equal
/// only if they are the same object; compare fields, or ask `distance(from:)`.
open class CLLocation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let fields: LocationFields

    /// A place of which nothing else is known: altitude 0, horizontal accuracy 0, all other accuracies, speed and course
    /// -1, taken now.
    ///
    /// - Parameters:
    ///   - latitude: Degrees north; kept as given.
    ///   - longitude: Degrees east; kept as given.
    public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
        fields = LocationFields(coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude))
        super.init()
    }

    /// A place with its height, of which speed and course are unknown (-1).
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, timestamp: Date
    ) {
        fields = LocationFields(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
            timestamp: timestamp)
        super.init()
    }

    /// A place with its height and motion, of which the exactness of the motion is unknown (-1).
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed,
        timestamp: Date
    ) {
        fields = LocationFields(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
            course: course, speed: speed, timestamp: timestamp)
        super.init()
    }

    /// A place with its height and motion, and how exact each is.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date
    ) {
        fields = LocationFields(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
            course: course, courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy,
            timestamp: timestamp)
        super.init()
    }

    /// A place with its height and motion, how exact each is, and where it comes from.
    public init(
        coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance,
        horizontalAccuracy hAccuracy: CLLocationAccuracy,
        verticalAccuracy vAccuracy: CLLocationAccuracy, course: CLLocationDirection,
        courseAccuracy: CLLocationDirectionAccuracy, speed: CLLocationSpeed, speedAccuracy: CLLocationSpeedAccuracy,
        timestamp: Date, sourceInfo: CLLocationSourceInformation
    ) {
        fields = LocationFields(
            coordinate: coordinate, altitude: altitude, horizontalAccuracy: hAccuracy, verticalAccuracy: vAccuracy,
            course: course, courseAccuracy: courseAccuracy, speed: speed, speedAccuracy: speedAccuracy,
            timestamp: timestamp, sourceInformation: sourceInfo)
        super.init()
    }

    /// No place: latitude and longitude 0 with horizontal accuracy -1, which says that they mean nothing.
    public override init() {
        fields = LocationFields(coordinate: CLLocationCoordinate2D(), horizontalAccuracy: -1)
        super.init()
    }

    init(fields: LocationFields) {
        self.fields = fields
        super.init()
    }

    /// Reads an archived location; nil if it is not one.
    public required init?(coder: NSCoder) {
        guard let fields = LocationFields(from: coder) else { return nil }
        self.fields = fields
        super.init()
    }

    /// Where, degrees on WGS 84; means nothing if `horizontalAccuracy` is negative.
    open var coordinate: CLLocationCoordinate2D { fields.coordinate }
    /// Height above mean sea level, metres; means nothing if `verticalAccuracy` is not positive.
    open var altitude: CLLocationDistance { fields.altitude }
    /// Height above the WGS 84 ellipsoid, metres; 0 on a location that an app made, and where `verticalAccuracy` is not
    /// positive.
    open var ellipsoidalAltitude: CLLocationDistance { fields.ellipsoidalAltitude }
    /// Radius of the circle round `coordinate` that holds the true place with 68 % probability, metres; negative:
    /// `coordinate` means nothing.
    open var horizontalAccuracy: CLLocationAccuracy { fields.horizontalAccuracy }
    /// One standard deviation (68 %) of the heights, metres; not positive: they are unknown.
    open var verticalAccuracy: CLLocationAccuracy { fields.verticalAccuracy }
    /// Direction of travel, degrees clockwise from true north, 0 to < 360; negative: unknown.
    open var course: CLLocationDirection { fields.course }
    /// How exact `course` is (68 %), degrees; negative: unknown.
    open var courseAccuracy: CLLocationDirectionAccuracy { fields.courseAccuracy }
    /// Speed over ground, metres per second; negative: unknown.
    open var speed: CLLocationSpeed { fields.speed }
    /// How exact `speed` is (68 %), metres per second; negative: unknown.
    open var speedAccuracy: CLLocationSpeedAccuracy { fields.speedAccuracy }
    /// When the fix was taken, not when it was delivered.
    open var timestamp: Date { fields.timestamp }
    /// The storey of a building; nil: unknown, which it always is on Linux.
    open var floor: CLFloor? { fields.floor }
    /// Where the location comes from.
    open var sourceInformation: CLLocationSourceInformation? { fields.sourceInformation }

    /// The distance along the WGS 84 ellipsoid, metres: heights do not count, and both directions give the same number.
    open func distance(from location: CLLocation) -> CLLocationDistance {
        coordinate.modelled.distance(to: location.coordinate.modelled)
    }

    /// The same object: a location never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Writes every field, bit for bit.
    open func encode(with coder: NSCoder) { fields.encode(with: coder) }

    /// Place, accuracy, motion and time on one line, for logs.
    open override var description: String {
        let place = String(
            format: "<%+.8f,%+.8f> +/- %.2fm", coordinate.latitude, coordinate.longitude, horizontalAccuracy)
        let motion = String(format: "(speed %.2f mps / course %.2f)", speed, course)
        return "\(place) \(motion) @ \(WallTime(timestamp).rfc3339)"
    }
}
