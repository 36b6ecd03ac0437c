// SPDX-License-Identifier: Apache-2.0
import LocationModel
import LocationTestSupport
import SystemSupport
import SystemdSupport
import Testing

@Suite("Timers of the event loop", .blocking)
struct EventLoopTests {
    @Test func `a timer that has fired is off, and takes the same window again`() throws {
        let loop = try EventLoop()
        var count = 0
        let timer = try loop.timer { count += 1 }
        let past = WakeWindow(earliest: bootClock() - .seconds(2), latest: bootClock() - .seconds(1))
        for round in 1...2 {
            timer.set(past)
            while try loop.runOnce(within: .zero) {}
            #expect(count == round)
        }
    }

    @Test func `a timer is set to a time from now, later or off`() throws {
        let loop = try EventLoop()
        var isOver = false
        let timer = try loop.timer { isOver = true }
        let start = bootClock()
        timer.set(in: .milliseconds(20), slack: .milliseconds(1))
        while try !isOver && loop.runOnce(within: .seconds(patience)) {}
        #expect(isOver && bootClock() - start >= .milliseconds(20))
        isOver = false
        timer.set(in: .zero, slack: .zero)
        timer.set(nil)
        while try loop.runOnce(within: .zero) {}
        #expect(!isOver)
    }
}
