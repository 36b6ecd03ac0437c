// SPDX-License-Identifier: Apache-2.0
package import LocationModel
import SystemSupport

/// How numbers with units are written in the file, both ways. Reading gives nil for what is not of the form.
package enum ConfigurationUnits {
    private static let spans: [(words: [Substring], nanoseconds: Double)] = [
        (["us", "usec"], 1e3),
        (["ms", "msec"], 1e6),
        (["s", "sec", "second", "seconds", ""], 1e9),
        (["min", "m", "minute", "minutes"], 60e9),
        (["h", "hr", "hour", "hours"], 3600e9),
        (["d", "day", "days"], 86400e9),
    ]

    /// systemd's spans: `30`, `30s`, `1.5h`, `1min 30s`.
    package static func span(_ text: String) -> TimeSpan? {
        var rest = Substring(text)
        var nanoseconds = 0.0
        repeat {
            let number = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
            rest = rest.dropFirst(number.count).drop { $0 == " " }
            let word = rest.prefix { $0.isASCII && $0.isLetter }
            rest = rest.dropFirst(word.count).drop { $0 == " " }
            guard let value = decimal(number), let unit = spans.first(where: { $0.words.contains(word) }) else {
                return nil
            }
            nanoseconds += value * unit.nanoseconds
        } while !rest.isEmpty
        return .seconds(nanoseconds / 1e9)
    }

    /// A span in its largest whole unit.
    package static func text(_ span: TimeSpan) -> String {
        let units: [(String, Int64)] = [
            ("day", 86_400_000_000_000), ("h", 3_600_000_000_000), ("min", 60_000_000_000), ("s", 1_000_000_000),
            ("ms", 1_000_000),
        ]
        for (word, size) in units where span.nanoseconds % size == 0 && span.nanoseconds >= size {
            return "\(span.nanoseconds / size)\(word)"
        }
        return span == .zero ? "0" : "\(text(Double(span.nanoseconds) / 1e3))us"
    }

    /// Metres: `500`, `500m`, `1.5km`.
    package static func metres(_ text: String) -> Double? {
        let number = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let factors = ["": 1.0, "m": 1.0, "km": 1000.0]
        guard let value = decimal(number), let factor = factors[String(text.dropFirst(number.count).drop { $0 == " " })]
        else { return nil }
        return value * factor
    }

    /// Bytes: `65536`, `64K`, `1M`, in steps of 1,024.
    package static func bytes(_ text: String) -> Int? {
        let shifts: [Character: Int] = ["K": 10, "M": 20]
        guard let last = text.last else { return nil }
        guard let shift = shifts[last] else { return Int(digits: text[...]) }
        guard let number = Int(digits: text.dropLast()), number <= Int.max >> shift else { return nil }
        return number << shift
    }

    /// Digits with at most one point: no sign, no exponent, no `inf`, no `nan`, which Double would take.
    package static func decimal(_ text: Substring) -> Double? {
        let digits = text.utf8.count { (0x30...0x39).contains($0) }
        let points = text.utf8.count { $0 == UInt8(ascii: ".") }
        guard digits > 0, points <= 1, digits + points == text.utf8.count else { return nil }
        return Double(text)
    }

    /// The shortest form, without `.0`.
    package static func text(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
    }

    /// `yes`, `no` and their like.
    package static func flag(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "yes", "true", "on", "1": true
        case "no", "false", "off", "0": false
        default: nil
        }
    }
}
