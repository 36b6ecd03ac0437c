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

    @Test("is how many of its lines could not be used, at the first and then at ten times as many")
    func unusableLines() {
        var news = GPSDNews()
        #expect((0...12_345).filter { news.isNews(unusableLines: $0) } == [1, 10, 100, 1000, 10_000])
        #expect(!news.isNews(unusableLines: 99_999) && news.isNews(unusableLines: 123_456))
    }
}
