// SPDX-License-Identifier: Apache-2.0
internal import Foundation

/// The value of a key in one of the places where a program declares itself.
enum DeclaredValue: Sendable, Hashable {
    case text(String)
    case truth(Bool)
    case texts([String])
    case dictionary([String: String])
    /// Of a type that no key has.
    case other(String)

    /// The value in a property list.
    init(propertyList value: Any) {
        switch value {
        // A number in a property list may stand for a truth, and a truth for a number.
        case let truth as Bool: self = .truth(truth)
        case let text as String: self = .text(text)
        case let texts as [String]: self = .texts(texts)
        case let dictionary as [String: String]: self = .dictionary(dictionary)
        default: self = .other("\(type(of: value))")
        }
    }

    /// The value of an environment variable for `key`, which has only text.
    init(variable text: String, for key: CLApplicationInfo.Key) {
        switch key {
        case .identifier, .whenInUse, .always, .olderAlways:
            self = .text(text)
        case .defaultAccuracyReduced, .requiresServiceSession:
            self = DeclaredValue.truths[text.lowercased()].map(DeclaredValue.truth) ?? .text(text)
        case .backgroundModes:
            self = .texts(text.split(whereSeparator: { $0 == " " || $0 == "," }).map(String.init))
        case .temporary:
            let dictionary = try? JSONDecoder().decode([String: String].self, from: Data(text.utf8))
            self = dictionary.map(DeclaredValue.dictionary) ?? .text(text)
        }
    }

    /// The name of the value's type, for messages.
    var kind: String {
        switch self {
        case .text: "a string"
        case .truth: "a truth"
        case .texts: "an array of strings"
        case .dictionary: "a dictionary of strings"
        case .other(let type): type
        }
    }

    private static let truths = ["yes": true, "true": true, "1": true, "no": false, "false": false, "0": false]
}

/// A value and where it was found.
struct Declaration: Sendable, Hashable {
    var value: DeclaredValue
    var origin: CLApplicationInfo.Origin
}

/// One place where a program declares itself.
struct DeclaringPlace: Sendable, Hashable {
    var values: [CLApplicationInfo.Key: Declaration]
}

extension DeclaringPlace {
    /// The keys that this library knows in a property list.
    init(propertyList: [String: Any], at origin: CLApplicationInfo.Origin) {
        values = [:]
        for key in CLApplicationInfo.Key.allCases {
            guard let value = propertyList[key.rawValue] else { continue }
            values[key] = Declaration(value: DeclaredValue(propertyList: value), origin: origin)
        }
    }

    /// The variables that this library knows; an empty one is none.
    init(environment: [String: String]) {
        values = [:]
        for key in CLApplicationInfo.Key.allCases {
            let names = key == .identifier ? ["LOCATIOND_APP", key.rawValue] : [key.rawValue]
            guard let name = names.first(where: { environment[$0]?.isEmpty == false }), let text = environment[name]
            else { continue }
            values[key] = Declaration(
                value: DeclaredValue(variable: text, for: key), origin: .environment(name))
        }
    }

    /// The values of `info` that are not nil, false or empty.
    init(code info: CLApplicationInfo) {
        values = [:]
        func add(_ key: CLApplicationInfo.Key, _ value: DeclaredValue?) {
            if let value { values[key] = Declaration(value: value, origin: .code) }
        }
        add(.identifier, info.identifier.map(DeclaredValue.text))
        add(.whenInUse, info.whenInUseUsageDescription.map(DeclaredValue.text))
        add(.always, info.alwaysAndWhenInUseUsageDescription.map(DeclaredValue.text))
        let texts = info.temporaryUsageDescriptions
        add(.temporary, texts.isEmpty ? nil : .dictionary(texts))
        add(.requiresServiceSession, info.requiresExplicitServiceSession ? .truth(true) : nil)
        add(.defaultAccuracyReduced, info.defaultAccuracyReduced ? .truth(true) : nil)
        add(.backgroundModes, info.backgroundModes.isEmpty ? nil : .texts(info.backgroundModes))
    }
}
