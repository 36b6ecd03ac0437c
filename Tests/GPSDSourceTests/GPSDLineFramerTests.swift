// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import Testing

@Suite("GPSDLineFramer")
struct GPSDLineFramerTests {
    private func lines(of chunks: [[UInt8]], _ framer: inout GPSDLineFramer) -> [String] {
        var lines: [String] = []
        for chunk in chunks {
            chunk.withUnsafeBytes { bytes in
                framer.receive(bytes) { lines.append(String(decoding: $0, as: UTF8.self)) }
            }
        }
        return lines
    }

    @Test("the same lines come out wherever the stream is split")
    func everySplit() {
        let stream = Array("one\r\n\ntwo\n\r\nthr\ree\r\nunfinished".utf8)
        for first in 0...stream.count {
            for second in first...stream.count {
                var framer = GPSDLineFramer()
                let chunks = [stream[..<first], stream[first..<second], stream[second...]].map(Array.init)
                #expect(lines(of: chunks, &framer) == ["one", "two", "thr\ree"])
                #expect(lines(of: [[0x0A]], &framer) == ["unfinished"])
                #expect(framer.skippedLines == 0)
            }
        }
    }

    @Test("a line of the greatest length is taken, one byte more is skipped and counted, and the stream goes on")
    func bound() {
        let limit = GPSDLineFramer.maximumLength
        for length in [limit, limit + 1, limit + 2, 3 * limit] {
            for end in ["\n", "\r\n"] {
                for chunkSize in [1_000, 4_096, limit, 4 * limit] {
                    let stream = [UInt8](repeating: 0x78, count: length) + Array("\(end)next\n".utf8)
                    let chunks = stride(from: 0, to: stream.count, by: chunkSize).map {
                        Array(stream[$0..<min($0 + chunkSize, stream.count)])
                    }
                    var framer = GPSDLineFramer()
                    let found = lines(of: chunks, &framer).map(\.utf8.count)
                    #expect(found == (length == limit ? [limit, 4] : [4]), "\(length) bytes in chunks of \(chunkSize)")
                    #expect(framer.skippedLines == (length == limit ? 0 : 1))
                }
            }
        }
    }

    @Test("a reset forgets the unfinished line and an overlong one")
    func reset() {
        var framer = GPSDLineFramer()
        #expect(lines(of: [Array("half".utf8)], &framer).isEmpty)
        framer.reset()
        #expect(lines(of: [Array("whole\n".utf8)], &framer) == ["whole"])
        #expect(lines(of: [[UInt8](repeating: 1, count: 70_000)], &framer).isEmpty)
        framer.reset()
        #expect(lines(of: [Array("whole\n".utf8)], &framer) == ["whole"])
    }
}
