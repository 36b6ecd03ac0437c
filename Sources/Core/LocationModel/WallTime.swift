// SPDX-License-Identifier: Apache-2.0

/// A date in UTC, in milliseconds since 1970-01-01T00:00:00Z (leap seconds not counted).
///
/// Data for people and for logs: no decision compares it, because the clock of a small device is often wrong.
public struct WallTime: Sendable, Hashable, Comparable, BitwiseCopyable {
    /// Milliseconds since 1970.
    public var milliseconds: Int64

    /// The date `milliseconds` after 1970-01-01T00:00:00Z.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The earlier date first.
    public static func < (left: WallTime, right: WallTime) -> Bool { left.milliseconds < right.milliseconds }

    /// A civil date and time of day in UTC; the year may be negative, the rest is not checked.
    public init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0, millisecond: Int = 0)
    {
        let days = daysFromCivil(year: year, month: month, day: day)
        milliseconds = Int64(((days * 24 + hour) * 60 + minute) * 60 + second) * 1000 + Int64(millisecond)
    }

    /// The RFC 3339 form with milliseconds, `2026-11-21T10:38:00.000Z`: 24 bytes for the years 0 to 9999.
    public var rfc3339: String {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(24)
        appendRFC3339(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Appends the RFC 3339 form. Years outside 0 to 9999 are written as the nearest of them.
    public func appendRFC3339(to bytes: inout [UInt8]) {
        let clamped = writable.milliseconds
        let seconds = clamped.flooredDivision(by: 1000)
        let days = seconds.flooredDivision(by: 86400)
        let second = Int(seconds - days * 86400)
        let (year, month, day) = civilFromDays(Int(days))
        bytes.appendDigits(year, width: 4)
        bytes.append(UInt8(ascii: "-"))
        bytes.appendDigits(month, width: 2)
        bytes.append(UInt8(ascii: "-"))
        bytes.appendDigits(day, width: 2)
        bytes.append(UInt8(ascii: "T"))
        bytes.appendDigits(second / 3600, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendDigits(second / 60 % 60, width: 2)
        bytes.append(UInt8(ascii: ":"))
        bytes.appendDigits(second % 60, width: 2)
        bytes.append(UInt8(ascii: "."))
        bytes.appendDigits(Int(clamped - seconds * 1000), width: 3)
        bytes.append(UInt8(ascii: "Z"))
    }

    /// Reads `YYYY-MM-DDTHH:MM:SS[.fraction]Z`, the one form that gpsd and this project write; nil for anything else.
    public init?(rfc3339 text: String) {
        var text = text
        guard let time = text.withUTF8({ WallTime(rfc3339: $0) }) else { return nil }
        self = time
    }

    /// The same of a text's bytes.
    package init?(rfc3339 bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.count >= 20, bytes.last == UInt8(ascii: "Z") else { return nil }
        func number(_ range: Range<Int>) -> Int? {
            var value = 0
            for byte in bytes[range] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            return value
        }
        let hyphen = UInt8(ascii: "-")
        let colon = UInt8(ascii: ":")
        guard bytes[4] == hyphen, bytes[7] == hyphen, bytes[10] == UInt8(ascii: "T"), bytes[13] == colon,
            bytes[16] == colon, let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...daysOfMonth(month, year: year)).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var millisecond = 0
        if bytes.count > 20 {
            let fraction = bytes[20..<bytes.count - 1]
            guard bytes[19] == UInt8(ascii: "."), !fraction.isEmpty,
                fraction.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
            else { return nil }
            for place in 0..<3 {
                let index = 20 + place
                let digit = index < bytes.count - 1 ? Int(bytes[index] - UInt8(ascii: "0")) : 0
                millisecond = millisecond * 10 + digit
            }
        }
        self.init(
            year: year, month: month, day: day, hour: hour, minute: minute, second: second, millisecond: millisecond)
    }

    /// Whether the date lies in the years 0 to 9999, which are all that can be written. Differences of such dates never overflow.
    package var isWritable: Bool { (WallTime.firstOfYear0...WallTime.lastOfYear9999).contains(milliseconds) }

    /// The nearest date that can be written.
    package var writable: WallTime {
        WallTime(milliseconds: min(max(milliseconds, WallTime.firstOfYear0), WallTime.lastOfYear9999))
    }

    private static let firstOfYear0 = WallTime(year: 0, month: 1, day: 1).milliseconds
    private static let lastOfYear9999 = WallTime(year: 10000, month: 1, day: 1).milliseconds - 1
}

private func daysOfMonth(_ month: Int, year: Int) -> Int {
    let next = month == 12 ? (year + 1, 1) : (year, month + 1)
    return daysFromCivil(year: next.0, month: next.1, day: 1) - daysFromCivil(year: year, month: month, day: 1)
}

// Days and civil dates in the proleptic Gregorian calendar, counted in eras of 400 years that start on 1 March.
private func daysFromCivil(year: Int, month: Int, day: Int) -> Int {
    let shifted = month <= 2 ? year - 1 : year
    let era = Int(Int64(shifted).flooredDivision(by: 400))
    let yearOfEra = shifted - era * 400
    let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
    return era * 146097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719468
}

private func civilFromDays(_ days: Int) -> (year: Int, month: Int, day: Int) {
    let shifted = days + 719468
    let era = Int(Int64(shifted).flooredDivision(by: 146097))
    let dayOfEra = shifted - era * 146097
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}

extension Int64 {
    fileprivate func flooredDivision(by divisor: Int64) -> Int64 {
        let quotient = self / divisor
        return self % divisor < 0 ? quotient - 1 : quotient
    }
}

extension [UInt8] {
    fileprivate mutating func appendDigits(_ value: Int, width: Int) {
        var divisor = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
            divisor /= 10
        }
    }
}
