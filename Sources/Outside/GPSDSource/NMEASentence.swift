// SPDX-License-Identifier: Apache-2.0

/// The fields of one NMEA 0183 sentence whose checksum is right. Valid as long as the bytes it was made of.
struct NMEASentence {
    /// The formatters that are read.
    enum Formatter {
        case rmc, gga, gsa, gst, gll, vtg
    }

    let formatter: Formatter
    private let bytes: UnsafeRawBufferPointer
    private let starts: Starts

    /// A sentence has at most 82 characters by the standard; receivers send somewhat longer ones.
    private static let maximumFields = 40
    private typealias Starts = [40 of UInt16]
    private(set) var fieldCount = 0

    /// Why a line is not read.
    enum Refusal: Error {
        case notASentence, badChecksum, unknownFormatter
    }

    /// Reads `line` (`$TTFFF,…*CS`, a CR at its end allowed).
    init(_ line: UnsafeRawBufferPointer) throws(Refusal) {
        var end = line.count
        while end > 0, line[end - 1] <= 0x20 { end -= 1 }
        guard end >= 10, line[0] == UInt8(ascii: "$"), line[end - 3] == UInt8(ascii: "*"),
            let high = hexDigit(line[end - 2]), let low = hexDigit(line[end - 1])
        else { throw .notASentence }
        let body = UnsafeRawBufferPointer(rebasing: line[1..<end - 3])
        guard body.reduce(0, ^) == high << 4 | low else { throw .badChecksum }
        guard body.count <= 1024, body[5] == UInt8(ascii: ","), let formatter = Self.formatter(body) else {
            throw .unknownFormatter
        }
        self.formatter = formatter
        bytes = body
        var starts = Starts(repeating: 0)
        var count = 0
        for index in body.indices where body[index] == UInt8(ascii: ",") && count < Self.maximumFields {
            starts[count] = UInt16(index + 1)
            count += 1
        }
        self.starts = starts
        fieldCount = count
    }

    private static func formatter(_ body: UnsafeRawBufferPointer) -> Formatter? {
        switch (body[2], body[3], body[4]) {
        case (UInt8(ascii: "R"), UInt8(ascii: "M"), UInt8(ascii: "C")): .rmc
        case (UInt8(ascii: "G"), UInt8(ascii: "G"), UInt8(ascii: "A")): .gga
        case (UInt8(ascii: "G"), UInt8(ascii: "S"), UInt8(ascii: "A")): .gsa
        case (UInt8(ascii: "G"), UInt8(ascii: "S"), UInt8(ascii: "T")): .gst
        case (UInt8(ascii: "G"), UInt8(ascii: "L"), UInt8(ascii: "L")): .gll
        case (UInt8(ascii: "V"), UInt8(ascii: "T"), UInt8(ascii: "G")): .vtg
        default: nil
        }
    }

    /// The bytes of field `index`, counted from 1 as the standard does; empty if there is no such field.
    func field(_ index: Int) -> UnsafeRawBufferPointer {
        guard index >= 1, index <= fieldCount else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        let start = Int(starts[index - 1])
        let end = index < fieldCount ? Int(starts[index]) - 1 : bytes.count
        return UnsafeRawBufferPointer(rebasing: bytes[start..<end])
    }

    /// Field `index` if it is one letter.
    func letter(_ index: Int) -> UInt8? {
        let text = field(index)
        return text.count == 1 ? text[0] : nil
    }

    /// Field `index` as a decimal number.
    func number(_ index: Int) -> Double? { decimal(field(index)) }

    /// Field `index` as a number of digits only.
    func integer(_ index: Int) -> Int? { digits(field(index)) }

    /// Degrees from `dddmm.mmmm` in field `index` and the hemisphere behind it, however many.
    func angle(_ index: Int, positive: Character, negative: Character) -> Double? {
        guard let packed = number(index), packed >= 0, let hemisphere = letter(index + 1) else { return nil }
        let degrees = (packed / 100).rounded(.down)
        let minutes = packed - degrees * 100
        let angle = degrees + minutes / 60
        guard minutes < 60 else { return nil }
        if hemisphere == positive.asciiValue { return angle }
        return hemisphere == negative.asciiValue ? -angle : nil
    }

    /// Milliseconds since midnight from `hhmmss.sss` in field `index`.
    func timeOfDay(_ index: Int) -> Int? {
        let text = field(index)
        guard text.count >= 6, let hour = digits(slice(text, 0, 2)), let minute = digits(slice(text, 2, 4)),
            let second = decimal(slice(text, 4, text.count)), hour < 24, minute < 60, second >= 0, second < 61
        else { return nil }
        return (hour * 60 + minute) * 60_000 + Int((second * 1000).rounded())
    }

    /// Day, month and two digits of the year from `ddmmyy` in field `index`.
    func date(_ index: Int) -> (day: Int, month: Int, year: Int)? {
        let text = field(index)
        guard text.count == 6, let day = digits(slice(text, 0, 2)), let month = digits(slice(text, 2, 4)),
            let year = digits(slice(text, 4, 6)), (1...31).contains(day), (1...12).contains(month)
        else { return nil }
        return (day, month, year)
    }
}

private func slice(_ text: UnsafeRawBufferPointer, _ start: Int, _ end: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(rebasing: text[start..<end])
}

private func hexDigit(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    default: nil
    }
}

private func digits(_ text: UnsafeRawBufferPointer) -> Int? {
    guard (1...9).contains(text.count) else { return nil }
    var value = 0
    for byte in text {
        guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
        value = value * 10 + Int(byte - UInt8(ascii: "0"))
    }
    return value
}

// Up to 15 digits: both the digits and the power of ten are exact, so that one division gives the nearest number.
private func decimal(_ text: UnsafeRawBufferPointer) -> Double? {
    var mantissa = 0
    var count = 0
    var divisor = 1.0
    var hasPoint = false
    let isNegative = text.first == UInt8(ascii: "-")
    for byte in text.dropFirst(isNegative ? 1 : 0) {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
            guard count < 15 else {
                guard hasPoint else { return nil }
                continue
            }
            mantissa = mantissa * 10 + Int(byte - UInt8(ascii: "0"))
            count += 1
            if hasPoint { divisor *= 10 }
        case UInt8(ascii: ".") where !hasPoint: hasPoint = true
        default: return nil
        }
    }
    guard count > 0 else { return nil }
    let value = Double(mantissa) / divisor
    return isNegative ? -value : value
}
