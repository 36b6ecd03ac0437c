// SPDX-License-Identifier: Apache-2.0

/// The shapes of this protocol's values; says of itself what JSON Schema (draft 7) needs.
package indirect enum JSONSchema: Sendable, Hashable {
    /// One member of an object, or one parameter of a method.
    package struct Member: Sendable, Hashable {
        package var name: String
        package var schema: JSONSchema
        package var isRequired: Bool
        /// For people: meaning and unit.
        package var summary: String

        /// The member `name`.
        package init(_ name: String, _ schema: JSONSchema, required: Bool = false, _ summary: String) {
            self.name = name
            self.schema = schema
            self.isRequired = required
            self.summary = summary
        }
    }

    case boolean
    case null
    /// A number; bounds belong to it unless said otherwise.
    case number(minimum: Double? = nil, exclusiveMinimum: Double? = nil, maximum: Double? = nil)
    /// One of these numbers.
    case numbers([Double])
    /// An integer from `minimum` to `maximum`.
    case integer(minimum: Int = 0, maximum: Int = 9_007_199_254_740_991)
    case string(pattern: String? = nil, maximumLength: Int? = nil)
    case words([String])
    case array(of: JSONSchema)
    /// An object with these members. Requests may have no others; of what the daemon writes others must be passed over.
    case object([Member])
    /// An object with names that are data.
    case map(of: JSONSchema)
    case anyOf([JSONSchema])
    /// A schema in the document's components.
    case named(String)

    /// A value or null.
    package static func nullable(_ schema: JSONSchema) -> JSONSchema { .anyOf([schema, .null]) }
    /// A time in RFC 3339, UTC, with milliseconds.
    package static let time = JSONSchema.string(pattern: #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"#)
    /// A time as a request may say it: of any precision.
    package static let givenTime = JSONSchema.string(
        pattern: #"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$"#, maximumLength: 64)
    /// Seconds or metres from 0.
    package static let amount = JSONSchema.number(minimum: 0)
    /// A count or number from 0.
    package static let count = JSONSchema.integer()
    /// A number that something was given, counted from 1.
    package static let ordinal = JSONSchema.integer(minimum: 1)

    /// The schema as JSON Schema writes it.
    package var document: JSONValue {
        switch self {
        case .boolean: ["type": "boolean"]
        case .null: ["type": "null"]
        case .number(let minimum, let exclusiveMinimum, let maximum):
            JSONSchema.typed(
                "number",
                [
                    ("minimum", minimum.map(JSONValue.number)),
                    ("exclusiveMinimum", exclusiveMinimum.map(JSONValue.number)),
                    ("maximum", maximum.map(JSONValue.number)),
                ])
        case .numbers(let numbers): ["type": "number", "enum": .array(numbers.map(JSONValue.number))]
        case .integer(let minimum, let maximum):
            JSONSchema.typed(
                "integer", [("minimum", .number(Double(minimum))), ("maximum", .number(Double(maximum)))])
        case .string(let pattern, let maximumLength):
            JSONSchema.typed(
                "string",
                [
                    ("pattern", pattern.map(JSONValue.string)),
                    ("maxLength", maximumLength.map { .number(Double($0)) }),
                ])
        case .words(let words): ["type": "string", "enum": .array(words.map(JSONValue.string))]
        case .array(let element): ["type": "array", "items": element.document]
        case .object(let members): JSONSchema.object(members)
        case .map(let value): ["type": "object", "additionalProperties": value.document]
        case .anyOf(let schemas): ["anyOf": .array(schemas.map(\.document))]
        case .named(let name): ["$ref": .string("#/components/schemas/\(name)")]
        }
    }

    private static func typed(_ type: String, _ rules: [(String, JSONValue?)]) -> JSONValue {
        var members: [String: JSONValue] = ["type": .string(type)]
        for (name, value) in rules { members[name] = value }
        return .object(members)
    }

    private static func object(_ members: [Member]) -> JSONValue {
        var properties: [String: JSONValue] = [:]
        for member in members {
            var schema = member.schema.document
            // Beside `$ref` draft 7 reads nothing else.
            if case .object(var rules) = schema, rules["$ref"] == nil {
                rules["description"] = .string(member.summary)
                schema = .object(rules)
            }
            properties[member.name] = schema
        }
        let required = members.filter(\.isRequired).map { JSONValue.string($0.name) }
        return required.isEmpty
            ? ["type": "object", "properties": .object(properties)]
            : ["type": "object", "properties": .object(properties), "required": .array(required)]
    }
}

/// A member as a table describes it.
typealias Described = JSONSchema.Member
