// SPDX-License-Identifier: Apache-2.0

/// The rule for a value of a request: its schema, the words in which a refusal says what is allowed, and how it is read and written.
package struct Rule<Value: Sendable>: Sendable {
    /// Of what is taken.
    let definition: JSONSchema
    /// Under which name it stands among the schemas that others refer to; nil: nowhere.
    private let name: String?
    /// For a refusal: "allowed is …".
    let allowed: String
    /// For the refusal of a member that is required and absent.
    let allowedOfAbsent: String
    let read: @Sendable (GivenValue) throws(RPCError) -> Value
    let write: @Sendable (Value, inout JSONWriter) -> Void

    /// A rule whose `read` throws its refusals itself.
    init(
        _ definition: JSONSchema, named name: String? = nil, allowed: String, absent: String? = nil,
        read: @escaping @Sendable (GivenValue) throws(RPCError) -> Value,
        write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        self.definition = definition
        self.name = name
        self.allowed = allowed
        allowedOfAbsent = absent ?? allowed
        self.read = read
        self.write = write
    }

    /// As a table shows it.
    var schema: JSONSchema { name.map { .named($0) } ?? definition }

    /// A rule that refuses the values of which `value` makes nothing.
    init(
        _ schema: JSONSchema, allowed: String, value: @escaping @Sendable (GivenValue) -> Value?,
        write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        self.init(
            schema, allowed: allowed,
            read: { given throws(RPCError) in
                guard let value = value(given) else { throw given.refusal(allowed: allowed) }
                return value
            }, write: write)
    }
}

extension Rule<String> {
    /// A string of at most 256 bytes for which `isAllowed` holds.
    static func text(
        _ schema: JSONSchema, allowed: String, _ isAllowed: @escaping @Sendable (String) -> Bool
    ) -> Rule {
        Rule(
            schema, allowed: allowed,
            read: { given throws(RPCError) in
                guard let text = try given.string(allowed: allowed), isAllowed(text) else {
                    throw given.refusal(allowed: allowed)
                }
                return text
            }, write: { $1.string($0) })
    }

    /// An identifier or name.
    static let name = text(
        .name, allowed: "a string of 1 to 128 bytes without control characters", isName)
    /// A name that people read before they decide.
    static let label = text(.label, allowed: labelRule, isLabel)
    /// An app as `apps` names it: longer than other names, since units have long ones.
    static let appName = text(
        .appName, allowed: "the name that apps tells, 1 to 256 bytes without control characters"
    ) { !$0.isEmpty && !$0.unicodeScalars.contains(where: isControl) }
    /// A text that people read.
    static let usageText = text(
        .usageText, allowed: "a string of at most 256 bytes without control or bidirectional characters", isUsageText)
}

extension Rule<Bool> {
    static let flag = Rule(.boolean, allowed: "true or false", value: \.flag, write: { $1.bool($0) })
}

extension Rule<UInt64> {
    /// A number that something was given, counted from 1.
    static let ordinal = whole(.ordinal, allowed: "a number, 1 to 9007199254740991", 1...)
    /// The number of a fix.
    static let sequence = whole(.count, allowed: "a sequence number, 0 to 9007199254740991", 0...)

    private static func whole(_ schema: JSONSchema, allowed: String, _ range: PartialRangeFrom<UInt64>) -> Rule {
        Rule(
            schema, allowed: allowed,
            value: { given in given.integer(UInt64.self).flatMap { range.contains($0) && $0 < 1 << 53 ? $0 : nil } },
            write: { $1.integer($0) })
    }
}

extension Rule<Double> {
    /// A number for which `isAllowed` holds.
    static func number(
        _ schema: JSONSchema, allowed: String, _ isAllowed: @escaping @Sendable (Double) -> Bool
    ) -> Rule {
        Rule(
            schema, allowed: allowed, value: { given in given.number.flatMap { isAllowed($0) ? $0 : nil } },
            write: { $1.number($0) })
    }

    /// A number of `unit` from 0 to a whole number.
    static func bounded(_ range: ClosedRange<Double>, unit: String) -> Rule {
        number(
            .number(minimum: range.lowerBound, maximum: range.upperBound),
            allowed: "a number of \(unit), 0 to \(Int(range.upperBound))", range.contains)
    }
}

extension Rule<Double?> {
    /// An upper limit: null and anything from 1e300 on is none, nil.
    static func limit(unit: String) -> Rule {
        Rule(
            .nullable(.number()), allowed: "a number of \(unit), or null for no limit",
            value: { given in given.isNull ? .some(nil) : given.number.map { $0 >= 1e300 ? nil : $0 } },
            write: { value, writer in if let value { writer.number(value) } else { writer.null() } })
    }
}

extension Rule where Value: WireWord {
    /// One of the words of the type.
    static var word: Rule { word(of: Array(Value.allCases)) }

    /// One of the words of `values`.
    static func word(of values: [Value]) -> Rule {
        let allowed = "one of " + values.map(\.word).joined(separator: ", ")
        return Rule(
            .words(values.map(\.word)), allowed: allowed,
            read: { given throws(RPCError) in
                let text = try given.string(allowed: allowed)
                guard let value = values.first(where: { $0.word == text }) else {
                    throw given.refusal(allowed: allowed)
                }
                return value
            }, write: { $1.string($0.word) })
    }
}

/// Whether `text` may be shown to people as an app's reason.
package func isUsageText(_ text: String) -> Bool { text.utf8.count <= 256 && text.unicodeScalars.allSatisfy(isPlain) }

/// Whether `text` may name something: 1 to 128 bytes without control characters.
func isName(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && !text.unicodeScalars.contains(where: isControl)
}

extension JSONSchema {
    package static let nothing = JSONSchema.object([])
    static let name = JSONSchema.string(pattern: #"^[^\u0000-\u001f\u007f-\u009f]+$"#, maximumLength: 128)
    static let label = JSONSchema.string(
        pattern: #"^[^\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+$"#, maximumLength: 128)
    static let appName = JSONSchema.string(pattern: #"^[^\u0000-\u001f\u007f-\u009f]+$"#, maximumLength: 256)
    static let usageText = JSONSchema.string(maximumLength: 256)
}
