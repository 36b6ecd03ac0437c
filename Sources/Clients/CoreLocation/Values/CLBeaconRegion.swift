// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// The surroundings of beacons: the device enters them when one is heard, and has left when none was for 30 seconds.
///
/// While nothing hears beacons (Bluetooth is off, or `locationd-beacons` is not installed) the state is unknown, and nothing is entered or left. On
/// Apple's systems what happened meanwhile is never told; here it is, once, when beacons are heard again.
open class CLBeaconRegion: CLRegion, @unchecked Sendable {
    let identity: BeaconSelection
    private let onDisplay = NotifySwitch()

    /// Which beacons are meant.
    open var beaconIdentityConstraint: CLBeaconIdentityConstraint { CLBeaconIdentityConstraint(identity) }
    /// The beacons' UUID.
    open var uuid: UUID { identity.uuid }
    /// The beacons' UUID.
    @available(*, deprecated, renamed: "uuid")
    open var proximityUUID: UUID { identity.uuid }
    /// The beacons' major number; nil: any.
    open var major: NSNumber? { identity.major.map { NSNumber(value: $0) } }
    /// The beacon's minor number; nil: any.
    open var minor: NSNumber? { identity.minor.map { NSNumber(value: $0) } }
    /// Whether the state is told when the display is switched on; false by default. It is kept, archived and copied, and nothing
    /// follows from it: locationd serves devices without a display, too, and knows of none.
    open var notifyEntryStateOnDisplay: Bool {
        get { onDisplay.isOn }
        set { onDisplay.isOn = newValue }
    }

    /// The surroundings of no beacon, without a name: for a property that has no region yet, and for subclasses in an app's tests.
    public override init() {
        identity = BeaconSelection(
            uuid: UUID(uuid: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)), major: nil, minor: nil)
        super.init()
    }

    /// The surroundings of all beacons of `uuid`.
    public init(uuid: UUID, identifier: String) {
        identity = BeaconSelection(uuid: uuid, major: nil, minor: nil)
        super.init(identifier: identifier)
    }

    /// The surroundings of all beacons of `uuid` and `major`.
    public init(uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
        identity = BeaconSelection(uuid: uuid, major: major, minor: nil)
        super.init(identifier: identifier)
    }

    /// The surroundings of the beacon of `uuid`, `major` and `minor`.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
        identity = BeaconSelection(uuid: uuid, major: major, minor: minor)
        super.init(identifier: identifier)
    }

    /// The surroundings of the beacons that `beaconIdentityConstraint` means.
    public init(beaconIdentityConstraint: CLBeaconIdentityConstraint, identifier: String) {
        identity = BeaconSelection(
            uuid: beaconIdentityConstraint.uuid, major: beaconIdentityConstraint.major,
            minor: beaconIdentityConstraint.minor)
        super.init(identifier: identifier)
    }

    /// The old spelling of `init(uuid:identifier:)`.
    @available(*, deprecated, renamed: "init(uuid:identifier:)")
    public convenience init(proximityUUID: UUID, identifier: String) {
        self.init(uuid: proximityUUID, identifier: identifier)
    }

    /// The old spelling of `init(uuid:major:identifier:)`.
    @available(*, deprecated, renamed: "init(uuid:major:identifier:)")
    public convenience init(proximityUUID: UUID, major: CLBeaconMajorValue, identifier: String) {
        self.init(uuid: proximityUUID, major: major, identifier: identifier)
    }

    /// The old spelling of `init(uuid:major:minor:identifier:)`.
    @available(*, deprecated, renamed: "init(uuid:major:minor:identifier:)")
    public convenience init(
        proximityUUID: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String
    ) {
        self.init(uuid: proximityUUID, major: major, minor: minor, identifier: identifier)
    }

    /// The older spelling of `init(uuid:identifier:)`.
    @available(*, deprecated, renamed: "init(uuid:identifier:)")
    public convenience init(UUID uuid: UUID, identifier: String) { self.init(uuid: uuid, identifier: identifier) }

    /// The older spelling of `init(uuid:major:identifier:)`.
    @available(*, deprecated, renamed: "init(uuid:major:identifier:)")
    public convenience init(UUID uuid: UUID, major: CLBeaconMajorValue, identifier: String) {
        self.init(uuid: uuid, major: major, identifier: identifier)
    }

    /// The older spelling of `init(uuid:major:minor:identifier:)`.
    @available(*, deprecated, renamed: "init(uuid:major:minor:identifier:)")
    public convenience init(UUID uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue, identifier: String) {
        self.init(uuid: uuid, major: major, minor: minor, identifier: identifier)
    }

    /// Reads an archived region; nil if it is not one.
    public required init?(coder: NSCoder) {
        guard let identity = BeaconSelection(from: coder) else { return nil }
        self.identity = identity
        onDisplay.isOn = coder.decodeBool(forKey: "notifyEntryStateOnDisplay")
        super.init(coder: coder)
    }

    /// Writes the UUID, the numbers and the flags.
    open override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        identity.encode(with: coder)
        coder.encode(notifyEntryStateOnDisplay, forKey: "notifyEntryStateOnDisplay")
    }

    /// A region that is the same, with flags of its own.
    open override func copy(with zone: NSZone? = nil) -> Any {
        let copy = CLBeaconRegion(beaconIdentityConstraint: beaconIdentityConstraint, identifier: identifier)
        copy.notifyEntryStateOnDisplay = notifyEntryStateOnDisplay
        return copied(to: copy)
    }

    /// The kind, identifier and beacons, for logs.
    open override var description: String { "CLBeaconRegion (identifier:'\(identifier)', \(identity.text))" }
}
