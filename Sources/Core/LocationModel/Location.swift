// SPDX-License-Identifier: Apache-2.0

/// One accepted fix: where the device was, when, and how well that is known.
///
/// An unknown value is nil, never negative and never 0.
public struct Location: Sendable, Hashable, BitwiseCopyable {
    /// Where.
    public var coordinate: Coordinate
    /// Radius of the circle that holds the true place with 68 % probability, metres; > 0.
    public var horizontalAccuracy: Double
    /// When the fix was taken, by the receiver's clock where it told the time, else when it arrived.
    public var timestamp: WallTime
    /// The number of this fix: the same for every client, strictly growing, never used again. 0: not accepted yet.
    public var sequence: UInt64
    /// Height above mean sea level, metres; only with `verticalAccuracy`.
    public var altitude: Double?
    /// Height above the WGS 84 ellipsoid, metres; only with `verticalAccuracy`.
    public var ellipsoidalAltitude: Double?
    /// One standard deviation (68 %) of the height, metres; > 0.
    public var verticalAccuracy: Double?
    /// Speed over ground, metres per second; >= 0.
    public var speed: Double?
    /// 68 % of the speed, metres per second.
    public var speedAccuracy: Double?
    /// Direction of travel, degrees clockwise from true north, 0 to < 360.
    public var course: Double?
    /// 68 % of the course, degrees.
    public var courseAccuracy: Double?
    /// The fix came from a simulation (gpsd status 8), not from satellites.
    public var isSimulatedBySoftware: Bool
    /// How it was found.
    public var kind: LocationKind

    /// A fix at `coordinate` of which nothing else is known.
    public init(
        coordinate: Coordinate, horizontalAccuracy: Double, timestamp: WallTime, sequence: UInt64 = 0,
        altitude: Double? = nil, ellipsoidalAltitude: Double? = nil, verticalAccuracy: Double? = nil,
        speed: Double? = nil, speedAccuracy: Double? = nil, course: Double? = nil, courseAccuracy: Double? = nil,
        isSimulatedBySoftware: Bool = false, kind: LocationKind = .receiver
    ) {
        self.coordinate = coordinate
        self.horizontalAccuracy = horizontalAccuracy
        self.timestamp = timestamp
        self.sequence = sequence
        self.altitude = altitude
        self.ellipsoidalAltitude = ellipsoidalAltitude
        self.verticalAccuracy = verticalAccuracy
        self.speed = speed
        self.speedAccuracy = speedAccuracy
        self.course = course
        self.courseAccuracy = courseAccuracy
        self.isSimulatedBySoftware = isSimulatedBySoftware
        self.kind = kind
    }
}

/// Which of the receivers that gpsd knows, numbered by the daemon in the order in which they were first heard.
public struct ReceiverID: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// Counts from 0.
    public var rawValue: Int32
    /// The receiver with the number `rawValue`.
    public init(rawValue: Int32) { self.rawValue = rawValue }
    /// The receiver heard first comes first.
    public static func < (left: ReceiverID, right: ReceiverID) -> Bool { left.rawValue < right.rawValue }
}

/// One gathered epoch of one receiver with a position: what the engine decides upon.
public struct Fix: Sendable, Hashable, BitwiseCopyable {
    /// The receiver that measured it, or the source that counts as one.
    public var receiver: ReceiverID
    /// Place, accuracy, motion; `sequence` is 0. `timestamp` is the receiver's time if `hasReceiverTime`, else the host's.
    public var location: Location
    /// Whether the receiver said the time of this epoch.
    public var hasReceiverTime: Bool
    /// 2 (no usable altitude) or 3, as gpsd's TPV `mode`.
    public var mode: Int8
    /// As long as nothing else is known, the device counts as being there; zero: no longer than any fix.
    public var validity: TimeSpan

    /// An epoch of `receiver`.
    public init(
        receiver: ReceiverID, location: Location, hasReceiverTime: Bool = true, mode: Int8 = 3,
        validity: TimeSpan = .zero
    ) {
        self.receiver = receiver
        self.location = location
        self.hasReceiverTime = hasReceiverTime
        self.mode = mode
        self.validity = validity
    }
}

extension Location {
    /// No fix gets a greater number: JSON holds all smaller integers exactly.
    package static let greatestSequence: UInt64 = 1 << 53 - 1

    /// Whether every number is finite and in its range, and the date one that can be written.
    package var isPlausible: Bool {
        func isMissingOrFinite(_ value: Double?, atLeast least: Double = -.greatestFiniteMagnitude) -> Bool {
            guard let value else { return true }
            return value.isFinite && value >= least
        }
        return coordinate.isValid && horizontalAccuracy > 0 && horizontalAccuracy.isFinite && timestamp.isWritable
            && isMissingOrFinite(altitude) && isMissingOrFinite(ellipsoidalAltitude)
            && isMissingOrFinite(verticalAccuracy, atLeast: 0) && isMissingOrFinite(speed, atLeast: 0)
            && isMissingOrFinite(speedAccuracy, atLeast: 0) && isMissingOrFinite(course, atLeast: 0)
            && isMissingOrFinite(courseAccuracy, atLeast: 0)
    }
}
