// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// Numbers with their units, for people.
enum Quantities {
    /// `value` with exactly `places` decimal places; never `-0`.
    static func fixed(_ value: Double, _ places: Int) -> String {
        var scale = 1.0
        for _ in 0..<places { scale *= 10 }
        let scaled = (abs(value) * scale).rounded()
        guard scaled < 1e17 else { return "\(value)" }
        let digits = String(UInt64(scaled))
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        let sign = value < 0 && scaled > 0 ? "-" : ""
        guard places > 0 else { return sign + padded }
        return sign + padded.dropLast(places) + "." + padded.suffix(places)
    }

    /// Three digits at most where a small number deserves a decimal place: `0.4`, `9.9`, `12`.
    static func short(_ value: Double) -> String { fixed(value, abs(value) < 9.95 ? 1 : 0) }

    /// A frequency: `1`, `0.2`, `10`.
    static func rate(_ value: Double) -> String {
        fixed(value, abs(value - value.rounded()) < 0.05 && value > 0.5 ? 0 : 1)
    }

    /// `12,345`.
    static func grouped(_ count: some BinaryInteger) -> String {
        let digits = String(count)
        var result = ""
        for (place, digit) in digits.reversed().enumerated() {
            if place > 0, place % 3 == 0, digit != "-" { result.append(",") }
            result.append(digit)
        }
        return String(result.reversed())
    }

    /// `1 location`, `12 locations`.
    static func counted(_ count: some BinaryInteger, _ noun: String) -> String {
        "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
    }

    /// A length of time by its two largest units: `0.4 s`, `42 s`, `2 min 5 s`, `3 h 12 min`, `2 d 4 h`.
    static func time(_ seconds: Double) -> String {
        let seconds = max(0, seconds)
        if seconds < 9.95 { return "\(fixed(seconds, 1)) s" }
        guard seconds < 1e15 else { return "for ever" }
        let whole = Int(seconds.rounded())
        let units: [(name: String, length: Int)] = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)]
        guard let first = units.firstIndex(where: { whole >= $0.length }) else { return "0 s" }
        let large = "\(whole / units[first].length) \(units[first].name)"
        guard first + 1 < units.count else { return large }
        let small = whole % units[first].length / units[first + 1].length
        return small == 0 ? large : "\(large) \(small) \(units[first + 1].name)"
    }

    /// `0.02 m`, `850 m`, `1.2 km`, `35 km`.
    static func distance(_ metres: Double) -> String {
        if abs(metres) < 0.095, metres != 0 { return "\(fixed(metres, 2)) m" }
        if abs(metres) < 999.5 { return "\(short(metres)) m" }
        return "\(short(metres / 1000)) km"
    }

    /// `312 B`, `14 kB`, `11.2 MB`.
    static func bytes(_ count: UInt64) -> String {
        if count < 1000 { return "\(count) B" }
        if count < 999_500 { return "\(fixed(Double(count) / 1e3, 0)) kB" }
        return "\(fixed(Double(count) / 1e6, 1)) MB"
    }

    /// One of the eight winds that a course, 0 to 360 degrees, goes to.
    static func wind(_ course: Double) -> String {
        let winds = ["N", "NE", "E", "SE", "S", "SW", "W", "NW"]
        return winds[Int((course / 45).rounded()) % 8]
    }

    /// A wish for precision: the word, or metres.
    static func accuracy(_ accuracy: DesiredAccuracy) -> String { accuracy.word ?? distance(accuracy.number) }
}

/// `text` without anything that a terminal would obey or that would hide what it says.
func printable(_ text: String) -> String {
    String(
        text.unicodeScalars.map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: "\u{FFFD}"
            default: Character(scalar)
            }
        })
}

/// An app's own word in quotation marks, which nothing inside can end.
func claimed(_ text: String) -> String {
    "“" + String(printable(text).map { "“”".contains($0) ? "\"" : $0 }) + "”"
}

/// An identity with the name of its user behind it: `uid:1000 (alice)`.
func shown(_ identity: String, user: String?) -> String {
    printable(identity) + (user.map { " (\(printable($0)))" } ?? "")
}

/// `text` cut to `width` characters, with a mark where it was longer.
func shortened(_ text: String, to width: Int) -> String {
    text.count <= width ? text : text.prefix(max(0, width - 1)) + "…"
}

/// Adds blanks up to a width.
func leftAligned(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
}

/// Puts blanks before, up to a width.
func rightAligned(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
