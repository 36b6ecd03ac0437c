// SPDX-License-Identifier: Apache-2.0

/// Appends JSON to a buffer, without an allocation per value.
///
/// Separators follow from the last byte: after `{`, `[`, `:`, a line's end or nothing there is none. The caller sees to
/// the nesting.
package struct JSONWriter: Sendable {
    /// The text that has been written, behind the bytes that it began with.
    package var bytes: [UInt8]

    /// A writer behind `bytes`, which end with a line's end or are empty.
    package init(appendingTo bytes: [UInt8] = []) { self.bytes = bytes }

    /// Opens an object.
    package mutating func beginObject() { separate(); bytes.append(UInt8(ascii: "{")) }
    /// Closes an object.
    package mutating func endObject() { bytes.append(UInt8(ascii: "}")) }
    /// Opens an array.
    package mutating func beginArray() { separate(); bytes.append(UInt8(ascii: "[")) }
    /// Closes an array.
    package mutating func endArray() { bytes.append(UInt8(ascii: "]")) }

    /// A member's name that needs no escapes.
    package mutating func name(_ name: StaticString) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { bytes.append(contentsOf: $0) }
        bytes.append(UInt8(ascii: "\""))
        bytes.append(UInt8(ascii: ":"))
    }

    /// A member's name.
    package mutating func name(_ name: String) {
        string(name)
        bytes.append(UInt8(ascii: ":"))
    }

    /// A string.
    package mutating func string(_ text: String) {
        separate()
        bytes.append(UInt8(ascii: "\""))
        for byte in text.utf8 { append(escaping: byte) }
        bytes.append(UInt8(ascii: "\""))
    }

    /// A member that is a string.
    package mutating func member(_ name: StaticString, _ text: String) {
        self.name(name)
        string(text)
    }

    /// A member that is a whole number.
    package mutating func member(_ name: StaticString, _ number: UInt64) {
        self.name(name)
        integer(number)
    }

    /// A member that is a whole number.
    package mutating func member(_ name: StaticString, _ number: some SignedInteger) {
        self.name(name)
        integer(Int64(number))
    }

    /// true or false.
    package mutating func bool(_ flag: Bool) { raw(flag ? "true" : "false") }
    /// null.
    package mutating func null() { raw("null") }

    /// An integer.
    package mutating func integer(_ number: Int64) {
        separate()
        if number < 0 { bytes.append(UInt8(ascii: "-")) }
        appendDigits(number.magnitude)
    }

    /// An integer.
    package mutating func integer(_ number: UInt64) {
        separate()
        appendDigits(number)
    }

    /// An integer.
    package mutating func integer(_ number: Int) { integer(Int64(number)) }

    /// The shortest text that reads back as `number`, integers without a point; null for what JSON cannot say.
    package mutating func number(_ number: Double) {
        guard number.isFinite else { return null() }
        if abs(number) <= 0x1p53, let whole = Int64(exactly: number) { return integer(whole) }
        separate()
        bytes.append(contentsOf: number.description.utf8)
    }

    /// `number` rounded to `places` decimal places (0 to 9), without trailing zeros.
    package mutating func decimal(_ number: Double, places: Int) {
        let factor = DecimalPlaces.factors[places]
        let scaled = (number * factor).rounded()
        // Beyond this a double has no digits left behind the point.
        guard abs(scaled) < 9e15 else { return self.number(number) }
        separate()
        if scaled < 0 { bytes.append(UInt8(ascii: "-")) }
        let (whole, fraction) = UInt64(abs(scaled)).quotientAndRemainder(dividingBy: UInt64(factor))
        appendDigits(whole)
        if fraction > 0 { appendFraction(fraction, places: places) }
    }

    /// JSON that is written already.
    package mutating func raw(_ text: StaticString) {
        separate()
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// JSON that is written already.
    package mutating func raw(_ encoded: some Collection<UInt8>) {
        separate()
        bytes.append(contentsOf: encoded)
    }

    /// A piece of JSON with its own separators.
    package mutating func fragment(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    private mutating func separate() {
        switch bytes.last {
        case nil, UInt8(ascii: "{"), UInt8(ascii: "["), UInt8(ascii: ":"), UInt8(ascii: "\n"): break
        default: bytes.append(UInt8(ascii: ","))
        }
    }

    private mutating func append(escaping byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(byte)
        case UInt8(ascii: "\n"):
            bytes.append(UInt8(ascii: "\\"))
            bytes.append(UInt8(ascii: "n"))
        case 0..<0x20, 0x7F:
            for character in "\\u00".utf8 { bytes.append(character) }
            bytes.append(hexadecimalDigit(byte >> 4))
            bytes.append(hexadecimalDigit(byte & 15))
        default: bytes.append(byte)
        }
    }

    private mutating func appendDigits(_ number: UInt64) {
        guard number >= 10 else { return bytes.append(UInt8(ascii: "0") + UInt8(number)) }
        var digits = InlineArray<20, UInt8>(repeating: 0)
        var first = 20
        var rest = number
        while rest > 0 {
            first -= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            digits[first] = UInt8(ascii: "0") + UInt8(digit)
            rest = quotient
        }
        digits.span.extracting(first..<20).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }

    private mutating func appendFraction(_ fraction: UInt64, places: Int) {
        var digits = InlineArray<10, UInt8>(repeating: UInt8(ascii: "."))
        var rest = fraction
        var length = places
        for index in (1...places).reversed() {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            digits[index] = UInt8(ascii: "0") + UInt8(digit)
            if digit == 0, length == index { length -= 1 }
            rest = quotient
        }
        digits.span.extracting(0...length).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    }
}

private func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
}

/// Rounding to decimal places, the same for the writer of the hot path and for encoders.
enum DecimalPlaces {
    /// Powers of ten by number of places.
    static let factors: [Double] = [1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9]

    /// The double nearest to `number` rounded to `places`.
    static func rounded(_ number: Double, places: Int) -> Double {
        let scaled = (number * factors[places]).rounded()
        guard abs(scaled) < 9e15 else { return number }
        return scaled == 0 ? 0 : scaled / factors[places]
    }
}
