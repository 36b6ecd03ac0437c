// SPDX-License-Identifier: Apache-2.0

extension JSONWriter {
    /// `value` as a JSON text, the members of each object in the order of their names. Throws for numbers that JSON cannot say.
    package static func text(of value: some Encodable) throws -> [UInt8] {
        let place = EncodedPlace()
        try value.encode(to: PlaceEncoder(place: place))
        var writer = JSONWriter()
        place.append(to: &writer)
        return writer.bytes
    }
}

/// A value that is being encoded: an encoder may come back to an object or array as long as it encodes, so none is written before all is
/// there.
private final class EncodedPlace {
    enum Value {
        case null
        case bool(Bool)
        case integer(Int64)
        case unsigned(UInt64)
        case number(Double)
        case string(String)
        case array([EncodedPlace])
        case object([(name: String, place: EncodedPlace)])
    }

    /// A value that encodes nothing is an empty object, as for every encoder.
    var value = Value.object([])

    /// A new element of the array that this is from now on.
    func element() -> EncodedPlace {
        let place = EncodedPlace()
        var elements = elements
        value = .null
        elements.append(place)
        value = .array(elements)
        return place
    }

    /// The member `name` of the object that this is from now on; the last of a name counts.
    func member(_ name: String) -> EncodedPlace {
        let place = EncodedPlace()
        var members: [(name: String, place: EncodedPlace)] = []
        if case .object(let former) = value { members = former }
        value = .null
        members.append((name, place))
        value = .object(members)
        return place
    }

    /// The elements of the array; none where it is something else.
    var elements: [EncodedPlace] { if case .array(let elements) = value { elements } else { [] } }

    /// Makes an array of it.
    func beArray() { value = .array(elements) }

    func append(to writer: inout JSONWriter) {
        switch value {
        case .null: writer.null()
        case .bool(let flag): writer.bool(flag)
        case .integer(let number): writer.integer(number)
        case .unsigned(let number): writer.integer(number)
        case .number(let number): writer.number(number)
        case .string(let text): writer.string(text)
        case .array(let elements):
            writer.beginArray()
            for element in elements { element.append(to: &writer) }
            writer.endArray()
        case .object(var members):
            members.sort { $0.name < $1.name }
            writer.beginObject()
            for (index, member) in members.enumerated()
            where index + 1 == members.count || members[index + 1].name != member.name {
                writer.name(member.name)
                member.place.append(to: &writer)
            }
            writer.endObject()
        }
    }
}

/// Encodes one value into its place. Errors do not say where: only a number can be wrong.
private struct PlaceEncoder: Encoder, SingleValueEncodingContainer {
    let place: EncodedPlace
    var codingPath: [any CodingKey] { [] }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    func container<Key>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
        KeyedEncodingContainer(MembersEncoder(place: place))
    }

    func unkeyedContainer() -> any UnkeyedEncodingContainer {
        place.beArray()
        return ElementsEncoder(place: place)
    }

    func singleValueContainer() -> any SingleValueEncodingContainer { self }

    func encodeNil() { place.value = .null }
    func encode(_ flag: Bool) { place.value = .bool(flag) }
    func encode(_ text: String) { place.value = .string(text) }

    func encode(_ number: Double) throws {
        guard number.isFinite else {
            throw EncodingError.invalidValue(
                number, EncodingError.Context(codingPath: [], debugDescription: "JSON cannot say \(number)"))
        }
        place.value = .number(number)
    }

    func encode(_ number: Float) throws { try encode(Double(number)) }

    func encode<Number: FixedWidthInteger & Encodable>(_ number: Number) throws {
        if let number = Int64(exactly: number) {
            place.value = .integer(number)
        } else if let number = UInt64(exactly: number) {
            place.value = .unsigned(number)
        } else {
            throw EncodingError.invalidValue(
                number, EncodingError.Context(codingPath: [], debugDescription: "\(number) has more than 64 bits"))
        }
    }

    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: self) }
}

private struct MembersEncoder<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let place: EncodedPlace
    var codingPath: [any CodingKey] { [] }

    private func encoder(_ key: any CodingKey) -> PlaceEncoder { PlaceEncoder(place: place.member(key.stringValue)) }

    func encodeNil(forKey key: Key) { encoder(key).encodeNil() }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws { try value.encode(to: encoder(key)) }

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) -> KeyedEncodingContainer<Nested> {
        encoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { encoder(key).unkeyedContainer() }
    func superEncoder() -> any Encoder { PlaceEncoder(place: place.member("super")) }
    func superEncoder(forKey key: Key) -> any Encoder { encoder(key) }
}

private struct ElementsEncoder: UnkeyedEncodingContainer {
    let place: EncodedPlace
    var codingPath: [any CodingKey] { [] }
    var count: Int { place.elements.count }

    private func encoder() -> PlaceEncoder { PlaceEncoder(place: place.element()) }

    func encodeNil() { encoder().encodeNil() }
    func encode<Value: Encodable>(_ value: Value) throws { try value.encode(to: encoder()) }

    func nestedContainer<Nested>(keyedBy type: Nested.Type) -> KeyedEncodingContainer<Nested> {
        encoder().container(keyedBy: type)
    }

    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { encoder().unkeyedContainer() }
    func superEncoder() -> any Encoder { encoder() }
}
