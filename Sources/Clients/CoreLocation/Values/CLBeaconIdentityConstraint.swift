// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Which beacons are meant: all of a UUID, or those of a major number, or the one of a major and minor number.
///
/// Two are equal if they mean the same beacons.
open class CLBeaconIdentityConstraint: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    let identity: BeaconSelection

    /// The beacons' UUID.
    open var uuid: UUID { identity.uuid }
    /// The beacons' major number; nil: any.
    open var major: CLBeaconMajorValue? { identity.major }
    /// The beacon's minor number; nil: any.
    open var minor: CLBeaconMinorValue? { identity.minor }

    /// All beacons of `uuid`.
    public init(uuid: UUID) {
        identity = BeaconSelection(uuid: uuid, major: nil, minor: nil)
        super.init()
    }

    /// All beacons of `uuid` and `major`.
    public init(uuid: UUID, major: CLBeaconMajorValue) {
        identity = BeaconSelection(uuid: uuid, major: major, minor: nil)
        super.init()
    }

    /// The beacon of `uuid`, `major` and `minor`.
    public init(uuid: UUID, major: CLBeaconMajorValue, minor: CLBeaconMinorValue) {
        identity = BeaconSelection(uuid: uuid, major: major, minor: minor)
        super.init()
    }

    init(_ identity: BeaconSelection) {
        self.identity = identity
        super.init()
    }

    /// Reads an archived constraint; nil if it is not one.
    public required init?(coder: NSCoder) {
        guard let identity = BeaconSelection(from: coder) else { return nil }
        self.identity = identity
        super.init()
    }

    /// Writes the UUID and the numbers.
    open func encode(with coder: NSCoder) { identity.encode(with: coder) }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// The same object: it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether `object` means the same beacons.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CLBeaconIdentityConstraint)?.identity == identity
    }

    /// From the UUID and the numbers.
    open override var hash: Int { identity.hashValue }

    /// The UUID and the numbers, for logs.
    open override var description: String { "CLBeaconIdentityConstraint (\(identity.text))" }
}
