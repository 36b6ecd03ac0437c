// SPDX-License-Identifier: Apache-2.0

import LocationModel
import LocationProtocol
import LocationTestSupport
import Testing

@Suite("JSONWriter")
struct JSONWriterTests {
    private func written(_ body: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        body(&writer)
        return text(writer.bytes)
    }

    @Test("puts separators where they belong")
    func separators() {
        let json = written { writer in
            writer.beginObject()
            writer.name("a")
            writer.beginArray()
            writer.integer(-1)
            writer.null()
            writer.beginObject()
            writer.endObject()
            writer.bool(false)
            writer.endArray()
            writer.name("b\"")
            writer.string("x")
            writer.name("c")
            writer.raw("{}")
            writer.endObject()
        }
        #expect(json == #"{"a":[-1,null,{},false],"b\"":"x","c":{}}"#)
    }

    @Test("begins a line behind another without a comma")
    func lines() {
        var writer = JSONWriter(appendingTo: Array("{}\n".utf8))
        writer.integer(1)
        #expect(text(writer.bytes) == "{}\n1")
    }

    @Test("escapes what JSON and terminals do not take, and leaves the rest")
    func escapes() throws {
        let original = "\"\\/\n\t\u{0}\u{1B}\u{7F}äß€😀\u{2028}"
        let json = written { $0.string(original) }
        #expect(json == #""\"\\/\n\u0009\u0000\u001b\u007fäß€😀"# + "\u{2028}\"")
        #expect(try JSONText(line(json)).badNumber == nil)
        #expect(try decode(String.self, json) == original)
    }

    @Test(
        "numbers are the shortest that read back, integers plain",
        arguments: [
            (0, "0"), (-0.0, "0"), (1, "1"), (-17, "-17"), (0.1, "0.1"), (1.5, "1.5"), (100, "100"),
            (999_999_999_999_999, "999999999999999"), (1e15, "1000000000000000"), (1e20, "1e+20"), (1e300, "1e+300"),
            (2.5e-300, "2.5e-300"),
            (.infinity, "null"), (-.infinity, "null"), (.nan, "null"),
        ] as [(Double, String)])
    func numbers(_ number: Double, _ expected: String) { #expect(written { $0.number(number) } == expected) }

    @Test("integers of any size are plain")
    func integers() {
        #expect(written { $0.integer(Int64.min) } == "-9223372036854775808")
        #expect(written { $0.integer(UInt64.max) } == "18446744073709551615")
        #expect(written { $0.integer(10) } == "10")
    }

    @Test("any double that is written reads back as itself")
    func roundTrip() throws {
        var random = SplitMix64(seed: testSeed)
        for _ in 0..<2000 {
            let number = Double(bitPattern: random.next())
            guard number.isFinite else { continue }
            let json = written { $0.number(number) }
            #expect(try JSONText(line(json)).badNumber == nil)
            #expect(Double(json) == number, "seed \(testSeed): \(json)")
        }
    }

    @Test(
        "decimals are rounded to their places, without zeros at the end",
        arguments: [
            (0, 3, "0"), (1.0004, 3, "1"), (1.0005, 3, "1.001"), (-0.0004, 3, "0"), (-0.0006, 3, "-0.001"),
            (12.34, 3, "12.34"), (0.05, 3, "0.05"), (100, 3, "100"), (-180, 9, "-180"),
            (48.137154321, 9, "48.137154321"),
            (0.000000001, 9, "0.000000001"), (0.0000000004, 9, "0"), (2.5, 0, "3"), (1e20, 3, "1e+20"),
            (.nan, 3, "null"),
            (.infinity, 3, "null"),
        ] as [(Double, Int, String)])
    func decimals(_ number: Double, _ places: Int, _ expected: String) {
        #expect(written { $0.decimal(number, places: places) } == expected)
    }

    @Test("a decimal is never farther from its number than half a unit of its last place")
    func decimalError() throws {
        var random = SplitMix64(seed: testSeed)
        for _ in 0..<2000 {
            let number = Double.random(in: -180...180, using: &random)
            let read = try #require(Double(written { $0.decimal(number, places: 9) }))
            #expect(abs(read - number) <= 0.500001e-9, "seed \(testSeed): \(number)")
        }
    }
}
