// SPDX-License-Identifier: Apache-2.0
public import Foundation
internal import LocationModel

/// A beacon that was heard.
open class CLBeacon: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let identity: BeaconSelection
    private let heard: Date
    private let metres: Double
    private let decibels: Int

    /// The beacon's UUID.
    open var uuid: UUID { identity.uuid }
    /// The beacon's UUID.
    @available(*, deprecated, renamed: "uuid")
    open var proximityUUID: UUID { identity.uuid }
    /// The beacon's major number.
    open var major: NSNumber { NSNumber(value: identity.major ?? 0) }
    /// The beacon's minor number.
    open var minor: NSNumber { NSNumber(value: identity.minor ?? 0) }
    /// How near it seems.
    open var proximity: CLProximity { CLProximity(BeaconProximity(metres: metres)) }
    /// How exact `proximity` is, which is about how far the beacon is, metres; negative: unknown.
    open var accuracy: CLLocationAccuracy { metres }
    /// How strong its signal is, decibels; 0: unknown.
    open var rssi: Int { decibels }
    /// When it was heard.
    open var timestamp: Date { heard }

    /// A beacon of which nothing is known, for subclasses in an app's tests.
    public override init() {
        identity = BeaconSelection(
            uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), major: 0, minor: 0)
        heard = Date()
        (metres, decibels) = (-1, 0)
        super.init()
    }

    init(_ ranged: RangedBeacon) {
        identity = BeaconSelection(
            uuid: UUID(uuidString: ranged.beacon.uuid) ?? UUID(), major: ranged.beacon.major, minor: ranged.beacon.minor
        )
        heard = ranged.timestamp.date
        (metres, decibels) = (ranged.accuracy, ranged.rssi)
        super.init()
    }

    /// Reads an archived beacon; nil if it is not one.
    public required init?(coder: NSCoder) {
        guard let identity = BeaconSelection(from: coder) else { return nil }
        self.identity = identity
        heard = coder.decodeTime(forKey: "timestamp")
        metres = coder.containsValue(forKey: "accuracy") ? coder.decodeDouble(forKey: "accuracy") : -1
        decibels = coder.decodeInteger(forKey: "rssi")
        super.init()
    }

    /// Writes the UUID, the numbers, the time and the distance.
    open func encode(with coder: NSCoder) {
        identity.encode(with: coder)
        coder.encodeTime(heard, forKey: "timestamp")
        coder.encode(metres, forKey: "accuracy")
        coder.encode(decibels, forKey: "rssi")
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object: it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The UUID and the numbers, for logs.
    open override var description: String {
        "CLBeacon (\(identity.text), proximity:\(proximity), \(accuracy) m, rssi:\(rssi))"
    }
}
