// SPDX-License-Identifier: Apache-2.0

/// A member of a request or of an object in one: its name, the rule of its value, and a sentence.
package struct Member<Value: Sendable>: Sendable {
    let name: StaticString
    let description: JSONSchema.Member
    let read: @Sendable (GivenObject) throws(RPCError) -> Value
    /// Writes the name, too; nothing where the value is what an absent member means.
    let write: @Sendable (Value, inout JSONWriter) -> Void
    /// The value with another number, where it is that of a stream, monitor or session.
    var renumber: @Sendable (Value, (Method.NumberedKind, UInt64) -> UInt64) -> Value = { value, _ in value }

    fileprivate init(
        _ name: StaticString, _ schema: JSONSchema, required: Bool, _ summary: String,
        read: @escaping @Sendable (GivenObject) throws(RPCError) -> Value,
        write: @escaping @Sendable (Value, inout JSONWriter) -> Void
    ) {
        self.name = name
        description = JSONSchema.Member("\(name)", schema, required: required, summary)
        self.read = read
        self.write = write
    }
}

/// A member that has to be there.
func required<Value>(_ name: StaticString, _ rule: Rule<Value>, _ summary: String) -> Member<Value> {
    Member(
        name, rule.schema, required: true, summary,
        read: { object throws(RPCError) in
            guard let given = object.member(name) else { throw object.refusal(name, allowed: rule.allowedOfAbsent) }
            return try rule.read(given)
        },
        write: { value, writer in
            writer.name(name)
            rule.write(value, &writer)
        })
}

/// The number of a stream, monitor or session, which has to be there.
func number(_ name: StaticString, of kind: Method.NumberedKind, _ summary: String) -> Member<UInt64> {
    var member = required(name, .ordinal, summary)
    member.renumber = { number, other in other(kind, number) }
    return member
}

/// A member whose absence means `standard`, which is never written unless `isWrittenAlways`.
func optional<Value: Equatable>(
    _ name: StaticString, _ rule: Rule<Value>, else standard: Value, isWrittenAlways: Bool = false, _ summary: String
) -> Member<Value> {
    Member(
        name, rule.schema, required: false, summary,
        read: { object throws(RPCError) in
            guard let given = object.member(name) else { return standard }
            return try rule.read(given)
        },
        write: { value, writer in
            guard isWrittenAlways || value != standard else { return }
            writer.name(name)
            rule.write(value, &writer)
        })
}

/// A member whose absence is nil.
func optional<Value>(_ name: StaticString, _ rule: Rule<Value>, _ summary: String) -> Member<Value?> {
    Member(
        name, rule.schema, required: false, summary,
        read: { object throws(RPCError) in
            guard let given = object.member(name) else { return nil }
            return try rule.read(given)
        },
        write: { value, writer in
            guard let value else { return }
            writer.name(name)
            rule.write(value, &writer)
        })
}

extension Rule {
    /// An object with these members.
    ///
    /// - Parameters:
    ///   - make: The value, from those of the members in order.
    ///   - values: Those of the members.
    static func object<each Part: Sendable>(
        _ members: repeat Member<each Part>, absent: String? = nil,
        make: @escaping @Sendable (repeat each Part) -> Value,
        values: @escaping @Sendable (Value) -> (repeat each Part)
    ) -> Rule {
        let parts = (repeat each members)
        var descriptions: [JSONSchema.Member] = []
        var names: [StaticString] = []
        for member in repeat each members {
            descriptions.append(member.description)
            names.append(member.name)
        }
        return Rule(
            .object(descriptions), allowed: "an object", absent: absent,
            read: { [names] given throws(RPCError) in
                let object = try given.object()
                try object.refuseOthers(than: names)
                return make(repeat try (each parts).read(object))
            },
            write: { value, writer in
                let given = values(value)
                writer.beginObject()
                repeat (each parts).write(each given, &writer)
                writer.endObject()
            })
    }
}

extension Rule {
    /// An array of at most so many elements.
    static func array<Element>(of element: Rule<Element>, upTo limit: Int) -> Rule where Value == [Element] {
        let allowed = "an array of at most \(limit)"
        return Rule(
            .array(of: element.schema), allowed: allowed,
            read: { given throws(RPCError) in
                guard let elements = given.elements else { throw given.refusal(allowed: allowed) }
                guard elements.count <= limit else {
                    throw given.refusal(allowed: allowed, given: "an array of \(elements.count)")
                }
                var values: Value = []
                values.reserveCapacity(elements.count)
                for given in elements { values.append(try element.read(given)) }
                return values
            },
            write: { values, writer in
                writer.beginArray()
                for value in values { element.write(value, &writer) }
                writer.endArray()
            })
    }
}
