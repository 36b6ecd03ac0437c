// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// A beacon that was heard. Nothing here hears beacons, so none is ever delivered; the type is here for code that names it.
open class CLBeacon: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let identity: BeaconSelection
    private let heard: Date

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
    open var proximity: CLProximity { .unknown }
    /// How exact `proximity` is, metres; negative: unknown.
    open var accuracy: CLLocationAccuracy { -1 }
    /// How strong its signal is, decibels; 0: unknown.
    open var rssi: Int { 0 }
    /// When it was heard.
    open var timestamp: Date { heard }

    /// A beacon of which nothing is known, for subclasses in an app's tests.
    public override init() {
        identity = BeaconSelection(
            uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), major: 0, minor: 0)
        heard = Date()
        super.init()
    }

    /// Reads an archived beacon; nil if it is not one.
    public required init?(coder: NSCoder) {
        guard let identity = BeaconSelection(from: coder) else { return nil }
        self.identity = identity
        heard = coder.decodeTime(forKey: "timestamp")
        super.init()
    }

    /// Writes the UUID, the numbers and the time.
    open func encode(with coder: NSCoder) {
        identity.encode(with: coder)
        coder.encodeTime(heard, forKey: "timestamp")
    }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object: it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// The UUID and the numbers, for logs.
    open override var description: String { "CLBeacon (\(identity.text))" }
}
