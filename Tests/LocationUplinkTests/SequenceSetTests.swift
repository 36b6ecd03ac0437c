// SPDX-License-Identifier: Apache-2.0
import LocationUplink
import Testing

@Suite("The set of settled locations")
struct SequenceSetTests {
    @Test func `moves its end over what was settled ahead`() {
        var set = SequenceSet(through: 10)
        set.insert(13)
        set.insert(12)
        #expect(set.through == 10 && set.ahead == [12...13] && set.contains(12) && !set.contains(11))
        set.insert(11)
        #expect(set.through == 13 && set.ahead.isEmpty)
    }

    @Test func `counts what is not settled up to a number`() {
        let set = SequenceSet(through: 10, ahead: [13...15, 20...29])
        let counts = [9, 10, 11, 14, 15, 17, 20, 25, 40].map { set.unsettled(through: $0) }
        #expect(counts == [0, 0, 1, 2, 2, 4, 6, 6, 17])
    }

    @Test func `is bounded: of too many stretches the last are forgotten`() {
        var set = SequenceSet(through: 0)
        for number in UInt64(1)...2000 { set.insert(number * 2) }
        #expect(set.ahead.count == SequenceSet.bound && set.contains(2048) && !set.contains(4000))
    }
}
