// SPDX-License-Identifier: Apache-2.0
public import Foundation

/// Where a location comes from, if not simply from this device's receiver.
open class CLLocationSourceInformation: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    private let isSimulated: Bool
    private let isFromAccessory: Bool

    /// Whether a program made the location up: gpsd calls such fixes simulated, and the simulated manager's are.
    open var isSimulatedBySoftware: Bool { isSimulated }
    /// Whether an external accessory measured the location: a provider said so. Every receiver of gpsd's is the
    /// device's own.
    open var isProducedByAccessory: Bool { isFromAccessory }

    /// A location made up or not, measured by an accessory or not.
    public init(softwareSimulationState isSoftware: Bool, andExternalAccessoryState isAccessory: Bool) {
        isSimulated = isSoftware
        isFromAccessory = isAccessory
        super.init()
    }

    /// Neither made up nor measured by an accessory.
    public override init() {
        isSimulated = false
        isFromAccessory = false
        super.init()
    }

    /// The same object: it never changes.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// True.
    open class var supportsSecureCoding: Bool { true }

    /// Writes both answers.
    open func encode(with coder: NSCoder) {
        coder.encode(isSimulated, forKey: "isSimulatedBySoftware")
        coder.encode(isFromAccessory, forKey: "isProducedByAccessory")
    }

    /// Reads both answers.
    public required init?(coder: NSCoder) {
        isSimulated = coder.decodeBool(forKey: "isSimulatedBySoftware")
        isFromAccessory = coder.decodeBool(forKey: "isProducedByAccessory")
        super.init()
    }

    /// Both answers, for logs.
    open override var description: String {
        "CLLocationSourceInformation (simulated:\(isSimulated), accessory:\(isFromAccessory))"
    }
}
