// SPDX-License-Identifier: Apache-2.0
import func Glibc.pow

/// Which beacons are meant (CLBeaconIdentityConstraint).
public struct BeaconIdentity: Sendable, Hashable, Codable {
    /// 8-4-4-4-12 hexadecimal digits, capital.
    public var uuid: String
    /// nil: any.
    public var major: UInt16?
    /// Only with `major`; nil: any.
    public var minor: UInt16?

    /// The beacons of `uuid`, of one `major`, or the one of a `minor`.
    public init(uuid: String, major: UInt16? = nil, minor: UInt16? = nil) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// Whether the beacon is one of those that are meant.
    public func means(_ beacon: Beacon) -> Bool {
        uuid == beacon.uuid && (major ?? beacon.major) == beacon.major && (minor ?? beacon.minor) == beacon.minor
    }
}

/// One beacon. Several devices that send the same are one.
public struct Beacon: Sendable, Hashable, Comparable {
    /// 8-4-4-4-12 hexadecimal digits, capital.
    public var uuid: String
    /// The group.
    public var major: UInt16
    /// Which of the group.
    public var minor: UInt16

    /// The beacon of these numbers.
    public init(uuid: String, major: UInt16, minor: UInt16) {
        self.uuid = uuid
        self.major = major
        self.minor = minor
    }

    /// By UUID, then by numbers.
    public static func < (left: Beacon, right: Beacon) -> Bool {
        (left.uuid, left.major, left.minor) < (right.uuid, right.major, right.minor)
    }
}

/// A beacon was heard, as a radio says it.
public struct BeaconSighting: Sendable, Hashable {
    /// Which one.
    public var beacon: Beacon
    /// How loud, dBm, -127 to 20; nil: the radio does not say.
    public var rssi: Int?
    /// How loud the beacon says it is at one metre, dBm, -128 to 127; only a negative one tells a distance.
    public var measuredPower: Int
    /// How long before it is told it was heard, seconds, 0 to 10.
    public var age: Double

    /// A sighting of `beacon`.
    public init(_ beacon: Beacon, rssi: Int?, measuredPower: Int, age: Double = 0) {
        self.beacon = beacon
        self.rssi = rssi
        self.measuredPower = measuredPower
        self.age = age
    }
}

/// How near a beacon seems (CLProximity).
public enum BeaconProximity: String, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    case unknown
    /// Less than half a metre.
    case immediate
    /// Less than four metres.
    case near
    case far

    /// That of a distance in metres; a negative one is unknown.
    public init(metres: Double) {
        self =
            switch metres {
            case ..<0: .unknown
            case ..<0.5: .immediate
            case ..<4: .near
            default: .far
            }
    }
}

/// A beacon with its distance (CLBeacon).
public struct RangedBeacon: Sendable, Hashable {
    /// Which one.
    public var beacon: Beacon
    /// How far it seems, metres; -1: unknown.
    public var accuracy: Double
    /// How loud it was lately, dBm; 0: unknown.
    public var rssi: Int
    /// When it was heard last.
    public var timestamp: WallTime
    /// How near that is.
    public var proximity: BeaconProximity { BeaconProximity(metres: accuracy) }

    /// A beacon that was heard at `timestamp`; its distance is unknown unless said.
    public init(_ beacon: Beacon, accuracy: Double = -1, rssi: Int = 0, timestamp: WallTime) {
        self.beacon = beacon
        self.accuracy = accuracy
        self.rssi = rssi
        self.timestamp = timestamp
    }
}

/// How far a beacon seems that is so loud, metres; nil: it cannot be told.
///
/// The curve that AltBeacon fitted to measurements of a phone. It tends to read short, and a body or a wall between makes any beacon far.
///
/// - Parameters:
///   - strength: dBm, < 0.
///   - measuredPower: dBm at one metre, < 0.
public func beaconDistance(strength: Double, measuredPower: Int) -> Double? {
    guard strength < 0, measuredPower < 0 else { return nil }
    let ratio = strength / Double(measuredPower)
    return ratio < 1 ? pow(ratio, 10) : 0.42093 * pow(ratio, 6.9476) + 0.54992
}
