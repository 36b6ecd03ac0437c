// SPDX-License-Identifier: Apache-2.0
package import LocationModel

/// An advertisement of an iBeacon, which beacons send several times a second.
package struct BeaconAdvertisement: Sendable, Hashable {
    /// Under this number of a company its manufacturer data stands.
    package static let company: UInt16 = 0x004C
    /// Manufacturer data begins so: the kind, and how many bytes follow.
    package static let prefix: [UInt8] = [0x02, 0x15]
    private static let length = 23

    /// Which beacon.
    package let beacon: Beacon
    /// How loud it says it is at one metre, dBm.
    package let measuredPower: Int

    /// Reads manufacturer data of `company`; nil: it is no iBeacon's.
    package init?(manufacturerData bytes: [UInt8]) {
        guard bytes.count == Self.length, bytes.starts(with: Self.prefix) else { return nil }
        func number(_ index: Int) -> UInt16 { UInt16(bytes[index]) << 8 | UInt16(bytes[index + 1]) }
        beacon = Beacon(uuid: Self.uuid(bytes[2..<18]), major: number(18), minor: number(20))
        measuredPower = Int(Int8(bitPattern: bytes[22]))
    }

    private static func uuid(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            let digits = String(byte, radix: 16, uppercase: true)
            text += digits.count == 1 ? "0" + digits : digits
        }
        return text
    }
}
