// SPDX-License-Identifier: Apache-2.0
import GPSDSource
import Testing

@Suite("What the journal says of gpsd")
struct GPSDNewsTests {
    @Test("is that it is not there, once for each reason, however often that is tried")
    func once() {
        var news = GPSDNews()
        #expect(news.entry(for: .waiting, reason: "refused") == .lost(reason: "refused"))
        for _ in 0..<100 {
            #expect(news.entry(for: .connecting, reason: "refused") == nil)
            #expect(news.entry(for: .waiting, reason: "refused") == nil)
            #expect(news.entry(for: .disconnected, reason: "refused") == nil)
        }
        #expect(news.entry(for: .waiting, reason: "no route") == .lost(reason: "no route"))
        #expect(news.entry(for: .connected, reason: nil) == .connected)
        #expect(news.entry(for: .subscribing, reason: nil) == nil)
        #expect(news.entry(for: .watching, reason: nil) == nil)
        #expect(news.entry(for: .disconnected, reason: "no route") == .lost(reason: "no route"))
    }
}
