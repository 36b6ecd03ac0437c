// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
import LocationModel
import LocationServices
import SystemSupport

/// One key of the configuration file: the only place that knows its name, form and range.
package struct ConfigurationKey: Sendable {
    /// Where a value goes.
    typealias Place<Value> = any WritableKeyPath<Configuration, Value> & Sendable

    /// The form of a value, and the place where it goes.
    enum Form: Sendable {
        case number(Place<Int>, ClosedRange<Int>)
        case bytes(Place<Int>, ClosedRange<Int>)
        case span(Place<TimeSpan>, ClosedRange<TimeSpan>)
        case metres(Place<Double>, ClosedRange<Double>)
        case speed(Place<Double>, ClosedRange<Double>)
        case flag(Place<Bool>)
        case address(Place<GPSDAddress>)
        case path(Place<String>)
        case group(Place<String>)
        /// Names or numbers of `kind`: users or groups.
        case accounts(Place<[String]>, kind: String)
        case units(Place<[UnitPattern]>)
        /// `aliases` are words of earlier versions that still mean one of the others.
        case word(
            [String], aliases: [String: String] = [:], get: @Sendable (Configuration) -> String,
            set: @Sendable (inout Configuration, String) -> Void)
    }

    /// The section's name without brackets.
    package let section: String
    /// The key's name.
    package let name: String
    /// Whether a reload (SIGHUP) brings a new value into force; else it waits for a restart.
    package let appliesOnReload: Bool
    let form: Form

    init(_ section: String, _ name: String, _ form: Form, appliesOnReload: Bool = true) {
        self.section = section
        self.name = name
        self.form = form
        self.appliesOnReload = appliesOnReload
    }

    /// The allowed values in words, to follow "is not": a noun with its unit and range.
    package var allowed: String {
        switch form {
        case .number(_, let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .bytes(_, let range):
            "a number of bytes from \(range.lowerBound.inBytes) "
                + "to \(range.upperBound.inBytes)"
        case .span(_, let range):
            "a time from \(ConfigurationUnits.text(range.lowerBound)) to \(ConfigurationUnits.text(range.upperBound))"
        case .metres(_, let range):
            "a distance from \(ConfigurationUnits.text(range.lowerBound)) "
                + "to \(ConfigurationUnits.text(range.upperBound)) metres"
        case .speed(_, let range):
            "a speed from \(ConfigurationUnits.text(range.lowerBound)) "
                + "to \(ConfigurationUnits.text(range.upperBound)) metres per second"
        case .flag: "yes or no"
        case .address: "HOST:PORT, [ADDRESS]:PORT or /PATH"
        case .path: "an absolute path"
        case .group: "the name of a group"
        case .accounts(_, let kind): "names or numbers of \(kind), with spaces between them, or none"
        case .units: "names or patterns of services, or none"
        case .word(let words, _, _, _): words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        }
    }

    /// The value in `configuration`, as it would be written in the file.
    package func text(in configuration: Configuration) -> String {
        switch form {
        case .number(let path, _): "\(configuration[keyPath: path])"
        case .bytes(let path, _): configuration[keyPath: path].inBytes
        case .span(let path, _): ConfigurationUnits.text(configuration[keyPath: path])
        case .metres(let path, _), .speed(let path, _): ConfigurationUnits.text(configuration[keyPath: path])
        case .flag(let path): configuration[keyPath: path] ? "yes" : "no"
        case .address(let path): configuration[keyPath: path].description
        case .path(let path), .group(let path): configuration[keyPath: path]
        case .accounts(let path, _): ConfigurationKey.text(list: configuration[keyPath: path])
        case .units(let path): ConfigurationKey.text(list: configuration[keyPath: path].map(\.text))
        case .word(_, _, let get, _): get(configuration)
        }
    }

    /// Sets the value, or returns false and leaves `configuration` as it is. An empty value is the default, as systemd has it.
    func set(_ text: String, in configuration: inout Configuration) -> Bool {
        let value = text.isEmpty ? self.text(in: Configuration()) : text
        switch form {
        case .number(let path, let range): return put(Int(digits: value[...]), range, path, &configuration)
        case .bytes(let path, let range): return put(ConfigurationUnits.bytes(value), range, path, &configuration)
        case .span(let path, let range): return put(ConfigurationUnits.span(value), range, path, &configuration)
        case .metres(let path, let range): return put(ConfigurationUnits.metres(value), range, path, &configuration)
        case .speed(let path, let range):
            return put(ConfigurationUnits.decimal(value[...]), range, path, &configuration)
        case .flag(let path): return put(ConfigurationUnits.flag(value), path, &configuration)
        case .address(let path): return put(GPSDAddress(value), path, &configuration)
        case .path(let path):
            return put(value.isEmpty || value.hasPrefix("/") ? value : nil, path, &configuration)
        case .group(let path): return put(ConfigurationKey.groupName(value), path, &configuration)
        case .accounts(let path, _):
            return put(ConfigurationKey.list(value) { Accounts.isName($0) ? String($0) : nil }, path, &configuration)
        case .units(let path): return put(ConfigurationKey.list(value) { UnitPattern($0) }, path, &configuration)
        case .word(let words, let aliases, _, let set):
            let word = aliases[value] ?? value
            guard words.contains(word) else { return false }
            set(&configuration, word)
            return true
        }
    }

    private func put<Value: Comparable>(
        _ value: Value?, _ range: ClosedRange<Value>, _ path: WritableKeyPath<Configuration, Value>,
        _ configuration: inout Configuration
    ) -> Bool {
        put(value.flatMap { range.contains($0) ? $0 : nil }, path, &configuration)
    }

    private func put<Value>(
        _ value: Value?, _ path: WritableKeyPath<Configuration, Value>, _ configuration: inout Configuration
    ) -> Bool {
        guard let value else { return false }
        configuration[keyPath: path] = value
        return true
    }

    private static func groupName(_ text: String) -> String? { text.isEmpty || Accounts.isName(text) ? text : nil }

    /// The empty list has a word, because an empty value is the default.
    private static let emptyList = "none"

    private static func list<Element>(_ text: String, _ element: (Substring) -> Element?) -> [Element]? {
        guard text != emptyList else { return [] }
        let words = text.split(separator: " ")
        let elements = words.compactMap(element)
        return elements.count == words.count ? elements : nil
    }

    private static func text(list: [String]) -> String { list.isEmpty ? emptyList : list.joined(separator: " ") }
}
