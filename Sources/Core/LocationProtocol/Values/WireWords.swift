// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// A value that has a word on the wire.
public protocol WireWord: CaseIterable, Sendable {
    /// The word on the wire.
    var word: String { get }
}

extension WireWord where Self: RawRepresentable, RawValue == String {
    /// The word on the wire.
    public var word: String { rawValue }
}

/// A value that is read and written as its word.
public protocol CodedWord: WireWord, Codable {}

extension CodedWord where Self: RawRepresentable, RawValue == Int {
    /// Reads the word.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let word = try container.decode(String.self)
        guard let value = Self(word: word) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "unknown word \(word)")
        }
        self = value
    }

    /// Writes the word.
    public func encode(to encoder: any Encoder) throws { try word.encode(to: encoder) }
}

extension WireWord {
    /// The value behind `word`.
    package init?(word: String) {
        guard let match = Self.allCases.first(where: { $0.word == word }) else { return nil }
        self = match
    }

    /// All words, for messages that say what is allowed.
    package static var words: [String] { allCases.map(\.word) }
}

extension AuthorizationStatus: CodedWord {
    /// The word on the wire.
    public var word: String {
        switch self {
        case .notDetermined: "notDetermined"
        case .restricted: "restricted"
        case .denied: "denied"
        case .authorizedAlways: "authorizedAlways"
        case .authorizedWhenInUse: "authorizedWhenInUse"
        }
    }
}

extension AccuracyAuthorization: CodedWord {
    /// The word on the wire.
    public var word: String {
        switch self {
        case .full: "full"
        case .reduced: "reduced"
        }
    }
}

extension ActivityType: CodedWord {
    /// The word on the wire.
    public var word: String {
        switch self {
        case .other: "other"
        case .automotiveNavigation: "automotiveNavigation"
        case .fitness: "fitness"
        case .otherNavigation: "otherNavigation"
        case .airborne: "airborne"
        }
    }
}

extension LocationKind: WireWord {
    /// The word on the wire.
    public var word: String {
        switch self {
        case .receiver: "receiver"
        case .manual: "manual"
        case .wifi: "wifi"
        case .cell: "cell"
        case .network: "network"
        case .accessory: "accessory"
        case .other: "other"
        }
    }
}

extension Presence: WireWord, Codable {}
extension LocationSource: WireWord, Codable {}
extension ServiceState: WireWord, Codable {}
extension RequestCancellation: WireWord, Codable {}
extension AuthorizationLevel: WireWord, Codable {}
extension AuthorizationAnswer: WireWord, Codable {}
extension AuthorizationOutcome: WireWord, Codable {}
extension ServiceSessionRequirement: CodedWord {
    /// The word on the wire.
    public var word: String {
        switch self {
        case .none: "none"
        case .whenInUse: "whenInUse"
        case .always: "always"
        }
    }
}

extension LiveConfiguration: CodedWord {
    /// The word on the wire.
    public var word: String {
        switch self {
        case .default: "default"
        case .automotiveNavigation: "automotiveNavigation"
        case .otherNavigation: "otherNavigation"
        case .fitness: "fitness"
        case .airborne: "airborne"
        }
    }
}

extension RegionState: CodedWord {
    /// The word on the wire.
    public var word: String {
        switch self {
        case .unknown: "unknown"
        case .inside: "inside"
        case .outside: "outside"
        }
    }
}

extension ConditionState: CodedWord {
    /// The word on the wire.
    public var word: String {
        switch self {
        case .unknown: "unknown"
        case .satisfied: "satisfied"
        case .unsatisfied: "unsatisfied"
        case .unmonitored: "unmonitored"
        }
    }
}

extension WallTime: Codable {
    /// Reads a time in RFC 3339.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = WallTime(rfc3339: text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "not a time in RFC 3339: \(text)")
        }
        self = time
    }
    /// Writes the time in RFC 3339 with milliseconds.
    public func encode(to encoder: any Encoder) throws { try rfc3339.encode(to: encoder) }
}

extension DesiredAccuracy: Codable {
    /// The wish behind a word.
    public init?(word: String) {
        guard let match = DesiredAccuracy.named.first(where: { $0.word == word }) else { return nil }
        self = match
    }

    /// Reads a word or Core Location's number.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        switch try WordOrNumber(from: decoder) {
        case .word(let word):
            if let value = DesiredAccuracy(word: word) { self = value; return }
        case .number(let number):
            if let value = DesiredAccuracy(number: number) { self = value; return }
        }
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "not an accuracy")
    }

    /// Writes the word, or metres.
    public func encode(to encoder: any Encoder) throws {
        if let word { try word.encode(to: encoder) } else { try number.encode(to: encoder) }
    }
}

/// A member that may be a word or Core Location's number.
package enum WordOrNumber: Decodable, Sendable, Hashable {
    /// A JSON string.
    case word(String)
    /// A JSON number.
    case number(Double)

    /// Reads a string or a number; anything else is a decoding error.
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        do {
            self = .word(try container.decode(String.self))
        } catch DecodingError.typeMismatch {
            self = .number(try container.decode(Double.self))
        }
    }
}
