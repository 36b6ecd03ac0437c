// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationProtocol

/// Reads the arguments of options; errors name the option, what was given and what is allowed.
enum ArgumentReading {
    /// Seconds out of `90`, `90s`, `5min`, `2h`, `500ms` or `1d`.
    static func time(
        _ text: String, _ option: LocctlOption, allowed: String, where isAllowed: (Double) -> Bool
    ) throws(LocctlError) -> Double {
        guard let seconds = seconds(text), isAllowed(seconds) else { throw refusal(text, option, allowed) }
        return seconds
    }

    /// Metres out of `500`, `500m` or `1.5km`.
    static func distance(
        _ text: String, _ option: LocctlOption, allowed: String, where isAllowed: (Double) -> Bool
    ) throws(LocctlError) -> Double {
        guard let metres = metres(text), isAllowed(metres) else { throw refusal(text, option, allowed) }
        return metres
    }

    /// A distance or `none`, which is -1 as Core Location has it.
    static func distanceFilter(_ text: String, _ option: LocctlOption) throws(LocctlError) -> Double {
        if text == "none" { return -1 }
        return try distance(text, option, allowed: "none or a distance such as 100, 100m or 1.5km") { $0 >= 0 }
    }

    /// Degrees or `none`.
    static func headingFilter(_ text: String, _ option: LocctlOption) throws(LocctlError) -> Double {
        if text == "none" { return -1 }
        guard let degrees = number(text), degrees >= 0, degrees <= 360 else {
            throw refusal(text, option, "none or degrees, 0 to 360")
        }
        return degrees
    }

    /// A word of Core Location, or metres.
    static func accuracy(_ text: String, _ option: LocctlOption) throws(LocctlError) -> DesiredAccuracy {
        if let accuracy = DesiredAccuracy(word: text) { return accuracy }
        if let metres = metres(text), metres > 0, let accuracy = DesiredAccuracy(number: metres) { return accuracy }
        throw refusal(text, option, option.words.joined(separator: ", ") + ", or a distance over 0")
    }

    /// One of the option's words.
    static func word<Value: WireWord>(
        _ text: String, _ option: LocctlOption, _ type: Value.Type
    ) throws(LocctlError) -> Value {
        guard let value = Value(word: text) else { throw refusal(text, option, Value.words.joined(separator: ", ")) }
        return value
    }

    /// A whole number from 1.
    static func count(_ text: String, _ option: LocctlOption) throws(LocctlError) -> Int {
        guard let count = Int(text), count > 0 else { throw refusal(text, option, "a whole number from 1") }
        return count
    }

    /// The number of a location.
    static func sequence(_ text: String, _ option: LocctlOption) throws(LocctlError) -> UInt64 {
        guard let sequence = UInt64(text), sequence < 1 << 53 else {
            throw refusal(text, option, "a sequence number, 0 to 9007199254740991")
        }
        return sequence
    }

    /// A name as the protocol allows it.
    static func name(_ text: String, _ option: LocctlOption) throws(LocctlError) -> String {
        guard isName(text) else { throw refusal(text, option, nameRule) }
        return text
    }

    /// An operand that is a name as the protocol allows it; `what` it names is for errors.
    static func name(_ text: String, of what: String) throws(LocctlError) -> String {
        guard isName(text) else { throw refusal(text, of: what, nameRule) }
        return text
    }

    private static let nameRule = "1 to 128 bytes without control characters"

    private static func isName(_ text: String) -> Bool {
        let hasControl = text.unicodeScalars.contains { $0.properties.generalCategory == .control }
        return (1...128).contains(text.utf8.count) && !hasControl
    }

    /// A path, which must not be empty.
    static func path(_ text: String, _ option: LocctlOption) throws(LocctlError) -> String {
        guard !text.isEmpty else { throw refusal(text, option, "the path of a socket") }
        return text
    }

    /// When to end.
    static func end(_ text: String, _ option: LocctlOption) throws(LocctlError) -> EndTime {
        if let seconds = seconds(text), seconds > 0 { return .after(.seconds(seconds)) }
        if let seconds = secondsOfDay(text) { return .timeOfDay(seconds: seconds) }
        if let date = WallTime(rfc3339: text) ?? dateWithOffset(text) { return .date(date) }
        throw refusal(
            text, option,
            "a time over 0 such as 90, 90s or 5min, a time of day such as 18:30 or 18:30:15, or a date such as "
                + "2026-11-21T18:30:00Z")
    }

    /// A moment, mostly one that is over.
    static func pastTime(_ text: String, _ option: LocctlOption) throws(LocctlError) -> PastTime {
        if let day = NamedDay(text) { return .day(day) }
        if let seconds = secondsOfDay(text) { return .timeOfDay(seconds: seconds) }
        if let date = WallTime(rfc3339: text) ?? dateWithOffset(text) { return .date(date) }
        if let time = shownTime(text) { return .shown(time) }
        if let seconds = seconds(text), seconds < 1e9 { return .ago(.seconds(seconds)) }
        throw refusal(
            text, option,
            "a day such as today or 2026-11-21, a time of today such as 18:30, a date and time such as "
                + "2026-11-21T18:30 or 2026-11-21T18:30:00Z, or a time ago such as 2h")
    }

    static func refusal(_ text: String, _ option: LocctlOption, _ allowed: String) -> LocctlError {
        .usage("cannot use --\(option.name) \"\(printable(text))\": allowed is \(allowed)")
    }

    static func refusal(_ text: String, of what: String, _ allowed: String) -> LocctlError {
        .usage("cannot take \"\(printable(text))\" for \(what): allowed is \(allowed)")
    }

    // MARK: Numbers with units

    private static func number(_ text: some StringProtocol) -> Double? {
        // Double("inf"), Double("0x1p3") and Double("nan") are not what people mean.
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }) else { return nil }
        return Double(text)
    }

    private static func number(_ text: String, units: [(suffix: String, factor: Double)]) -> Double? {
        if let plain = number(text) { return plain }
        for (suffix, factor) in units where text.hasSuffix(suffix) {
            if let value = number(text.dropLast(suffix.count)) { return value * factor }
        }
        return nil
    }

    private static func seconds(_ text: String) -> Double? {
        number(text, units: [("ms", 0.001), ("min", 60), ("s", 1), ("m", 60), ("h", 3600), ("d", 86_400)])
    }

    static func metres(_ text: String) -> Double? { number(text, units: [("km", 1000), ("m", 1)]) }

    private static func digits(_ text: some StringProtocol, atMost limit: Int) -> Int? {
        guard text.utf8.count == 2, text.allSatisfy({ $0.isASCII && $0.isNumber }), let value = Int(text),
            value <= limit
        else { return nil }
        return value
    }

    // HH:MM or HH:MM:SS.
    private static func secondsOfDay(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count), let hour = digits(parts[0], atMost: 23),
            let minute = digits(parts[1], atMost: 59)
        else { return nil }
        guard parts.count == 3 else { return hour * 3600 + minute * 60 }
        return digits(parts[2], atMost: 59).map { hour * 3600 + minute * 60 + $0 }
    }

    // 2026-11-21T18:30, also with a space for the T.
    private static func shownTime(_ text: String) -> WallTime? {
        let parts = text.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == "T" || $0 == " " }
        guard parts.count == 2, case .date(let midnight)? = NamedDay(String(parts[0])),
            let seconds = secondsOfDay(String(parts[1]))
        else { return nil }
        return WallTime(milliseconds: midnight.milliseconds + Int64(seconds) * 1000)
    }

    // 2026-11-21T18:30:00+02:00; the form with Z is WallTime's own.
    private static func dateWithOffset(_ text: String) -> WallTime? {
        guard text.utf8.count > 6, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        let offset = text.suffix(6)
        guard let sign = offset.first, sign == "+" || sign == "-",
            let seconds = secondsOfDay(String(offset.dropFirst())),
            let local = WallTime(rfc3339: text.dropLast(6) + "Z")
        else { return nil }
        return WallTime(milliseconds: local.milliseconds - Int64(sign == "+" ? seconds : -seconds) * 1000)
    }
}
