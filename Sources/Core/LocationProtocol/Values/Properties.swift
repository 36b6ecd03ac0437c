// SPDX-License-Identifier: Apache-2.0

public import LocationModel

/// The members of `setProperties` and of its result.
package enum PropertiesMember: String, CodingKey, CaseIterable {
    case distanceFilter, desiredAccuracy, activityType, pausesLocationUpdatesAutomatically
    case allowsBackgroundLocationUpdates, headingFilter
}

/// Core Location's filters: metres or degrees, and any negative number for "none".
private struct FilterValue: Codable {
    var number: Double

    init(_ number: Double) { self.number = number }

    init(from decoder: any Decoder) throws {
        switch try WordOrNumber(from: decoder) {
        case .number(let number): self.number = number < 0 ? -1 : number
        case .word("none"): number = -1
        case .word(let word):
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "unknown word \(word)"))
        }
    }

    func encode(to encoder: any Encoder) throws {
        if number < 0 { try "none".encode(to: encoder) } else { try number.encode(to: encoder) }
    }
}

extension ManagerProperties: Codable {
    /// Reads all six properties, words or numbers.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: PropertiesMember.self)
        self.init()
        distanceFilter = try container.decode(FilterValue.self, forKey: .distanceFilter).number
        desiredAccuracy = try container.decode(DesiredAccuracy.self, forKey: .desiredAccuracy)
        activityType = try container.decode(ActivityType.self, forKey: .activityType)
        pausesLocationUpdatesAutomatically = try container.decode(
            Bool.self, forKey: .pausesLocationUpdatesAutomatically)
        allowsBackgroundLocationUpdates = try container.decode(Bool.self, forKey: .allowsBackgroundLocationUpdates)
        headingFilter = try container.decode(FilterValue.self, forKey: .headingFilter).number
    }

    /// Writes all six properties, with words where there are words.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: PropertiesMember.self)
        try container.encode(FilterValue(distanceFilter), forKey: .distanceFilter)
        try container.encode(desiredAccuracy, forKey: .desiredAccuracy)
        try container.encode(activityType, forKey: .activityType)
        try container.encode(pausesLocationUpdatesAutomatically, forKey: .pausesLocationUpdatesAutomatically)
        try container.encode(allowsBackgroundLocationUpdates, forKey: .allowsBackgroundLocationUpdates)
        try container.encode(FilterValue(headingFilter), forKey: .headingFilter)
    }
}

extension ManagerProperties {
    // Words where there are words, and no number that stands for one.
    static let schema = JSONSchema.object(
        Method.setProperties.params.map {
            Described($0.name, ManagerProperties.written($0.schema), required: true, $0.summary)
        })

    private static func written(_ schema: JSONSchema) -> JSONSchema {
        guard case .anyOf(let choices) = schema else { return schema == .number() ? .amount : schema }
        let written = choices.map(written).filter { if case .numbers = $0 { false } else { true } }
        return written.count == 1 ? written[0] : .anyOf(written)
    }
}
