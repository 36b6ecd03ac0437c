// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("JSON that is read")
struct JSONTextTests {
    private func failure(_ bytes: ArraySlice<UInt8>) -> JSONText.Failure? {
        do {
            _ = try JSONText(bytes)
            return nil
        } catch {
            return error
        }
    }

    private static let nested16 = String(repeating: "[", count: 16) + String(repeating: "]", count: 16)
    private static let manyMembers = "{" + (0..<100).map { "\"m\($0)\":{\"m\($0)\":1}" }.joined(separator: ",") + "}"

    static let valid: [String] = [
        "{}", "[]", " \t\r\n{ \"a\" : [ 1 , -0.5e+3 , true , false , null ] } ", "0", "-0", "1E5", "1.25e-7", "\"\"",
        #""\"\\\/\b\f\n\r\t\u0041\u00e9\uD83D\uDE00""#, "\"ä€😀\u{10FFFF}\u{E000}\u{D7FF}\"",
        #"{"a":{"a":{"a":1}},"b":{"a":1}}"#,
        #"[{"a":1},{"a":2}]"#, nested16, #"{"a\u0000":1,"a":2}"#, "1e308", "1e-300", "-0.0", manyMembers,
        #"{"e":1,"\u00e9":2}"#,
    ]

    @Test("takes what RFC 8259 allows", arguments: valid)
    func takes(_ json: String) throws {
        #expect(try JSONText(line(json)).badNumber == nil)
        #expect(throws: Never.self) { try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)) }
    }

    static let invalid: [(json: String, reason: String, offset: Int)] = [
        ("", "the text ends where a value", 0), ("  ", "the text ends", 2), ("{", "the text ends", 1),
        ("[1,]", "\"]\" stands where a value", 3), ("{\"a\":1,}", "\"}\" stands where a member's name", 7),
        ("{\"a\" 1}", "where \":\" must stand", 5), ("{a:1}", "a member's name", 1), ("{\"a\":}", "a value", 5),
        ("[1 2]", "\",\" or \"]\"", 3), ("{} {}", "the end of the line", 3), ("{}x", "the end of the line", 2),
        ("{}\0", "byte 0x0 stands where the end", 2), ("01", "must not begin with 0", 0), ("-", "a digit", 1),
        ("+1", "a value", 0), ("1.", "a digit", 2), (".5", "a value", 0), ("1e", "a digit", 2), ("1e+", "a digit", 3),
        ("0x10", "the end of the line", 1), ("NaN", "a value", 0), ("Infinity", "a value", 0),
        ("-Infinity", "a digit", 1),
        ("tru", "only true, false and null", 0), ("nulll", "the end of the line", 4), ("True", "a value", 0),
        ("\"abc", "a string has no end", 0), ("\"a\tb\"", "control character", 2), ("\"a\0\"", "control character", 2),
        (#""\x""#, "unknown escape", 1), (#""\"#, "unknown escape", 1), (#""\u12g4""#, "four hexadecimal", 1),
        (#""\u12"#, "four hexadecimal", 1), (#""\uD800""#, "surrogate", 1), (#""\uDC00""#, "surrogate", 1),
        (#""\uD83Dx""#, "surrogate", 1), (#""\uD83D\u0041""#, "surrogate", 1), (#""\uD83D\n""#, "surrogate", 1),
        (#"{"a":1,"a":2}"#, "the member \"a\" is repeated", 7),
        (#"{"a":1,"\u0061":2}"#, "the member \"a\" is repeated", 7),
        (#"{"\u00e9":1,"é":2}"#, "is repeated", 12), (#"[{"a":{"b":1,"b":2}}]"#, "the member \"b\" is repeated", 13),
        (#"{"\uD83D\uDE00":1,"😀":2}"#, "is repeated", 18), (#"{"a":{"b":1},"c":[],"a":2}"#, "is repeated", 20),
        ("[" + nested16 + "]", "nested deeper than 16", 16), ("\u{FEFF}{}", "byte order mark", 0),
        ("'a'", "a value", 0), ("// c\n1", "a value", 0),
    ]

    @Test("refuses what RFC 8259 does not allow, and says what and where", arguments: invalid)
    func refuses(_ example: (json: String, reason: String, offset: Int)) {
        let failure = failure(line(example.json))
        #expect(failure?.reason.contains(example.reason) == true, "\(String(describing: failure))")
        #expect(failure?.offset == example.offset)
    }

    @Test(
        "refuses bytes that are not UTF-8",
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xC3, 0x28], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80],
            [0xE2, 0x82],
            [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80],
            [0xF5, 0x80, 0x80, 0x80],
            [0xF0, 0x9F, 0x98], [0xF0, 0x9F, 0x98, 0x28], [0xFF], [0xFE],
        ] as [[UInt8]])
    func invalidUTF8(_ sequence: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        #expect(failure(([quote] + sequence + [quote])[...])?.reason == "invalid UTF-8")
        #expect(failure(([quote] + sequence)[...])?.reason == "invalid UTF-8")
    }

    @Test("finds a repeated member among thousands, and takes thousands that differ")
    func manyMembers() {
        let names = (0..<4000).map { "\"m\($0)\":1" }
        #expect(failure(line("{" + names.joined(separator: ",") + "}")) == nil)
        let repeated = "{" + (names + ["\"m3999\":1"]).joined(separator: ",") + "}"
        #expect(failure(line(repeated))?.reason == "the member \"m3999\" is repeated")
        let early = "{" + (names + ["\"\\u006d3\":1"]).joined(separator: ",") + "}"
        #expect(failure(line(early))?.reason == "the member \"m3\" is repeated")
    }

    @Test(
        "tells numbers that a double or the decoder cannot hold from what is not JSON, with the member",
        arguments: [
            ("1e999", ""), ("-1e999", ""), (#"{"a":1,"timeout":1e309}"#, "\"timeout\""),
            (#"{"n":1"# + String(repeating: "0", count: 400) + "}", "\"n\""), (#"{"n":[1e400]}"#, "\"n\""),
            ("1.8e308", ""), ("1e-999", ""), ("[0E5]", ""), ("0.00e5", ""), (#"{"n":-0e1}"#, "\"n\""),
        ])
    func badNumbers(_ json: String, member: String) throws {
        let number = try JSONText(line(json)).badNumber
        #expect(number?.member == member)
    }

    @Test(
        "knows which numbers a double holds",
        arguments: [
            "1.7976931348623157e308", "0." + String(repeating: "0", count: 500), "1e-320",
            "1" + String(repeating: "0", count: 308),
        ])
    func representable(_ json: String) throws { #expect(try JSONText(line(json)).badNumber == nil) }

    @Test("offsets count from the line's first byte, wherever the slice lies")
    func sliceOffsets() {
        let bytes = Array("xxxx{\"a\":1,\"a\":2}".utf8)
        #expect(failure(bytes[4...])?.offset == 7)
    }

    @Test("a number after a syntax error does not hide it")
    func syntaxFirst() { #expect(failure(line("[1e999,]"))?.offset == 7) }

    @Test("changed requests never crash it, and what it takes the decoder takes")
    func mutations() throws {
        var random = SplitMix64(seed: testSeed)
        let seeds = JSONTextTests.valid.map { Array($0.utf8) } + requestExamples.map { Array($0.utf8) }
        let alphabet = Array("{}[]\":,\\u0041dDeE+-.19 tfn\t\r\0".utf8) + [0x80, 0xC3, 0xED, 0xF0, 0xFF]
        var accepted = 0
        for round in 0..<6000 {
            var bytes = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            for _ in 0..<Int.random(in: 1...3, using: &random) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                let byte = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
                switch Int.random(in: 0..<4, using: &random) {
                case 0: bytes[place] = byte
                case 1: bytes.insert(byte, at: place)
                case 2: bytes.remove(at: place)
                default: bytes.removeSubrange(place...)
                }
            }
            // Must answer, not crash; the decoder behind it too.
            _ = RequestDecoder().decode(bytes[...])
            guard failure(bytes[...]) == nil, try JSONText(bytes[...]).badNumber == nil else { continue }
            accepted += 1
            #expect(throws: Never.self, "seed \(testSeed), round \(round): \(text(bytes))") {
                try JSONDecoder().decode(JSONValue.self, from: Data(bytes))
            }
        }
        #expect(accepted > 500, "too few survive to test anything")
    }

    @Test("what is taken of changed requests is written again as a request that means the same")
    func roundTrips() throws {
        var random = SplitMix64(seed: testSeed)
        let alphabet = Array("{}[]\":,\\u0dDeE+-.19 tfncirlvgon".utf8)
        var accepted = 0
        for round in 0..<8000 {
            var bytes = Array(requestExamples[Int.random(in: 0..<requestExamples.count, using: &random)].utf8)
            let place = Int.random(in: 0..<bytes.count, using: &random)
            bytes[place] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            guard case .success(let envelope) = RequestDecoder().decode(bytes[...]) else { continue }
            accepted += 1
            let again = RequestDecoder().decode(RequestWriter.line(envelope.id, envelope.call)[...])
            #expect(try again.get() == envelope, "seed \(testSeed), round \(round): \(text(bytes))")
        }
        #expect(accepted > 200, "too few survive to test anything")
    }

    @Test("changed notifications are read or refused by a client, never crash it")
    func changedNotifications() {
        var random = SplitMix64(seed: testSeed)
        let alphabet = Array("{}[]\":,\\u0dDeE+-.19 tfn".utf8)
        let lines = serviceNotificationSamples.map { withTail($0, 7) }
        var accepted = 0
        for _ in 0..<6000 {
            var bytes = lines[Int.random(in: 0..<lines.count, using: &random)]
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                let place = Int.random(in: 0..<bytes.count, using: &random)
                bytes[place] = alphabet[Int.random(in: 0..<alphabet.count, using: &random)]
            }
            if (try? ServerMessage.decode(bytes)) != nil { accepted += 1 }
        }
        #expect(accepted > 500 && accepted < 6000, "seed \(testSeed): \(accepted)")
    }
}
