// SPDX-License-Identifier: Apache-2.0

extension [UInt8] {
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    mutating func append(_ text: String) { append(contentsOf: text.utf8) }

    /// At least `width` digits, zeros in front.
    mutating func appendInteger(_ value: Int, width: Int = 1) {
        if value < 0 { append(UInt8(ascii: "-")) }
        var digits: UInt = value.magnitude
        let start = count
        repeat {
            append(UInt8(ascii: "0") + UInt8(digits % 10))
            digits /= 10
        } while digits > 0 || count - start < width
        self[start...].reverse()
    }

    /// `decimals` digits after the point, rounded; at least `width` before it. For numbers below 10^12.
    mutating func appendDecimal(_ value: Double, decimals: Int, width: Int = 1) {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        let scaled = (value.magnitude * scale).rounded()
        guard scaled < 9e18 else { return append(UInt8(ascii: "0")) }
        let whole = Int(scaled)
        if value < 0, whole != 0 { append(UInt8(ascii: "-")) }
        appendInteger(whole / Int(scale), width: width)
        guard decimals > 0 else { return }
        append(UInt8(ascii: "."))
        appendInteger(whole % Int(scale), width: decimals)
    }
}
