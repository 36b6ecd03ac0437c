// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import LocationModel

/// Where the device points, not where it goes: that is `CLLocation.course`.
open class CLHeading: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let directions: HeadingFields

    /// Degrees clockwise from magnetic north, 0 to < 360; negative: unknown.
    open var magneticHeading: CLLocationDirection { directions.magnetic }
    /// Degrees clockwise from true north, 0 to < 360; negative: unknown.
    open var trueHeading: CLLocationDirection { directions.true }
    /// How exact the heading is, degrees (68 %); negative: unknown.
    open var headingAccuracy: CLLocationDirection { directions.accuracy }
    /// The magnetic field along the device's width, microtesla. 0: gpsd gives directions, not fields.
    open var x: CLHeadingComponentValue { 0 }
    /// The magnetic field along the device's length, microtesla. 0: gpsd gives directions, not fields.
    open var y: CLHeadingComponentValue { 0 }
    /// The magnetic field across the device's face, microtesla. 0: gpsd gives directions, not fields.
    open var z: CLHeadingComponentValue { 0 }
    /// When it was measured.
    open var timestamp: Date { directions.timestamp }

    /// A heading that is unknown, for subclasses in an app's tests.
    public override init() {
        directions = HeadingFields(magnetic: -1, true: -1, accuracy: -1, timestamp: Date())
        super.init()
    }

    init(_ directions: HeadingFields) {
        self.directions = directions
        super.init()
    }

    /// Reads an archived heading; nil if it is not one.
    public required init?(coder: NSCoder) {
        guard coder.containsValue(forKey: "magneticHeading") else { return nil }
        directions = HeadingFields(
            magnetic: coder.decodeDouble(forKey: "magneticHeading"), true: coder.decodeDouble(forKey: "trueHeading"),
            accuracy: coder.decodeDouble(forKey: "headingAccuracy"),
            timestamp: coder.decodeTime(forKey: "timestamp"))
        super.init()
    }

    /// Writes the directions, bit for bit.
    open func encode(with coder: NSCoder) {
        coder.encode(directions.magnetic, forKey: "magneticHeading")
        coder.encode(directions.true, forKey: "trueHeading")
        coder.encode(directions.accuracy, forKey: "headingAccuracy")
        coder.encodeTime(directions.timestamp, forKey: "timestamp")
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object: a heading never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The directions on one line, for logs.
    open override var description: String {
        String(
            format: "magneticHeading %.2f trueHeading %.2f accuracy %.2f", magneticHeading, trueHeading, headingAccuracy
        )
            + " @ \(WallTime(timestamp).rfc3339)"
    }
}

/// The values of a `CLHeading`; an unknown one is -1.
struct HeadingFields: Sendable {
    var magnetic: CLLocationDirection
    var `true`: CLLocationDirection
    var accuracy: CLLocationDirection
    var timestamp: Date
}
