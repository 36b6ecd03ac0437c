// SPDX-License-Identifier: Apache-2.0
import FoundationEssentials
import LocationProtocol
import LocationTestSupport
import Testing

@testable import LocationDaemon

@Suite("Bytes that a process leaves to the next one")
struct KeptBytesTests {
    @Test("are the Base64 that version 0.1.0 wrote and read", arguments: 0..<70)
    func asFoundation(count: Int) throws {
        var random = SplitMix64(seed: UInt64(count))
        let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let theirs = Array("[\"\(Data(bytes).base64EncodedString())\"]".utf8)
        #expect(try JSONWriter.text(of: [KeptBytes(bytes)]) == theirs)
        #expect(try JSONText.value([KeptBytes].self, of: theirs).map(\.bytes) == [bytes])
    }

    @Test(
        "are refused where the text is no Base64",
        arguments: ["a", "ab", "abc", "a===", "====", "ab=c", "ab==cd==", "ab*=", "ä==="])
    func damaged(text: String) {
        #expect(throws: DecodingError.self) { try JSONText.value([KeptBytes].self, of: Array("[\"\(text)\"]".utf8)) }
    }
}
