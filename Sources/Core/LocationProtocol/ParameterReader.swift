// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials

/// Any member name at all: unknown ones must be seen to be refused.
struct AnyMember: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

/// Reads an object of a request member by member; each refusal names the member, what was given and what is allowed.
struct ParameterReader<Member: CodingKey & CaseIterable> {
    private let container: KeyedDecodingContainer<AnyMember>?
    // Stands before the names in messages: the objects around this one, each with a dot.
    private let path: String

    /// A reader of `container`, or of nothing. Refuses members that `Member` does not have.
    init(_ container: KeyedDecodingContainer<AnyMember>?, path: String = "") throws(RPCError) {
        self.container = container
        self.path = path
        guard let container else { return }
        // The decoder's order is random from run to run; the first by name is the same always.
        let unknown = container.allKeys.lazy.map(\.stringValue).filter { Member(stringValue: $0) == nil }.min()
        if let unknown { throw Self.unknownMember(path + unknown) }
    }

    private static func unknownMember(_ name: String) -> RPCError {
        let allowed = Member.allCases.map(\.stringValue)
        let choice = allowed.isEmpty ? "no members" : "only " + allowed.joined(separator: ", ")
        return RPCError(.invalidParams, "cannot take the unknown member \(quoted(name)): allowed are \(choice)")
    }

    /// The refusal of the value of `member`.
    func refusal(_ member: Member, allowed: String, given: String? = nil) -> RPCError {
        let value = given ?? givenValue(member)
        return RPCError(
            .invalidParams, "cannot take \(path)\(member.stringValue): given \(value), allowed is \(allowed)")
    }

    /// The refusal of the value of `member`; `reason` says what is wrong, and what is allowed.
    func refusal(_ member: Member, because reason: String) -> RPCError {
        RPCError(.invalidParams, "cannot take \(path)\(member.stringValue): \(reason)")
    }

    /// Whether the object has `member`, be it null.
    func has(_ member: Member) -> Bool { container?.contains(key(member)) ?? false }

    /// Whether the object has `member` and it is null.
    func isNull(_ member: Member) -> Bool { (try? container?.decodeNil(forKey: key(member))) ?? false }

    /// The path of the members of the object `member`, for a reader of it.
    func path(to member: Member) -> String { path + member.stringValue + "." }

    /// `value`, which was read from `member`; refuses its absence.
    func required<Value>(_ value: Value?, _ member: Member, allowed: String) throws(RPCError) -> Value {
        guard let value else { throw refusal(member, allowed: allowed, given: "nothing") }
        return value
    }

    /// The value of `member`, nil if it is absent.
    func value<Value: Decodable>(_ member: Member, _ type: Value.Type, allowed: String) throws(RPCError) -> Value? {
        guard let container, has(member) else { return nil }
        do {
            return try container.decode(type, forKey: key(member))
        } catch {
            throw refusal(member, allowed: allowed)
        }
    }

    /// true or false, nil if absent.
    func flag(_ member: Member) throws(RPCError) -> Bool? {
        try value(member, Bool.self, allowed: "true or false")
    }

    /// A finite number, nil if absent.
    func number(_ member: Member, allowed: String) throws(RPCError) -> Double? {
        guard let number = try value(member, Double.self, allowed: allowed) else { return nil }
        guard number.isFinite else { throw refusal(member, allowed: allowed) }
        return number
    }

    /// A number that something was given, counted from 1; refuses its absence.
    func requiredOrdinal(_ member: Member) throws(RPCError) -> UInt64 {
        let allowed = "a number, 1 to 9007199254740991"
        let number = try required(value(member, UInt64.self, allowed: allowed), member, allowed: allowed)
        guard number > 0, number < 1 << 53 else { throw refusal(member, allowed: allowed) }
        return number
    }

    /// An upper limit: absent, null and anything from 1e300 on is no limit, nil.
    func limit(_ member: Member, unit: String) throws(RPCError) -> Double? {
        guard !isNull(member) else { return nil }
        let number = try number(member, allowed: "a number of \(unit), or null for no limit")
        return number.flatMap { $0 >= 1e300 ? nil : $0 }
    }

    /// A string of at most 256 bytes, nil if absent.
    func string(_ member: Member, allowed: String) throws(RPCError) -> String? {
        guard let text = try value(member, String.self, allowed: allowed) else { return nil }
        guard text.utf8.count <= 256 else {
            throw refusal(member, allowed: allowed, given: "a string of \(text.utf8.count) bytes")
        }
        return text
    }

    /// One of the words of `Word`, nil if absent.
    func word<Word: WireWord>(_ member: Member, _ type: Word.Type) throws(RPCError) -> Word? {
        let allowed = "one of " + Word.words.joined(separator: ", ")
        guard let text = try string(member, allowed: allowed) else { return nil }
        guard let word = Word(word: text) else { throw refusal(member, allowed: allowed) }
        return word
    }

    /// An identifier or name: 1 to 128 bytes without control characters; nil if absent.
    func name(_ member: Member) throws(RPCError) -> String? {
        guard let text = try string(member, allowed: nameRule) else { return nil }
        guard isName(text) else { throw refusal(member, allowed: nameRule) }
        return text
    }

    /// A name that people read before they decide: a name without bidirectional characters; nil if absent.
    func label(_ member: Member) throws(RPCError) -> String? {
        guard let text = try string(member, allowed: labelRule) else { return nil }
        guard isLabel(text) else { throw refusal(member, allowed: labelRule) }
        return text
    }

    /// An app as `apps` names it: 1 to 256 bytes, since units have long names; nil if absent.
    func appName(_ member: Member) throws(RPCError) -> String? {
        guard let text = try string(member, allowed: appNameRule) else { return nil }
        guard !text.isEmpty, !text.unicodeScalars.contains(where: isControl) else {
            throw refusal(member, allowed: appNameRule)
        }
        return text
    }

    /// A text that people read: at most 256 bytes without control or bidirectional characters; nil if absent.
    func usageText(_ member: Member) throws(RPCError) -> String? {
        guard let text = try string(member, allowed: usageTextRule) else { return nil }
        guard isUsageText(text) else { throw refusal(member, allowed: usageTextRule) }
        return text
    }

    /// A word, or Core Location's number for it; nil if absent.
    func wordOrNumber(_ member: Member, allowed: String) throws(RPCError) -> WordOrNumber? {
        try value(member, WordOrNumber.self, allowed: allowed)
    }

    /// The object that `member` is, nil if absent.
    func object(_ member: Member) throws(RPCError) -> KeyedDecodingContainer<AnyMember>? {
        guard let container, has(member) else { return nil }
        do {
            return try container.nestedContainer(keyedBy: AnyMember.self, forKey: key(member))
        } catch {
            throw refusal(member, allowed: "an object")
        }
    }

    private func key(_ member: Member) -> AnyMember { AnyMember(stringValue: member.stringValue) }

    private func givenValue(_ member: Member) -> String {
        guard let container else { return "nothing" }
        return (try? container.decode(GivenValue.self, forKey: key(member)))?.text ?? "something unreadable"
    }
}

/// What `ParameterReader.name` takes.
let nameRule = "a string of 1 to 128 bytes without control characters"

/// What `ParameterReader.appName` takes.
let appNameRule = "the name that apps tells, 1 to 256 bytes without control characters"

/// What `ParameterReader.usageText` takes.
let usageTextRule = "a string of at most 256 bytes without control or bidirectional characters"

/// Whether `text` may be shown to people as an app's reason.
package func isUsageText(_ text: String) -> Bool { text.utf8.count <= 256 && text.unicodeScalars.allSatisfy(isPlain) }

/// Whether `text` may name something: 1 to 128 bytes without control characters.
func isName(_ text: String) -> Bool {
    (1...128).contains(text.utf8.count) && !text.unicodeScalars.contains(where: isControl)
}

/// A value as a message shows it.
struct GivenValue: Decodable {
    /// What it is, short.
    var text: String

    init(from decoder: any Decoder) throws {
        if (try? decoder.unkeyedContainer()) != nil { text = "an array"; return }
        if (try? decoder.container(keyedBy: AnyMember.self)) != nil { text = "an object"; return }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            text = "null"
        } else if let flag = try? container.decode(Bool.self) {
            text = flag ? "true" : "false"
        } else if let string = try? container.decode(String.self) {
            text = quoted(string)
        } else {
            let number = try container.decode(Double.self)
            text = Int64(exactly: number).map(String.init) ?? String(number)
        }
    }
}
