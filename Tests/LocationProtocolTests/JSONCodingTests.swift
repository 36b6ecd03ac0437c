// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import LocationProtocol
import LocationTestSupport
import Testing

/// Every shape that a record or an answer has.
private struct Everything: Codable, Equatable {
    enum Word: String, Codable { case one, two }

    struct Inner: Codable, Equatable {
        var b: Int?
        var a: [String]
    }

    enum Case: Codable, Equatable {
        case empty
        case full(number: UInt32, Inner)
    }

    var zulu = true
    var text = "ä\"\\/\n\t\u{1}€😀"
    var least = Int64.min
    var greatest = UInt64.max
    var small: Int8 = -128
    var number = 0.1
    var whole = 3.0
    var tiny = Double.leastNonzeroMagnitude
    var huge = Double.greatestFiniteMagnitude
    var single: Float = 1.5
    var absent: Int?
    var present: Int? = 7
    var word = Word.two
    var words: [Word] = [.one, .two]
    var holes: [Int?] = [1, nil, 3]
    var nested: [[Double]] = [[], [1, 2.5], [-0.25]]
    var inner = Inner(b: nil, a: [])
    var inners = [Inner(b: 1, a: ["x"]), Inner(b: nil, a: ["", "y"])]
    var map = ["b": 1, "a": 2, "": 3]
    var numbered: [Int: String] = [2: "two"]
    var cases = [Case.empty, .full(number: 9, Inner(b: 2, a: ["z"]))]
}

@Suite("Values as JSON")
struct JSONCodingTests {
    @Test("what Foundation's coder writes is written, the members by their names, and each reads the other's")
    func asFoundation() throws {
        let value = Everything()
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let theirs = Array(try encoder.encode(value))
        let ours = try JSONWriter.text(of: value)
        // A control character has two spellings.
        #expect(text(ours) == text(theirs).replacing(#"\t"#, with: #"\u0009"#))
        #expect(try JSONText.value(Everything.self, of: theirs) == value)
        #expect(try JSONText.value(Everything.self, of: ours) == value)
        #expect(try JSONDecoder().decode(Everything.self, from: Data(ours)) == value)
    }

    @Test("a number that JSON cannot say is refused", arguments: [Double.nan, .infinity, -.infinity])
    func notFinite(number: Double) {
        #expect(throws: EncodingError.self) { try JSONWriter.text(of: [number]) }
    }

    @Test(
        "an error says where the fault is",
        arguments: [
            (#"{"inners":[{"a":[]},{"a":[1]}]}"#, "inners.Index 1.a.Index 0"),
            (#"{"inners":[{"a":[]},{}]}"#, "inners.Index 1"), (#"{"inners":[null]}"#, "inners.Index 0"),
            (#"{"inners":{}}"#, "inners"), (#"{"inners":[{"a":[],"b":1.5}]}"#, "inners.Index 0.b"), (#"[]"#, ""),
        ])
    func places(json: String, place: String) {
        struct Part: Decodable { var inners: [Everything.Inner] }
        let found: [any CodingKey]?
        do {
            _ = try JSONText.value(Part.self, of: Array(json.utf8))
            found = nil
        } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
            DecodingError.keyNotFound(_, let context), DecodingError.dataCorrupted(let context)
        {
            found = context.codingPath
        } catch {
            found = nil
        }
        #expect(found?.map(\.stringValue).joined(separator: ".") == place)
    }

    @Test(
        "a number that its type cannot hold is refused, and no digit is lost",
        arguments: ["256", "-1", "1.5", "1e3", "\"1\"", "null", "true"])
    func tooGreat(json: String) throws {
        #expect(throws: DecodingError.self) { try JSONText.value([UInt8].self, of: Array("[\(json)]".utf8)) }
        #expect(try JSONText.value([UInt64].self, of: Array("[18446744073709551615,2.0]".utf8)) == [.max, 2])
    }

    @Test("of thousands of members each is found, and one that is missing is not")
    func manyMembers() throws {
        let given = Dictionary(uniqueKeysWithValues: (0..<5000).map { ("\"\($0)", $0) })
        #expect(try JSONText.value([String: Int].self, of: JSONWriter.text(of: given)) == given)
        struct Member: Decodable { var absent: Int }
        #expect(throws: DecodingError.self) { try JSONText.value(Member.self, of: JSONWriter.text(of: given)) }
    }

    @Test("containers in containers are written and read as the values that they are")
    func containers() throws {
        struct ByHand: Codable, Equatable {
            var numbers: [Int] = []
            var names: [String: String] = [:]

            private enum Key: String, CodingKey { case numbers, names, a, b }

            init() { (numbers, names) = ([4, 5], ["a": "x", "b": "y"]) }

            init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: Key.self)
                var list = try container.nestedUnkeyedContainer(forKey: .numbers)
                #expect(list.count == 3)
                #expect(try list.decodeNil() == false)
                while !list.isAtEnd {
                    if try list.decodeNil() { continue }
                    numbers.append(try list.decode(Int.self))
                }
                #expect(throws: DecodingError.self) { try list.decode(Int.self) }
                let names = try container.nestedContainer(keyedBy: Key.self, forKey: .names)
                #expect(Set(names.allKeys) == [.a, .b])
                for key in names.allKeys { self.names[key.rawValue] = try names.decode(String.self, forKey: key) }
                #expect(try names.decodeIfPresent(String.self, forKey: .numbers) == nil)
            }

            func encode(to encoder: any Encoder) throws {
                var container = encoder.container(keyedBy: Key.self)
                var list = container.nestedUnkeyedContainer(forKey: .numbers)
                for number in numbers { try list.encode(number) }
                try list.encodeNil()
                var names = container.nestedContainer(keyedBy: Key.self, forKey: .names)
                for (name, value) in self.names { try names.encode(value, forKey: name == "a" ? .a : .b) }
            }
        }
        let bytes = try JSONWriter.text(of: ByHand())
        #expect(text(bytes) == #"{"names":{"a":"x","b":"y"},"numbers":[4,5,null]}"#)
        #expect(try JSONText.value(ByHand.self, of: bytes) == ByHand())
    }
}
