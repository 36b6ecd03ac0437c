// SPDX-License-Identifier: Apache-2.0

import LocationProtocol
import Testing

@Suite("LineFramer")
struct LineFramerTests {
    // Lines as text; "!" for the complaint about an overlong one.
    private func lines(_ pieces: [[UInt8]], limit: Int = 65_536, finishes: Bool = true) -> [String] {
        var framer = LineFramer(limit: limit)
        var found: [String] = []
        func drain() {
            while true {
                switch framer.next() {
                case .line(let bytes): found.append(text(bytes))
                case .overlong: found.append("!")
                case .needsMore: return
                }
            }
        }
        for piece in pieces {
            framer.append(piece)
            drain()
        }
        if finishes {
            framer.finish()
            drain()
        }
        return found
    }

    private let stream = Array("first\r\n\n\r\nsecond\n\r\r\n{\"a\":1}\r\n  \t\r\nwith\rcr\n \n a \n\nlast".utf8)
    private let expected = ["first", "second", "{\"a\":1}", "with\rcr", " a ", "last"]

    @Test("a stream gives the same lines wherever it is cut in two")
    func everyCut() {
        for cut in 0...stream.count {
            #expect(lines([Array(stream[..<cut]), Array(stream[cut...])]) == expected, "cut at \(cut)")
        }
    }

    @Test("what is pending gives the rest of the lines in another framer, wherever the stream is cut")
    func pending() {
        for cut in 0...stream.count {
            var framer = LineFramer()
            framer.append(Array(stream[..<cut]))
            var found: [String] = []
            if case .line(let first) = framer.next() { found.append(text(first)) }
            #expect(found + lines([Array(framer.pendingBytes), Array(stream[cut...])]) == expected, "cut at \(cut)")
        }
    }

    @Test("a stream gives the same lines wherever it is cut in three")
    func everyPairOfCuts() {
        for first in 0...stream.count {
            for second in first...stream.count {
                let pieces = [stream[..<first], stream[first..<second], stream[second...]].map(Array.init)
                #expect(lines(pieces) == expected, "cut at \(first) and \(second)")
            }
        }
    }

    @Test("a stream gives the same lines one byte at a time")
    func singleBytes() { #expect(lines(stream.map { [$0] }) == expected) }

    @Test("an unterminated last line is a line at the end of input only")
    func unterminated() {
        #expect(lines([Array("a\nb".utf8)], finishes: false) == ["a"])
        #expect(lines([Array("a\nb\r".utf8)]) == ["a", "b"])
        #expect(lines([Array("a\n".utf8)]) == ["a"])
        #expect(lines([]) == [])
        #expect(lines([Array("a\n \t ".utf8)]) == ["a"])
    }

    @Test("a line of exactly the limit is taken, one byte more is refused, at every cut")
    func limit() {
        let cases: [(String, [String])] = [
            ("12345678\n", ["12345678"]), ("12345678\r\n", ["12345678"]), ("12345678", ["12345678"]),
            ("12345678\r", ["12345678"]), ("123456789\n", ["!"]), ("123456789", ["!"]), ("12345678\r\r\n", ["!"]),
            ("ok\n123456789\nnever\n", ["ok", "!"]), ("12345678\rx\n", ["!"]),
            ("12345678\n87654321\n", ["12345678", "87654321"]),
        ]
        for (stream, expected) in cases {
            let bytes = Array(stream.utf8)
            for cut in 0...bytes.count {
                let found = lines([Array(bytes[..<cut]), Array(bytes[cut...])], limit: 8)
                #expect(found == expected, "\(stream.debugDescription) cut at \(cut)")
            }
            #expect(lines(bytes.map { [$0] }, limit: 8) == expected, "\(stream.debugDescription)")
        }
    }

    @Test("after an overlong line nothing is kept, whatever else comes")
    func overlongKeepsNothing() {
        var framer = LineFramer(limit: 100)
        framer.append([UInt8](repeating: 0x41, count: 1000))
        #expect(framer.next() == .overlong)
        for _ in 0..<100 { framer.append([UInt8](repeating: 0x41, count: 1000)) }
        #expect(framer.pendingBytes.isEmpty)
        #expect(framer.next() == .needsMore)
        framer.finish()
        #expect(framer.next() == .needsMore)
    }

    @Test("lines may be pulled one by one while bytes go on coming")
    func interleaved() {
        var framer = LineFramer()
        framer.append(Array("a\nb\nc".utf8))
        #expect(framer.next() == .line(line("a")))
        framer.append(Array("d\ne\n".utf8))
        #expect(framer.next() == .line(line("b")))
        #expect(framer.next() == .line(line("cd")))
        framer.finish()
        framer.append(Array("too late\n".utf8))
        #expect(framer.next() == .line(line("e")))
        #expect(framer.next() == .needsMore)
        #expect(framer.pendingBytes.isEmpty)
    }

    @Test("a line that was taken stays as it was while the framer goes on")
    func slicesAreValues() {
        var framer = LineFramer()
        framer.append(Array("one\ntwo\n".utf8))
        guard case .line(let first) = framer.next(), case .line(let second) = framer.next() else {
            Issue.record("two lines were there")
            return
        }
        framer.append(Array("three\n".utf8))
        #expect(framer.next() == .line(line("three")))
        #expect(text(first) == "one" && text(second) == "two")
    }
}
