// SPDX-License-Identifier: Apache-2.0
import LocationModel
import Testing

@testable import LocationDaemon

@Suite("The allowance of durable changes")
struct ChangeAllowanceTests {
    private static let start = BootInstant(nanoseconds: 1_000_000_000_000)
    private static let rate = ChangeRate(perSecond: 10, burst: 1)

    @Test("is a second's worth; what a client that is gone owes is bounded, and paid back before the next change")
    func debt() throws {
        var allowance = ChangeAllowance()
        let now = ChangeAllowanceTests.start
        var made = 0
        while made < 1000, allowance.owe(7, rate: ChangeAllowanceTests.rate, at: now) { made += 1 }
        #expect(made == 138)
        let wait = allowance.take(7, rate: ChangeAllowanceTests.rate, at: now)
        let due = try #require(wait)
        #expect(abs((due - now).seconds - 12.9) < 0.001)
        // Others have theirs.
        let other = allowance.take(8, rate: ChangeAllowanceTests.rate, at: now)
        #expect(other == nil)
        // Going again and again pays nothing.
        let isOwed = allowance.owe(7, rate: ChangeAllowanceTests.rate, at: now + .milliseconds(50))
        #expect(!isOwed)
        let later = allowance.take(7, rate: ChangeAllowanceTests.rate, at: due + .milliseconds(1))
        #expect(later == nil)
    }

    @Test("is a burst for a program that makes many changes when it starts, and then a second's worth")
    func burst() {
        var allowance = ChangeAllowance()
        let rate = ChangeRate(perSecond: 10, burst: 100)
        let now = ChangeAllowanceTests.start
        func atOnce(at now: BootInstant) -> Int {
            var count = 0
            while count < 1000, allowance.take(1, rate: rate, at: now) == nil { count += 1 }
            return count
        }
        #expect(atOnce(at: now) == 100)
        #expect(atOnce(at: now + .seconds(1)) == 10)
        let due = allowance.take(1, rate: rate, at: now + .seconds(1))
        #expect(due == now + .seconds(1) + .seconds(0.1))
        #expect(atOnce(at: now + .seconds(60)) == 100)
    }

    @Test("does not forget what is owed, however many users come")
    func users() {
        var allowance = ChangeAllowance()
        let now = ChangeAllowanceTests.start
        while allowance.owe(7, rate: ChangeAllowanceTests.rate, at: now) {}
        for uid in 1000..<2000 {
            _ = allowance.take(UInt32(uid), rate: ChangeAllowanceTests.rate, at: now + .seconds(2))
        }
        let wait = allowance.take(7, rate: ChangeAllowanceTests.rate, at: now + .seconds(2))
        #expect(wait != nil)
    }
}
