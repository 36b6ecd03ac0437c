// SPDX-License-Identifier: Apache-2.0
import ConfigurationReading
import Glibc
import LocationModel

/// One key of `uplink.conf`: the only place that knows its name, form and range.
package struct UplinkKey: Sendable {
    /// Where a value goes.
    typealias Place<Value> = any WritableKeyPath<UplinkSettings, Value> & Sendable

    /// The form of a value, and the place where it goes.
    enum Form: Sendable {
        case number(Place<Int>, ClosedRange<Int>)
        case span(Place<TimeSpan>, ClosedRange<TimeSpan>)
        case flag(Place<Bool>)
        case path(Place<String>)
        case host(Place<String>)
        /// Of HTTP.
        case url(Place<String>)
        /// Visible characters, at most so many.
        case text(Place<String>, atMost: Int)
        /// Levels of a topic, without wildcards.
        case topic(Place<String>)
        case word(
            [String], get: @Sendable (UplinkSettings) -> String, set: @Sendable (inout UplinkSettings, String) -> Void)
    }

    /// The section's name without brackets.
    package let section: String
    /// The key's name.
    package let name: String
    let form: Form

    init(_ section: String, _ name: String, _ form: Form) {
        self.section = section
        self.name = name
        self.form = form
    }

    /// The allowed values in words, to follow "is not".
    package var allowed: String {
        switch form {
        case .number(_, let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .span(_, let range):
            "a time from \(ConfigurationUnits.text(range.lowerBound)) to \(ConfigurationUnits.text(range.upperBound))"
        case .flag: "yes or no"
        case .path: "an absolute path"
        case .host: "a host name or an address, without brackets and without a port"
        case .url: "http://HOST[:PORT]/PATH or https://HOST[:PORT]/PATH with a PORT from 1 to 65535"
        case .text(_, let most): "at most \(most) visible characters"
        case .topic: "levels with / between them, without +, # and control characters"
        case .word(let words, _, _): words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        }
    }

    /// The value in `settings`, as it would be written in the file.
    package func text(in settings: UplinkSettings) -> String {
        switch form {
        case .number(let path, _): "\(settings[keyPath: path])"
        case .span(let path, _): ConfigurationUnits.text(settings[keyPath: path])
        case .flag(let path): settings[keyPath: path] ? "yes" : "no"
        case .path(let path), .host(let path), .url(let path), .text(let path, _), .topic(let path):
            settings[keyPath: path]
        case .word(_, let get, _): get(settings)
        }
    }

    /// Sets the value, or returns false and leaves `settings` as they are. An empty value is the default.
    func set(_ text: String, in settings: inout UplinkSettings) -> Bool {
        let value = text.isEmpty ? self.text(in: UplinkSettings()) : text
        switch form {
        case .number(let path, let range):
            return put(Int(value).flatMap { range.contains($0) ? $0 : nil }, path, &settings)
        case .span(let path, let range):
            return put(ConfigurationUnits.span(value).flatMap { range.contains($0) ? $0 : nil }, path, &settings)
        case .flag(let path): return put(ConfigurationUnits.flag(value), path, &settings)
        case .path(let path): return put(value.isEmpty || value.hasPrefix("/") ? value : nil, path, &settings)
        case .host(let path):
            return put(UplinkKey.isHost(value) ? value : nil, path, &settings)
        case .url(let path): return put(value.isEmpty || ServerURL.isOne(value) ? value : nil, path, &settings)
        case .text(let path, let most):
            let isPlain = value.count <= most && value.unicodeScalars.allSatisfy(UplinkKey.isVisible)
            return put(isPlain ? value : nil, path, &settings)
        case .topic(let path): return put(UplinkKey.isTopic(value) ? value : nil, path, &settings)
        case .word(let words, _, let set):
            guard words.contains(value) else { return false }
            set(&settings, value)
            return true
        }
    }

    private func put<Value>(
        _ value: Value?, _ path: WritableKeyPath<UplinkSettings, Value>, _ settings: inout UplinkSettings
    ) -> Bool {
        guard let value else { return false }
        settings[keyPath: path] = value
        return true
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .surrogate, .unassigned, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    // Colons are for addresses of IPv6, which may have a zone behind a percent sign.
    private static func isHost(_ text: String) -> Bool {
        var address = in6_addr()
        guard text.unicodeScalars.allSatisfy(isOfHosts), text.first != "-", text.last != "%" else { return false }
        return !text.contains { ":%".contains($0) }
            || inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &address) == 1
    }

    private static func isOfHosts(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII
            && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
                || ".:-_%".unicodeScalars.contains(scalar))
    }

    private static func isTopic(_ text: String) -> Bool {
        text.utf8.count <= 128 && !text.hasPrefix("$")
            && text.unicodeScalars.allSatisfy { scalar in
                isVisible(scalar) && scalar != "+" && scalar != "#"
            }
    }
}

extension UplinkKey {
    /// All keys, in the order of the file; `[Regions]` has names of the administrator's choice beside them.
    package static let all: [UplinkKey] = broker + server + messages + homeAssistant

    private static let broker: [UplinkKey] = [
        .init("Broker", "Host", .host(\.broker.host)),
        .init("Broker", "Port", .number(\.broker.port, 0...65_535)),
        .init("Broker", "Protocol", words(\.broker.version)),
        .init("Broker", "Username", .text(\.broker.username, atMost: 128)),
        .init("Broker", "ClientID", .text(\.broker.clientID, atMost: 128)),
        .init("Broker", "KeepAlive", .span(\.broker.keepAlive, .zero ... .seconds(65_535))),
        .init("Broker", "TLS", words(\.broker.encryption)),
        .init("Broker", "CAFile", .path(\.broker.authorities)),
        .init("Broker", "CertificateFile", .path(\.broker.certificate)),
        .init("Broker", "ALPN", .text(\.broker.alpn, atMost: 64)),
        .init("Broker", "Identity", .text(\.broker.identity, atMost: 128)),
    ]

    private static let server: [UplinkKey] = [
        .init("HTTP", "URL", .url(\.server.url)),
        .init("HTTP", "Username", .text(\.server.username, atMost: 128)),
        .init("HTTP", "CAFile", .path(\.server.authorities)),
        .init("HTTP", "CertificateFile", .path(\.server.certificate)),
    ]

    private static let messages: [UplinkKey] = [
        .init("Uplink", "Mode", words(\.messages.mode)),
        .init("Uplink", "Batch", .span(\.messages.batch, .zero ... .seconds(14_400))),
        .init("Uplink", "Backlog", words(\.messages.backlog)),
        .init("Uplink", "User", .topic(\.messages.user)),
        .init("Uplink", "Device", .topic(\.messages.device)),
        .init("Uplink", "TrackerID", .text(\.messages.trackerID, atMost: 2)),
        .init("Uplink", "Topic", .topic(\.messages.topic)),
        .init("Uplink", "ExitWhenIdle", .span(\.messages.exitWhenIdle, .zero ... .seconds(86_400))),
    ]

    private static let homeAssistant: [UplinkKey] = [
        .init("HomeAssistant", "Discovery", .flag(\.homeAssistant.discovery)),
        .init("HomeAssistant", "Prefix", .topic(\.homeAssistant.prefix)),
    ]

    /// The words of an enumeration.
    private static func words<Value: CaseIterable & RawRepresentable & Sendable>(
        _ path: Place<Value>
    ) -> Form where Value.RawValue == String {
        .word(
            Value.allCases.map(\.rawValue), get: { $0[keyPath: path].rawValue },
            set: { settings, word in
                guard let value = Value(rawValue: word) else { return }
                settings[keyPath: path] = value
            })
    }
}
