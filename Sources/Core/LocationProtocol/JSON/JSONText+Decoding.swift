// SPDX-License-Identifier: Apache-2.0

extension JSONText {
    /// The value that `bytes` say, which are a JSON text as `JSONText` takes it. Throws a `DecodingError` if they are none, or say
    /// something else.
    package static func value<Value: Decodable>(
        _ type: Value.Type = Value.self, of bytes: [UInt8]
    ) throws -> Value {
        let text: JSONText
        do throws(Failure) {
            text = try JSONText(bytes[...])
        } catch {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "\(error.reason), at byte \(error.offset)"))
        }
        return try text.value(type)
    }

    /// The value that it says. Throws a `DecodingError` if it says something else.
    package func value<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
        try NodeDecoder(text: self, node: 0).decode(type)
    }

    /// The member `name` of the object at `object`; nil: it has none.
    fileprivate func member(_ name: String, of object: Int) -> Int? {
        var node = object + 1
        while node < Int(nodes[object].next) {
            let isMeant =
                nodes[node].hasEscapes ? string(node) == name : bytes[range(node)].elementsEqual(name.utf8)
            if isMeant { return node + 1 }
            node = Int(nodes[node + 1].next)
        }
        return nil
    }

    private func range(_ node: Int) -> Range<Int> { Int(nodes[node].start)..<Int(nodes[node].end) }

    /// The names and numbers that lead from the text's own value to `node`.
    fileprivate func path(to target: Int) -> [any CodingKey] {
        var path: [any CodingKey] = []
        var node = 0
        while node < target {
            let inside = nodes[node].kind == .object ? names(of: node).map { $0 + 1 } : elements(of: node)
            guard let place = inside.lastIndex(where: { $0 <= target }) else { break }
            path.append(
                nodes[node].kind == .object
                    ? DecodedKey(stringValue: string(inside[place] - 1)) : DecodedKey(intValue: place))
            node = inside[place]
        }
        return path
    }
}

/// A member's name, or an element's number from 0.
private struct DecodedKey: CodingKey {
    let stringValue: String
    let intValue: Int?

    init(stringValue: String) { (self.stringValue, intValue) = (stringValue, nil) }
    init(intValue: Int) { (stringValue, self.intValue) = ("Index \(intValue)", intValue) }
}

/// Decodes the value at a node.
private struct NodeDecoder: Decoder, SingleValueDecodingContainer {
    let text: JSONText
    let node: Int

    // Errors need it and nothing else, so it is looked for and not kept.
    var codingPath: [any CodingKey] { text.path(to: node) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }
    private var kind: JSONText.Node.Kind { text.nodes[node].kind }

    private func mismatch(_ type: any Any.Type) -> DecodingError {
        let context = DecodingError.Context(
            codingPath: codingPath, debugDescription: "cannot read \(text.given(node) ?? "the number") as \(type)")
        return kind == .null ? .valueNotFound(type, context) : .typeMismatch(type, context)
    }

    func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        guard kind == .object else { throw mismatch([String: Any].self) }
        return KeyedDecodingContainer(MembersDecoder(text: text, object: node))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        guard kind == .array else { throw mismatch([Any].self) }
        return ElementsDecoder(text: text, array: node)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func decodeNil() -> Bool { kind == .null }

    func decode(_ type: Bool.Type) throws -> Bool {
        switch kind {
        case .yes: true
        case .no: false
        default: throw mismatch(type)
        }
    }

    func decode(_ type: String.Type) throws -> String {
        guard kind == .string else { throw mismatch(type) }
        return text.string(node)
    }

    func decode(_ type: Double.Type) throws -> Double {
        guard let number = text.double(node) else { throw mismatch(type) }
        return number
    }

    func decode(_ type: Float.Type) throws -> Float { Float(try decode(Double.self)) }

    func decode<Number: FixedWidthInteger & Decodable>(_ type: Number.Type) throws -> Number {
        guard let number: Number = text.integer(node) else { throw mismatch(type) }
        return number
    }

    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try Value(from: self) }
}

private struct MembersDecoder<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let text: JSONText
    let object: Int
    /// Values by name, where there are so many that to look for each of them would take long: a client may have named thousands.
    private let values: [String: Int]?

    init(text: JSONText, object: Int) {
        (self.text, self.object) = (text, object)
        let names = text.names(of: object)
        values =
            names.count > 64
            ? Dictionary(names.map { (text.string($0), $0 + 1) }, uniquingKeysWith: { first, _ in first }) : nil
    }

    private func value(_ key: any CodingKey) -> Int? {
        values.map { $0[key.stringValue] } ?? text.member(key.stringValue, of: object)
    }

    var codingPath: [any CodingKey] { text.path(to: object) }
    var allKeys: [Key] { text.names(of: object).compactMap { Key(stringValue: text.string($0)) } }

    private func decoder(_ key: any CodingKey) throws -> NodeDecoder {
        guard let value = value(key) else {
            throw DecodingError.keyNotFound(
                key, DecodingError.Context(codingPath: codingPath, debugDescription: "it is missing"))
        }
        return NodeDecoder(text: text, node: value)
    }

    func contains(_ key: Key) -> Bool { value(key) != nil }
    func decodeNil(forKey key: Key) throws -> Bool { try decoder(key).decodeNil() }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try Value(from: decoder(key))
    }

    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        guard let value = value(key), text.nodes[value].kind != .null else { return nil }
        return try Value(from: NodeDecoder(text: text, node: value))
    }

    func nestedContainer<Nested>(keyedBy type: Nested.Type, forKey key: Key) throws -> KeyedDecodingContainer<Nested> {
        try decoder(key).container(keyedBy: type)
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder(key).unkeyedContainer()
    }

    func superDecoder() throws -> any Decoder { try decoder(DecodedKey(stringValue: "super")) }
    func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(key) }
}

private struct ElementsDecoder: UnkeyedDecodingContainer {
    let text: JSONText
    let elements: [Int]
    let array: Int
    private(set) var currentIndex = 0

    init(text: JSONText, array: Int) {
        self.text = text
        self.array = array
        elements = text.elements(of: array)
    }

    var codingPath: [any CodingKey] { text.path(to: array) }
    var count: Int? { elements.count }
    var isAtEnd: Bool { currentIndex >= elements.count }

    private func decoder() throws -> NodeDecoder {
        guard !isAtEnd else {
            throw DecodingError.valueNotFound(
                Any.self, DecodingError.Context(codingPath: codingPath, debugDescription: "there is no further element")
            )
        }
        return NodeDecoder(text: text, node: elements[currentIndex])
    }

    mutating func decodeNil() throws -> Bool {
        guard try decoder().decodeNil() else { return false }
        currentIndex += 1
        return true
    }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let value = try Value(from: decoder())
        currentIndex += 1
        return value
    }

    mutating func nestedContainer<Nested>(keyedBy type: Nested.Type) throws -> KeyedDecodingContainer<Nested> {
        let container = try decoder().container(keyedBy: type)
        currentIndex += 1
        return container
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let container = try decoder().unkeyedContainer()
        currentIndex += 1
        return container
    }

    mutating func superDecoder() throws -> any Decoder {
        let decoder = try decoder()
        currentIndex += 1
        return decoder
    }
}
