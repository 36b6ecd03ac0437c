// SPDX-License-Identifier: Apache-2.0
import LocationModel
import SystemSupport
import Testing

@Suite("Answers of the system's databases")
struct RecentAnswersTests {
    @Test("are asked for once in two seconds, whether there is one or not")
    func once() {
        var asked: [UInt32] = []
        var names = RecentAnswers<UInt32, String> { uid in
            asked.append(uid)
            return uid == 0 ? "root" : nil
        }
        let start = BootInstant(nanoseconds: 5_000_000_000)
        for milliseconds in stride(from: 0, through: 2000, by: 100) {
            let now = start + .milliseconds(Int64(milliseconds))
            #expect(names.answer(to: 0, at: now) == "root")
            #expect(names.answer(to: 7, at: now) == nil)
        }
        #expect(asked == [0, 7])
        #expect(names.answer(to: 7, at: start + .milliseconds(2001)) == nil)
        #expect(asked == [0, 7, 7])
    }
}
