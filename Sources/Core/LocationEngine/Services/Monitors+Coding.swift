// SPDX-License-Identifier: Apache-2.0

/// The number and a hash of the name, which may be longer than there is room for.
extension Monitors.Held: Recorded {
    var coded: [UInt64] { [UInt64(number), hash] }

    init?(coded: [UInt64]) {
        guard coded.count == 2, let number = UInt32(exactly: coded[0]), number.isUsable else { return nil }
        self.init(number: number, name: "")
        hash = coded[1]
    }

    /// FNV-1a in 52 bits, a number that JSON holds exactly: two of the few monitors of an app hardly ever have the same.
    static func hash(of name: String) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in name.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        return hash >> 12
    }
}
