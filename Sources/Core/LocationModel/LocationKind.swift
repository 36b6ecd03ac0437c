// SPDX-License-Identifier: Apache-2.0

/// How a location was found.
///
/// Records keep the raw values.
public enum LocationKind: UInt8, Sendable, Hashable, CaseIterable, BitwiseCopyable {
    /// A receiver measured it.
    case receiver
    /// A person said where the device stands.
    case manual
    /// By the wireless networks around.
    case wifi
    /// By the cells of a mobile network.
    case cell
    /// By the address in the internet.
    case network
    /// A device that is connected to this one measured it.
    case accessory
    /// In another way.
    case other

    /// All but what receivers measure.
    package static let provided = allCases.filter { $0 != .receiver }
}

extension Location {
    /// Metres. A place with a larger error does not say on which side of a border the device is: it is the widest cushion of a region, and
    /// the error beyond which a fix makes no visit.
    package static let coarseAccuracy = 200.0

    /// Whether no receiver measured it, and it says only roughly where the device is: nobody enters, leaves or visits anything by it.
    public var isCoarse: Bool { kind != .receiver && horizontalAccuracy > Location.coarseAccuracy }
}
