// SPDX-License-Identifier: Apache-2.0

/// An object of a request, read member by member; each refusal names the member, what was given and what is allowed.
struct GivenObject {
    // nil: a request without params.
    private let text: JSONText?
    private let node: Int
    // Stands before the names in messages: the objects around this one, each with a dot.
    private let path: String

    /// The object at `node`; without `text` one that has no members.
    init(_ text: JSONText?, _ node: Int = 0, path: String = "") {
        self.text = text
        self.node = node
        self.path = path
    }

    /// Refuses members with other names than these.
    func refuseOthers(than allowed: [StaticString]) throws(RPCError) {
        guard let text else { return }
        var unknown: [String] = []
        var name = node + 1
        while name < Int(text.nodes[node].next) {
            if !allowed.contains(where: { text.isString(name, $0) }) { unknown.append(text.string(name)) }
            name = Int(text.nodes[name + 1].next)
        }
        guard let first = unknown.min() else { return }
        let choice = allowed.isEmpty ? "no members" : "only " + allowed.map { "\($0)" }.joined(separator: ", ")
        throw RPCError(
            .invalidParams, "cannot take the unknown member \(quoted(path + first)): allowed are \(choice)")
    }

    /// The value of the member `name`; nil: it is absent.
    func member(_ name: StaticString) -> GivenValue? {
        guard let text, let value = text.member(name, of: node) else { return nil }
        return GivenValue(text, value, path: path, name: "\(name)")
    }

    /// The members, whose names are data, in the order of their names.
    func members() -> [(name: String, value: GivenValue)] {
        guard let text else { return [] }
        return text.names(of: node).map { name in
            let name = (text: text.string(name), value: name + 1)
            return (name.text, GivenValue(text, name.value, path: path, name: name.text))
        }.sorted { $0.name < $1.name }
    }

    /// The refusal of the member `name`.
    func refusal(_ name: StaticString, allowed: String, given: String? = nil) -> RPCError {
        let value = given ?? member(name).map(\.given) ?? "nothing"
        return RPCError(.invalidParams, "cannot take \(path)\(name): given \(value), allowed is \(allowed)")
    }
}

/// The value of a member of a request.
struct GivenValue {
    private let text: JSONText
    private let node: Int
    private let path: String
    private let name: String

    fileprivate init(_ text: JSONText, _ node: Int, path: String, name: String) {
        self.text = text
        self.node = node
        self.path = path
        self.name = name
    }

    /// As a message shows it.
    var given: String { text.given(node) ?? "something unreadable" }

    /// The refusal of the value.
    func refusal(allowed: String, given: String? = nil) -> RPCError {
        RPCError(.invalidParams, "cannot take \(path)\(name): given \(given ?? self.given), allowed is \(allowed)")
    }

    /// The refusal of the value; `reason` says what is wrong, and what is allowed.
    func refusal(because reason: String) -> RPCError {
        RPCError(.invalidParams, "cannot take \(path)\(name): \(reason)")
    }

    var isNull: Bool { text.nodes[node].kind == .null }

    var isArray: Bool { text.nodes[node].kind == .array }

    /// true or false; nil: something else.
    var flag: Bool? {
        switch text.nodes[node].kind {
        case .yes: true
        case .no: false
        default: nil
        }
    }

    /// A number that a double holds; nil: something else.
    var number: Double? { text.double(node) }

    /// A whole number; nil: something else.
    func integer<Integer: FixedWidthInteger>(_ type: Integer.Type = Integer.self) -> Integer? { text.integer(node) }

    /// A string of any length; nil: something else.
    var anyString: String? { text.nodes[node].kind == .string ? text.string(node) : nil }

    /// A string of at most 256 bytes; nil: something else.
    func string(allowed: String) throws(RPCError) -> String? {
        guard let string = anyString else { return nil }
        guard string.utf8.count <= 256 else {
            throw refusal(allowed: allowed, given: "a string of \(string.utf8.count) bytes")
        }
        return string
    }

    /// The object that it is.
    func object() throws(RPCError) -> GivenObject {
        guard text.nodes[node].kind == .object else { throw refusal(allowed: "an object") }
        return GivenObject(text, node, path: path + name + ".")
    }

    /// The elements of an array, which messages count from 0; nil: something else.
    var elements: [GivenValue]? {
        guard isArray else { return nil }
        return text.elements(of: node).enumerated().map { number, element in
            GivenValue(text, element, path: path, name: "\(name)[\(number)]")
        }
    }

    /// Arrays of numbers in an array; nil: something else.
    var numberLists: [[Double]]? {
        guard isArray else { return nil }
        var lists: [[Double]] = []
        for element in text.elements(of: node) {
            guard text.nodes[element].kind == .array else { return nil }
            var numbers: [Double] = []
            for place in text.elements(of: element) {
                guard let number = text.double(place) else { return nil }
                numbers.append(number)
            }
            lists.append(numbers)
        }
        return lists
    }
}
